"""retaliate: an extra of the target's pool answers the blow with a hit on whoever struck."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from gambeson.language.deciding import type_named, who_decides
from gambeson.language.dice import Dice, parse_dice
from gambeson.language.lowering import NO, both, negated
from gambeson.language.potency import bearing
from gambeson.language.stages.base import ALWAYS, Runs, Stage
from gambeson.language.stages.move import receives
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import DiceGroup, Question
from gambeson.model.values import Entity, Extra, Hit, Part

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOBODY = Message("trace.retaliate.nobody")
NOTHING_LEFT = Message("trace.retaliate.nothing_left")


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """The damage types that the holder names one of at each answer, and the rule that has it asked."""

    of: tuple[str, ...]
    rule: str


class Thrown(Struct, frozen=True):
    """The dice of an extra on a layer, and what a program calls them by."""

    key: str
    layer: str
    dice: Dice


class Retaliate(Stage, frozen=True, kw_only=True, tag="retaliate"):
    """The extra `extra` (its `dice` and `type`) strikes back through the attacker's own procedure, without any trait.

    The blow must carry the word `answers`, and its source must be on the table and of one of the `kinds`. `reads`:
    the extra must be there when the blow lands (`start`) or after its losses (`now`). `left`: a figure noted on the
    way that must not be 0. With `bears`, effects that bear that change (`points` or `dice`, `type`) strike back in
    order of beginning, not extras; nobody with a condition of `spares` is struck. The dice are asked under
    `roll_rule`; with `asks` so is the type.
    """

    runs: Runs = ALWAYS
    extra: str
    bears: str = ""
    spares: tuple[str, ...] = ()
    answers: str
    kinds: tuple[str, ...]
    roll_rule: str
    reads: Literal["start", "now"] = "start"
    left: str = ""
    asks: Asked | None = None

    OUTLIVES = True

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Strike back with each extra of that name."""
        if self.answers not in blow.words:
            return
        holder = blow.start if self.reads == "start" else blow.entity
        for layer, extra in self._borne(blow, holder) if self.bears else self._ready(holder):
            attacker = turn.state.entities.get(blow.hit.source or "")
            if attacker is None or attacker.kind not in self.kinds or not receives(turn, attacker.id, self.spares):
                self.skip(turn, blow, NOBODY)
            elif self.left and not blow.noted[self.left]:
                self.skip(turn, blow, NOTHING_LEFT)
            else:
                self._strike(turn, blow, f"{blow.target}:{layer}:{attacker.id}", extra, attacker)

    def _borne(self, blow: Blow, holder: Entity) -> Iterator[tuple[str, Extra]]:
        for effect in bearing(blow.pack, holder, self.bears):
            yield str(effect.serial), Extra(self.extra, effect.facts[self.bears])

    def _ready(self, holder: Entity) -> Iterator[tuple[str, Extra]]:
        return ((layer, extra) for layer, extra in self.borne(holder) if holder.pools[layer].current > 0)

    def borne(self, holder: Entity) -> Iterator[tuple[str, Extra]]:
        """The extras of that name on the pools of an entity, whether or not a point is left to them."""
        return (
            (layer, extra) for layer, pool in holder.pools.items() for extra in pool.extras if extra.name == self.extra
        )

    def dice_of(self, holder: Entity) -> tuple[Thrown, ...]:
        """The dice that its extras may throw in a fight that a program follows."""
        if self.bears:
            return ()
        return tuple(
            Thrown(f"{self.extra}_{layer}", layer, parse_dice(extra.facts["dice"]))
            for layer, extra in self.borne(holder)
            if "dice" in extra.facts
        )

    def _strike(self, turn: Adjudication, blow: Blow, key: str, extra: Extra, attacker: Entity) -> None:
        from gambeson.language.procedure import strike

        if self.asks is not None:
            type = type_named(turn, f"type:{key}", blow.entity, self.extra, self.asks.of, self.asks.rule)
        else:
            type = extra.facts.get("type", "untyped")
        points = self._rolled(turn, blow, key, extra, attacker) if "dice" in extra.facts else extra.facts["points"]
        dice = extra.facts.get("dice", str(points))
        note = message("trace.retaliate.strikes", extra=self.extra, dice=dice, points=points, type=type)
        turn.note(TraceRow(self.stage, self.rule, attacker.id, points, points, note))
        strike(
            turn,
            Hit(attacker.id, (Part(points, type),), source=blow.target, facts={"via": f":{key}"} if self.bears else {}),
        )

    def _rolled(self, turn: Adjudication, blow: Blow, key: str, extra: Extra, attacker: Entity) -> int:
        """The dice, thrown by the holder or whoever decides for it now."""
        dice = parse_dice(extra.facts["dice"])
        holder = turn.state.entities.get(blow.target, blow.start)
        decider, why = who_decides(turn, holder)
        text = message("question.retaliation", entity=holder.name, extra=self.extra, attacker=attacker.name)
        group = DiceGroup(dice.count, dice.sides, decider)
        question = Question(f"retaliate:{key}", decider, self.roll_rule, text, dice=(group,), why=why)
        points: int = turn.roll(question, dice.total)
        return points

    def lower(self, program: Program) -> None:
        """The same in a program of a duel; elsewhere nobody is there to be struck."""
        source = program.source
        if (
            self.answers in program.words
            and program.hit.source == program.entity.id
            and any(self.borne(program.entity))
        ):
            program.refuse(self.extra)
        if self.answers not in program.words or source is None or source.kind not in self.kinds:
            return
        if self.bears:
            if bearing(program.pack, program.entity, self.bears):
                program.refuse(self.extra)
            return
        for layer, extra in self.borne(program.entity):
            points = program.before(layer) if self.reads == "start" else program.pool(layer)
            when = both(program.untouched(layer), points > 0)
            if self.left:
                when = both(when, program.noted.get(self.left, NO) > 0)
            for condition in self.spares:
                when = both(when, negated(program.source_has(condition)))
            if when.fixed == 0:
                continue
            if self.asks is None:
                type = extra.facts["type"]
            else:
                type = program.answered("type", self.asks.of)
            known = parse_dice(extra.facts["dice"]) if "dice" in extra.facts else extra.facts["points"]
            program.strike_back(f"{self.extra}_{layer}", known, type, when, self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.retaliate", extra=self.extra, answers=self.answers, reads=self.reads)

"""Turns that each creature takes on its own: they end effects, repeat grants and bring rolls."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import effect_of, end_effect, offer, take_up
from gambeson.language.dice import Row, Table
from gambeson.language.figures import present
from gambeson.language.outcomes import Outcome
from gambeson.language.predicates import DiceFormula, Predicate
from gambeson.language.scope import Scope
from gambeson.language.turns import OWNER, OwnTurns, whose_turn
from gambeson.mechanisms.bestow import keeps_up, points_of, rolled
from gambeson.model.events import EffectChanged, FactSet, MomentReached, PoolEnded, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import DiceGroup, Question
from gambeson.model.values import LARGEST_FIGURE, Effect, Facts, Until


class Face(Struct, frozen=True, forbid_unknown_fields=True):
    """What a throw up to `to` brings, above the entry before it; the last one also what any higher throw does."""

    to: int
    outcome: Outcome


class TurnRoll(Struct, frozen=True, forbid_unknown_fields=True):
    """A roll that a creature makes at the start of its turn while `when` holds, read by a table."""

    name: str
    rule: str
    when: Predicate
    dice: DiceFormula
    table: Annotated[tuple[Face, ...], Meta(min_length=1)]

    def throw(self, turn: Adjudication, id: str) -> None:
        """Roll, and let happen what the table says."""
        entity = present(turn, id)
        dice = self.dice.value(Scope(turn.pack, entity))
        most = (*(face.to for face in self.table[:-1]), LARGEST_FIGURE)
        least = (-LARGEST_FIGURE, *(to + 1 for to in most[:-1]))
        rows = tuple(Row(low, high, str(index)) for index, (low, high) in enumerate(zip(least, most, strict=True)))
        question = Question(
            f"{self.name}:{id}",
            id,
            self.rule,
            message("question.turn_roll", entity=entity.name, name=self.name),
            dice=(DiceGroup(dice.count, dice.sides, id),),
        )
        outcome = self.table[int(turn.roll(question, Table(rows, dice.plus)))].outcome
        said = message("trace.turn_roll", name=self.name, conditions=outcome.marks, counts=tuple(outcome.adds))
        turn.note(TraceRow(self.name, self.rule, id, 0, 0, said))
        outcome.happen(turn, id)


class Moving(Struct, frozen=True):
    """Which moment comes, and whose it is."""

    to: str
    who: str


class OwnTurn(Struct, frozen=True, forbid_unknown_fields=True, tag="own_turn"):
    """A creature's turn starts or ends, at moments that `own_turns` name; a start first ends the running turn.

    At one moment effects end, then effects with `repeats` grant their points (cited with `repeats_rule`), then the
    `rolls` are made; several of a kind in the order in which they began. `any_pool` and `any_layer`: as for `bestow`.
    """

    rule: str
    repeats_rule: str = ""
    grant_rule: str = ""
    roll_rule: str = ""
    rolls: tuple[TurnRoll, ...] = ()
    any_pool: str = "any"
    any_layer: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Moving, list[Refusal]]:
        """Only a running turn can end."""
        moving = Moving(fields["to"], fields["who"])
        refusals = []
        if moving.to == self._turns(turn).end and whose_turn(turn) != moving.who:
            name = present(turn, moving.who).name
            refusals.append(Refusal(self.rule, message("refusal.turn.not_running", entity=name), "who"))
        return moving, refusals

    def _turns(self, turn: Adjudication) -> OwnTurns:
        if turn.pack.own_turns is None:
            turn.refuse(Refusal(self.rule, message("fault.needs_section", section="own_turns")))
        return turn.pack.own_turns

    def run(self, turn: Adjudication, prepared: Moving) -> None:
        """End the running turn, then begin the new one."""
        turns = self._turns(turn)
        running = whose_turn(turn)
        if running:
            self._reach(turn, turns.end, running)
        self._owner(turn, None)
        if prepared.to == turns.start and prepared.who in turn.state.entities:
            self._owner(turn, prepared.who)
            self._start(turn, turns, prepared.who)

    def _owner(self, turn: Adjudication, who: str | None) -> None:
        if turn.state.facts.get(OWNER) != who:
            turn.change(FactSet("", OWNER, who, self.rule))

    def _start(self, turn: Adjudication, turns: OwnTurns, who: str) -> None:
        if turns.counts:
            self._spend(turn, turns, who)
        self._reach(turn, turns.start, who)
        self._repeat(turn, turns, who)
        for roll in self.rolls:
            entity = turn.state.entities.get(who)
            if entity is not None and roll.when.holds(Scope(turn.pack, entity)):
                roll.throw(turn, who)

    def _reach(self, turn: Adjudication, moment: str, who: str) -> None:
        """The moment comes: what counts it is nearer its end, and what is over ends, oldest first."""
        turn.change(MomentReached(moment, who, self.rule))
        note = message("trace.turn", moment=moment, entity=present(turn, who).name)
        turn.note(TraceRow(moment, self.rule, who, 0, 0, note))
        seconds = self._turns(turn).seconds
        for id, effect in self._effects(turn):
            counted = tuple(_counted(end, moment, who, seconds) for end in effect.until)
            if counted != effect.until and self._there(turn, id, effect):
                turn.change(EffectChanged(id, replace(effect, until=counted), self.rule))
        self._pools(turn, lambda end: _counted(end, moment, who, seconds))
        self._over(turn)

    def _spend(self, turn: Adjudication, turns: OwnTurns, who: str) -> None:
        """A turn stands for its seconds in what its creature made last for a time."""
        for id, effect in self._effects(turn):
            owner = effect.source if effect.source in turn.state.entities else id
            spent = tuple(_spent(end, turns.seconds) for end in effect.until)
            if owner == who and spent != effect.until:
                turn.change(EffectChanged(id, replace(effect, until=spent), self.rule))
        for id, entity in list(turn.state.entities.items()):
            for layer, pool in entity.pools.items():
                owner = pool.source if pool.source in turn.state.entities else id
                if owner == who and pool.until is not None and _spent(pool.until, turns.seconds) != pool.until:
                    spent_pool = replace(pool, until=_spent(pool.until, turns.seconds))
                    turn.change(PoolSet(id, layer, spent_pool, self.rule))

    def _effects(self, turn: Adjudication) -> list[tuple[str, Effect]]:
        found = [(id, effect) for id, entity in turn.state.entities.items() for effect in entity.effects]
        return sorted(found, key=lambda pair: pair[1].serial)

    def _there(self, turn: Adjudication, id: str, effect: Effect) -> bool:
        entity = turn.state.entities.get(id)
        return entity is not None and effect_of(entity, effect.serial) is not None

    def _pools(self, turn: Adjudication, count: Any) -> None:
        for id, entity in list(turn.state.entities.items()):
            for layer, pool in entity.pools.items():
                if pool.until is not None and count(pool.until) != pool.until:
                    turn.change(PoolSet(id, layer, replace(pool, until=count(pool.until)), self.rule))

    def _over(self, turn: Adjudication) -> None:
        turns, clock = self._turns(turn), turn.state.clock
        for id, effect in self._effects(turn):
            if any(_is_over(end, clock, turns.counts) for end in effect.until) and self._there(turn, id, effect):
                said = message("trace.effect_over", effect=effect.name)
                turn.note(TraceRow("time", self.rule, id, 0, 0, said))
                end_effect(turn, id, effect, self.rule)
        for id, entity in list(turn.state.entities.items()):
            for layer, pool in entity.pools.items():
                if pool.until is not None and _is_over(pool.until, clock, turns.counts):
                    turn.note(TraceRow("time", self.rule, id, 0, 0, message("trace.pool_over", layer=layer)))
                    turn.change(PoolEnded(id, layer, self.rule))

    def _repeat(self, turn: Adjudication, turns: OwnTurns, who: str) -> None:
        for id, effect in self._effects(turn):
            due = effect.facts.get("repeats", {}).get(turns.start) == who
            if not due or not self._there(turn, id, effect):
                continue
            own: Facts = effect.facts["granting"]
            points = self._points(turn, id, effect, own.get("points", 0))
            if not points:
                continue
            given = points_of(effect.source, own, id, points, effect, self.grant_rule, turn)
            offered = offer(turn, given)
            if offered.question is not None:
                key = f"{offered.question.key}:{effect.serial}"
                offered = replace(offered, question=replace(offered.question, key=key))
            (stands,) = take_up(turn, (offered,))
            if not keeps_up(turn, id, effect, stands, self.any_pool, self.any_layer):
                end_effect(turn, id, effect, self.repeats_rule or self.rule)

    def _points(self, turn: Adjudication, id: str, effect: Effect, points: int | str) -> int:
        """The points that an effect repeats, thrown where they are dice."""
        if isinstance(points, int):
            return points
        key = f"points:{id}:{effect.serial}"
        return rolled(turn, key, effect.source, points, self.roll_rule or self.rule, effect.name)


def _counted(end: Until, moment: str, who: str, seconds: int) -> Until:
    """The end after one of the moments that it counts."""
    if end.kind == "moment" and end.moment == moment and end.whose == who:
        return replace(end, count=end.count - 1, due=end.due - seconds)
    return end


def _spent(end: Until, seconds: int) -> Until:
    return replace(end, due=end.due - seconds) if end.kind == "clock" else end


def _is_over(end: Until, clock: int, counts: bool) -> bool:
    if end.kind == "clock":
        return end.due <= clock
    return end.kind == "moment" and bool(end.whose) and (end.count <= 0 or (counts and end.due <= clock))

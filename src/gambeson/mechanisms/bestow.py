"""Bestowing: an effect of the catalogue or of one's own begins on one or several, with its changes and its points."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from gambeson.engine.commands.grant import forbidden
from gambeson.language.adjudication import Adjudication
from gambeson.language.concentration import BROKEN, let_go
from gambeson.language.deciding import who_decides
from gambeson.language.deeds import Grant, Offer, begin, end_effect, extras_of, offer, restore, take_up
from gambeson.language.dice import parse_dice
from gambeson.language.durations import until
from gambeson.language.effects import CONCENTRATION, KEEPS_POOL, Entry, completed, written_effect
from gambeson.language.fields import unknown_entity
from gambeson.language.figures import conditions, pool_of, present
from gambeson.language.potency import ADDS_UP
from gambeson.language.predicates import Predicate
from gambeson.language.scope import Scope
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import DiceGroup, Question
from gambeson.model.values import LARGEST_FIGURE, REFEREE, Effect, Entity, Facts

ONLY_EFFECTS = ("changes", CONCENTRATION, KEEPS_POOL, ADDS_UP, "repeats", "ends_with", "ends_when")
"""Fields that need an effect that lasts."""

CAST_AGAIN = "cast_again"
OWN_POOL, ANY_POOL = "own_pool", "any_pool"


class Casting(Struct, frozen=True):
    """What is bestowed: the effect's name (or none) and, for each target, its fields."""

    name: str | None
    source: str | None
    lasting: bool
    given: dict[str, Facts]


class Refused(Struct, frozen=True, forbid_unknown_fields=True):
    """Points of `layer` cannot be given to whom `when` holds for; with `always` not even named without points."""

    layer: str
    rule: str
    text: str
    when: Predicate | None = None
    always: bool = False


class Bestow(Struct, frozen=True, forbid_unknown_fields=True, tag="bestow"):
    """An effect begins on every target and the points come that it gives, or points alone are granted.

    `rule` is cited for points, `effect_rule` for effects; `concentration_rule` where a source cannot concentrate, being
    of the kinds `minds_not` or having a condition of `broken_by`. `refused` says which points cannot be given;
    `filtered` are the layers whose pools take an `absorbs`. `any_pool`: as for the standing
    rule `bounds`, with `any_layer` the layer that it means.
    """

    SPELL: ClassVar[Any] = Entry

    rule: str
    effect_rule: str
    concentration_rule: str
    broken_by: tuple[str, ...] = ()
    minds_not: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    filtered: tuple[str, ...] = ()
    any_pool: str = "any"
    any_layer: str = ""
    ends_rule: str = ""
    cast_again_rule: str = ""
    roll_rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Casting, list[Refusal]]:
        """Complete the fields from the catalogue for each target, and say everything against it."""
        name: str | None = turn.pack.called(fields["effect"]) if "effect" in fields else None
        source: str | None = fields.get("source")
        entry: Entry | None = turn.pack.spells.get(name or "")
        refusals = self._catalogue(turn, name, entry, fields) if entry is not None else []
        given = {target: self._completed(turn, entry, fields, target) for target in fields["target"]}
        lasting = name is not None and (entry is None or entry.lasting)
        for target, own in given.items():
            refusals += self._shape(turn, own, lasting)
            refusals += self._points(turn, present(turn, target), own)
        if any(own.get(CONCENTRATION) for own in given.values()):
            refusals += self._mind(turn, source)
        return Casting(name, source, lasting, given), refusals

    def _completed(self, turn: Adjudication, entry: Entry | None, fields: Facts, target: str) -> Facts:
        """The fields for one target, the layer among them."""
        assert turn.pack.effects is not None
        source = fields.get("source") if fields.get("source") in turn.state.entities else None
        own = completed(entry, fields, source, target) if entry is not None else fields
        return {"layer": turn.pack.effects.layer, **own}

    def _catalogue(self, turn: Adjudication, name: str | None, entry: Entry, fields: Facts) -> list[Refusal]:
        rules = turn.pack.effects
        rule = rules.catalogue_rule if rules is not None else entry.rule
        refusals = []
        for variant, readings in entry.under.items():
            if turn.pack.readings[variant] not in readings:
                said = message(
                    "refusal.effect.not_in", effect=name, variant=variant, reading=turn.pack.readings[variant]
                )
                refusals.append(Refusal(rule, said, "effect"))
        if fields.get("slot", entry.level) < entry.level:
            refusals.append(Refusal(rule, message("refusal.effect.slot", effect=name, level=entry.level), "slot"))
        return refusals

    def _shape(self, turn: Adjudication, own: Facts, lasting: bool) -> list[Refusal]:
        """Fields that do not go together."""
        wrong: list[tuple[str, str]] = []
        if "effect" not in own and "points" not in own:
            wrong.append(("points", "refusal.effect.nothing"))
        if not lasting:
            wrong += [(key, "refusal.effect.needs_effect") for key in ONLY_EFFECTS if own.get(key)]
        elif own.get("until") == "spent":
            wrong.append(("until", "refusal.effect.spent"))
        if "absorbs" in own and own["layer"] not in self.filtered:
            wrong.append(("absorbs", "refusal.effect.absorbs"))
        return [Refusal(turn.pack.values_rule, message(text, field=key), key) for key, text in wrong]

    def _points(self, turn: Adjudication, entity: Entity, own: Facts) -> list[Refusal]:
        layer, points = own["layer"], own.get("points", 0) != 0
        refusals = forbidden(turn, "grant", layer, entity) if points else []
        scope = Scope(turn.pack, entity)
        for refused in self.refused:
            holds = refused.when is None or refused.when.holds(scope)
            if refused.layer == layer and (points or refused.always) and holds:
                refusals.append(Refusal(refused.rule, message(refused.text, entity=entity.name), "layer"))
        return refusals

    def _mind(self, turn: Adjudication, source: str | None) -> list[Refusal]:
        entity = turn.state.entities.get(source or "")
        if entity is None:
            rule = turn.pack.ids_rule if source is not None else turn.pack.values_rule
            said = unknown_entity(source or "", turn.state.entities)
            return [
                Refusal(rule or turn.pack.values_rule, message("refusal.field", field="source", fault=said), "source")
            ]
        unable = any(condition in self.broken_by for condition in conditions(turn.pack, entity))
        if unable or entity.kind in self.minds_not:
            return [Refusal(self.concentration_rule, message("refusal.effect.mind", entity=entity.name), "source")]
        return []

    def run(self, turn: Adjudication, prepared: Casting) -> None:
        """Older castings end, the effect begins everywhere, then its points come."""
        if prepared.lasting and any(own.get(CONCENTRATION) for own in prepared.given.values()):
            let_go(turn, prepared.source or "", self.concentration_rule, BROKEN)
        begun: dict[str, Effect | None] = {}
        for target, own in prepared.given.items():
            if target in turn.state.entities:
                begun[target] = self._begin(turn, prepared, target, own) if prepared.lasting else None
        self._give(turn, prepared, begun)

    def _begin(self, turn: Adjudication, prepared: Casting, target: str, own: Facts) -> Effect | None:
        assert turn.pack.effects is not None
        assert prepared.name is not None
        self._cast_again(turn, prepared.name, target)
        layer, points = self._once(turn, own)
        if target not in turn.state.entities:
            return None
        before = pool_of(present(turn, target), layer).maximum if layer else 0
        effect = written_effect(turn.pack.effects, own, prepared.name, prepared.source, turn.state.clock)
        turn.note(
            TraceRow("effect", self.effect_rule, target, 0, 0, message("trace.effect.begins", effect=prepared.name))
        )
        effect = begin(turn, target, effect, self.effect_rule)
        if layer and target in turn.state.entities:
            risen = pool_of(present(turn, target), layer).maximum - before
            if risen > 0:
                restore(turn, target, layer, min(risen, points), self.effect_rule)
        return effect

    def _once(self, turn: Adjudication, own: Facts) -> tuple[str, int]:
        """The layer and the points that come once with the beginning."""
        assert turn.pack.effects is not None
        for key, value in own.get("changes", {}).items():
            meant = turn.pack.effects.changes[key]
            if meant.kind == "points":
                return meant.of, value
        return "", 0

    def _cast_again(self, turn: Adjudication, name: str, target: str) -> None:
        for id, entity in list(turn.state.entities.items()):
            for effect in entity.effects:
                bound = CAST_AGAIN in effect.facts.get("ends_when", ()) and effect.name == name
                if bound and target in (id, effect.source):
                    end_effect(turn, id, effect, self.cast_again_rule or self.effect_rule)

    def _give(self, turn: Adjudication, prepared: Casting, begun: dict[str, Effect | None]) -> None:
        offers: dict[str, Offer] = {}
        for target, effect in begun.items():
            own = prepared.given[target]
            points = 0 if own.get("repeats") else self._rolled(turn, prepared, target, own)
            if points and target in turn.state.entities and not self._over(turn, target, effect):
                offers[target] = offer(turn, points_of(prepared.source, own, target, points, effect, self.rule, turn))
        stands = dict(zip(offers, take_up(turn, tuple(offers.values())), strict=True))
        for target, effect in begun.items():
            if effect is not None:
                self._needs(turn, target, effect, stands.get(target))

    def _over(self, turn: Adjudication, target: str, effect: Effect | None) -> bool:
        """Whether the effect that would give the points has ended already."""
        there = present(turn, target).effects
        return effect is not None and all(other.serial != effect.serial for other in there)

    def _rolled(self, turn: Adjudication, prepared: Casting, target: str, own: Facts) -> int:
        points: int | str = own.get("points", 0)
        if isinstance(points, int):
            return points
        return rolled(turn, f"points:{target}", prepared.source, points, self.roll_rule or self.rule, prepared.name)

    def _needs(self, turn: Adjudication, target: str, effect: Effect, stands: bool | None) -> None:
        """An effect that cannot be without points ends where they were declined."""
        if target in turn.state.entities and not keeps_up(turn, target, effect, stands, self.any_pool, self.any_layer):
            end_effect(turn, target, effect, self.ends_rule or self.effect_rule)


def keeps_up(turn: Adjudication, target: str, effect: Effect, stands: bool | None, any_pool: str, layer: str) -> bool:
    """Whether an effect goes on after points were offered for it (`stands`: None if none were)."""
    needs = effect.facts.get("ends_with")
    if needs == ANY_POOL and any_pool == "any":
        return pool_of(present(turn, target), layer).current > 0 or (stands is None and "repeats" in effect.facts)
    return needs not in (OWN_POOL, ANY_POOL) or stands is not False


def points_of(
    source: str | None, own: Facts, target: str, points: int, effect: Effect | None, rule: str, turn: Adjudication
) -> Grant:
    """The grant that an effect or points alone make."""
    return Grant(
        target=target,
        layer=own["layer"],
        points=points,
        rule=rule,
        source=source,
        extras=extras_of(own.get("extras", ())),
        until=until(own.get("until"), turn.state.clock) if effect is None else None,
        facts={"absorbs": own["absorbs"]} if "absorbs" in own else {},
        effect=effect.serial if effect is not None else None,
    )


def rolled(turn: Adjudication, key: str, source: str | None, dice: str, rule: str, name: str | None) -> int:
    """The points that dice give, thrown by the source (else the referee)."""
    read = parse_dice(dice)
    thrower = turn.state.entities.get(source or "")
    decider, why = who_decides(turn, thrower) if thrower is not None else (REFEREE, None)
    question = Question(
        key,
        decider,
        rule,
        message("question.points", effect=name, dice=dice),
        dice=(DiceGroup(read.count, read.sides, decider),),
        why=why,
    )
    points: int = turn.roll(question, read.total)
    if points > LARGEST_FIGURE:
        turn.refuse(turn.pack.too_large("points"))
    return max(0, points)

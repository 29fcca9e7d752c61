"""Deeds as packs write them: what a spell, an item or a moment does to its target, as a flat list of verbs."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import Grant, begin, end_effect, grant, restore, strip_entries, unmark
from gambeson.language.durations import until
from gambeson.language.figures import entries, pool_of, shown_effects
from gambeson.language.predicates import Formula
from gambeson.language.scope import Scope
from gambeson.model.events import EffectChanged, FactSet, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Effect, Extra, Facts, Protection, Until


class Origin(Struct, frozen=True, kw_only=True):
    """Where a deed comes from: who did what, under which name, and how long what it begins lasts."""

    target: str
    rule: str
    name: str
    code: str
    source: str | None = None
    actor: str | None = None
    lasts: Any = None
    tags: tuple[str, ...] = ()
    facts: Facts = {}
    values: Facts = {}
    extras: tuple[Extra, ...] = ()
    renews: bool = True

    def end(self, turn: Adjudication) -> Until | None:
        """When what it begins is over, counted from now."""
        return until(self.lasts, turn.state.clock)

    def effect(self, turn: Adjudication) -> Effect:
        """The effect that it begins, still empty."""
        end = self.end(turn)
        return Effect(
            0,
            self.name,
            self.source,
            self.code,
            until=(end,) if end is not None else (),
            tags=self.tags,
            facts=self.facts,
        )


class GrantDeed(Struct, frozen=True, tag="grant", tag_field="deed", forbid_unknown_fields=True):
    """Points of a layer are granted, through the layer's own policy. `points` may use the values of the casting.

    `full`: lists that the effect adds to where no point could be given.
    """

    layer: str
    points: Formula
    full: dict[str, tuple[Any, ...]] = {}

    def run(self, turn: Adjudication, origin: Origin) -> None:
        """Grant them."""
        scope = Scope(turn.pack, turn.state.entities[origin.target], values=origin.values)
        given = Grant(
            target=origin.target,
            layer=self.layer,
            points=self.points.value(scope),
            rule=origin.rule,
            source=origin.name,
            extras=origin.extras,
            until=origin.end(turn),
            facts=origin.facts,
            tags=origin.tags,
            code=origin.code,
            full=self.full,
        )
        grant(turn, given)


class RestoreDeed(Struct, frozen=True, tag="restore", tag_field="deed", forbid_unknown_fields=True):
    """One of the `layers` gets its lost points back: where several miss points the actor chooses, unless `all` do.

    A pool whose key `needs` is false is left out.
    """

    layers: tuple[str, ...]
    all: bool = False
    choice_rule: str = ""
    needs: str = ""

    def run(self, turn: Adjudication, origin: Origin) -> None:
        """Choose, then restore."""
        entity = turn.state.entities[origin.target]
        missing = [
            layer
            for layer in self.layers
            if pool_of(entity, layer).current < pool_of(entity, layer).maximum
            and (not self.needs or pool_of(entity, layer).facts.get(self.needs, True))
        ]
        if not missing:
            turn.note(TraceRow("restore", origin.rule, origin.target, 0, 0, message("trace.restore.nothing"), False))
            return
        if len(missing) > 1 and not self.all:
            missing = [self._chosen(turn, origin, missing)]
        for layer in missing:
            before = pool_of(turn.state.entities[origin.target], layer).current
            restore(turn, origin.target, layer, None, origin.rule)
            after = pool_of(turn.state.entities[origin.target], layer).current
            note = message("trace.heal", layer=layer, points=after - before)
            turn.note(TraceRow("restore", origin.rule, origin.target, before, after, note))

    def _chosen(self, turn: Adjudication, origin: Origin, missing: list[str]) -> str:
        entity = turn.state.entities[origin.target]

        def lacks(layer: str) -> int:
            pool = pool_of(entity, layer)
            return pool.maximum - pool.current

        options = tuple(Option(layer, message("option.layer", layer=layer, points=lacks(layer))) for layer in missing)
        (chosen,) = turn.ask(
            Question(
                f"restore:{origin.target}",
                origin.actor or origin.target,
                self.choice_rule or origin.rule,
                message("question.restore", entity=entity.name),
                options,
                suggested=max(missing, key=lacks),
            )
        )
        return chosen


class EffectDeed(Struct, frozen=True, tag="effect", tag_field="deed", forbid_unknown_fields=True):
    """An effect begins: it may protect (`stops`, `but`, `charges`), add to `lists`, bring `conditions`.

    Cast again on who bears it, its time starts anew and its charges are full.
    """

    stops: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    charges: int = 1
    lists: dict[str, tuple[Any, ...]] = {}
    conditions: tuple[str, ...] = ()

    def run(self, turn: Adjudication, origin: Origin) -> None:
        """Begin it, or renew it."""
        protections = (Protection(self.stops, self.charges, self.but),) if self.stops else ()
        effect = replace(origin.effect(turn), protections=protections, lists=self.lists, conditions=self.conditions)
        old = borne(turn, origin)
        note = message("trace.effect.begins" if old is None else "trace.effect.renewed", effect=origin.name)
        turn.note(TraceRow("effect", origin.rule, origin.target, 0, 0, note))
        if old is None:
            begin(turn, origin.target, effect, origin.rule)
            return
        renewed = replace(effect, serial=old.serial, began=turn.state.clock)
        if renewed != old:
            turn.change(EffectChanged(origin.target, renewed, origin.rule))


def borne(turn: Adjudication, origin: Origin) -> Effect | None:
    """The effect of this name that the target bears already, if it is renewed and not replaced."""
    if not origin.renews:
        return None
    return next(
        (effect for effect in shown_effects(turn.state.entities[origin.target]) if effect.name == origin.name), None
    )


class UnmarkDeed(Struct, frozen=True, tag="unmark", tag_field="deed", forbid_unknown_fields=True):
    """Conditions end, or entries leave a list-valued fact (`fact`, `entries`) and the conditions go with them."""

    conditions: tuple[str, ...] = ()
    fact: str = ""
    entries: tuple[str, ...] = ()

    def run(self, turn: Adjudication, origin: Origin) -> None:
        """Take them away."""
        entity = turn.state.entities[origin.target]
        gone = [entry for entry in entries(entity, self.fact) if entry in self.entries] if self.fact else []
        if gone:
            strip_entries(turn, origin.target, self.fact, tuple(gone), origin.rule)
            listed: tuple[str, ...] = turn.state.entities[origin.target].facts.get(self.fact, ())
            left = tuple(entry for entry in listed if entry not in gone)
            if left != listed:
                turn.change(FactSet(origin.target, self.fact, left, origin.rule))
        if gone or not self.fact:
            for condition in self.conditions:
                if unmark(turn, origin.target, condition, origin.rule):
                    gone.append(condition)
        note = message("trace.unmark.gone", gone=tuple(gone)) if gone else message("trace.restore.nothing")
        turn.note(TraceRow("unmark", origin.rule, origin.target, 0, 0, note, bool(gone)))


class EndDeed(Struct, frozen=True, tag="end", tag_field="deed", forbid_unknown_fields=True):
    """Every effect on the target with one of the `tags` ends, oldest first; conditions of these words go with them.

    `pools`: points of these layers that no effect gives go as well, unless their key `unless` is true.
    """

    tags: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    unless: str = ""

    def run(self, turn: Adjudication, origin: Origin) -> None:
        """End them."""
        ended: list[str] = []
        for effect in turn.state.entities[origin.target].effects:
            if any(tag in effect.tags for tag in self.tags):
                ended.append(effect.name)
                end_effect(turn, origin.target, effect, origin.rule)
        for condition in self.conditions:
            if unmark(turn, origin.target, condition, origin.rule):
                ended.append(condition)
        for layer in self.pools:
            pool = pool_of(turn.state.entities[origin.target], layer)
            if pool.current and pool.effect is None and not pool.facts.get(self.unless, False):
                ended.append(layer)
                turn.change(PoolSet(origin.target, layer, replace(pool, current=0, maximum=0), origin.rule))
        note = message("trace.dispel.ended", ended=tuple(ended)) if ended else message("trace.dispel.nothing")
        turn.note(TraceRow("dispel", origin.rule, origin.target, 0, 0, note, bool(ended)))


Deed: TypeAlias = GrantDeed | RestoreDeed | EffectDeed | UnmarkDeed | EndDeed
"""Every deed that a pack may name under `deed`."""

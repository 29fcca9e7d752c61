"""Deeds as packs write them: what a spell, an item or a called word does to its target, as a flat list of verbs.

Each says of its `run` whether it took hold: False only where there was nothing that it could ever do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language import ledgers
from gambeson.language.deeds import Grant, begin, end_effect, grant, restore, strip_entries, unmark, unwrite
from gambeson.language.durations import ends, until
from gambeson.language.figures import entries, own_conditions, pool_of, present, shown_effects
from gambeson.language.lastings import hidden_effect
from gambeson.language.predicates import Formula
from gambeson.language.scope import Blow, Scope
from gambeson.model.events import EffectChanged, FactSet, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Effect, Extra, Facts, Protection, Until

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.pack import Pack


class Origin(Struct, frozen=True, kw_only=True):
    """Where a deed comes from: who did what, under which name, and how long what it begins lasts.

    `blow` is the hit that it comes with, where a called word does it.
    """

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
    blow: Blow | None = None

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

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Grant them."""
        scope = Scope(turn.pack, present(turn, origin.target), values=origin.values)
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
        return True


class RestoreDeed(Struct, frozen=True, tag="restore", tag_field="deed", forbid_unknown_fields=True):
    """One of the `layers` gets its lost points back: where several miss points the actor chooses, unless `all` do.

    A pool whose key `needs` is false is left out.
    """

    layers: tuple[str, ...]
    all: bool = False
    choice_rule: str = ""
    needs: str = ""

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Choose, then restore."""
        entity = present(turn, origin.target)
        missing = [
            layer
            for layer in self.layers
            if pool_of(entity, layer).current < pool_of(entity, layer).maximum
            and (not self.needs or pool_of(entity, layer).facts.get(self.needs, True))
        ]
        if not missing:
            turn.note(TraceRow("restore", origin.rule, origin.target, 0, 0, message("trace.restore.nothing"), False))
            return True
        if len(missing) > 1 and not self.all:
            missing = [self._chosen(turn, origin, missing)]
        for layer in missing:
            before = pool_of(present(turn, origin.target), layer).current
            restore(turn, origin.target, layer, None, origin.rule)
            after = pool_of(present(turn, origin.target), layer).current
            note = message("trace.heal", layer=layer, points=after - before)
            turn.note(TraceRow("restore", origin.rule, origin.target, before, after, note))
        return True

    def _chosen(self, turn: Adjudication, origin: Origin, missing: list[str]) -> str:
        entity = present(turn, origin.target)

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

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Begin it, or renew it."""
        protections = (Protection(self.stops, self.charges, self.but),) if self.stops else ()
        effect = replace(origin.effect(turn), protections=protections, lists=self.lists, conditions=self.conditions)
        old = borne(turn, origin)
        note = message("trace.effect.begins" if old is None else "trace.effect.renewed", effect=origin.name)
        turn.note(TraceRow("effect", origin.rule, origin.target, 0, 0, note))
        if old is None:
            begin(turn, origin.target, effect, origin.rule)
            return True
        renewed = replace(effect, serial=old.serial, began=turn.state.clock)
        if renewed != old:
            turn.change(EffectChanged(origin.target, renewed, origin.rule))
        return True


def borne(turn: Adjudication, origin: Origin) -> Effect | None:
    """The effect of this name that the target bears already, if it is renewed and not replaced."""
    if not origin.renews:
        return None
    return next((effect for effect in shown_effects(present(turn, origin.target)) if effect.name == origin.name), None)


class UnmarkDeed(Struct, frozen=True, tag="unmark", tag_field="deed", forbid_unknown_fields=True):
    """Conditions end, or entries leave a list-valued fact (`fact`, `entries`) and the conditions go with them."""

    conditions: tuple[str, ...] = ()
    fact: str = ""
    entries: tuple[str, ...] = ()

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Take them away."""
        entity = present(turn, origin.target)
        gone = [entry for entry in entries(entity, self.fact) if entry in self.entries] if self.fact else []
        if gone:
            strip_entries(turn, origin.target, self.fact, tuple(gone), origin.rule)
            listed: tuple[str, ...] = present(turn, origin.target).facts.get(self.fact, ())
            left = tuple(entry for entry in listed if entry not in gone)
            if left != listed:
                turn.change(FactSet(origin.target, self.fact, left, origin.rule))
        if gone or not self.fact:
            for condition in self.conditions:
                if unmark(turn, origin.target, condition, origin.rule):
                    gone.append(condition)
        note = message("trace.unmark.gone", gone=tuple(gone)) if gone else message("trace.restore.nothing")
        turn.note(TraceRow("unmark", origin.rule, origin.target, 0, 0, note, bool(gone)))
        return True


class EndDeed(Struct, frozen=True, tag="end", tag_field="deed", forbid_unknown_fields=True):
    """Every effect on the target with one of the `tags` ends, oldest first; conditions of these words go with them.

    `of_spells`: so do the conditions that words of spells bring, where no effect brings them but they are written on
    the target. `pools`: points of these layers that no effect gives go as well, unless their key `unless` is true.
    """

    tags: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    of_spells: bool = False
    pools: tuple[str, ...] = ()
    unless: str = ""

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """End them."""
        ended: list[str] = []
        for effect in present(turn, origin.target).effects:
            if any(tag in effect.tags for tag in self.tags):
                ended.append(effect.name)
                end_effect(turn, origin.target, effect, origin.rule)
        for condition in self.conditions:
            if unmark(turn, origin.target, condition, origin.rule):
                ended.append(condition)
        for condition in conditions_of_spells(turn.pack) if self.of_spells else ():
            if unwrite(turn, origin.target, condition, origin.rule):
                ended.append(condition)
        for layer in self.pools:
            pool = pool_of(present(turn, origin.target), layer)
            if pool.current and pool.effect is None and not pool.facts.get(self.unless, False):
                ended.append(layer)
                turn.change(PoolSet(origin.target, layer, replace(pool, current=0, maximum=0), origin.rule))
        note = message("trace.dispel.ended", ended=tuple(ended)) if ended else message("trace.dispel.nothing")
        turn.note(TraceRow("dispel", origin.rule, origin.target, 0, 0, note, bool(ended)))
        return True


def conditions_of_spells(pack: Pack) -> tuple[str, ...]:
    """The conditions that words of spells bring: by their marks, or by effects that their deeds begin."""
    found: list[str] = []
    for word in pack.words.known.values():
        if word.spell == "yes":
            found += [marking.condition for marking in word.marks]
            for deed in word.does:
                if isinstance(deed, WithholdDeed):
                    found += pack.lasting[deed.begins].conditions
    return tuple(dict.fromkeys(found))


class WithholdDeed(Struct, frozen=True, tag="withhold", tag_field="deed", forbid_unknown_fields=True):
    """All of a `layer` but a maximum of `leaves` is out of reach while the effect of the kind `begins` lasts.

    What is left is full only if the pool was. Done again, only the time starts anew; on a pool whose maximum is no
    more than that it is in vain.
    """

    layer: str
    begins: str
    leaves: int = 1

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Put the points out of reach; says whether there were any, or are already."""
        entity = present(turn, origin.target)
        kind = turn.pack.lasting[self.begins]
        there = next((effect for effect in entity.effects if effect.code == self.begins), None)
        if there is not None or any(condition in own_conditions(entity) for condition in kind.conditions):
            ending = ends(kind.lasts, turn.state.clock)
            if there is not None and there.until != ending:
                renewed = replace(there, until=ending, began=turn.state.clock)
                turn.change(EffectChanged(origin.target, renewed, kind.rule))
            return True
        before = pool_of(entity, self.layer)
        if before.maximum <= self.leaves:
            note = message("trace.withhold.nothing", layer=self.layer)
            turn.note(TraceRow(self.begins, kind.rule, origin.target, 0, 0, note, False))
            return False
        ledger, left = ledgers.withhold(turn, origin.target, self.layer, self.leaves)
        effect = hidden_effect(turn.pack, self.begins, origin.source, turn.state.clock)
        begin(turn, origin.target, replace(effect, ledger=ledger, tags=(*effect.tags, *origin.tags)), kind.rule)
        turn.change(PoolSet(origin.target, self.layer, left, kind.rule))
        note = message("trace.withhold.points", layer=self.layer, points=before.current - left.current)
        turn.note(TraceRow(self.begins, kind.rule, origin.target, before.current, left.current, note))
        return True


class PassDeed(Struct, frozen=True, tag="pass", tag_field="deed", forbid_unknown_fields=True):
    """What the hit did passes with the effect of the kind `begins`: a wound and conditions that stages let pass.

    The points that it took from `layer` come back then, as far as they are still missing.
    """

    begins: str
    layer: str = ""

    def run(self, turn: Adjudication, origin: Origin) -> bool:
        """Begin the effect, if the hit did anything of the kind; others of its kind may start anew with it."""
        blow, kind = origin.blow, turn.pack.lasting[self.begins]
        assert blow is not None
        ending = ends(kind.lasts, turn.state.clock)
        for effect in blow.entity.effects if kind.together else ():
            if effect.code == self.begins and effect.until not in ((), ending):
                turn.change(EffectChanged(origin.target, replace(effect, until=ending), kind.rule))
        lost = blow.lost.get(self.layer, 0)
        lists: dict[str, tuple[Any, ...]] = blow.noted.get("passing_entries", {})
        caught: tuple[str, ...] = blow.noted.get("passing_conditions", ())
        if lost or lists or caught:
            effect = hidden_effect(turn.pack, self.begins, origin.source, turn.state.clock)
            ledger = {f"{self.layer}.{ledgers.RETURNS}": lost} if lost else {}
            conditions, lists = (*effect.conditions, *caught), {**effect.lists, **lists}
            brought = replace(effect, conditions=conditions, lists=lists, ledger=ledger)
            begin(turn, origin.target, brought, kind.rule)
            note = message("trace.pass", layer=self.layer, points=lost)
            turn.note(TraceRow(self.begins, kind.rule, origin.target, 0, lost, note))
        return True


Deed: TypeAlias = GrantDeed | RestoreDeed | EffectDeed | UnmarkDeed | EndDeed | WithholdDeed
"""Every deed that a spell may name under `deed`."""

WordDeed: TypeAlias = Deed | PassDeed
"""Every deed that a called word may name; what a hit did can pass only with the hit."""

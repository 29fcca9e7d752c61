"""The closed verbs in which rules act: each reads the table through an adjudication and writes events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.durations import until
from gambeson.language.figures import conditions, own_conditions, pool_of
from gambeson.language.layers import Layer, cap_of
from gambeson.language.scope import Scope
from gambeson.language.words import Mark
from gambeson.model.events import (
    EffectBegan,
    EffectChanged,
    EffectEnded,
    FactSet,
    PoolEnded,
    PoolRaised,
    PoolReduced,
    PoolSet,
)
from gambeson.model.messages import Message, message
from gambeson.model.questions import Option, Question
from gambeson.model.values import REFEREE, Effect, Entity, Extra, Facts, Pool, Until

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication

HIDDEN = "hidden"
"""Tag of effects that only carry a condition or a time and are not listed to people."""


class Grant(Struct, frozen=True, kw_only=True):
    """Points that an entity is offered in a layer. `rule` is what gives them."""

    target: str
    layer: str
    points: int
    rule: str
    source: str | None = None
    extras: tuple[Extra, ...] = ()
    until: Until | None = None
    facts: Facts = {}
    tags: tuple[str, ...] = ()
    code: str = ""


class Offer(Struct, frozen=True):
    """A grant with the question that its holder must answer first, if there is one."""

    grant: Grant
    question: Question | None


def offer(turn: Adjudication, grant: Grant) -> Offer:
    """See what a grant meets: whether somebody must choose between the old pool and the new one."""
    layer = turn.pack.layers[grant.layer]
    entity = turn.state.entities[grant.target]
    old = pool_of(entity, grant.layer)
    if layer.stacking != "choose" or old.current == 0:
        return Offer(grant, None)
    decider, why = who_decides(turn, entity)
    if decider == "":
        return Offer(grant, None)
    options = (
        Option("keep", _pool_label(turn, "option.keep", old)),
        Option("take", _pool_label(turn, "option.take", _granted(grant, grant.points, None))),
    )
    question = Question(
        f"keep:{grant.target}:{grant.layer}",
        decider,
        layer.stacking_rule,
        message("question.keep_or_take", entity=entity.name, layer=grant.layer),
        options,
        why=why,
        suggested="take" if grant.points > old.current else "keep",
    )
    return Offer(grant, question)


def _pool_label(turn: Adjudication, id: str, pool: Pool) -> Message:
    from gambeson.language.durations import said

    return message(
        id,
        points=pool.current,
        source=pool.source,
        extras=tuple(extra.name for extra in pool.extras),
        until=said(pool.until, turn.state.clock),
    )


def who_decides(turn: Adjudication, entity: Entity) -> tuple[str, Message | None]:
    """Who chooses for an entity: itself, for the silent its controller, else the referee; "" where the larger stands unasked."""
    silent = turn.pack.silent
    if silent is None or not _silent(turn, entity):
        return entity.id, None
    if silent.chooses == "greater":
        return "", None
    controller = turn.state.entities.get(entity.facts.get("controller", ""))
    if controller is not None and not _silent(turn, controller):
        return controller.id, message("why.controller", entity=entity.name, controller=controller.name)
    return REFEREE, message("why.referee", entity=entity.name)


def _silent(turn: Adjudication, entity: Entity) -> bool:
    silent = turn.pack.silent
    if silent is None:
        return False
    if entity.kind in silent.kinds:
        return True
    if not silent.conditions:
        return False
    return any(condition in silent.conditions for condition in conditions(turn.pack, entity))


def accept(turn: Adjudication, offered: Offer, answer: str | None) -> bool:
    """Carry a grant out as it was answered, or by the layer's own policy; says whether the new points stand."""
    grant = offered.grant
    layer = turn.pack.layers[grant.layer]
    entity = turn.state.entities[grant.target]
    old = pool_of(entity, grant.layer)
    points = _within_cap(turn, layer, entity, grant)
    if answer == "keep":
        return False
    if answer is None and old.current and not _wins(layer, points, old):
        return False
    if layer.grant == "raise":
        _raise(turn, grant, layer, entity, points)
        return True
    serial: int | None = None
    if layer.grant == "effect":
        serial = turn.state.serial + 1
        effect = Effect(
            serial,
            grant.source or "",
            grant.source,
            code=grant.code,
            until=(grant.until,) if grant.until else (),
            began=turn.state.clock,
            tags=grant.tags,
            facts=grant.facts,
        )
        turn.change(EffectBegan(grant.target, effect, grant.rule))
    if layer.stacking == "sum" and old.current:
        points = min(points + old.current, _cap(turn, layer, entity, old) or points + old.current)
    pool = _granted(grant, points, serial)
    facts = {**{k: f.default for k, f in layer.keys.items() if f.default is not None}, **_kept(layer, old)}
    turn.change(PoolSet(grant.target, grant.layer, replace(pool, facts=facts), grant.rule))
    if old.effect is not None:
        loser = effect_of(turn.state.entities[grant.target], old.effect)
        if loser is not None:
            end_effect(turn, grant.target, loser, layer.stacking_rule or grant.rule)
    return True


def _kept(layer: Layer, old: Pool) -> Facts:
    """Keys of the layer that belong to the body and not to the points (where a natural hide covers)."""
    return {key: value for key, value in old.facts.items() if key in layer.body_keys}


def _granted(grant: Grant, points: int, serial: int | None) -> Pool:
    return Pool(points, points, grant.source, serial, grant.extras, grant.until)


def _wins(layer: Layer, points: int, old: Pool) -> bool:
    match layer.stacking:
        case "greatest" | "choose":
            return points > old.current
        case _:
            return True


def _cap(turn: Adjudication, layer: Layer, entity: Entity, pool: Pool) -> int | None:
    return cap_of(layer, Scope(turn.pack, entity, pool))


def _within_cap(turn: Adjudication, layer: Layer, entity: Entity, grant: Grant) -> int:
    cap = _cap(turn, layer, entity, Pool(grant.points, grant.points, facts=grant.facts))
    return grant.points if cap is None else min(grant.points, cap)


def grant(turn: Adjudication, given: Grant) -> bool:
    """Grant points, asking whoever must choose; says whether the new points stand."""
    offered = offer(turn, given)
    if offered.question is None:
        return accept(turn, offered, None)
    (answer,) = turn.ask(offered.question)
    return accept(turn, offered, answer)


def _raise(turn: Adjudication, given: Grant, layer: Layer, entity: Entity, points: int) -> None:
    """Raise current and maximum of a pool, each within the cap; the effect's ledger keeps what it gave."""
    old = pool_of(entity, given.layer)
    cap = _cap(turn, layer, entity, old)
    maximum = old.maximum + points if cap is None else max(old.maximum, min(cap, old.maximum + points))
    current = min(maximum, old.current + points)
    ledger = {f"{given.layer}.maximum": maximum - old.maximum, f"{given.layer}.current": current - old.current}
    effect = Effect(
        turn.state.serial + 1,
        given.source or "",
        given.source,
        code=given.code,
        until=(given.until,) if given.until else (),
        began=turn.state.clock,
        tags=given.tags,
        ledger=ledger,
        facts=given.facts,
    )
    turn.change(EffectBegan(given.target, effect, given.rule))
    raised = replace(old, current=current, maximum=maximum)
    if raised != old:
        turn.change(PoolSet(given.target, given.layer, raised, given.rule))


def restore(turn: Adjudication, target: str, layer: str, points: int | None, rule: str) -> int:
    """Give lost points back, up to the maximum (None: all of them); says how many points were too many."""
    pool = pool_of(turn.state.entities[target], layer)
    missing = pool.maximum - pool.current
    given = missing if points is None else min(points, missing)
    if given:
        turn.change(PoolRaised(target, layer, given, rule))
    return 0 if points is None else points - given


def lose(turn: Adjudication, target: str, layer: str, points: int, rule: str, cause: str) -> int:
    """Take points off a pool, not below 0; says how many were there to lose."""
    off = min(points, pool_of(turn.state.entities[target], layer).current)
    if off:
        turn.change(PoolReduced(target, layer, off, rule, cause))
    return off


def clear(turn: Adjudication, target: str, layer: str, rule: str) -> None:
    """A pool is gone: no points, no maximum, no source, no extras."""
    if layer in turn.state.entities[target].pools:
        turn.change(PoolEnded(target, layer, rule))


def effect_of(entity: Entity, serial: int) -> Effect | None:
    """The entity's effect with this serial."""
    return next((effect for effect in entity.effects if effect.serial == serial), None)


def begin(turn: Adjudication, target: str, effect: Effect, rule: str) -> Effect:
    """An effect begins, with the state's next serial and from now on."""
    begun = replace(effect, serial=turn.state.serial + 1, began=turn.state.clock)
    turn.change(EffectBegan(target, begun, rule))
    return begun


def end_effect(turn: Adjudication, target: str, effect: Effect, rule: str) -> None:
    """An effect is over: it takes back what it gave, as far as that is still its own."""
    entity = turn.state.entities[target]
    if effect_of(entity, effect.serial) is None:
        return
    turn.change(EffectEnded(target, effect.serial, rule))
    for layer, pool in turn.state.entities[target].pools.items():
        if pool.effect == effect.serial:
            turn.change(PoolSet(target, layer, replace(pool, current=0, maximum=0, source=None, effect=None, until=None, extras=()), rule))
            break
    for name, given in effect.ledger.items():
        layer, _, figure = name.partition(".")
        if figure == "maximum":
            take_back(turn, target, layer, given, effect.ledger.get(f"{layer}.current", 0), rule)


def take_back(turn: Adjudication, target: str, layer: str, maximum: int, current: int, rule: str) -> None:
    """A raised pool falls back: by `maximum` and by `current` points, neither below 0; what was lost stays lost."""
    definition = turn.pack.layers[layer]
    pool = pool_of(turn.state.entities[target], layer)
    lowered = max(0, pool.maximum - maximum)
    left = pool.current if definition.raise_ends == "clamp" else max(0, pool.current - current)
    fallen = replace(pool, maximum=lowered, current=min(lowered, left))
    if fallen != pool:
        turn.change(PoolSet(target, layer, fallen, rule))


def mark(turn: Adjudication, target: str, marking: Mark, source: str | None) -> None:
    """A condition begins, or its time starts anew; one that is there without an end stays as it is."""
    entity = turn.state.entities[target]
    clock = turn.state.clock
    ends = until(marking.lasts, clock)
    for effect in entity.effects:
        if HIDDEN in effect.tags and effect.name == marking.condition:
            if ends is not None and effect.until != (ends,):
                turn.change(EffectChanged(target, replace(effect, until=(ends,), began=clock), marking.rule))
            return
    if marking.condition in entity.conditions:
        return
    begin(
        turn,
        target,
        Effect(
            0,
            marking.condition,
            source,
            until=(ends,) if ends else (),
            tags=(HIDDEN, *marking.tags),
            conditions=(marking.condition,),
            facts=marking.facts,
        ),
        marking.rule,
    )


def unmark(turn: Adjudication, target: str, condition: str, rule: str) -> bool:
    """A condition ends, with the hidden effects that bring it; says whether it was there."""
    entity = turn.state.entities[target]
    if condition not in own_conditions(entity):
        return False
    for effect in entity.effects:
        if HIDDEN in effect.tags and condition in effect.conditions:
            end_effect(turn, target, effect, rule)
    entity = turn.state.entities[target]
    if condition in entity.conditions:
        kept = tuple(other for other in entity.conditions if other != condition)
        turn.change(FactSet(target, "conditions", kept, rule))
    return True


def add_condition(turn: Adjudication, target: str, condition: str, rule: str) -> None:
    """A condition without an end of its own is written on the entity."""
    entity = turn.state.entities[target]
    if condition not in entity.conditions:
        turn.change(FactSet(target, "conditions", (*entity.conditions, condition), rule))


def extras_of(given: tuple[dict[str, Any], ...]) -> tuple[Extra, ...]:
    """Extras as checked fields have them, made values."""
    return tuple(Extra(extra["name"], {k: v for k, v in extra.items() if k != "name"}) for extra in given)

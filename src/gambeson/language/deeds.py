"""The closed verbs in which rules act: each reads the table through an adjudication and writes events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language import ledgers
from gambeson.language.deciding import larger_stands, who_decides
from gambeson.language.durations import ends, said
from gambeson.language.figures import own_conditions, pool_of, present
from gambeson.language.layers import Layer, cap_of
from gambeson.language.reserve import laid_aside, points_of, waiting
from gambeson.language.scope import Scope
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
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import LARGEST_FIGURE, Effect, Entity, Extra, Facts, Pool, Until

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.words import Mark

HIDDEN = "hidden"
"""Tag of effects that only carry a condition or a time and are not listed to people."""

MAGIC = "magic"
"""Tag of effects that are magic, and so end when magic is dispelled."""


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
    full: dict[str, tuple[Any, ...]] = {}
    """Lists that the effect adds to where no point could be given."""
    effect: int | None = None
    """The serial of the effect that gives the points, where one is in force already."""
    stacking: str = ""
    """What these points do to old ones, where not what the layer says."""


class Offer(Struct, frozen=True):
    """A grant with the question that its holder must answer first, if there is one."""

    grant: Grant
    question: Question | None


def offer(turn: Adjudication, grant: Grant) -> Offer:
    """See what a grant meets: whether somebody must choose between the old pool and the new one."""
    layer = turn.pack.layers[grant.layer]
    entity = present(turn, grant.target)
    old = pool_of(entity, grant.layer)
    stacking = grant.stacking or layer.stacking
    unasked = stacking != "choose" or layer.grant == "raise" or old.current == 0
    if unasked or larger_stands(turn, entity):
        return Offer(grant, None)
    decider, why = who_decides(turn, entity)
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
    return message(
        id,
        points=pool.current,
        source=pool.source,
        extras=tuple(extra.name for extra in pool.extras),
        until=said(pool.until, turn.state.clock),
    )


def accept(turn: Adjudication, offered: Offer, answer: str | None) -> bool:
    """Carry a grant out as it was answered, or by the layer's own policy; says whether the new points stand."""
    grant = offered.grant
    before = pool_of(present(turn, grant.target), grant.layer).current
    stands = _carried_out(turn, grant, answer)
    entity = turn.state.entities.get(grant.target)
    after = pool_of(entity, grant.layer).current if entity is not None else 0
    note = message(
        "trace.grant.stands" if stands else "trace.grant.declined",
        layer=grant.layer,
        points=grant.points,
        before=before,
        after=after,
    )
    turn.note(TraceRow("grant", grant.rule, grant.target, before, after, note, stands))
    return stands


def _carried_out(turn: Adjudication, grant: Grant, answer: str | None) -> bool:
    layer = turn.pack.layers[grant.layer]
    entity = present(turn, grant.target)
    old = pool_of(entity, grant.layer)
    points = _within_cap(turn, layer, entity, grant, old)
    if answer == "keep":
        return False
    if layer.grant == "raise":
        _raise(turn, grant, layer, old, points)
        return True
    if layer.reserve is not None and _outdone(turn, grant, points, layer.reserve.rule):
        return False
    if answer is None and old.current and not _wins(grant.stacking or layer.stacking, points, old):
        if layer.reserve is not None and grant.source != old.source:
            loser = _effect_of_grant(layer, grant)
            _wait(turn, grant.target, grant.layer, loser, Pool(points, points), layer.reserve.rule)
        return False
    serial = grant.effect
    if layer.grant == "effect":
        serial = begin(turn, grant.target, _effect_of_grant(layer, grant), grant.rule).serial
    stacking = grant.stacking or layer.stacking
    if stacking == "sum" and old.current:
        points = min(points + old.current, _cap(turn, layer, entity, old) or points + old.current)
    maximum = points
    if stacking == "refill" and old.current:
        maximum = max(old.maximum, points)
        points = min(maximum, old.current + points)
    if maximum > LARGEST_FIGURE:
        turn.refuse(turn.pack.too_large("points"))
    pool = replace(_granted(grant, points, serial), maximum=maximum)
    given = {key: value for key, value in grant.facts.items() if key in layer.keys}
    defaults = {key: field.default for key, field in layer.keys.items() if field.default is not None}
    facts = {**defaults, **_kept(layer, old), **given}
    turn.change(PoolSet(grant.target, grant.layer, replace(pool, facts=facts), grant.rule))
    _lost(turn, grant, layer, old)
    return True


def _effect_of_grant(layer: Layer, grant: Grant) -> Effect:
    """The effect that gives the points of a grant, still without a number."""
    return Effect(
        0,
        grant.source or "",
        grant.source,
        code=grant.code,
        until=(grant.until,) if grant.until else (),
        tags=grant.tags,
        facts={"flag": layer.flag, **grant.facts} if layer.flag else grant.facts,
    )


def _lost(turn: Adjudication, grant: Grant, layer: Layer, old: Pool) -> None:
    """What becomes of the effect whose points were replaced: it ends, or waits with the points it still has."""
    gave = layer.grant == "effect" and old.effect is not None
    loser = effect_of(present(turn, grant.target), old.effect) if gave and old.effect is not None else None
    if layer.reserve is not None and old.current and grant.source != old.source:
        if loser is None:
            tags = ("permanent",) if old.facts.get("permanent") else (MAGIC,)
            facts: Facts = {"flag": layer.flag} if layer.flag else {}
            loser = Effect(0, old.source or layer.reserve.unnamed, old.source, tags=tags, facts=facts)
        _wait(turn, grant.target, grant.layer, loser, old, layer.reserve.rule)
    elif loser is not None:
        end_effect(turn, grant.target, loser, layer.stacking_rule or grant.rule)


def _wait(turn: Adjudication, target: str, layer: str, effect: Effect, pool: Pool, rule: str) -> None:
    """An effect waits with the points of a pool; one without a number is new."""
    aside = laid_aside(layer, effect, pool)
    if effect.serial:
        turn.change(EffectChanged(target, aside, rule))
    else:
        begin(turn, target, aside, rule)


def _outdone(turn: Adjudication, grant: Grant, points: int, rule: str) -> bool:
    """Whether points of the same name wait that are not fewer; fewer ones make way."""
    for effect in waiting(present(turn, grant.target), grant.layer):
        if effect.name == (grant.source or ""):
            if points_of(effect, grant.layer) >= points:
                return True
            end_effect(turn, grant.target, effect, rule)
    return False


def _kept(layer: Layer, old: Pool) -> Facts:
    """Keys of the layer that belong to the body and not to the points (where a natural hide covers)."""
    return {key: value for key, value in old.facts.items() if key in layer.body_keys}


def _granted(grant: Grant, points: int, serial: int | None) -> Pool:
    return Pool(points, points, grant.source, serial, grant.extras, grant.until)


def _wins(stacking: str, points: int, old: Pool) -> bool:
    match stacking:
        case "greatest" | "choose":
            return points > old.current
        case _:
            return True


def _cap(turn: Adjudication, layer: Layer, entity: Entity, pool: Pool) -> int | None:
    return cap_of(layer, Scope(turn.pack, entity, pool))


def _within_cap(turn: Adjudication, layer: Layer, entity: Entity, grant: Grant, old: Pool) -> int:
    cap = _cap(turn, layer, entity, Pool(grant.points, grant.points, facts={**_kept(layer, old), **grant.facts}))
    return grant.points if cap is None else min(grant.points, cap)


def grant(turn: Adjudication, given: Grant) -> bool:
    """Grant points, asking whoever must choose; says whether the new points stand."""
    return take_up(turn, (offer(turn, given),))[0]


def take_up(turn: Adjudication, offers: Sequence[Offer]) -> tuple[bool, ...]:
    """Ask all who must choose at one moment, then carry the grants out in order; says of each whether it stands."""
    asked = [offered.question for offered in offers if offered.question is not None]
    answers = iter(turn.ask(*asked) if asked else ())
    chosen = [None if offered.question is None else next(answers) for offered in offers]
    return tuple(accept(turn, offered, answer) for offered, answer in zip(offers, chosen, strict=True))


def _raise(turn: Adjudication, given: Grant, layer: Layer, old: Pool, points: int) -> None:
    """Raise current and maximum of a pool, each within the cap; the effect's ledger keeps what it gave."""
    there = _raised_by(present(turn, given.target), given)
    if there is not None and layer.again == "renews":
        ending = (given.until,) if given.until else ()
        turn.change(EffectChanged(given.target, replace(there, until=ending, began=turn.state.clock), layer.again_rule))
        return
    if there is not None and layer.again == "replaces":
        end_effect(turn, given.target, there, layer.again_rule)
    now = ledgers.whole(turn, given.target, given.layer)
    cap = _cap(turn, layer, present(turn, given.target), now.pool)
    maximum, current = ledgers.gains(now, points, cap, layer.raises == "together")
    if now.maximum + maximum > LARGEST_FIGURE:
        turn.refuse(turn.pack.too_large("points"))
    effect = replace(
        _effect_of_grant(layer, given),
        ledger={f"{given.layer}.{ledgers.MAXIMUM}": maximum, f"{given.layer}.{ledgers.CURRENT}": current},
        lists={} if maximum or current else given.full,
    )
    begin(turn, given.target, effect, given.rule)
    ledgers.give(turn, given.target, given.layer, maximum, current, given.rule)


def _raised_by(entity: Entity, given: Grant) -> Effect | None:
    """The effect of the same name that has raised this layer already."""
    figure, serial = f"{given.layer}.{ledgers.MAXIMUM}", pool_of(entity, given.layer).effect
    ours = (one for one in entity.effects if one.name == given.source)
    return next((one for one in ours if figure in one.ledger or one.serial == serial), None)


def restore(turn: Adjudication, target: str, layer: str, points: int | None, rule: str) -> int:
    """Give lost points back, up to the maximum (None: all of them); says how many points were too many."""
    before = ledgers.whole(turn, target, layer)
    missing = before.pool.maximum - before.pool.current
    given = missing if points is None else min(points, missing)
    if given:
        turn.change(PoolRaised(target, layer, given, rule))
        ledgers.healed(turn, target, layer, before, given, rule)
    return 0 if points is None else points - given


def lose(turn: Adjudication, target: str, layer: str, points: int, rule: str, cause: str) -> int:
    """Take points off a pool, not below 0; says how many were there to lose."""
    off = min(points, pool_of(present(turn, target), layer).current)
    if off:
        turn.change(PoolReduced(target, layer, off, rule, cause))
    return off


def clear(turn: Adjudication, target: str, layer: str, rule: str) -> None:
    """A pool is gone: no points, no maximum, no source, no extras."""
    entity = turn.state.entities.get(target)
    if entity is not None and layer in entity.pools:
        turn.change(PoolEnded(target, layer, rule))


def effect_of(entity: Entity, serial: int) -> Effect | None:
    """The entity's effect with this serial."""
    return next((effect for effect in entity.effects if effect.serial == serial), None)


def begin(turn: Adjudication, target: str, effect: Effect, rule: str) -> Effect:
    """An effect begins, with the state's next serial and from now on."""
    begun = replace(effect, serial=turn.state.serial + 1, began=turn.state.clock)
    turn.change(EffectBegan(target, begun, rule))
    return begun


def end_effect(turn: Adjudication, target: str, effect: Effect, rule: str, cause: str = "") -> None:
    """An effect is over: it takes back what it gave, as far as that is still its own.

    Points of an effect tagged `keeps_pool` stay, from then on without effect and duration.
    """
    bearer = turn.state.entities.get(target)
    ending = effect_of(bearer, effect.serial) if bearer is not None else None
    if ending is None:
        return
    turn.change(EffectEnded(target, ending.serial, rule, cause))
    if target not in turn.state.entities:
        return
    for layer, pool in present(turn, target).pools.items():
        if pool.effect == effect.serial and "keeps_pool" in ending.tags:
            turn.change(PoolSet(target, layer, replace(pool, effect=None, until=None), rule))
            break
        if pool.effect == effect.serial:
            free = replace(pool, source=None, effect=None, until=None)
            if turn.pack.layers[layer].grant != "raise":
                free = replace(free, current=0, maximum=0, extras=())
            turn.change(PoolSet(target, layer, free, rule))
            break
    ledgers.close(turn, target, ending, rule)


def mark(turn: Adjudication, target: str, marking: Mark, source: str | None, tags: tuple[str, ...] = ()) -> None:
    """A condition begins, or its time starts anew; one that is there without an end stays as it is.

    `tags` are added to those of the marking; what has other tags is another cause of the same condition.
    """
    entity = present(turn, target)
    ending = ends(marking.lasts, turn.state.clock)
    tags = (HIDDEN, *marking.tags, *tags)
    for effect in entity.effects:
        if effect.tags == tags and effect.name == marking.condition:
            if ending and effect.until != ending:
                renewed = replace(effect, until=ending, began=turn.state.clock)
                turn.change(EffectChanged(target, renewed, marking.rule))
            return
    if marking.condition in entity.conditions:
        return
    effect = Effect(
        0, marking.condition, source, until=ending, tags=tags, conditions=(marking.condition,), facts=marking.facts
    )
    begin(turn, target, effect, marking.rule)


def unmark(turn: Adjudication, target: str, condition: str, rule: str) -> bool:
    """A condition ends, with the hidden effects that bring nothing else; says whether it was there."""
    entity = turn.state.entities.get(target)
    if entity is None or condition not in own_conditions(entity):
        return False
    for effect in entity.effects:
        if HIDDEN in effect.tags and condition in effect.conditions:
            _strip_condition(turn, target, effect, condition, rule)
    unwrite(turn, target, condition, rule)
    return True


def unwrite(turn: Adjudication, target: str, condition: str, rule: str) -> bool:
    """A condition is no longer written on the entity, whatever effects bring; says whether it was."""
    entity = turn.state.entities.get(target)
    if entity is None or condition not in entity.conditions:
        return False
    kept = tuple(other for other in entity.conditions if other != condition)
    turn.change(FactSet(target, "conditions", kept, rule))
    return True


def _strip_condition(turn: Adjudication, target: str, effect: Effect, condition: str, rule: str) -> None:
    """A hidden effect brings a condition no longer; what it brings besides stays."""
    template = turn.pack.lasting.get(effect.code)
    left = tuple(other for other in effect.conditions if other != condition)
    if effect.name == condition or (template is None and not (left or effect.lists or effect.ledger)):
        end_effect(turn, target, effect, rule)
        return
    stopped = template is not None and template.running == condition
    stripped = replace(effect, conditions=left, until=() if stopped else effect.until)
    turn.change(EffectChanged(target, stripped, rule))


def hidden_entries(entity: Entity, fact: str) -> tuple[Any, ...]:
    """The entries of a list-valued fact that hidden effects bring."""
    return tuple(entry for one in entity.effects if HIDDEN in one.tags for entry in one.lists.get(fact, ()))


def strip_entries(turn: Adjudication, target: str, fact: str, gone: tuple[Any, ...], rule: str) -> None:
    """Hidden effects bring these entries of a list-valued fact no longer."""
    for effect in present(turn, target).effects:
        brought = effect.lists.get(fact, ())
        left = tuple(entry for entry in brought if entry not in gone)
        if HIDDEN in effect.tags and left != brought:
            lists = {**effect.lists, fact: left}
            turn.change(EffectChanged(target, replace(effect, lists=lists), rule))


def add_condition(turn: Adjudication, target: str, condition: str, rule: str) -> None:
    """A condition without an end of its own is written on the entity, if it is still there."""
    entity = turn.state.entities.get(target)
    if entity is not None and condition not in entity.conditions:
        turn.change(FactSet(target, "conditions", (*entity.conditions, condition), rule))


def extras_of(given: tuple[dict[str, Any], ...]) -> tuple[Extra, ...]:
    """Extras as checked fields have them, made values."""
    return tuple(Extra(extra["name"], {k: v for k, v in extra.items() if k != "name"}) for extra in given)

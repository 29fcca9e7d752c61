"""What follows from a fact by standing rules: a spent pool or protection, an effect that goes with a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gambeson.language.deeds import begin, effect_of, end_effect
from gambeson.language.figures import present
from gambeson.language.lastings import hidden_effect
from gambeson.language.scope import Scope
from gambeson.model.errors import Endless
from gambeson.model.events import (
    WRITERS,
    EffectBegan,
    EffectChanged,
    EffectEnded,
    EntityAdded,
    Event,
    FactSet,
    PoolEnded,
    PoolReduced,
    PoolSet,
    World,
)
from gambeson.model.values import Effect, Entity, Pool

if TYPE_CHECKING:
    from gambeson.engine.adjudication import Turn
    from gambeson.language.pack import Follow

DEEPEST = 60
"""Consequences of consequences; more is a fault of the pack."""


def _deeper(turn: Turn, consequence: Callable[..., None], *about: Any) -> None:
    """One consequence below another."""
    turn._depth += 1
    if turn._depth > DEEPEST:
        raise Endless(f"standing rules of {turn.pack.game} do not come to rest")
    consequence(turn, *about)
    turn._depth -= 1


def _pool_reduced(turn: Turn, event: PoolReduced) -> None:
    pool = present(turn, event.entity).pools[event.layer]
    if not pool.current:
        _emptied(turn, event.entity, event.layer, pool)


def _pool_set(turn: Turn, event: PoolSet) -> None:
    if not event.pool.current:
        _emptied(turn, event.entity, event.layer, event.pool)


def _effect_changed(turn: Turn, event: EffectChanged) -> None:
    _deeper(turn, _discharged, event.entity, event.effect, event.rule)
    _follow(turn, event.entity, "effects")


def _fact_set(turn: Turn, event: FactSet) -> None:
    if event.entity:
        _follow(turn, event.entity, event.key)


def _entity_added(turn: Turn, event: EntityAdded) -> None:
    _follow(turn, event.entity.id, "")


def _effects_differ(turn: Turn, event: EffectBegan | EffectEnded) -> None:
    _follow(turn, event.entity, "effects")


FOLLOWED: dict[type, Callable[[Turn, Any], None]] = {
    PoolReduced: _pool_reduced,
    PoolSet: _pool_set,
    EffectBegan: _effects_differ,
    EffectChanged: _effect_changed,
    EffectEnded: _effects_differ,
    FactSet: _fact_set,
    EntityAdded: _entity_added,
}
"""What the language's standing rules do after each kind of fact."""

HANDLED: dict[type, tuple[Callable[[World, Any], None], Callable[[Turn, Any], None] | None]] = {
    kind: (write, FOLLOWED.get(kind)) for kind, write in WRITERS.items()
}
"""What writes each kind of fact, and what follows from it."""


def watch(turn: Turn, event: Event) -> None:
    """What the pack's own functions do after a fact."""
    for watcher in turn.pack.watchers.get(event.__class__.__name__, ()):
        _deeper(turn, watcher, event)


def entity_of(event: Event) -> str:
    """The id of the entity that a fact is about, or "" for a newcomer and the table."""
    entity = getattr(event, "entity", "")
    return entity if isinstance(entity, str) else ""


def stand(turn: Turn, event: Event, before: Entity | None) -> None:
    """What the pack's standing mechanisms do after a fact, in the order in which it lists them."""
    kind = event.__class__
    for standing in turn.pack.standing:
        if kind in standing.WATCHES:
            _deeper(turn, standing.settle, event, before)


def _emptied(turn: Turn, entity: str, layer: str, pool: Pool) -> None:
    """The last point is gone: so is the pool, or the effect that gave it, as the layer says."""
    definition = turn.pack.layers[layer]
    if definition.spent == "gone":
        _deeper(turn, _pool_goes, entity, layer, definition.spent_rule or definition.rule)
    elif definition.spent == "effect_ends" and pool.effect is not None:
        _deeper(turn, _giver_ends, entity, layer, pool, pool.effect, definition.spent_rule or definition.rule)


def _pool_goes(turn: Turn, entity: str, layer: str, rule: str) -> None:
    turn.change(PoolEnded(entity, layer, rule))


def _giver_ends(turn: Turn, entity: str, layer: str, pool: Pool, serial: int, rule: str) -> None:
    effect = effect_of(present(turn, entity), serial)
    turn.change(PoolSet(entity, layer, replace(pool, source=None, effect=None, until=None), rule))
    if effect is not None:
        end_effect(turn, entity, effect, rule)


def _discharged(turn: Turn, entity: str, effect: Effect, rule: str) -> None:
    """A protection without charges ends."""
    if effect.protections and all(protection.charges <= 0 for protection in effect.protections):
        end_effect(turn, entity, effect, rule)


def _follow(turn: Turn, entity: str, watched: str) -> None:
    """Look at the standing rules that read what has changed (all of them for a newcomer)."""
    for follow in turn.pack.follows:
        if not watched or watched in follow.watches:
            _deeper(turn, _keep, entity, follow)


def _keep(turn: Turn, id: str, follow: Follow) -> None:
    """Begin or end the effect of a standing rule, so that it is there exactly while the rule holds."""
    entity = turn.state.entities.get(id)
    if entity is None:
        return
    there = next((effect for effect in entity.effects if effect.code == follow.begins), None)
    holds = follow.holds.holds(Scope(turn.pack, entity))
    if holds and there is None:
        begin(turn, id, hidden_effect(turn.pack, follow.begins, None, turn.state.clock), follow.rule)
    elif not holds and there is not None:
        end_effect(turn, id, there, follow.rule)

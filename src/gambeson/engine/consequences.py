"""What follows from a fact by standing rules: a spent pool, a spent protection, an effect that goes with a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gambeson.language.deeds import HIDDEN, effect_of, end_effect
from gambeson.language.durations import until
from gambeson.language.scope import Scope
from gambeson.model.errors import GambesonError
from gambeson.model.events import (
    EffectBegan,
    EffectChanged,
    EffectEnded,
    EntityAdded,
    Event,
    FactSet,
    PoolEnded,
    PoolReduced,
    PoolSet,
)
from gambeson.model.values import Effect

if TYPE_CHECKING:
    from gambeson.engine.adjudication import Turn
    from gambeson.language.pack import Follow

DEEPEST = 60
"""Consequences of consequences; more is a fault of the pack."""


class Endless(GambesonError):
    """A pack's standing rules call each other without end."""


def settle(turn: Turn, event: Event) -> None:
    """Carry out what follows from one fact, and from what that brings."""
    turn._depth += 1
    if turn._depth > DEEPEST:
        raise Endless(f"standing rules of {turn.pack.game} do not come to rest")
    if isinstance(event, PoolReduced):
        if not turn.state.entities[event.entity].pools[event.layer].current:
            _spent(turn, event.entity, event.layer)
    elif isinstance(event, PoolSet):
        if not event.pool.current:
            _spent(turn, event.entity, event.layer)
    elif isinstance(event, EffectChanged):
        _discharged(turn, event.entity, event.effect, event.rule)
    if turn.pack.follows:
        _follow(turn, event)
    for watcher in turn.pack.watchers.get(event.__class__.__name__, ()):
        watcher(turn, event)
    turn._depth -= 1


def _spent(turn: Turn, entity: str, layer: str) -> None:
    """The last point is gone: so is the pool, or the effect that gave it, as the layer says."""
    definition = turn.pack.layers[layer]
    rule = definition.spent_rule or definition.rule
    if definition.spent == "gone":
        turn.change(PoolEnded(entity, layer, rule))
    elif definition.spent == "effect_ends":
        pool = turn.state.entities[entity].pools[layer]
        if pool.effect is None:
            return
        effect = effect_of(turn.state.entities[entity], pool.effect)
        turn.change(PoolSet(entity, layer, replace(pool, source=None, effect=None, until=None), rule))
        if effect is not None:
            end_effect(turn, entity, effect, rule)


def _discharged(turn: Turn, entity: str, effect: Effect, rule: str) -> None:
    """A protection without charges ends."""
    if effect.protections and all(protection.charges <= 0 for protection in effect.protections):
        end_effect(turn, entity, effect, rule)


def _follow(turn: Turn, event: Event) -> None:
    match event:
        case FactSet():
            entity, watched = event.entity, event.key
        case EntityAdded():
            entity, watched = event.entity.id, ""
        case EffectBegan() | EffectEnded() | EffectChanged():
            entity, watched = event.entity, "effects"
        case _:
            return
    if entity:
        for follow in turn.pack.follows:
            if not watched or watched in follow.watches:
                _keep(turn, entity, follow)


def _keep(turn: Turn, id: str, follow: Follow) -> None:
    """Begin or end the effect of a standing rule, so that it is there exactly while the rule holds."""
    entity = turn.state.entities[id]
    there = next((effect for effect in entity.effects if effect.code == follow.begins), None)
    holds = follow.holds.holds(Scope(turn.pack, entity))
    if holds and there is None:
        template = turn.pack.lasting[follow.begins]
        end = until(template.lasts, turn.state.clock)
        effect = Effect(
            turn.state.serial + 1,
            follow.begins,
            code=follow.begins,
            until=(end,) if end else (),
            began=turn.state.clock,
            tags=(HIDDEN, *template.tags),
            conditions=template.conditions,
        )
        turn.change(EffectBegan(id, effect, follow.rule))
    elif not holds and there is not None:
        end_effect(turn, id, there, follow.rule)

"""Pools in reserve: points that lost against greater ones wait in their effect until the layer is empty.

An effect that waits for a layer L has its points in its ledger as `L.waits`, with their maximum as `L.waits_maximum`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gambeson.language.figures import pool_of, present
from gambeson.model.events import EffectChanged, PoolSet
from gambeson.model.values import Effect, Entity, Pool

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.layers import Layer

WAITS, WAITS_MAXIMUM = "waits", "waits_maximum"


def waiting(entity: Entity, layer: str) -> tuple[Effect, ...]:
    """The effects whose points wait for this layer, oldest first."""
    return tuple(effect for effect in entity.effects if f"{layer}.{WAITS}" in effect.ledger)


def laid_aside(layer: str, effect: Effect, pool: Pool) -> Effect:
    """The effect with the points of this pool in its ledger."""
    ledger = {**effect.ledger, f"{layer}.{WAITS}": pool.current, f"{layer}.{WAITS_MAXIMUM}": pool.maximum}
    return replace(effect, ledger=ledger)


def points_of(effect: Effect, layer: str) -> int:
    """The points with which an effect waits for the layer."""
    return effect.ledger[f"{layer}.{WAITS}"]


def come_up(turn: Adjudication) -> None:
    """Where a layer is empty, the greatest points that wait for it are in force (of equals the oldest)."""
    for name in turn.pack.reserves:
        for id in turn.state.entities:
            _come_up(turn, id, name, turn.pack.layers[name])


def _come_up(turn: Adjudication, id: str, name: str, layer: Layer) -> None:
    entity = present(turn, id)
    old = pool_of(entity, name)
    found = waiting(entity, name)
    if old.current or not found or layer.reserve is None:
        return
    effect = max(found, key=lambda one: (points_of(one, name), -one.serial))
    spoken_for = (f"{name}.{WAITS}", f"{name}.{WAITS_MAXIMUM}")
    ledger = {key: points for key, points in effect.ledger.items() if key not in spoken_for}
    pool = replace(
        old,
        current=points_of(effect, name),
        maximum=effect.ledger[f"{name}.{WAITS_MAXIMUM}"],
        source=effect.source,
        effect=effect.serial,
        until=effect.until[0] if effect.until else None,
    )
    turn.change(EffectChanged(id, replace(effect, ledger=ledger), layer.reserve.rule))
    turn.change(PoolSet(id, name, pool, layer.reserve.rule))

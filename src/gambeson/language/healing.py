"""Healing: lost points come back, and points that are too many may become points of another layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import Grant, Offer, offer, restore
from gambeson.language.figures import pool_of, present
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication

HEALING = "healing"
"""As the source of what an excess gives: the source of the healing."""


def healed(
    turn: Adjudication, target: str, layer: str, points: int | None, rule: str, source: str | None = None
) -> Offer | None:
    """Restore points of a layer (None: all that are missing); gives what the excess offers, for the caller to take up.

    The offer is made as things stand now, so that whoever was healed may decide for itself.
    """
    before = pool_of(present(turn, target), layer).current
    excess = restore(turn, target, layer, points, rule)
    entity = turn.state.entities.get(target)
    if entity is None:
        return None
    after = pool_of(entity, layer).current
    note = message("trace.heal", layer=layer, points=after - before)
    turn.note(TraceRow("heal", rule, target, before, after, note, after > before))
    becomes = turn.pack.layers[layer].excess
    if becomes is None or not excess:
        return None
    if becomes.kinds and present(turn, target).kind not in becomes.kinds:
        return None
    granted = becomes.points(excess)
    note = message("trace.overheal", excess=excess, points=granted, layer=becomes.layer)
    turn.note(TraceRow("overheal", becomes.rule, target, excess, granted, note, granted > 0))
    if not granted:
        return None
    given = Grant(
        target=target,
        layer=becomes.layer,
        points=granted,
        rule=becomes.rule,
        source=source if becomes.source == HEALING else becomes.source,
        stacking=becomes.stacking,
    )
    return offer(turn, given)


def in_front(turn: Adjudication, target: str, front: tuple[str, ...]) -> str:
    """The layer that is healed where none is named: one of `front` while it has a point left, else the life layer."""
    entity = present(turn, target)
    return next((layer for layer in front if pool_of(entity, layer).current), turn.pack.life)

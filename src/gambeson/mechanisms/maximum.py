"""The maximum of a layer as a figure: it follows what effects do to it, and the points below follow the maximum."""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec.structs import replace

from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import maximum_of, pool_of
from gambeson.language.standing import Standing
from gambeson.model.events import EffectBegan, EffectChanged, EffectEnded, Event, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import LARGEST_FIGURE, Entity


class Maximum(Standing, frozen=True, tag="maximum"):
    """When the maximum of `layer` falls, current points are `clamp`ed to it, or with `subtract` they fall with it.

    Those that fall with it stop at 1 if there was one.
    """

    WATCHES: ClassVar[tuple[type, ...]] = (EffectBegan, EffectChanged, EffectEnded)

    layer: str
    falls: Literal["clamp", "subtract"] = "clamp"

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Work the maximum out anew when effects differ."""
        if not isinstance(event, EffectBegan | EffectEnded | EffectChanged):
            return
        entity = turn.state.entities.get(event.entity)
        if entity is None or self.layer not in entity.pools:
            return
        pool = pool_of(entity, self.layer)
        maximum = maximum_of(turn.pack, entity, self.layer, pool)
        if maximum == pool.maximum:
            return
        if maximum > LARGEST_FIGURE:
            turn.refuse(turn.pack.too_large(self.layer))
        fallen = max(0, pool.maximum - maximum)
        current = pool.current
        if self.falls == "subtract" and fallen:
            current = max(min(1, current), current - fallen)
        note = message("trace.maximum", layer=self.layer, was=pool.maximum, now=maximum)
        turn.note(TraceRow("maximum", self.rule, entity.id, pool.maximum, maximum, note))
        base = pool.base if pool.base is not None else pool.maximum
        kept = base if base != maximum else None
        changed = replace(pool, maximum=maximum, current=min(current, maximum), base=kept)
        turn.change(PoolSet(entity.id, self.layer, changed, self.rule))

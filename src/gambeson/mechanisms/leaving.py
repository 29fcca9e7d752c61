"""Leaving the table: what was counted in the turns of one who left goes on by the clock."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from gambeson.language.adjudication import Adjudication
from gambeson.language.standing import Standing
from gambeson.model.events import EffectChanged, EntityRemoved, Event, PoolSet
from gambeson.model.values import Entity, Until


class Leaving(Standing, frozen=True, tag="leaving"):
    """Ends that count the turns of one who has left come when as many turns' seconds have passed."""

    WATCHES: ClassVar[tuple[type, ...]] = (EntityRemoved,)

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Count by the clock from now on."""
        if not isinstance(event, EntityRemoved) or turn.pack.own_turns is None:
            return
        for id, entity in list(turn.state.entities.items()):
            for effect in entity.effects:
                ends = tuple(self._clocked(turn, end, event.entity) for end in effect.until)
                if ends != effect.until:
                    turn.change(EffectChanged(id, replace(effect, until=ends), self.rule))
            for layer, pool in entity.pools.items():
                end = self._clocked(turn, pool.until, event.entity) if pool.until is not None else None
                if end != pool.until:
                    turn.change(PoolSet(id, layer, replace(pool, until=end), self.rule))

    def _clocked(self, turn: Adjudication, end: Until, who: str) -> Until:
        turns = turn.pack.own_turns
        if turns is None or turns.counts or end.whose != who:
            return end
        return Until("clock", due=turn.state.clock + turns.seconds * end.count)

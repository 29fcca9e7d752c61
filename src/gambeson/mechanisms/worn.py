"""Extras that change something: each is an effect of its own while a point of its pool is left."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import HIDDEN, begin, end_effect
from gambeson.language.effects import changed, worn_changes
from gambeson.language.potency import ADDS_UP
from gambeson.language.standing import Standing
from gambeson.mechanisms.held import ended_effect
from gambeson.model.events import EffectEnded, EntityAdded, Event, PoolEnded, PoolReduced, PoolSet
from gambeson.model.values import Effect, Entity, Extra

WORN = "worn"


class Worn(Standing, frozen=True, tag="worn"):
    """The changes of extras work while a point of their pool is left; one that is used up leaves its pool."""

    WATCHES: ClassVar[tuple[type, ...]] = (EffectEnded, EntityAdded, PoolEnded, PoolReduced, PoolSet)

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Begin and end what the pools bring."""
        match event:
            case EntityAdded():
                self._fit(turn, event.entity.id)
            case PoolSet() | PoolEnded() | PoolReduced():
                self._fit(turn, event.entity)
            case EffectEnded():
                ended = ended_effect(event, before)
                if ended is not None and WORN in ended.facts:
                    self._used_up(turn, event.entity, ended)
            case _:
                pass

    def _fit(self, turn: Adjudication, id: str) -> None:
        while (entity := turn.state.entities.get(id)) is not None:
            ending, beginning = self._differences(turn, entity)
            if ending:
                end_effect(turn, id, ending[0], self.rule)
            elif beginning:
                begin(turn, id, self._effect(turn, *beginning[0]), self.rule)
            else:
                return

    def _differences(self, turn: Adjudication, entity: Entity) -> tuple[list[Effect], list[tuple[str, Extra]]]:
        """The effects of extras that are there and should not be, and the extras that should have one and have not."""
        assert turn.pack.effects is not None
        wanted = [
            (layer, extra)
            for layer, pool in entity.pools.items()
            if pool.current > 0
            for extra in pool.extras
            if worn_changes(turn.pack.effects, extra)
        ]
        ending: list[Effect] = []
        for effect in entity.effects:
            if WORN in effect.facts:
                bringing = (effect.facts[WORN], Extra(effect.name, effect.facts["extra"]))
                if bringing in wanted:
                    wanted.remove(bringing)
                else:
                    ending.append(effect)
        return ending, wanted

    def _effect(self, turn: Adjudication, layer: str, extra: Extra) -> Effect:
        assert turn.pack.effects is not None
        lists, figures, borne = changed(turn.pack.effects, worn_changes(turn.pack.effects, extra))
        facts = {**borne, WORN: layer, "extra": extra.facts}
        return Effect(0, extra.name, tags=(HIDDEN, ADDS_UP), lists=lists, changes=figures, facts=facts)

    def _used_up(self, turn: Adjudication, id: str, ended: Effect) -> None:
        """An extra whose effect ended by itself is no longer on its pool."""
        entity = turn.state.entities.get(id)
        pool = entity.pools.get(ended.facts[WORN]) if entity is not None else None
        gone = Extra(ended.name, ended.facts["extra"])
        if pool is not None and pool.current and gone in pool.extras:
            left = list(pool.extras)
            left.remove(gone)
            turn.change(PoolSet(id, ended.facts[WORN], replace(pool, extras=tuple(left)), self.rule))

"""What ends an effect before its time: the points that it needs, and what becomes of its bearer or its source."""

from __future__ import annotations

from typing import ClassVar

from msgspec import field

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect
from gambeson.language.figures import conditions, pool_of
from gambeson.language.standing import Standing
from gambeson.model.events import EffectBegan, EffectEnded, Event, FactSet, PoolEnded, PoolReduced, PoolSet
from gambeson.model.values import Effect, Entity

ANY_POOL, OWN_POOL = "any_pool", "own_pool"
SOURCE_EMPTY = "source_zero"


class Bounds(Standing, frozen=True, tag="bounds"):
    """`ends_with: own_pool` ends an effect with the pool that it gave; `any_pool` when `layer` is empty altogether.

    `any_pool` here says how that word is read: `any` or `own`. Effects whose pool is of the layers `own` end with it in
    any case. `when` lists, for each word of `ends_when`, the conditions of the bearer that end the effect;
    `source_zero` ends it when the layer `life` of its source is empty.
    """

    WATCHES: ClassVar[tuple[type, ...]] = (EffectBegan, EffectEnded, FactSet, PoolEnded, PoolReduced, PoolSet)

    layer: str
    life: str
    when_rule: str
    when: dict[str, tuple[str, ...]] = field(default_factory=dict)
    any_pool: str = "any"
    own: tuple[str, ...] = ()

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """End what has lost what it needs."""
        match event:
            case PoolReduced() | PoolSet() | PoolEnded():
                if before is not None:
                    self._pools(turn, event.entity, before)
                    if event.layer == self.life:
                        self._sources(turn, event.entity)
            case FactSet(key="conditions"):
                self._bearer(turn, event.entity)
            case EffectBegan():
                if event.effect.conditions:
                    self._bearer(turn, event.entity)
                elif event.effect.facts.get("ends_when"):
                    self._begun(turn, event.entity, event.effect)
            case EffectEnded():
                self._bearer(turn, event.entity)
            case _:
                pass

    def _pools(self, turn: Adjudication, id: str, before: Entity) -> None:
        entity = turn.state.entities.get(id)
        for effect in entity.effects if entity is not None else ():
            entity = turn.state.entities.get(id)
            if entity is not None and self._has_lost(effect, before, entity):
                end_effect(turn, id, effect, self.rule)

    def _has_lost(self, effect: Effect, before: Entity, now: Entity) -> bool:
        needs = effect.facts.get("ends_with")
        if needs == ANY_POOL and self.any_pool == "any":
            return pool_of(before, self.layer).current > 0 and pool_of(now, self.layer).current == 0
        had = [layer for layer, pool in before.pools.items() if pool.effect == effect.serial]
        lost = [
            layer for layer in had if pool_of(now, layer).effect != effect.serial or not pool_of(now, layer).current
        ]
        return bool(lost) and (needs in (ANY_POOL, OWN_POOL) or any(layer in self.own for layer in lost))

    def _sources(self, turn: Adjudication, source: str) -> None:
        if source in turn.state.entities and pool_of(turn.state.entities[source], self.life).current == 0:
            for id, entity in list(turn.state.entities.items()):
                for effect in entity.effects:
                    if effect.source == source and SOURCE_EMPTY in effect.facts.get("ends_when", ()):
                        end_effect(turn, id, effect, self.when_rule)

    def _bearer(self, turn: Adjudication, id: str) -> None:
        entity = turn.state.entities.get(id)
        for effect in entity.effects if entity is not None else ():
            if effect.facts.get("ends_when"):
                self._begun(turn, id, effect)

    def _begun(self, turn: Adjudication, id: str, effect: Effect) -> None:
        entity = turn.state.entities.get(id)
        if entity is None:
            return
        words: tuple[str, ...] = effect.facts["ends_when"]
        there = conditions(turn.pack, entity)
        ending = any(condition in self.when.get(word, ()) for word in words for condition in there)
        source = turn.state.entities.get(effect.source or "")
        if SOURCE_EMPTY in words and source is not None and pool_of(source, self.life).current == 0:
            ending = True
        if ending:
            end_effect(turn, id, effect, self.when_rule)

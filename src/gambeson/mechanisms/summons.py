"""Summoned creatures: they leave with the effect that brought them, or stay for its time when its hold was broken."""

from __future__ import annotations

from typing import Any, ClassVar

from gambeson.language.adjudication import Adjudication
from gambeson.language.concentration import BROKEN
from gambeson.language.deeds import HIDDEN, begin
from gambeson.language.figures import pool_of
from gambeson.language.standing import Standing
from gambeson.mechanisms.held import ended_effect
from gambeson.model.events import EffectEnded, EntityRemoved, Event, PoolReduced, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import Effect, Entity

STAYING = "staying"


class Summons(Standing, frozen=True, tag="summons"):
    """The fact `reads` (`effect`, `source`, `when_broken`) binds a creature to an effect of somebody.

    It leaves when the layer `life` is empty or when that effect ends. One with `when_broken: stays` stays, with the
    condition `uncontrolled`, until the effect's time would have been up if concentration on it was broken.
    """

    WATCHES: ClassVar[tuple[type, ...]] = (EffectEnded, EntityRemoved, PoolReduced, PoolSet)

    reads: str
    life: str
    uncontrolled: str

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Let those leave whom nothing holds here."""
        match event:
            case PoolReduced(layer=self.life) | PoolSet(layer=self.life):
                entity = turn.state.entities.get(event.entity)
                if entity is not None and self.reads in entity.facts and not pool_of(entity, self.life).current:
                    self._leaves(turn, entity)
            case EffectEnded():
                ended = ended_effect(event, before)
                if ended is not None and STAYING in ended.tags:
                    if event.entity in turn.state.entities:
                        self._leaves(turn, turn.state.entities[event.entity])
                elif ended is not None:
                    self._without(turn, ended, event.cause)
            case EntityRemoved():
                for effect in before.effects if before is not None else ():
                    if STAYING not in effect.tags:
                        self._without(turn, effect, "")
            case _:
                pass

    def _without(self, turn: Adjudication, ended: Effect, cause: str) -> None:
        for entity in list(turn.state.entities.values()):
            bond: dict[str, Any] | None = entity.facts.get(self.reads)
            if bond is None or bond["effect"] != ended.name or bond.get("source") != ended.source:
                continue
            if entity.id not in turn.state.entities or self._lasts(turn, ended):
                continue
            if any(STAYING in effect.tags for effect in entity.effects):
                continue
            if cause == BROKEN and bond.get("when_broken") == "stays":
                tags, shown = (HIDDEN, STAYING), (self.uncontrolled,)
                kept = Effect(0, ended.name, ended.source, until=ended.until, tags=tags, conditions=shown)
                begin(turn, entity.id, kept, self.rule)
            else:
                self._leaves(turn, entity)

    def _lasts(self, turn: Adjudication, ended: Effect) -> bool:
        """Whether the same effect of the same source is still on somebody."""
        return any(
            effect.name == ended.name and effect.source == ended.source and STAYING not in effect.tags
            for entity in turn.state.entities.values()
            for effect in entity.effects
        )

    def _leaves(self, turn: Adjudication, entity: Entity) -> None:
        turn.note(TraceRow("summoned", self.rule, entity.id, 0, 0, message("trace.summons.leaves", entity=entity.name)))
        turn.change(EntityRemoved(entity.id, self.rule))

"""Concentration as a standing rule: who holds what, and what makes them let go."""

from __future__ import annotations

from typing import ClassVar

from gambeson.language.adjudication import Adjudication
from gambeson.language.concentration import BROKEN, held, let_go
from gambeson.language.deeds import add_condition, unmark
from gambeson.language.effects import CONCENTRATION
from gambeson.language.figures import conditions, own_conditions
from gambeson.language.standing import Standing
from gambeson.model.errors import FieldFault
from gambeson.model.events import EffectBegan, EffectEnded, EntityAdded, EntityRemoved, Event, FactSet
from gambeson.model.messages import message
from gambeson.model.values import Effect, Entity


class Concentration(Standing, frozen=True, tag="concentration"):
    """Whoever is the source of an effect that needs concentration has the `condition` while it lasts.

    A condition of `broken_by` ends all that a creature holds, as does its leaving. One creature holds one casting.
    """

    WATCHES: ClassVar[tuple[type, ...]] = (EffectBegan, EffectEnded, EntityAdded, EntityRemoved, FactSet)

    condition: str
    broken_by: tuple[str, ...]

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Break what cannot be held, and show the condition where something is held."""
        match event:
            case EntityRemoved():
                let_go(turn, event.entity, self.rule)
                for effect in before.effects if before is not None else ():
                    self._of_source(turn, effect)
            case EntityAdded():
                self._look(turn, event.entity.id)
                for effect in event.entity.effects:
                    self._of_source(turn, effect)
            case FactSet(key="conditions"):
                self._look(turn, event.entity)
            case EffectBegan():
                self._of_source(turn, event.effect)
                if event.effect.conditions:
                    self._look(turn, event.entity)
            case EffectEnded():
                ended = ended_effect(event, before)
                if ended is not None:
                    self._of_source(turn, ended)
                    if ended.conditions:
                        self._look(turn, event.entity)
            case _:
                pass

    def _of_source(self, turn: Adjudication, effect: Effect) -> None:
        if CONCENTRATION in effect.tags and effect.source is not None:
            self._look(turn, effect.source)

    def _look(self, turn: Adjudication, id: str) -> None:
        if id not in turn.state.entities:
            return
        if any(word in self.broken_by for word in conditions(turn.pack, turn.state.entities[id])):
            let_go(turn, id, self.rule, BROKEN)
        entity = turn.state.entities.get(id)
        if entity is None:
            return
        holds, shown = bool(held(turn, id)), self.condition in own_conditions(entity)
        if holds and not shown:
            add_condition(turn, id, self.condition, self.rule)
        elif shown and not holds:
            unmark(turn, id, self.condition, self.rule)

    def against(self, turn: Adjudication, entity: Entity) -> FieldFault | None:
        """A newcomer's effects may not bring a second casting to a source."""
        names: dict[str, str] = {}
        for there in turn.state.entities.values():
            for effect in there.effects:
                if CONCENTRATION in effect.tags and effect.source is not None:
                    names[effect.source] = effect.name
        for index, effect in enumerate(entity.effects):
            if CONCENTRATION not in effect.tags or effect.source is None:
                continue
            other = names.setdefault(effect.source, effect.name)
            if other != effect.name:
                said = message("fault.concentration.second", source=effect.source, first=other, second=effect.name)
                return FieldFault(("effects", index, "concentration"), said)
        return None


def ended_effect(event: EffectEnded, before: Entity | None) -> Effect | None:
    """The effect that has just ended, as it was."""
    if before is None:
        return None
    return next((effect for effect in before.effects if effect.serial == event.serial), None)

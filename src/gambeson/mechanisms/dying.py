"""Dying as a standing rule: who starts at 0, what waking and dying take away, and how many failures are too many."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, unmark
from gambeson.language.figures import own_conditions, pool_of
from gambeson.language.outcomes import Outcome, count, first_of, number
from gambeson.language.scope import Scope
from gambeson.language.standing import Standing
from gambeson.model.events import EffectBegan, EntityAdded, Event, FactSet, PoolRaised, PoolSet
from gambeson.model.values import Entity


class Tally(Struct, frozen=True, forbid_unknown_fields=True):
    """When the number `of` (`FACT.KEY`) reaches `most`, `outcome` happens."""

    of: str
    most: int
    outcome: Outcome


class Dying(Standing, frozen=True, tag="dying"):
    """`starts`: outcomes for a newcomer whose `layer` is at 0; `drained`: when the maximum of the layer has become 0.

    Points that come back from 0, or to who bears the mark `spared`, end the conditions `wakes`; so do those that a
    condition `replaces` when it begins. The numbers of `clears` are 0 again on waking and with a condition of
    `settled`, and for whoever is brought back. `tallies` are counted to the end.
    """

    WATCHES: ClassVar[tuple[type, ...]] = (EffectBegan, EntityAdded, FactSet, PoolRaised, PoolSet)

    layer: str
    wake_rule: str
    starts: tuple[Outcome, ...] = ()
    drained: tuple[Outcome, ...] = ()
    wakes: tuple[str, ...] = ()
    spared: str = ""
    clears: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    replaces: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """See to what waking, dying and counting bring."""
        match event:
            case PoolRaised(layer=self.layer):
                self._raised(turn, event.entity, before)
            case PoolSet(layer=self.layer) if event.pool.maximum == 0 and event.entity in turn.state.entities:
                self._happen(turn, event.entity, self.drained)
            case EntityAdded():
                self._added(turn, event.entity)
            case FactSet(key="conditions"):
                self._conditions(turn, event.entity, before)
            case EffectBegan() if event.effect.conditions:
                self._conditions(turn, event.entity, before)
            case FactSet():
                for tally in self.tallies:
                    if event.entity and tally.of.startswith(f"{event.key}.") and self._full(turn, event.entity, tally):
                        tally.outcome.happen(turn, event.entity)
            case _:
                pass

    def _full(self, turn: Adjudication, id: str, tally: Tally) -> bool:
        return number(turn, id, tally.of) >= tally.most

    def _happen(self, turn: Adjudication, id: str, outcomes: tuple[Outcome, ...]) -> None:
        entity = turn.state.entities.get(id)
        outcome = first_of(outcomes, Scope(turn.pack, entity)) if entity is not None else None
        if outcome is not None:
            outcome.happen(turn, id)

    def _added(self, turn: Adjudication, entity: Entity) -> None:
        if self.layer in entity.pools and pool_of(entity, self.layer).current == 0:
            self._happen(turn, entity.id, self.starts)
        self._conditions(turn, entity.id, None)

    def _raised(self, turn: Adjudication, id: str, before: Entity | None) -> None:
        entity = turn.state.entities.get(id)
        bearing = entity.effects if entity is not None else ()
        marked = [effect for effect in bearing if self.spared and self.spared in effect.tags]
        if before is None or (pool_of(before, self.layer).current and not marked):
            return
        for effect in marked:
            end_effect(turn, id, effect, self.wake_rule)
        for condition in self.wakes:
            unmark(turn, id, condition, self.wake_rule)
        self._clear(turn, id, self.wake_rule)

    def _conditions(self, turn: Adjudication, id: str, before: Entity | None) -> None:
        had = own_conditions(before) if before is not None else ()
        back = [condition for condition in self.replaces if condition in had]
        if back and id in turn.state.entities and back[0] not in own_conditions(turn.state.entities[id]):
            self._clear(turn, id, self.rule)
        for condition, replaced in self.replaces.items():
            if id in turn.state.entities and condition in own_conditions(turn.state.entities[id]):
                for other in replaced:
                    unmark(turn, id, other, self.rule)
        entity = turn.state.entities.get(id)
        for condition in self.settled:
            there = entity is not None and condition in own_conditions(entity)
            if before is not None and there and condition not in had:
                self._clear(turn, id, self.rule)

    def _clear(self, turn: Adjudication, id: str, rule: str) -> None:
        for name in self.clears:
            count(turn, id, name, 0, rule)

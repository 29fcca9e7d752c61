"""The facts that change a state: a closed set, and the only functions that write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from msgspec import Struct

from gambeson.model.values import Effect, Entity, Facts, Pool, State, frozen


class PoolReduced(Struct, frozen=True, gc=False, tag="pool_reduced", omit_defaults=True):
    """Points left a pool. `cause` is `damage`, `cost` or `end`; only damage counts as taken."""

    entity: str
    layer: str
    amount: int
    rule: str
    cause: str = "damage"


class PoolRaised(Struct, frozen=True, gc=False, tag="pool_raised", omit_defaults=True):
    """Points came into a pool that was there."""

    entity: str
    layer: str
    amount: int
    rule: str


class PoolSet(Struct, frozen=True, gc=False, tag="pool_set", omit_defaults=True):
    """A pool stands as given here, in place of what was there."""

    entity: str
    layer: str
    pool: Pool
    rule: str


class PoolEnded(Struct, frozen=True, gc=False, tag="pool_ended", omit_defaults=True):
    """A pool is gone with its extras."""

    entity: str
    layer: str
    rule: str


class EffectBegan(Struct, frozen=True, gc=False, tag="effect_began", omit_defaults=True):
    """An effect began; its serial is the state's next."""

    entity: str
    effect: Effect
    rule: str


class EffectChanged(Struct, frozen=True, gc=False, tag="effect_changed", omit_defaults=True):
    """The effect with this serial stands as given here."""

    entity: str
    effect: Effect
    rule: str


class EffectEnded(Struct, frozen=True, gc=False, tag="effect_ended", omit_defaults=True):
    """The effect with this serial is over. `cause` is `broken` where its source could not hold it any longer."""

    entity: str
    serial: int
    rule: str
    cause: str = ""


class FactSet(Struct, frozen=True, gc=False, tag="fact_set", omit_defaults=True):
    """A fact of an entity (or, with entity "", of the table) has this value; None takes it away.

    The keys `name`, `kind` and `conditions` mean the entity's own attributes.
    """

    entity: str
    key: str
    value: Any
    rule: str


class EntityAdded(Struct, frozen=True, gc=False, tag="entity_added", omit_defaults=True):
    """An entity joined the table."""

    entity: Entity
    rule: str


class EntityRemoved(Struct, frozen=True, gc=False, tag="entity_removed", omit_defaults=True):
    """An entity left the table; its id stays used."""

    entity: str
    rule: str


class ClockMoved(Struct, frozen=True, gc=False, tag="clock_moved", omit_defaults=True):
    """The clock shows `to`, in seconds."""

    to: int
    rule: str


class MomentReached(Struct, frozen=True, gc=False, tag="moment_reached", omit_defaults=True):
    """A moment of the game's timeline was reached, for one entity or (with "") for all."""

    moment: str
    whose: str
    rule: str


class Called(Struct, frozen=True, gc=False, tag="called", omit_defaults=True):
    """Somebody must shout this."""

    entity: str
    text: str
    rule: str


Event: TypeAlias = (
    PoolReduced
    | PoolRaised
    | PoolSet
    | PoolEnded
    | EffectBegan
    | EffectChanged
    | EffectEnded
    | FactSet
    | EntityAdded
    | EntityRemoved
    | ClockMoved
    | MomentReached
    | Called
)


class World(Struct, gc=False, eq=False):
    """A private working copy of a state; `frozen()` gives the state that it has become."""

    entities: dict[str, Entity]
    clock: int
    serial: int
    used: tuple[str, ...]
    facts: Facts

    def frozen(self) -> State:
        """The state that the events have made of it."""
        return State(self.entities, self.clock, self.serial, self.used, self.facts)


def thaw(state: State) -> World:
    """A working copy of a state: the entities are copied once, as nothing else can be written in place."""
    return World(state.entities.copy(), state.clock, state.serial, state.used, state.facts)


def _with_pool(entity: Entity, layer: str, pool: Pool) -> Entity:
    pools = entity.pools.copy()
    pools[layer] = pool
    return Entity(entity.id, entity.name, entity.kind, pools, entity.effects, entity.conditions, entity.facts)


def _with_effects(entity: Entity, effects: tuple[Effect, ...]) -> Entity:
    return Entity(entity.id, entity.name, entity.kind, entity.pools, effects, entity.conditions, entity.facts)


def _pool_moved(world: World, event: PoolReduced | PoolRaised) -> None:
    """A pool's current points go down or up."""
    id, layer = event.entity, event.layer
    by = event.amount if event.__class__ is PoolRaised else -event.amount
    entity = world.entities[id]
    pools = entity.pools.copy()
    old = pools[layer]
    pools[layer] = Pool(
        old.current + by, old.maximum, old.source, old.effect, old.extras, old.until, old.facts, old.base
    )
    world.entities[id] = Entity(id, entity.name, entity.kind, pools, entity.effects, entity.conditions, entity.facts)


def _pool_set(world: World, event: PoolSet) -> None:
    world.entities[event.entity] = _with_pool(world.entities[event.entity], event.layer, event.pool)


def _pool_ended(world: World, event: PoolEnded) -> None:
    entity = world.entities[event.entity]
    pools = {layer: pool for layer, pool in entity.pools.items() if layer != event.layer}
    world.entities[event.entity] = Entity(
        entity.id, entity.name, entity.kind, pools, entity.effects, entity.conditions, entity.facts
    )


def _effect_began(world: World, event: EffectBegan) -> None:
    entity = world.entities[event.entity]
    world.serial = max(world.serial, event.effect.serial)
    world.entities[event.entity] = _with_effects(entity, (*entity.effects, event.effect))


def _effect_changed(world: World, event: EffectChanged) -> None:
    entity = world.entities[event.entity]
    effects = tuple(event.effect if e.serial == event.effect.serial else e for e in entity.effects)
    world.entities[event.entity] = _with_effects(entity, effects)


def _effect_ended(world: World, event: EffectEnded) -> None:
    entity = world.entities[event.entity]
    world.entities[event.entity] = _with_effects(entity, tuple(e for e in entity.effects if e.serial != event.serial))


def _fact_set(world: World, event: FactSet) -> None:
    value = frozen(event.value)
    if not event.entity:
        world.facts = _with_fact(world.facts, event.key, value)
        return
    entity = world.entities[event.entity]
    name, kind, conditions, facts = entity.name, entity.kind, entity.conditions, entity.facts
    if event.key == "name":
        name = value
    elif event.key == "kind":
        kind = value
    elif event.key == "conditions":
        conditions = value
    else:
        facts = _with_fact(facts, event.key, value)
    world.entities[event.entity] = Entity(entity.id, name, kind, entity.pools, entity.effects, conditions, facts)


def _with_fact(facts: Facts, key: str, value: Any) -> Facts:
    changed = facts.copy()
    if value is None:
        changed.pop(key, None)
    else:
        changed[key] = value
    return changed


def _entity_added(world: World, event: EntityAdded) -> None:
    entity = event.entity
    for effect in entity.effects:
        world.serial = max(world.serial, effect.serial)
    world.entities[entity.id] = thawed(entity)


def _entity_removed(world: World, event: EntityRemoved) -> None:
    del world.entities[event.entity]
    world.used = (*world.used, event.entity)


def _clock_moved(world: World, event: ClockMoved) -> None:
    world.clock = event.to


def _told(world: World, event: MomentReached | Called) -> None:
    """Moments and calls are facts of the story; they change nothing by themselves."""


WRITERS: dict[type, Callable[[World, Any], None]] = {
    PoolReduced: _pool_moved,
    PoolRaised: _pool_moved,
    PoolSet: _pool_set,
    PoolEnded: _pool_ended,
    EffectBegan: _effect_began,
    EffectChanged: _effect_changed,
    EffectEnded: _effect_ended,
    FactSet: _fact_set,
    EntityAdded: _entity_added,
    EntityRemoved: _entity_removed,
    ClockMoved: _clock_moved,
    MomentReached: _told,
    Called: _told,
}
"""What writes each kind of fact into a working copy."""


def apply(world: World, event: Event) -> None:
    """Write one fact into a working copy."""
    WRITERS[event.__class__](world, event)


def fold(state: State, events: Iterable[Event]) -> State:
    """The state after these events; needs no dice and no rules."""
    world = thaw(state)
    writers = WRITERS
    for event in events:
        writers[event.__class__](world, event)
    return world.frozen()


def thawed(entity: Entity) -> Entity:
    """The entity with its facts as states hold them (decoded lists made tuples)."""
    pools = {
        layer: Pool(p.current, p.maximum, p.source, p.effect, p.extras, p.until, frozen(p.facts), p.base)
        for layer, p in entity.pools.items()
    }
    return Entity(entity.id, entity.name, entity.kind, pools, entity.effects, entity.conditions, frozen(entity.facts))

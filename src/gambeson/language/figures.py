"""Reading an entity: what is written on it together with what its effects and pools add while they last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambeson.language.arithmetic import halves
from gambeson.language.layers import empty
from gambeson.language.potency import SUM, counted
from gambeson.language.scope import Scope
from gambeson.model.values import Change, Effect, Entity, Extra, Pool

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.pack import Pack

NOBODY = Entity("", "", "")
"""Who has left the table: nothing is on it, and nothing can be written of it."""


def present(turn: Adjudication, id: str) -> Entity:
    """The entity as it is now, or nobody where it has left in this very command."""
    return turn.state.entities.get(id, NOBODY)


def entries(entity: Entity, name: str) -> tuple[Any, ...]:
    """A list-valued fact with what effects add to it."""
    own: tuple[Any, ...] = entity.facts.get(name, ())
    for effect in entity.effects:
        own += effect.lists.get(name, ())
    return own


def own_conditions(entity: Entity) -> tuple[str, ...]:
    """The conditions that were given to the entity or that its effects bring, each once."""
    if not entity.effects:
        return entity.conditions
    found = list(entity.conditions)
    for effect in entity.effects:
        for condition in effect.conditions:
            if condition not in found:
                found.append(condition)
    return tuple(found)


def conditions(pack: Pack, entity: Entity) -> tuple[str, ...]:
    """All conditions of the entity: its own and those that follow from its figures (see `Pack.conditions`)."""
    if not pack.conditions:
        return own_conditions(entity) if entity.effects else entity.conditions
    own = own_conditions(entity)
    scope = Scope(pack, entity)
    kept = [condition for condition in own if condition not in pack.conditions]
    kept += [name for name, derived in pack.conditions.items() if derived.holds(scope)]
    return tuple(kept)


def changes(pack: Pack, entity: Entity) -> tuple[Change, ...]:
    """Everything that changes figures of the entity now: what its effects and its conditions do."""
    found = counted(entity.effects, pack.effects.same_name if pack.effects is not None else SUM)
    if pack.condition_changes:
        for condition in conditions(pack, entity):
            found += pack.condition_changes.get(condition, ())
    return tuple(found)


def figure(pack: Pack, entity: Entity, name: str, base: int, more: tuple[Change, ...] = ()) -> int:
    """A figure as it is now: the base, then all plus and minus, then halvings and doublings, not below 0.

    A halving and a doubling cancel each other; each halving rounds as `Pack.figure_rounding` says. `more` are
    changes for this one reading, whatever figure they name.
    """
    if not more and not entity.effects and not (pack.condition_changes and (entity.conditions or pack.conditions)):
        return base
    found = [*(change for change in changes(pack, entity) if change.figure == name), *more]
    value, times = base, 0
    for change in found:
        if change.up_to and change.first:
            value = max(value, min(change.up_to, value + change.add))
    for change in found:
        if not change.up_to:
            value += change.add
        times += change.times
    for change in found:
        if change.up_to and not change.first:
            value = max(value, min(change.up_to, value + change.add))
    for _ in range(abs(times)):
        value = value * 2 if times > 0 else halves(value, 2, pack.figure_rounding)
    return max(0, value)


def amounts(pack: Pack, entity: Entity, name: str) -> dict[str, int]:
    """A fact that maps words to points, with what effects add to the figures `NAME.WORD`."""
    own: dict[str, int] = entity.facts.get(name, {})
    if not entity.effects:
        return own
    prefix = f"{name}."
    added = [change.figure.removeprefix(prefix) for change in changes(pack, entity) if change.figure.startswith(prefix)]
    if not added:
        return own
    return {word: figure(pack, entity, prefix + word, own.get(word, 0)) for word in dict.fromkeys((*own, *added))}


def maximum_of(pack: Pack, entity: Entity, layer: str, pool: Pool) -> int:
    """The maximum of a pool as effects change it (the figure `LAYER.maximum`); its base is what was written down."""
    return figure(pack, entity, f"{layer}.maximum", pool.base if pool.base is not None else pool.maximum)


def written_figure(pack: Pack, entity: Entity, name: str) -> int | None:
    """A figure as it stands on the entity, or what the pack gives its kind; None where there is none."""
    if pack.figures is None:
        return None
    written: dict[str, int] = entity.facts.get(pack.figures.fact, {})
    found = written.get(name)
    return found if found is not None else pack.figures.defaults.get(entity.kind, {}).get(name)


def shown_figures(pack: Pack, entity: Entity) -> dict[str, int]:
    """Every figure of the entity as it is now."""
    if pack.figures is None:
        return {}
    names = dict.fromkeys((*pack.figures.defaults.get(entity.kind, {}), *entity.facts.get(pack.figures.fact, {})))
    return {name: figure(pack, entity, name, written_figure(pack, entity, name) or 0) for name in names}


def pool_of(entity: Entity, layer: str) -> Pool:
    """The entity's pool in this layer; an absent one counts as empty."""
    return entity.pools.get(layer) or empty()


def extras(entity: Entity, name: str) -> tuple[Extra, ...]:
    """The extras of this name that work now: those of pools with a point left."""
    return tuple(
        extra for pool in entity.pools.values() if pool.current > 0 for extra in pool.extras if extra.name == name
    )


def extra_amount(entity: Entity, name: str) -> int:
    """The sum of the amounts of the extras of this name that work now."""
    total = 0
    for pool in entity.pools.values():
        if pool.extras and pool.current > 0:
            for extra in pool.extras:
                if extra.name == name:
                    total += extra.facts.get("amount", 0)
    return total


def flags(pack: Pack, entity: Entity) -> tuple[str, ...]:
    """What the entity must wear visibly now."""
    scope = Scope(pack, entity)
    return tuple(flag for flag, when in pack.flags.items() if when.holds(scope))


def preventions(entity: Entity) -> tuple[tuple[Effect, int], ...]:
    """The effects that can stop a hit and the charges that each has left, oldest first."""
    return tuple((effect, protection.charges) for effect in entity.effects for protection in effect.protections)


def shown_effects(entity: Entity) -> tuple[Effect, ...]:
    """The effects that people are shown; those with the tag `hidden` only carry conditions or times."""
    return tuple(effect for effect in entity.effects if "hidden" not in effect.tags)

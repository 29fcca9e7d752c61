"""Effects and pools of an entity that is written down, in a game whose effects change maxima and give points."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from gambeson.language.effects import CONCENTRATION, Entry, completed, written_effect
from gambeson.language.fields import Context, Field, ListField, RecordField, WordField, unknown_entity
from gambeson.language.figures import maximum_of
from gambeson.language.layers import Layer
from gambeson.language.pack import Pack
from gambeson.model.errors import FieldFault, Path
from gambeson.model.messages import message
from gambeson.model.values import Effect, Entity, Facts, Pool


def effects_field(pack: Pack) -> Field:
    """The list of effects that are in force on an entity from the start."""
    assert pack.effects is not None
    one = RecordField(fields={"name": WordField(required=True), **pack.effects.fields}, bare="name")
    return ListField(of=one)


def effects_in_force(pack: Pack, id: str, listed: tuple[Facts, ...], clock: int, context: Context) -> list[Effect]:
    """The effects that a file lists, completed from the catalogue. Raises FieldFault."""
    assert pack.effects is not None
    found: list[Effect] = []
    for index, written in enumerate(listed):
        path: Path = ("effects", index)
        given = {key: value for key, value in written.items() if key != "name"}
        source: str | None = given.get("source")
        known = context.entities or {}
        name = pack.called(written["name"])
        entry: Entry | None = pack.spells.get(name)
        if entry is not None:
            _of_this_game(pack, name, entry, given, path)
            given = completed(entry, given, source if source in known else None, id)
        if given.get(CONCENTRATION) and source not in known:
            said = unknown_entity(source, known) if source else message("fault.field.missing", field="source")
            raise FieldFault((*path, "source"), said, pack.ids_rule if source else "")
        if given.get("until") == "spent":
            raise FieldFault((*path, "until"), message("refusal.effect.spent", field="until"))
        found.append(written_effect(pack.effects, given, name, source, clock))
    return found


def _of_this_game(pack: Pack, name: str, entry: Entry, given: Facts, path: Path) -> None:
    assert pack.effects is not None
    for variant, readings in entry.under.items():
        reading = pack.readings[variant]
        if reading not in readings:
            said = message("refusal.effect.not_in", effect=name, variant=variant, reading=reading)
            raise FieldFault((*path, "name"), said, pack.effects.catalogue_rule)
    if given.get("slot", entry.level) < entry.level:
        said = message("refusal.effect.slot", effect=name, level=entry.level)
        raise FieldFault((*path, "slot"), said, pack.effects.catalogue_rule)


def with_maxima(pack: Pack, entity: Entity, written: dict[str, Any]) -> Entity:
    """The entity with pools tied to the effects that they name, maxima as effects change them. Raises FieldFault."""
    pools = dict(entity.pools)
    for name, pool in entity.pools.items():
        layer, path = pack.layers[name], ("pools", name)
        given = written.get(name)
        if isinstance(given, dict) and "effect" in given:
            pool = replace(pool, effect=_serial(entity, given["effect"], pool.source, (*path, "effect")))
        if layer.figured:
            pool = in_force(pack, entity, name, pool, pool.maximum)
            if not isinstance(given, dict):
                pool = replace(pool, current=min(pool.current, pool.maximum))
            check_current(name, pool, path)
        pools[name] = pool
    return replace(entity, pools=pools)


def _serial(entity: Entity, name: str, source: str | None, path: Path) -> int:
    """The number of the entity's effect of this name, of that source if it has several."""
    named = [effect for effect in entity.effects if effect.name == name]
    if not named:
        there = tuple(effect.name for effect in entity.effects)
        raise FieldFault(path, message("fault.pool.no_effect", effect=name, there=there))
    return next((effect for effect in named if effect.source == source), named[0]).serial


def in_force(pack: Pack, entity: Entity, layer: str, pool: Pool, base: int) -> Pool:
    """The pool with the maximum that this base has under the entity's effects."""
    based = replace(pool, base=base)
    maximum = maximum_of(pack, entity, layer, based)
    return replace(based, maximum=maximum, base=base if base != maximum else None)


def check_current(layer: str, pool: Pool, path: Path) -> None:
    """Raise FieldFault where a pool has more points than its maximum."""
    if pool.current > pool.maximum:
        said = message("fault.pool.above_maximum", layer=layer, current=pool.current, maximum=pool.maximum)
        raise FieldFault((*path, "current"), said)


def set_by_hand(pack: Pack, entity: Entity, name: str, pool: Pool, given: Facts) -> Pool:
    """The pool after what an edit of its keys brings along in its layer."""
    layer: Layer = pack.layers[name]
    old = entity.pools.get(name)
    if layer.edits == "clears" and "current" in given:
        pool = replace(pool, source=given.get("source"), effect=None, extras=pool.extras if "extras" in given else ())
    if "effect" in given:
        pool = replace(pool, effect=_serial(entity, given["effect"], pool.source, ("pools", name, "effect")))
    if layer.edit_raises and "maximum" not in given:
        pool = replace(pool, maximum=max(pool.maximum, pool.current))
    if layer.figured:
        kept = old.base if old is not None and old.base is not None else pool.maximum
        pool = in_force(pack, entity, name, pool, given.get("maximum", kept))
    return pool

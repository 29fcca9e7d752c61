"""Entities as people write them: checked against the pack and made values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from gambeson.engine.effects import effects_field, effects_in_force, set_by_hand, with_maxima
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import HIDDEN, MAGIC
from gambeson.language.durations import until
from gambeson.language.fields import (
    Context,
    Field,
    Fields,
    ListField,
    NumberField,
    RecordField,
    TextField,
    WordField,
    check_fields,
    unknown_key,
)
from gambeson.language.lastings import start_effects_field, written_effects
from gambeson.language.layers import Layer, cap_of, check_pool, pool_fields, written_pool
from gambeson.language.pack import Pack
from gambeson.language.scope import Scope
from gambeson.model.errors import FieldFault, Path
from gambeson.model.messages import message
from gambeson.model.values import REFEREE, Effect, Entity, Pool, Protection

RESERVED = (
    "status", "rule", "reason", "options", "decider", "calls", "taken", "taken_by", "clock", REFEREE,
)  # fmt: skip
"""Ids that mean something else in scenario files."""

LONGEST_ID = 200

PERMANENT = "permanent"
"""The key of a pool, and the tag of its effect, that says that it is no magic."""


def preventions_field(pack: Pack) -> Field:
    """The list of limited protections that an entity may start with."""
    words = (*pack.words.known, *pack.words.traits, pack.words.spell, pack.words.wound, "all")
    one = RecordField(
        fields={
            "name": TextField(required=True),
            "charges": NumberField(least=1, default=1),
            "stops": ListField(of=WordField(of=tuple(dict.fromkeys(words))), required=True, least=1),
        }
    )
    return ListField(of=one)


def entity_fields(pack: Pack) -> Fields:
    """The keys of an entity, pools aside."""
    fields: Fields = {
        "name": TextField(),
        "kind": WordField(of=pack.kinds, default=pack.kinds[0]),
        "conditions": ListField(of=WordField(), unique=True),
        **pack.facts,
    }
    if pack.preventions:
        fields["preventions"] = preventions_field(pack)
    if pack.start_effects is not None:
        fields["effects"] = start_effects_field(pack)
    if pack.effects is not None:
        fields["effects"] = effects_field(pack)
    return fields


def with_profile(pack: Pack, keys: dict[str, Any]) -> dict[str, Any]:
    """The keys of an entity with those of the profile that it names, where it says nothing else itself."""
    profile = pack.profiles.get(str(keys.get(pack.profile_key))) if pack.profile_key else None
    if profile is None:
        return keys
    joined = {**profile, **keys}
    for key, value in profile.items():
        if isinstance(value, dict) and isinstance(keys.get(key), dict):
            joined[key] = {**value, **keys[key]}
    return joined


def check_id(id: Any, path: Path) -> str:
    """An id that an entity may have. Raises FieldFault."""
    if not isinstance(id, str) or not id.strip() or len(id) > LONGEST_ID:
        raise FieldFault(path, message("fault.entity.id", most=LONGEST_ID))
    if id in RESERVED:
        raise FieldFault(path, message("fault.entity.reserved", id=id))
    return id


def build_entity(pack: Pack, id: str, keys: Any, clock: int, serial: int, context: Context) -> Entity:
    """The entity that these keys describe; its effects are numbered after `serial`. Raises FieldFault."""
    if not isinstance(keys, dict):
        raise FieldFault((), message("fault.field.record", allowed=("pools", *entity_fields(pack)), got=str(keys)[:60]))
    fields = entity_fields(pack)
    keys = with_profile(pack, keys)
    for key in keys:
        if key not in fields and key != "pools":
            raise FieldFault((key,), unknown_key(key, ("pools", *fields)))
    given = check_fields(fields, {key: value for key, value in keys.items() if key != "pools"}, context)
    effects: list[Effect] = []
    facts = {key: given[key] for key in pack.facts if key in given}
    blank = Entity(id, given.get("name", id), given["kind"], facts=facts)
    pools = _pools(pack, blank, keys.get("pools", {}), clock, serial, context, effects)
    for prevention in given.get("preventions", ()):
        protection = Protection(prevention["stops"], prevention["charges"])
        effects.append(
            Effect(serial + len(effects) + 1, prevention["name"], began=clock, tags=(MAGIC,), protections=(protection,))
        )
    for effect in _listed_effects(pack, id, given, clock, context):
        effects.append(replace(effect, serial=serial + len(effects) + 1, began=clock))
    built = replace(
        blank,
        pools=pools,
        effects=tuple(effects),
        conditions=given.get("conditions", ()),
    )
    return with_maxima(pack, built, keys.get("pools", {})) if pack.effects is not None else built


def check_newcomer(turn: Adjudication, entity: Entity) -> None:
    """Raise FieldFault where a standing rule is against an entity's joining."""
    for standing in turn.pack.standing:
        fault = standing.against(turn, entity)
        if fault is not None:
            raise fault


def _listed_effects(pack: Pack, id: str, given: dict[str, Any], clock: int, context: Context) -> Sequence[Effect]:
    if "effects" not in given:
        return ()
    if pack.effects is not None:
        return effects_in_force(pack, id, given["effects"], clock, context)
    return written_effects(pack, given["effects"])


def _pools(
    pack: Pack, entity: Entity, written: Any, clock: int, serial: int, context: Context, effects: list[Effect]
) -> dict[str, Pool]:
    if not isinstance(written, dict):
        raise FieldFault(("pools",), message("fault.field.record", allowed=tuple(pack.layers), got=str(written)[:60]))
    for name in written:
        if name not in pack.layers:
            raise FieldFault(("pools", name), unknown_key(name, pack.layers))
    pools: dict[str, Pool] = {}
    for name, layer in pack.layers.items():
        if name not in written:
            if entity.kind in layer.starts:
                pools[name] = Pool(layer.starts[entity.kind], layer.starts[entity.kind])
            elif layer.required:
                raise FieldFault(("pools", name), message("fault.field.missing", field=name))
            continue
        path: Path = ("pools", name)
        pool = written_pool(check_pool(layer, written[name], context, path), layer, None)
        end = until(_written_until(written[name]), clock)
        if pool.maximum < layer.least:
            raise FieldFault(path, message("fault.pool.least_maximum", layer=name, least=layer.least, got=pool.maximum))
        if pool.current > pool.maximum and not layer.figured:
            raise above_maximum(name, pool, path)
        check_cap(pack, layer, name, entity, pool, path)
        if layer.spent == "effect_ends" and not pool.current:
            pool, end = replace(pool, source=None), None
        pool = replace(pool, until=end)
        effect = effect_of_pool(layer, pool)
        if effect is not None:
            number = serial + len(effects) + 1
            effects.append(replace(effect, serial=number, began=clock))
            pool = replace(pool, effect=number)
        if pool.current == 0 and layer.spent == "gone":
            continue
        pools[name] = pool
    return pools


def effect_of_pool(layer: Layer, pool: Pool) -> Effect | None:
    """The effect, still without a serial, that a pool written by hand has: named by its source, hidden without one."""
    if layer.grant not in ("effect", "raise") or (pool.source is None and pool.until is None):
        return None
    tags = (PERMANENT,) if pool.facts.get(PERMANENT) else (MAGIC,)
    facts = {"flag": layer.flag} if layer.flag else {}
    ending = (pool.until,) if pool.until is not None else ()
    if pool.source is None:
        return Effect(0, "", until=ending, tags=(HIDDEN, *tags), facts=facts)
    return Effect(0, pool.source, pool.source, until=ending, tags=tags, facts=facts)


def _written_until(written: Any) -> Any:
    return written.get("until") if isinstance(written, dict) else None


def check_cap(pack: Pack, layer: Layer, name: str, entity: Entity, pool: Pool, path: Path) -> None:
    """Refuse a pool above its cap. Raises FieldFault."""
    cap = cap_of(layer, Scope(pack, entity, pool))
    if cap is not None and pool.maximum > cap:
        raise FieldFault(path, message(layer.cap_text, layer=name, points=pool.maximum, cap=cap), layer.cap_rule)


def above_maximum(layer: str, pool: Pool, path: Path) -> FieldFault:
    """The fault of a pool with more points than its maximum: only one that was written as a mapping can have it."""
    reason = message("fault.pool.above_maximum", layer=layer, current=pool.current, maximum=pool.maximum)
    return FieldFault((*path, "current"), reason)


def edited(pack: Pack, entity: Entity, layer: str, value: Any, clock: int, context: Context) -> Pool | None:
    """A pool as an edit by hand leaves it (None: it is gone). Raises FieldFault."""
    definition = pack.layers[layer]
    path: Path = ("pools", layer)
    old = entity.pools.get(layer)
    if isinstance(value, dict):
        given = RecordField(fields=_without_defaults(pool_fields(definition))).check(value, context, path)
    else:
        given = {"current": NumberField().check(value, context, path)}
    if old is None and "current" not in given and "maximum" not in given:
        raise FieldFault((*path, "current"), message("fault.field.missing", field="current"))
    if old is None or (old.maximum == 0 and old.current == 0):
        full = {**check_fields(definition.keys, {}, context), **(old.facts if old else {}), **given}
        pool = written_pool(full, definition, None)
    else:
        pool = _changed(definition, old, given)
    if "until" in given:
        pool = replace(pool, until=until(given["until"], clock))
    pool = set_by_hand(pack, entity, layer, pool, given)
    if pool.current > pool.maximum:
        raise above_maximum(layer, pool, path)
    return None if pool.current == 0 and definition.spent == "gone" else pool


def _changed(layer: Layer, old: Pool, given: dict[str, Any]) -> Pool:
    full = {
        "current": old.current,
        "maximum": old.maximum,
        "source": old.source,
        **old.facts,
        **given,
    }
    pool = written_pool(full, layer, None)
    extras = pool.extras if "extras" in given else old.extras
    return replace(pool, effect=old.effect, extras=extras, until=old.until)


def _without_defaults(fields: Fields) -> Fields:
    return {name: replace(field, default=None) for name, field in fields.items()}


def plain_fields(fields: Fields) -> Fields:
    """Fields with neither defaults nor required keys, as an edit has them."""
    return {name: _plain(field) for name, field in fields.items()}


def _plain(field: Field) -> Field:
    if isinstance(field, RecordField):
        return replace(field, default=None, required=False, fields=plain_fields(field.fields))
    return replace(field, default=None, required=False)

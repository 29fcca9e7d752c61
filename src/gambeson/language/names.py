"""The names that predicates and formulas of a pack may use, made from what the pack declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gambeson.language.expressions import Name, Names, TypeName
from gambeson.language.fields import Field, Fields, FlagField, ListField, MapField, NumberField, RecordField
from gambeson.language.figures import conditions, entries, extra_amount, figure, own_conditions, pool_of

if TYPE_CHECKING:
    from gambeson.language.layers import Layer

NOTED_FLAGS = ("stopped", "damage_stopped", "landed", "in_vain", "wounded", "unknown")
"""What stages note about a blow for later stages, as `noted.NAME`."""


def kind_of(field: Field) -> TypeName:
    """The type that a field's value has in expressions."""
    if isinstance(field, NumberField):
        return "number"
    if isinstance(field, FlagField):
        return "flag"
    if isinstance(field, ListField | MapField):
        return "list"
    return "word"


_ABSENT: dict[str, Any] = {"number": 0, "flag": False, "word": "", "list": ()}


def _fact(name: str, absent: Any) -> Callable[[Any], Any]:
    return lambda scope: scope.entity.facts.get(name, absent)


def _entries(name: str) -> Callable[[Any], Any]:
    return lambda scope: entries(scope.entity, name)


def _pool_key(name: str, absent: Any) -> Callable[[Any], Any]:
    return lambda scope: scope.pool.facts.get(name, absent)


def _key_of(layer: str, key: str, absent: Any) -> Callable[[Any], Any]:
    return lambda scope: pool_of(scope.entity, layer).facts.get(key, absent)


def _value(name: str, absent: Any) -> Callable[[Any], Any]:
    return lambda scope: scope.values.get(name, absent)


def _given(name: str) -> Callable[[Any], Any]:
    return lambda scope: name in scope.values


def _noted(name: str) -> Callable[[Any], Any]:
    return lambda scope: scope.noted.get(name, False)


def _noted_number(name: str) -> Callable[[Any], Any]:
    return lambda scope: scope.noted.get(name, 0)


def _figure(name: str) -> Callable[[Any], Any]:
    return lambda scope: figure(scope.pack, scope.entity, name, 0)


def _part_of(name: str, key: str, absent: Any) -> Callable[[Any], Any]:
    return lambda scope: scope.entity.facts.get(name, {}).get(key, absent)


def _current(layer: str) -> Callable[[Any], Any]:
    return lambda scope: pool_of(scope.entity, layer).current


def _maximum(layer: str) -> Callable[[Any], Any]:
    return lambda scope: pool_of(scope.entity, layer).maximum


def _has(layer: str) -> Callable[[Any], Any]:
    return lambda scope: layer in scope.entity.pools


def _lost(layer: str) -> Callable[[Any], Any]:
    return lambda scope: scope.lost.get(layer, 0)


def _extra(name: str) -> Callable[[Any], Any]:
    return lambda scope: extra_amount(scope.entity, name)


def names_of(
    facts: Fields,
    layers: dict[str, Layer],
    hit_fields: Fields,
    extras: Iterable[str],
    values: Iterable[str] = (),
    noted: Iterable[str] = (),
    figures: Iterable[str] = (),
) -> Names:
    """Every name of a pack: `target.FACT`, `target.LAYER`, `pool.KEY`, `hit.FIELD`, `noted.FLAG`, `lost.LAYER`.

    `values` are plain names (`circle`, `points`) that a command or a deed brings, `noted` figures that stages keep
    under a name, `figures` those that effects change (`figure.NAME`, 0 where nothing does).
    """
    known: dict[str, Name] = {
        "target.kind": Name("word", lambda scope: scope.entity.kind),
        "target.conditions": Name("list", lambda scope: conditions(scope.pack, scope.entity)),
        "target.own_conditions": Name("list", lambda scope: own_conditions(scope.entity)),
        "target.effects": Name("list", lambda scope: tuple(effect.code for effect in scope.entity.effects)),
        "target.tags": Name("list", lambda scope: tuple(tag for effect in scope.entity.effects for tag in effect.tags)),
        "target.flags": Name("list", _flags_of_effects),
        "hit.words": Name("list", lambda scope: scope.words),
        "hit.location": Name("word", lambda scope: scope.hit.location or ""),
        "hit.amount": Name("number", lambda scope: scope.amount),
        "hit.moved": Name("flag", lambda scope: bool(scope.values.get("moved"))),
        "hit.sourced": Name("flag", lambda scope: scope.hit.source is not None),
        "pool.current": Name("number", lambda scope: scope.pool.current),
        "pool.maximum": Name("number", lambda scope: scope.pool.maximum),
        "pool.extras": Name("list", lambda scope: tuple(extra.name for extra in scope.pool.extras)),
    }
    for name, field in facts.items():
        kind = kind_of(field)
        known[f"target.{name}"] = Name(kind, _entries(name) if kind == "list" else _fact(name, _ABSENT[kind]))
        for key, part in field.fields.items() if isinstance(field, RecordField) else ():
            known[f"target.{name}.{key}"] = Name(kind_of(part), _part_of(name, key, _ABSENT[kind_of(part)]))
        if kind == "list":
            known[f"target.own_{name}"] = Name(kind, _fact(name, ()))
    for id, layer in layers.items():
        known[f"target.{id}"] = Name("number", _current(id))
        known[f"target.{id}_maximum"] = Name("number", _maximum(id))
        known[f"target.has_{id}"] = Name("flag", _has(id))
        known[f"lost.{id}"] = Name("number", _lost(id))
        for key, field in layer.keys.items():
            kind = kind_of(field)
            known[f"pool.{key}"] = Name(kind, _pool_key(key, _ABSENT[kind]))
            known[f"target.{id}_{key}"] = Name(kind, _key_of(id, key, _ABSENT[kind]))
    for name, field in hit_fields.items():
        kind = kind_of(field)
        known.setdefault(f"hit.{name}", Name(kind, _value(name, _ABSENT[kind])))
        known[f"hit.{name}_given"] = Name("flag", _given(name))
    for name in extras:
        known[f"target.extra_{name}"] = Name("number", _extra(name))
    for name in noted:
        known[f"noted.{name}"] = Name("number", _noted_number(name))
    for name in figures:
        known[f"figure.{name}"] = Name("number", _figure(name))
    for name in NOTED_FLAGS:
        known[f"noted.{name}"] = Name("flag", _noted(name))
    for name in values:
        known[name] = Name("number", _value(name, 0))
    return Names(known)


def given_names(names: Names, fields: Fields) -> Names:
    """The names with those of a command's own fields, `given.FIELD` and `given.FIELD_given`."""
    known = dict(names.entries)
    for name, field in fields.items():
        kind = kind_of(field)
        known[f"given.{name}"] = Name(kind, _value(name, _ABSENT[kind]))
        known[f"given.{name}_given"] = Name("flag", _given(name))
    return Names(known)


def _flags_of_effects(scope: Any) -> tuple[str, ...]:
    return tuple(effect.facts["flag"] for effect in scope.entity.effects if "flag" in effect.facts)

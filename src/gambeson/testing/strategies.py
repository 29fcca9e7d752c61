"""Hypothesis strategies made from what a pack declares: entities, commands and whole tables of any game.

Needs the package hypothesis. Values are drawn from the declared field types, so a pack of one's own is covered
without a line of test code; `wild` mixes in values that no field accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from gambeson.engine.entities import entity_fields
from gambeson.language.fields import (
    CasesField,
    DiceField,
    EitherField,
    EntityField,
    Field,
    Fields,
    FigureField,
    FlagField,
    ListField,
    MapField,
    NumberField,
    RecordField,
    TextField,
    TimeField,
    UntilField,
    WordField,
)
from gambeson.language.layers import pool_fields
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.values import REFEREE, frozen

WILD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(allow_nan=True),
    st.integers(-(10**12), 10**12),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just({"a": [1]}),
)
"""Values that fields must refuse in words, not by breaking."""

POINTS = st.integers(0, 12)


def values(field: Field, ids: Sequence[str], words: Sequence[str] = ("fire", "melee")) -> st.SearchStrategy[Any]:
    """Values that a field accepts; entities are drawn from `ids`, free words from `words`."""
    match field:
        case NumberField():
            return st.integers(field.least, max(field.least, min(field.most, field.least + 12)))
        case FlagField():
            return st.booleans()
        case WordField():
            return st.sampled_from(field.of or tuple(words))
        case TextField():
            return st.sampled_from(("", "oath", "Клятва", "a 'quoted' «word» 🛡"))
        case EntityField():
            return st.sampled_from(tuple(ids))
        case DiceField():
            return st.sampled_from(("1d4", "2d6+1", "3d4"))
        case TimeField():
            return st.sampled_from(("00:00", "17:55", "23:59"))
        case UntilField():
            of = [st.just(word) for word in field.of]
            units = [st.dictionaries(st.just(unit), st.integers(1, 15), min_size=1) for unit in field.units]
            return st.one_of(*of, *units)
        case FigureField():
            return st.tuples(st.sampled_from(field.of), st.sampled_from(("", "+1", "-2"))).map("".join)
        case ListField():
            return st.lists(values(field.of, ids, words), min_size=field.least, max_size=3, unique_by=repr)
        case MapField():
            return st.dictionaries(values(field.keys, ids, words), values(field.values, ids, words), max_size=2)
        case RecordField():
            return records(field.fields, ids, words)
        case CasesField():
            cases = [
                st.tuples(st.just({field.key: name}), records(fields, ids, words)).map(_joined)
                for name, fields in field.cases.items()
            ]
            return st.one_of(*cases) if cases else st.just({field.key: "glow"})
        case EitherField():
            return st.one_of(*(values(one, ids, words) for one in field.of))


def _joined(parts: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return {**parts[0], **parts[1]}


def records(
    fields: Fields, ids: Sequence[str], words: Sequence[str] = ("fire", "melee")
) -> st.SearchStrategy[dict[str, Any]]:
    """Mappings with all required fields and some of the others."""
    required = {name: values(field, ids, words) for name, field in fields.items() if field.required}
    optional = {name: values(field, ids, words) for name, field in fields.items() if not field.required}
    return st.fixed_dictionaries(required, optional=optional)


def entities(pack: Pack, ids: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """An entity as a scenario writes it: its keys and pools."""
    fields = {name: field for name, field in entity_fields(pack).items() if name != "name"}
    pools = st.fixed_dictionaries({}, optional={name: pools_of(pack, name, ids) for name in pack.layers})
    return st.tuples(records(fields, ids), pools).map(lambda parts: {**parts[0], "pools": parts[1]})


def pools_of(pack: Pack, layer: str, ids: Sequence[str]) -> st.SearchStrategy[Any]:
    """A pool as a scenario writes it: a number, or a mapping with a current not above its maximum."""
    caps = [cap.points for cap in pack.layers[layer].cap if cap.points is not None]
    most = min((*caps, 12))
    keys = {
        name: field for name, field in pool_fields(pack.layers[layer]).items() if name not in ("current", "maximum")
    }
    bounds = st.tuples(st.integers(0, most), st.integers(0, most)).map(sorted)
    mapping = st.tuples(bounds, records(keys, ids)).map(
        lambda parts: {"current": parts[0][0], "maximum": parts[0][1], **parts[1]}
    )
    return st.one_of(st.integers(0, most), mapping)


def commands(pack: Pack, ids: Sequence[str], *, wild: bool = False) -> st.SearchStrategy[Command]:
    """A command of the game with fields that fit their types; with `wild`, now and then a value that does not."""
    return st.sampled_from(tuple(pack.commands)).flatmap(lambda name: command(pack, name, ids, wild=wild))


def command(pack: Pack, name: str, ids: Sequence[str], *, wild: bool = False) -> st.SearchStrategy[Command]:
    """One command by its name."""
    spec = pack.commands[name]
    fields = records({**spec.fields, **_more(pack, name)}, ids, _words(pack, name))
    if wild and spec.fields:
        spoiled = st.tuples(fields, st.sampled_from(tuple(spec.fields)), WILD)
        fields = st.one_of(fields, spoiled.map(lambda parts: {**parts[0], parts[1]: parts[2]}))
    if spec.writes_entities:
        fields = st.tuples(fields, entities(pack, ids)).map(lambda parts: {**parts[1], **parts[0]})
    if name == "add":
        fields = fields.map(lambda given: {**given, "id": f"new_{len(str(given)) % 7}"})
    by = st.sampled_from((REFEREE, *ids))
    return st.builds(lambda given, who: Command(name, frozen(given), who), fields, by)


def _more(pack: Pack, name: str) -> Fields:
    """Fields whose texts have a meaning are drawn as words."""
    if name == "cast":
        return {"spell": WordField(of=tuple(pack.spells), required=True)}
    if name == "hit" and "call" in pack.commands["hit"].fields:
        return {"call": WordField(of=_CALLS_OF_WORDS if pack.reader is not None else _CALLS_OF_PARTS)}
    return {}


_CALLS_OF_WORDS = ("4", "1 silver", "3 pierce", "poison", "", "torso wound", "2 blunt", "4 slay", "curse", "no effect")
_CALLS_OF_PARTS = ("4", "3 fire", "2 fire + 3 cold", "0", "12 slashing melee")


def _words(pack: Pack, name: str) -> tuple[str, ...]:
    sources = tuple(spell for spell in pack.spells)[:3]
    return (*pack.types[:3], *pack.traits[:2], "fire", "cold", "melee", *sources)

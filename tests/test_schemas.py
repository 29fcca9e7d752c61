"""The JSON Schemas of packs and scenarios: sound themselves, they take what ships and refuse what is misspelt."""

from __future__ import annotations

import copy
import importlib
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambeson.games import available, load
from gambeson.games.building import KEYS
from gambeson.games.documents import read_file
from gambeson.games.loading import GAMES
from gambeson.games.schemas import DIALECT, pack_schema, scenario_schema
from gambeson.games.schemas_of_packs import ABOUT
from gambeson.language.fields import Context, Field
from gambeson.model.errors import FieldFault
from gambeson.testing import strategies
from gambeson.testing.scenarios import BARE, STEP, TOP

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.glob("*/*.yaml"))
OF_NO_SECTION = ("tables",)


def own_code(game: str) -> ModuleType | None:
    return importlib.import_module(f"gambeson.games.{game}.rules") if (GAMES / game / "rules.py").is_file() else None


@cache
def pack_validator(game: str = "") -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(pack_schema(own_code(game) if game else None))


@cache
def scenario_validator(game: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(scenario_schema(load(game)))


def faults(validator: jsonschema.Draft202012Validator, data: Any) -> list[str]:
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in validator.iter_errors(data)
    ]


def data_of(path: Path) -> dict[str, Any]:
    data = read_file(path).data
    assert isinstance(data, dict)
    return copy.deepcopy(data)


@pytest.mark.parametrize("game", available())
def test_the_schema_of_scenarios_is_sound(game: str) -> None:
    assert DIALECT == scenario_validator(game).schema["$schema"]
    jsonschema.Draft202012Validator.check_schema(scenario_validator(game).schema)


def test_the_schema_of_packs_is_sound() -> None:
    assert DIALECT == pack_validator().schema["$schema"]
    jsonschema.Draft202012Validator.check_schema(pack_validator().schema)


@pytest.mark.parametrize("game", available())
def test_every_shipped_pack_is_taken(game: str) -> None:
    assert [] == faults(pack_validator(game), data_of(GAMES / game / "pack.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_scenario_is_taken(path: Path) -> None:
    assert [] == faults(scenario_validator(path.parent.name), data_of(path))


def test_the_schema_knows_every_key_of_a_pack_and_describes_it() -> None:
    properties = pack_schema()["else"]["properties"]

    assert list(KEYS) == list(properties)
    assert [] == [key for key in KEYS if not properties[key].get("description")]
    assert [] == [key for key in KEYS if key not in OF_NO_SECTION and set(properties[key]) == {"description"}]
    assert [] == [key for key in ABOUT if key not in KEYS]


def test_the_schema_knows_every_key_of_a_scenario_and_of_a_step() -> None:
    schema = scenario_schema(load("pokrovy"))
    step = schema["$defs"]["step"]["else"]

    assert set(TOP) - {"expect_fault"} == set(schema["else"]["properties"])
    assert {*STEP, *BARE, "undo", *load("pokrovy").commands} == set(step["properties"])


@pytest.mark.parametrize("game", available())
def test_commands_and_their_described_fields_keep_their_descriptions(game: str) -> None:
    step = scenario_schema(load(game))["$defs"]["step"]["else"]["properties"]

    for name, spec in load(game).commands.items():
        assert step[name]["description"]
        for field, type in spec.fields.items():
            if type.about:
                assert type.about == step[name]["properties"][field]["description"]


# Mutations


def changed(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The data with the value at a path set, or with it taken away where the value is `...`."""
    copied = copy.deepcopy(data)
    holder = copied
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copied


SCENARIO: dict[str, Any] = {
    "title": "A blow",
    "game": "pokrovy",
    "variants": {"overheal": "halved"},
    "entities": {"anna": {"kind": "creature", "pools": {"wards": {"current": 3}, "vyn": 9}}},
    "steps": [
        {
            "hit": {"target": "anna", "damage": [{"amount": 4, "type": "fire"}]},
            "expect": {"anna": {"pools": {"vyn": 8}}},
        }
    ],
}


def test_the_scenario_to_be_changed_is_taken() -> None:
    assert [] == faults(scenario_validator("pokrovy"), SCENARIO)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("titel",), "A blow"),
        (("game",), "novitas"),
        (("game",), ...),
        (("variants", "overheal"), "doubled"),
        (("variants", "overheel"), "halved"),
        (("entities", "referee"), {}),
        (("entities", "anna", "kind"), "ghost"),
        (("entities", "anna", "pool"), {}),
        (("entities", "anna", "pools", "wards", "current"), "3"),
        (("entities", "anna", "pools", "wards", "current"), ...),
        (("entities", "anna", "pools", "vyn"), -1),
        (("entities", "anna", "pools", "vyn"), 1.5),
        (("entities", "anna", "pools", "vine"), 1),
        (("steps", 0, "hti"), {}),
        (("steps", 0, "wait"), {"minutes": 1}),
        (("steps", 0, "hit", "target"), ...),
        (("steps", 0, "hit", "damage"), "much"),
        (("steps", 0, "hit", "damage", 0, "amuont"), 4),
        (("steps", 0, "hit", "by"), "anna"),
        (("steps", 0, "rolls"), ["six"]),
        (("steps", 0, "expect", "status"), "refused"),
        (("steps", 0, "expect", "rule"), "PK-99"),
        (("steps", 0, "expect", "taken"), {"vine": 1}),
        (("steps", 0, "expect", "anna", "pool"), {}),
        (("steps", 0, "expect", "anna", "pools", "vyn"), "8"),
        (("steps", 0), {"rest": {"who": "all", "kind": "medium"}}),
    ],
)
def test_a_changed_scenario_is_not_taken(path: tuple[str | int, ...], value: Any) -> None:
    assert faults(scenario_validator("pokrovy"), changed(SCENARIO, path, value))


def test_a_step_that_is_to_be_refused_may_say_anything() -> None:
    refused = changed(SCENARIO, ("steps", 0), {"hit": {"target": 5}, "expect": {"status": "rejected"}})

    assert [] == faults(scenario_validator("pokrovy"), refused)


def test_a_file_that_must_be_unusable_may_be_anything() -> None:
    assert [] == faults(scenario_validator("pokrovy"), {"expect_fault": {"path": "gmae"}, "gmae": "pokrovy"})


def test_a_reading_that_looks_like_a_number_may_stand_without_quotes() -> None:
    pack = load("pokrovy")
    variants = {**pack.variants, "edition": type(pack.variants["overheal"])("PK-40", ("5.1", "5.2"))}
    from msgspec.structs import replace

    schema = scenario_schema(replace(pack.whole(), variants=variants))

    assert ["5.1", 5.1, "5.2", 5.2] == schema["else"]["properties"]["variants"]["properties"]["edition"]["enum"]


PACK_CHANGES: list[tuple[tuple[str | int, ...], Any]] = [
    (("layerz",), {}),
    (("format",), 2),
    (("format",), ...),
    (("game",), 5),
    (("kinds",), "creature"),
    (("layers", "wards", "stacks"), "choose"),
    (("layers", "wards", "rule"), ...),
    (("layers", "wards", "sourced"), "yes"),
    (("layers", "wards", "stacking"), "chose"),
    (("rules", "PK-01", "status"), "sure"),
    (("procedure", 0, "order"), "smallest_first"),
    (("facts", "controller", "type"), "entities"),
    (("facts", "controller", "abuot"), "who"),
    (("procedure", 0, "kind"), "merging"),
    (("procedure", 0, "stage"), ...),
    (("procedure", 0, "by"), "hit.parry"),
    (("procedure", 1, "when"), ["hit.parry_given"]),
    (("procedure",), {}),
    (("commands", "hit", "does"), 4),
    (("commands", "hit", "filds"), {}),
    (("commands", "hit", "with"), {"negativ_rule": "PK-39"}),
    (("commands", "grant", "with", "rule"), ...),
    (("commands", "grant", "fields", "points", "type"), "numbr"),
    (("commands", "pay", "with", "layer"), 3),
    (("spells", "barrier", "poinst"), "5"),
    (("spells", "barrier", "does", 0, "deed"), "give"),
    (("spells", "barrier", "does", 0, "points"), [5]),
    (("moments", "long_rest", "every"), {"days": 1}),
    (("rules", "PK-01", "sauce"), "page 1"),
    (("rules", "PK-01"), "page 1"),
    (("variants", "overheal", "readings"), "none"),
    (("other_types",), "true"),
    (("refusals",), "last"),
]


@pytest.mark.parametrize(("path", "value"), PACK_CHANGES)
def test_a_changed_pack_is_not_taken(path: tuple[str | int, ...], value: Any) -> None:
    pack = data_of(GAMES / "pokrovy" / "pack.yaml")

    assert faults(pack_validator(), changed(pack, path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("layers", "wards", "stacking"), {"by_variant": "overheal", "halved": "greatest", "else": "sum"}),
        (("procedure", 0, "only"), {"overheal": ["halved"]}),
        (("procedure", 1, "when"), True),
        (("spells", "barrier", "does", 0, "points"), 5),
        (("layers", "shield"), {"same_as": "layers.wards", "rule": "PK-27"}),
        (("life",), {"by_variant": "overheal", "halved": "vyn", "else": {"by_variant": "overheal", "else": "vyn"}}),
        (("commands", "wait"), {"does": "wait", "with": {"rule": "PK-09"}}),
    ],
)  # fmt: skip
def test_readings_and_repeats_are_taken_where_they_are_read(path: tuple[str | int, ...], value: Any) -> None:
    pack = data_of(GAMES / "pokrovy" / "pack.yaml")

    assert [] == faults(pack_validator(), changed(pack, path, value))


OVERLAY: dict[str, Any] = {
    "format": 1,
    "extends": "pokrovy",
    "choose": {"overheal": "halved"},
    "drop": ["spells.barrier"],
    "stages": [
        {"move": "shield", "after": "wards"},
        {"add": {"stage": "sum", "kind": "total", "rule": "PK-39"}, "before": "vyn"},
    ],
    "layers": {"wards": {"stacking": "greatest"}},
}


def test_a_pack_that_extends_another_is_taken() -> None:
    assert [] == faults(pack_validator(), OVERLAY)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("extend",), "pokrovy"),
        (("extends",), 5),
        (("format",), 2),
        (("choose",), ["halved"]),
        (("drop",), "spells.barrier"),
        (("stages", 0, "befor"), "vyn"),
        (("stages", 0, "drop"), "vyn"),
        (("stages", 1, "add", "kind"), "sum"),
    ],
)
def test_a_changed_pack_that_extends_another_is_not_taken(path: tuple[str | int, ...], value: Any) -> None:
    assert faults(pack_validator(), changed(OVERLAY, path, value))


# Fields: whatever a field takes, its schema takes


def fields_of(game: str) -> list[Field]:
    pack = load(game)
    return [*pack.facts.values(), *(field for spec in pack.commands.values() for field in spec.fields.values())]


@pytest.mark.parametrize("game", available())
@given(data=st.data())
def test_what_a_field_takes_its_schema_takes(game: str, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(fields_of(game)))
    value = data.draw(st.one_of(strategies.values(field, ("anna", "boris")), strategies.WILD))
    try:
        field.check(value, Context(), ())
    except FieldFault:
        return
    assert [] == faults(jsonschema.Draft202012Validator(field.schema()), value)

"""The JSON Schema of packs, made from the types of the language; readings and repeats may stand where they are read."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_type_hints

import msgspec

from gambeson.engine.commands import COMMANDS
from gambeson.games.building import FORMAT, KEYS
from gambeson.games.overlay_stages import VERBS
from gambeson.games.overlays import CHOOSE, DROP, EXTENDS, STAGES
from gambeson.games.repeats import SAME
from gambeson.games.variants import BY, ONLY
from gambeson.language.durations import SECONDS
from gambeson.language.fields import Field
from gambeson.language.functions import Function
from gambeson.language.pack import Bar, Pack
from gambeson.language.predicates import DiceFormula, Formula, Predicate
from gambeson.language.stages import StageKind
from gambeson.mechanisms import MECHANISMS
from gambeson.mechanisms.standing import StandingKind

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{name}"

ABOUT = {
    "format": "The format of the pack.",
    "game": "The name of the game; scenarios name it.",
    "about": "One line about the game.",
    "sources": "Where the rules stand: a short name, and what or where that is.",
    "licence": "Whose the rules are, and on which terms they are told here.",
    "rules": "Every rule by its id, with its status and source.",
    "variants": "Questions that the sources leave open, each with its readings, the one in force first.",
    "kinds": "The kinds of entity; the first is that of an entity which says nothing else.",
    "facts": "What entities may have beside pools.",
    "layers": "The kinds of pool.",
    "life": "The layer that is healed unless another is named.",
    "conditions": "Conditions that follow from figures.",
    "flags": "What must be worn visibly, and when.",
    "words": "The words that a blow may be called with.",
    "types": "The damage types that have names.",
    "traits": "Words that say what a hit is.",
    "silent": "Who cannot choose for itself.",
    "lasting": "Kinds of effect that rules begin by themselves.",
    "follows": "Standing rules.",
    "moments": "The points of the timeline at which things end or begin.",
    "clock": "What a scenario says of the time at its start.",
    "extras": "Extras of pools whose amounts predicates and formulas read.",
    "values": "Numbers of a command that formulas read.",
    "procedure": "The stages of a hit, in order.",
    "commands": "The commands of the game: what is said with each, and what does it.",
    "spells": "The catalogue.",
    "open_rules": "The rules that open questions cite.",
    "values_rule": "The rule that is cited for a value out of its bounds.",
    "refusals": "Which of several refusals is cited: that of the lowest rule, or the first.",
    "preventions": "Whether entities may start with protections of limited use.",
    "always_shown": "Facts that results list even where they are empty.",
    "watchers": "Functions of the game's own code, by the event that they follow.",
    "condition_changes": "What conditions do to figures.",
    "figure_rounding": "How halvings of figures are rounded.",
    "figures": "The figures of entities.",
    "profile_key": "The key of an entity that names a profile.",
    "profiles": "Entities of the catalogue, whose keys others take where they say nothing else.",
    "start_effects": "How effects are written on an entity.",
    "tables": "Data that the game's own code reads.",
    "gone_rule": "The rule by which an entity that has left is refused.",
    "other_types": "Whether damage may be of types that have no name here.",
    "effects": "How effects are written on an entity and what begins and ends them.",
    "standing": "Standing mechanisms of the game, each with its data.",
    "own_turns": "Whose turns the clock counts.",
    "ids_rule": "The rule by which an id is refused.",
    "templates": "Mappings that others repeat.",
}
"""What each section is."""

TYPES: dict[str, Any] = {
    "format": Literal[1],
    "game": str,
    "about": str,
    "sources": dict[str, str],
    "licence": str | list[str],
    "extras": list[str],
    "values": list[str],
    "refusals": Literal["lowest", "first"],
    "figure_rounding": Literal["down", "up"],
    "watchers": dict[str, list[str]],
    "profiles": dict[str, dict[str, Any]],
    "procedure": list[StageKind],
    "standing": list[StandingKind],
    "templates": dict[str, Any],
}
"""The types of the sections that a pack does not hold as they are written; those of the others are the pack's own."""

FIXED = ("format", "game", "rules", "variants")
"""Sections that are read before any reading is chosen."""
MADE = ("commands", "spells")
"""Sections whose types depend on the code of the game."""
UNIONS = {"Field": Field, "StageKind": StageKind}
STRICT_TO = 800
"""How long a schema may be to be repeated for the values of readings; longer ones are not looked into there."""


def pack_schema(code: ModuleType | None = None) -> Schema:
    """The schema of a pack.yaml; `code` is the game's own Python, where there is one."""
    doers: dict[str, Any] = {**COMMANDS, **MECHANISMS, **getattr(code, "COMMANDS", {})}
    types = _types(code)
    spells = _spells(code, doers)
    schemas, defs = msgspec.json.schema_components(
        [*types.values(), *UNIONS.values(), *spells, *doers.values(), Bar], schema_hook=_hook, ref_template=REF
    )
    made = iter(schemas)
    sections = {name: next(made) for name in types}
    unions = {name: next(made) for name in UNIONS}
    spell = [next(made) for _ in spells]
    done = {name: next(made) for name in doers}
    definitions = {name: _described(schema) for name, schema in {**defs, **unions}.items()}
    _name_durations(definitions)
    _untagged(definitions, done, doers)
    definitions |= _commands(doers, done)
    sections["spells"] = {"type": "object", "additionalProperties": {"anyOf": spell}}
    sections["commands"] = {
        "type": "object",
        "properties": {name: {"$ref": REF.format(name=f"command {name}")} for name in doers},
        "additionalProperties": {"$ref": REF.format(name="command")},
    }
    whole = _shared({"sections": sections, "definitions": definitions}, unions)
    items = _items(whole) | {name for union in unions.values() for name in _items(union["anyOf"], inside=True)}
    by_reading: Schema = {}
    properties = {name: _section(name, whole["sections"].get(name, {})) for name in KEYS}
    readable = {name: _definition(schema, name in items) for name, schema in whole["definitions"].items()}
    properties, readable = _once(properties, by_reading), _once(readable, by_reading)
    return {
        "$schema": DIALECT,
        "title": "Pack of gambeson",
        "description": "One game as data: its layers, damage procedure, commands, spells and citations.",
        "type": "object",
        "if": {"required": [EXTENDS]},
        "then": _overlay(),
        "else": {"properties": properties, "required": ["format", "game"], "additionalProperties": False},
        "$defs": {**readable, **by_reading, **_OWN_DEFS},
    }


def _types(code: ModuleType | None) -> dict[str, Any]:
    """The type of each section as it is written."""
    types = {key: TYPES[key] if key in TYPES else _held(key) for key in KEYS if key not in MADE}
    return {**types, "tables": getattr(code, "Tables", Any)}


def _held(key: str) -> Any:
    """The type under which a pack holds a section; anything where it does not."""
    hint = Pack.__annotations__.get(key)
    if hint is None:
        return Any
    holder = type(key, (), {"__annotations__": {key: hint}, "__module__": Pack.__module__})
    return get_type_hints(holder)[key]


def _spells(code: ModuleType | None, doers: dict[str, Any]) -> list[Any]:
    """What entries of the catalogue may be: as the game's own code says, or a command that reads them."""
    own = getattr(code, "Spell", None)
    return (
        [own]
        if own is not None
        else list(dict.fromkeys(doer.SPELL for doer in doers.values() if hasattr(doer, "SPELL")))
    )


def _overlay() -> Schema:
    """A pack that extends others: its own sections, and any part of those of a game."""
    name: Schema = {"type": "string"}
    stage = {"$ref": REF.format(name="StageKind")}
    change = {
        "type": "object",
        "properties": {
            "add": _about(_readable(stage), "A new stage."),
            "move": _about(name, "The name of a stage that comes to stand elsewhere."),
            "replace": _about(name, "The name of a stage that another takes the place of."),
            "drop": _about(name, "The name of a stage that is left out."),
            "with": _about(_readable(stage), "What takes its place."),
            "before": _about(name, "The name of the stage that comes next."),
            "after": _about(name, "The name of the stage that comes before."),
        },
        "additionalProperties": False,
        "oneOf": [{"required": [verb]} for verb in VERBS],
    }
    own: Schema = {
        EXTENDS: _about(
            {"anyOf": [name, {"type": "array", "items": name}]}, "The game or packs that this is laid over."
        ),
        CHOOSE: _about(
            {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}, "Readings."
        ),
        STAGES: _about({"type": "array", "items": change}, "Changes to the procedure, in order."),
        DROP: _about({"type": "array", "items": name}, "Places, as keys joined by dots, that are left out."),
    }
    parts = {key: _about({}, ABOUT.get(key, "")) for key in KEYS}
    return {
        "properties": {**parts, "format": {"enum": [FORMAT]}, **own},
        "required": ["format"],
        "additionalProperties": False,
    }


def _hook(type: Any) -> Schema:
    """What a pack writes for what is compiled when it is read."""
    if type is Predicate:
        return {"type": ["string", "boolean"], "description": "A predicate, such as target.kind = 'object'."}
    if type is Formula:
        return {
            "type": ["string", "integer"],
            "description": "A formula that gives a whole number, such as 5 * circle.",
        }
    if type is DiceFormula:
        return {"type": "string", "description": "Dice, such as circle d 4."}
    if type is Function:
        return {"type": "string", "description": "A function of the game's own code."}
    raise NotImplementedError(type)


_DURATION: Schema = {
    "anyOf": [
        {"type": ["string", "null"]},
        {
            "type": "object",
            "properties": {unit: {"type": "integer", "minimum": 1} for unit in SECONDS},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    ],
    "description": "A duration: a word (a moment, spent, ended), or one unit of the clock with a number.",
}
_OWN_DEFS: Schema = {
    "duration": {"anyOf": [_DURATION, {"type": "array", "items": _DURATION}]},
    "reading": {
        "type": "object",
        "properties": {BY: {"type": "string", "description": "The variant on whose reading the value depends."}},
        "required": [BY],
        "description": "A value for each reading of a variant, and perhaps for every `else`.",
    },
    "repeat": {
        "type": "object",
        "properties": {SAME: {"type": "string", "description": "A path of keys to what is repeated here."}},
        "required": [SAME],
        "description": "The mapping at another place, with some keys changed.",
    },
}
_ONLY: Schema = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "description": "The readings under which this entry is there.",
}


# Sections


def _section(name: str, schema: Schema) -> Schema:
    return _about(schema if name in FIXED else _readable(schema), ABOUT.get(name, ""))


def _commands(doers: dict[str, Any], done: dict[str, Schema]) -> Schema:
    """A command is done by what it says, or else by what has its name."""
    own = {
        "type": "object",
        "properties": {**_KEYS_OF_COMMANDS, "does": {"type": "string", "not": {"enum": list(doers)}}, "with": {}},
        "required": ["does"],
        "additionalProperties": False,
        "description": "A command that the game's own code does.",
    }
    said = {f"does {name}": _command(name, type, done[name], ["does"]) for name, type in doers.items()}
    bare = {f"bare {name}": _command(name, type, done[name], []) for name, type in doers.items()}
    by_name: Schema = {
        f"command {name}": {"anyOf": [{"$ref": REF.format(name=f"bare {name}")}, {"$ref": REF.format(name="command")}]}
        for name in doers
    }
    every = {"anyOf": [*({"$ref": REF.format(name=name)} for name in said), own]}
    return {
        **said,
        **bare,
        **by_name,
        "command": every,
        **{f"{key} of a command": keys for key, keys in _COMMAND_KEYS.items()},
    }


def _command(name: str, type: Any, given: Schema, required: list[str]) -> Schema:
    needed = [*required, *(["with"] if any(field.required for field in msgspec.structs.fields(type)) else [])]
    schema = {
        "type": "object",
        "properties": {
            **_KEYS_OF_COMMANDS,
            "does": {"const": name},
            "with": given if "with" in needed else {"anyOf": [given, {"type": "null"}]},
        },
        "additionalProperties": False,
    }
    return {**schema, "required": needed} if needed else schema


_COMMAND_KEYS: Schema = {
    "bars": {
        "type": "array",
        "items": {"$ref": REF.format(name=Bar.__name__)},
        "description": "Whom the command may not touch.",
    },
    "fields": {
        "type": "object",
        "additionalProperties": {"$ref": REF.format(name="Field")},
        "description": "What is said with the command.",
    },
    "referee": {"type": "boolean", "description": "Whether only the referee may give it."},
}
_KEYS_OF_COMMANDS: Schema = {key: {"$ref": REF.format(name=f"{key} of a command")} for key in _COMMAND_KEYS}


def _shared(schema: Any, unions: Schema) -> Any:
    """The schema with its large unions named where they stand, not written out."""
    if isinstance(schema, list):
        return [_shared(each, unions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    for name, union in unions.items():
        if schema is not union and schema.get("anyOf") == union["anyOf"]:
            named = {"$ref": REF.format(name=name)}
            return named if "description" not in schema else _about(named, schema["description"])
    return {key: _shared(value, unions) for key, value in schema.items()}


# Definitions


def _definition(schema: Schema, is_item: bool) -> Schema:
    readable = _inside(schema)
    if is_item and readable.get("type") == "object" and "properties" in readable:
        readable["properties"] = {**readable["properties"], ONLY: _ONLY}
    return readable


def _described(schema: Schema) -> Schema:
    """A definition whose keys say what the docstring of its type says of them."""
    said = _sentences(str(schema.get("description", "")))
    properties = {}
    for key, value in schema.get("properties", {}).items():
        about = next((sentence for sentence in said if f"`{key}`" in sentence), "")
        properties[key] = {**value, "description": about} if about and "description" not in value else value
    return {**schema, "properties": properties} if properties else schema


def _sentences(doc: str) -> list[str]:
    return [
        sentence.strip() for sentence in re.split(r"(?<=[.;])\s+", " ".join(inspect.cleandoc(doc).split())) if sentence
    ]


def _name_durations(defs: Schema) -> None:
    """What the types leave open because it is a duration."""
    for name, key in (("Mark", "lasts"), ("Lasting", "lasts"), ("Spell", "lasts"), ("Moment", "every")):
        if name in defs and key in defs[name]["properties"]:
            held = defs[name]["properties"][key]
            defs[name]["properties"][key] = {**held, "$ref": "#/$defs/duration"}


def _untagged(defs: Schema, done: dict[str, Schema], doers: dict[str, Any]) -> None:
    """What does a command is known by the command; its tag is not written."""
    for name, type in doers.items():
        schema, config = defs[done[name]["$ref"].rpartition("/")[2]], type.__struct_config__
        if config.tag is not None:
            schema["properties"] = {k: v for k, v in schema["properties"].items() if k != config.tag_field}
            schema["required"] = [key for key in schema.get("required", []) if key != config.tag_field]


def _items(schema: Any, inside: bool = False) -> set[str]:
    """The definitions that stand in lists, whose entries may be there under some readings only."""
    found: set[str] = set()
    if isinstance(schema, dict):
        if inside and "$ref" in schema:
            found.add(schema["$ref"].rpartition("/")[2])
        for key, value in schema.items():
            found |= _items(value, key in ("items", "prefixItems") or (inside and key == "anyOf"))
    elif isinstance(schema, list):
        for value in schema:
            found |= _items(value, inside)
    return found


# Readings and repeats


def _readable(schema: Schema) -> Schema:
    """What is read here: the value, one for each reading, or (a mapping) a repeat."""
    inside = _inside(schema)
    if not inside:
        return inside
    if len(str(inside)) > STRICT_TO:
        each: Schema = {"$ref": REF.format(name="reading")}
    else:
        each = {
            "type": "object",
            "properties": {BY: {"type": "string"}},
            "required": [BY],
            "additionalProperties": {"anyOf": [inside, {"$ref": REF.format(name="reading")}]},
        }
    repeat = [{"$ref": "#/$defs/repeat"}] if _is_mapping(inside) else []
    about = {"description": inside["description"]} if "description" in inside else {}
    return {"anyOf": [inside, each, *repeat], **about}


def _inside(schema: Schema) -> Schema:
    """The schema with readings allowed for everything below."""
    made: Schema = {}
    for key, value in schema.items():
        match key:
            case "properties":
                made[key] = {name: _readable(each) for name, each in value.items()}
            case "additionalProperties" | "items" if isinstance(value, dict):
                made[key] = _readable(value)
            case "anyOf":
                made[key] = [_inside(each) for each in value]
            case _:
                made[key] = value
    return made


def _once(schema: Any, named: Schema) -> Any:
    """The schema with every choice by a reading written once, among the named ones, and meant from there."""
    if isinstance(schema, list):
        return [_once(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _once(value, named) for key, value in schema.items()}
    if made.get("required") != [BY]:
        return made
    name = next((name for name, known in named.items() if known == made), f"by reading {len(named) + 1}")
    named[name] = made
    return {"$ref": REF.format(name=name)}


def _is_mapping(schema: Schema) -> bool:
    return schema.get("type") == "object" or "$ref" in schema or any(map(_is_mapping, schema.get("anyOf", [])))


def _about(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description} if description else schema

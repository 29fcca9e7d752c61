"""JSON Schemas for editors: of the scenarios of a game, made from what its pack declares."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from gambeson.engine.entities import LONGEST_ID, RESERVED, entity_fields, plain_fields
from gambeson.games.documents import read_text
from gambeson.games.loading import available
from gambeson.games.schemas_of_packs import DIALECT, pack_schema
from gambeson.language.fields import Fields, record_schema
from gambeson.language.layers import Layer, pool_fields
from gambeson.language.pack import CommandSpec, Pack
from gambeson.model.errors import Unusable
from gambeson.model.values import LARGEST_FIGURE, REFEREE

__all__ = ["DIALECT", "pack_schema", "scenario_schema"]

Schema: TypeAlias = dict[str, Any]

POINTS: Schema = {"type": "integer", "minimum": 0, "maximum": LARGEST_FIGURE}
TEXT: Schema = {"type": "string"}
SCALARS = ("string", "number", "boolean")
TEXTS: Schema = {"type": "array", "items": TEXT}
DONE, PAUSED, REJECTED = "done", "paused", "rejected"
STATUSES = (DONE, PAUSED, REJECTED)


def scenario_schema(pack: Pack) -> Schema:
    """The schema of scenario files of a game; a file that says `expect_fault` may be anything."""
    whole = {"properties": _top(pack), "required": ["game"], "additionalProperties": False}
    return {
        "$schema": DIALECT,
        "title": f"Scenario of {pack.game}",
        "description": f"At once an example, a test and a saved what-if of {pack.game}.",
        "type": "object",
        "if": {"required": ["expect_fault"]},
        "then": {"properties": {"expect_fault": _expect_fault()}},
        "else": whole,
        "$defs": {
            "entity": _entity(pack, entity_fields(pack), pools_whole=True),
            "step": _step(pack),
            "expect": _expect(pack),
            "expected_entity": _expected_entity(pack),
        },
    }


def _top(pack: Pack) -> Schema:
    game: Schema = {"const": pack.game} if pack.folder in available() else dict(TEXT)
    entities = {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": LONGEST_ID, "not": {"enum": list(RESERVED)}},
        "additionalProperties": {"$ref": "#/$defs/entity"},
    }
    return {
        "title": _about(TEXT, "What the scenario shows, in one line."),
        "game": _about(game, "The game that is played."),
        "variants": _about(_variants(pack), "Readings of open rules, where other ones than those in force count."),
        "clock": _about(record_schema(pack.clock), "The time at the start."),
        "entities": _about(entities, "Who is on the table at the start, by id."),
        "steps": _about({"type": "array", "items": {"$ref": "#/$defs/step"}}, "Commands one after another."),
        "note": _about(TEXT, "Anything worth saying."),
        "seed": _about({"type": "integer"}, "Throws the dice that nobody entered, always the same."),
    }


def _expect_fault() -> Schema:
    properties = {
        "path": _about(TEXT, "Where the fault is, as keys joined by dots."),
        "says": _about({"type": ["array", "string", "number"]}, "Texts that must all occur in the message."),
    }
    described = "The file must be unusable, with a fault at this path that says this; nothing is played."
    return {"type": "object", "properties": properties, "additionalProperties": False, "description": described}


def _variants(pack: Pack) -> Schema:
    properties = {
        name: {"enum": _spellings(variant.readings), "description": f"{variant.rule}; in force: {variant.active}"}
        for name, variant in pack.variants.items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _spellings(readings: Iterable[str]) -> list[Any]:
    """The readings, and what a file without quotes makes of them: `5.2` is a number."""
    found: list[Any] = []
    for reading in readings:
        found.append(reading)
        try:
            unquoted = read_text(reading).data
        except Unusable:
            continue
        if isinstance(unquoted, int | float) and unquoted not in found:
            found.append(unquoted)
    return found


# Entities


def _entity(pack: Pack, fields: Fields, *, pools_whole: bool) -> Schema:
    """An entity as it is written down; a profile or an edit may leave out what is required else."""
    if pack.profile_key:
        fields = {name: replace(field, required=False) for name, field in fields.items()}
    schema = record_schema(fields)
    pools = {name: _pool(layer, whole=pools_whole) for name, layer in pack.layers.items()}
    schema["properties"]["pools"] = {
        "type": "object",
        "properties": pools,
        "additionalProperties": False,
        "description": "Points by layer: a number (current and maximum), or a mapping.",
    }
    return schema


def _pool(layer: Layer, *, whole: bool) -> Schema:
    record = record_schema(pool_fields(layer))
    if whole:
        record["anyOf"] = [{"required": ["current"]}, {"required": ["maximum"]}]
    return {"anyOf": [POINTS, record]}


# Steps


def _step(pack: Pack) -> Schema:
    """A step that is to be done or waits has sound fields; one that is to be refused may have any."""
    common: Schema = {
        "by": _about(TEXT, "Who acts: an id, or the referee."),
        "answers": _about(TEXTS, "Options chosen, in the order of the questions."),
        "rolls": _about({"type": "array", "items": {"type": "integer"}}, "What the dice show, in the order of asking."),
        "note": _about(TEXT, "Anything worth saying."),
        "expect": {"$ref": "#/$defs/expect"},
    }
    commands = {name: _command(pack, name, spec) for name, spec in pack.commands.items()} | _of_every_game()
    strict = {
        "properties": {**common, **commands},
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in commands],
    }
    loose = {"properties": common, "minProperties": 2}
    rejected = {"required": ["status"], "properties": {"status": {"const": REJECTED}}}
    refused = {"required": ["expect"], "properties": {"expect": rejected}}
    return {
        "type": "object",
        "description": "One command, with what is answered and what is expected.",
        "if": refused,
        "then": loose,
        "else": strict,
    }


def _of_every_game() -> Schema:
    return {
        "answer": _about(TEXT, "The option chosen for the first open question."),
        "roll": _about({"type": "array", "items": {"type": "integer"}}, "What the dice of the first open roll show."),
        "undo": _about({"type": "object", "maxProperties": 0}, "Take back the last command, or withdraw what waits."),
    }


def _command(pack: Pack, name: str, spec: CommandSpec) -> Schema:
    schema = record_schema(spec.fields)
    if spec.writes_entities:
        entity = _entity(pack, _entity_fields_of(pack, name), pools_whole=name == "add")
        schema["properties"] = {**entity["properties"], **schema["properties"]}
    return _about(schema, inspect.getdoc(type(spec.does)) or name)


def _entity_fields_of(pack: Pack, command: str) -> Fields:
    fields = entity_fields(pack)
    return fields if command == "add" else plain_fields(fields)


# Expectations


def _expect(pack: Pack) -> Schema:
    losses = {
        "type": "object",
        "properties": dict.fromkeys(pack.layers, POINTS),
        "additionalProperties": False,
    }
    words: Mapping[str, Schema] = {
        "status": _about({"enum": list(STATUSES)}, "What becomes of the step; done unless it is said."),
        "rule": _about({"enum": [*pack.rules, None]}, "The rule that the refusal or the decision cites."),
        "reason": _about({"type": ["array", *SCALARS]}, "Texts that must all occur in the refusal, in English."),
        "options": _about(TEXTS, "The options of the open decision, in any order."),
        "decider": _about(TEXT, f"Who is asked: an id, or {REFEREE}."),
        "calls": _about(TEXTS, "What must be shouted, in order."),
        "taken": _about(losses, "Points that the target lost, by layer; a layer left out lost none."),
        "taken_by": _about({"type": "object", "additionalProperties": losses}, "The same for any entity."),
    }
    return {
        "type": "object",
        "properties": dict(words),
        "additionalProperties": {"$ref": "#/$defs/expected_entity"},
        "description": "What must come of the step; entities are compared in the parts that are named.",
    }


def _expected_entity(pack: Pack) -> Schema:
    pools = {name: _expected_pool(layer) for name, layer in pack.layers.items()}
    facts = {name: _about({}, field.about) for name, field in pack.facts.items()}
    figures: Schema = {"type": "object", "additionalProperties": {"type": ["integer", "null"]}}
    properties: Schema = {
        **facts,
        "gone": _about({"type": "boolean"}, "Whether it has left the table."),
        "name": TEXT,
        "kind": {"enum": list(pack.kinds)},
        "pools": {"type": "object", "properties": pools, "additionalProperties": False},
        "conditions": _about(TEXTS, "All of its conditions, in any order."),
        "effects": _about({"type": "array"}, "The names of all effects on it, in any order."),
        "flags": _about(TEXTS, "What it must wear visibly."),
        "preventions": _about({"type": ["object", "array"]}, "Charges left, by protection."),
        "stats": _about(figures, "Its figures as they are now."),
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _expected_pool(layer: Layer) -> Schema:
    properties: Schema = {
        "current": POINTS,
        "maximum": POINTS,
        "source": {"type": ["string", "null"]},
        "extras": {"type": "array"},
        "until": {"type": ["string", "object", "null"]},
        "effect": {"type": ["string", "null"]},
    }
    for name, field in layer.keys.items():
        properties[name] = _about({}, field.about)
    return {"anyOf": [POINTS, {"type": "object", "properties": properties, "additionalProperties": False}]}


def _about(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description} if description else dict(schema)

"""Checking scenarios: every fault that makes a file unusable, then what it says that is probably not meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gambeson.engine.entities import RESERVED, entity_fields
from gambeson.games.documents import Document
from gambeson.games.findings import Finding, hint, standing, unusable, wrong
from gambeson.language.fields import Context, faults_of, nearest, not_among, shown
from gambeson.language.layers import pool_fields
from gambeson.language.pack import CommandSpec, Pack
from gambeson.model.errors import Path, Unusable
from gambeson.model.messages import message
from gambeson.model.values import REFEREE
from gambeson.table.rulings import DONE, PAUSED, REJECTED
from gambeson.testing.running import play, seated
from gambeson.testing.scenarios import BARE, Scenario, Step, expected_fault, read_scenario

UNDO, GONE = "undo", "gone"
WORDS = tuple(word for word in RESERVED if word not in (REFEREE, "clock"))
"""What `expect` compares beside entities."""
STATUSES = (DONE, PAUSED, REJECTED)
PARTS = (GONE, "pools", "name", "kind", "conditions", "effects", "flags", "preventions", "stats")
"""What may be expected of an entity in every game, beside the facts that the pack declares."""
POOL_PARTS = ("current", "maximum", "source", "extras", "until", "effect")
MOST_NAMED = 30


def check_scenario(document: Document) -> tuple[Finding, ...]:
    """Everything found in a scenario, in order of place."""
    try:
        if expected_fault(document) is not None:
            found = standing(_refused(document), document)
        else:
            scenario = read_scenario(document)
            seated(scenario)
            found = standing(_lints(scenario), document)
    except Unusable as faulty:
        return tuple(map(unusable, faulty.faults))
    return tuple(sorted(found, key=lambda finding: (finding.fault.line, finding.fault.column)))


def _refused(document: Document) -> Iterator[Finding]:
    """A file that must be unusable: whether it is; its steps are never played. Raises Unusable for another fault."""
    if play(document).failures:
        yield wrong(("expect_fault",), message("fault.check.no_fault"))
    data = document.data
    if isinstance(data, dict) and data.get("steps") and not _about_steps(data["expect_fault"]):
        yield hint(("steps",), message("fault.check.steps_unplayed"))


def _about_steps(wanted: dict[str, Any]) -> bool:
    return str(wanted.get("path", "")).startswith("steps")


def _lints(scenario: Scenario) -> Iterator[Finding]:
    if not scenario.title.strip():
        yield hint((), message("fault.check.no_title"))
    yield from _readings(scenario)
    if scenario.steps and all(step.expect is None for step in scenario.steps):
        yield hint(("steps",), message("fault.check.no_expectation"))
    ids = _ids(scenario)
    for step in scenario.steps:
        yield from _command(scenario.pack, step)
        if step.expect is not None:
            yield from _expectation(scenario.pack, ids, step.expect, ("steps", step.index, "expect"))


def _readings(scenario: Scenario) -> Iterator[Finding]:
    data = scenario.document.data
    chosen = data.get("variants", {}) if isinstance(data, dict) else {}
    for name in chosen:
        variant = scenario.pack.variants[name]
        if scenario.pack.readings[name] == variant.active:
            said = message("fault.check.reading_active", variant=name, reading=variant.active)
            yield hint(("variants", name), said)


def _ids(scenario: Scenario) -> tuple[str, ...]:
    """Every entity that is ever on the table: rules bring some under ids that no file states."""
    states = [step.ruling.after for step in play(scenario.document).steps]
    brought = (id for state in states for id in (*state.entities, *state.used))
    added = [
        step.fields.get("id") for step in scenario.steps if step.command == "add" and isinstance(step.fields, dict)
    ]
    return tuple(dict.fromkeys((*scenario.entities, *(id for id in added if isinstance(id, str)), *brought)))


# Commands


def _command(pack: Pack, step: Step) -> Iterator[Finding]:
    """A command that the game does not have, or fields that do not fit, in a step that is not to be refused."""
    if step.command in (*BARE, UNDO) or (step.expect or {}).get("status") == REJECTED:
        return
    path: Path = ("steps", step.index, step.command)
    spec = pack.commands.get(step.command)
    if spec is None:
        fault = not_among(step.command, (*pack.commands, *BARE, UNDO))
        yield wrong(path, message("fault.check.step_refused", fault=fault))
        return
    for field in faults_of(spec.fields, _own(pack, spec, step.fields), Context()):
        yield wrong((*path, *field.path), message("fault.check.step_refused", fault=field.message))


def _own(pack: Pack, spec: CommandSpec, given: dict[str, Any]) -> dict[str, Any]:
    """What is given without the keys of an entity, where the command takes those too."""
    keys = ("pools", *entity_fields(pack)) if spec.writes_entities else ()
    return {key: value for key, value in given.items() if key in spec.fields or key not in keys}


# Expectations


def _expectation(pack: Pack, ids: tuple[str, ...], expect: dict[str, Any], path: Path) -> Iterator[Finding]:
    for key, value in expect.items():
        if key == "status":
            yield from _among((*path, key), value, STATUSES)
        elif key == "rule":
            yield from _among((*path, key), value, pack.rules)
        elif key in ("taken", "taken_by"):
            yield from _taken(pack, ids, key, value, (*path, key))
        elif key not in WORDS:
            yield from _expected_entity(pack, ids, key, value, (*path, key))


def _taken(pack: Pack, ids: tuple[str, ...], key: str, value: Any, path: Path) -> Iterator[Finding]:
    if not isinstance(value, dict):
        return
    if key == "taken":
        for layer in value:
            yield from _among((*path, layer), layer, pack.layers)
        return
    for id, lost in value.items():
        yield from _taken(pack, ids, "taken", lost, (*path, id))


def _expected_entity(pack: Pack, ids: tuple[str, ...], id: str, value: Any, path: Path) -> Iterator[Finding]:
    known = (*ids, *WORDS)
    if id not in ids and value != {GONE: True}:
        said = message(
            "fault.check.expect_unknown", name=shown(id), meant=nearest(id, known), allowed=known[:MOST_NAMED]
        )
        yield wrong(path, said)
    if not isinstance(value, dict):
        return
    for key, part in value.items():
        yield from _among((*path, key), key, (*PARTS, *pack.facts))
        if key == "pools" and isinstance(part, dict):
            yield from _expected_pools(pack, part, (*path, key))


def _expected_pools(pack: Pack, pools: dict[str, Any], path: Path) -> Iterator[Finding]:
    for layer, pool in pools.items():
        yield from _among((*path, layer), layer, pack.layers)
        if layer in pack.layers and isinstance(pool, dict):
            known = dict.fromkeys((*POOL_PARTS, *pool_fields(pack.layers[layer])))
            for key in pool:
                yield from _among((*path, layer, key), key, known)


def _among(path: Path, name: Any, there: Iterable[str]) -> Iterator[Finding]:
    names = tuple(there)
    if isinstance(name, str) and name not in names:
        said = message(
            "fault.check.expect_part", name=shown(name), meant=nearest(name, names), allowed=names[:MOST_NAMED]
        )
        yield wrong(path, said)

"""Scenario files: at once an example, a test and a saved what-if. Reading them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.games import load
from gambeson.games.documents import Document, Faults, placed
from gambeson.games.folders import known
from gambeson.language.fields import Context, check_fields, shown, unknown_key
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, FieldFault, Path, Unusable
from gambeson.model.messages import message
from gambeson.model.values import REFEREE

TOP = ("title", "game", "variants", "expect_fault", "clock", "entities", "steps", "note", "seed")
STEP = ("by", "answers", "rolls", "note", "expect")
BARE = ("answer", "roll")
SAVED = ("format", "rows")
"""What a saved table has and a scenario has not."""


class Step(Struct, frozen=True):
    """One step: a command, what is answered with it, and what is expected (None: nothing)."""

    index: int
    command: str
    fields: Any
    by: str
    answers: tuple[Any, ...]
    rolls: tuple[Any, ...]
    expect: dict[str, Any] | None


class Scenario(Struct, frozen=True):
    """A scenario that can be played."""

    document: Document
    title: str
    pack: Pack
    clock: int
    entities: dict[str, Any]
    steps: tuple[Step, ...]
    expect_fault: dict[str, Any] | None


def expected_fault(document: Document) -> dict[str, Any] | None:
    """What a file that must be unusable says about its fault."""
    data = document.data
    if isinstance(data, dict) and isinstance(data.get("expect_fault"), dict):
        expected: dict[str, Any] = data["expect_fault"]
        return expected
    return None


def read_scenario(document: Document) -> Scenario:
    """The scenario in a document. Raises Unusable with every fault of its structure at its place."""
    try:
        return _read(document)
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, document)) from None


def _read(document: Document) -> Scenario:
    data = document.data
    if not isinstance(data, dict):
        raise Unusable((Fault((), message("fault.scenario.mapping")),))
    if set(SAVED) <= set(data):
        raise Unusable((Fault((), message("fault.scenario.saved")),))
    faults = Faults()
    for key in data:
        if key not in TOP:
            faults.append(Fault((key,), unknown_key(key, TOP)))
    if "game" not in data:
        raise Unusable((*faults, Fault(("game",), message("fault.scenario.game", games=known()))))
    pack = _pack(document, data, faults)
    clock = _clock(pack, data.get("clock"), faults)
    entities = data.get("entities", {})
    if not isinstance(entities, dict):
        faults.append(Fault(("entities",), message("fault.scenario.mapping")))
        entities = {}
    steps = _steps(data.get("steps", []), faults)
    if not isinstance(data.get("title", ""), str):
        faults.append(Fault(("title",), message("fault.field.text", got=shown(data["title"]), most=2000)))
    expect_fault = data.get("expect_fault")
    if expect_fault is not None and not (isinstance(expect_fault, dict) and set(expect_fault) <= {"path", "says"}):
        faults.append(Fault(("expect_fault",), message("fault.scenario.expect_fault")))
    if faults:
        raise Unusable(tuple(faults))
    return Scenario(document, data.get("title", ""), pack, clock, entities, steps, expect_fault)


def _pack(document: Document, data: dict[str, Any], faults: Faults) -> Pack:
    variants = data.get("variants", {})
    if not isinstance(variants, dict):
        raise Unusable((*faults, Fault(("variants",), message("fault.scenario.mapping"))))
    readings = {name: document.text_at(("variants", name)) or str(reading) for name, reading in variants.items()}
    try:
        return load(str(data["game"]), readings)
    except Unusable as unusable:
        raise Unusable((*faults, *unusable.faults)) from None


def _clock(pack: Pack, written: Any, faults: Faults) -> int:
    if written is None:
        return 0
    try:
        if not isinstance(written, dict):
            raise FieldFault((), message("fault.scenario.mapping"))
        given = check_fields(pack.clock, written, Context())
    except FieldFault as fault:
        faults.append(Fault(("clock", *fault.path), fault.message))
        return 0
    hours, _, minutes = given.get("time", "0:0").partition(":")
    return int(hours) * 3600 + int(minutes) * 60


def _steps(written: Any, faults: Faults) -> tuple[Step, ...]:
    if not isinstance(written, list):
        faults.append(Fault(("steps",), message("fault.scenario.list")))
        return ()
    steps = []
    for index, raw in enumerate(written):
        step = _step(index, raw, faults)
        if step is not None:
            steps.append(step)
    return tuple(steps)


def _step(index: int, raw: Any, faults: Faults) -> Step | None:
    path: Path = ("steps", index)
    if not isinstance(raw, dict):
        faults.append(Fault(path, message("fault.scenario.step", got=shown(raw))))
        return None
    commands = [key for key in raw if key not in STEP]
    if len(commands) != 1:
        faults.append(Fault(path, message("fault.scenario.one_command", found=tuple(commands))))
        return None
    command = commands[0]
    before = len(faults)
    for key in ("answers", "rolls"):
        if not isinstance(raw.get(key, []), list):
            faults.append(Fault((*path, key), message("fault.scenario.list")))
    if not isinstance(raw.get("by", REFEREE), str):
        faults.append(Fault((*path, "by"), message("fault.field.entity", got=shown(raw["by"]))))
    expect = raw.get("expect")
    if expect is not None and not isinstance(expect, dict):
        faults.append(Fault((*path, "expect"), message("fault.scenario.mapping")))
    if command not in BARE and not isinstance(raw[command], dict):
        faults.append(Fault((*path, command), message("fault.scenario.mapping")))
    if len(faults) > before:
        return None
    return Step(
        index,
        command,
        raw[command],
        raw.get("by", REFEREE),
        tuple(raw.get("answers", [])),
        tuple(raw.get("rolls", [])),
        expect,
    )

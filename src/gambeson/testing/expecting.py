"""Comparing what came of a step with what its scenario expects."""

from __future__ import annotations

from typing import Any

from gambeson.games import texts
from gambeson.language.fields import shown
from gambeson.language.layers import empty
from gambeson.model.messages import Message, message
from gambeson.model.values import Entity
from gambeson.table.json_view import entity_json, pool_json
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.table import Table

BY_NAME = ("effects", "extras")


def compare(table: Table, ruling: Ruling, expect: dict[str, Any] | None) -> tuple[Message, ...]:
    """Every difference between a ruling and what was expected; without an expectation it must be done."""
    wanted = dict(expect or {})
    failures: list[Message] = []
    status = wanted.pop("status", DONE)
    if ruling.status != status:
        why: Message | str = "; ".join(question.key for question in ruling.questions) or "—"
        if ruling.refusal is not None:
            why = ruling.refusal.reason
        failures.append(message("failure.status", expected=str(status), actual=ruling.status, why=why))
    for key, expected in wanted.items():
        failures += _reserved(ruling, key, expected) if key in _RESERVED else _entity(table, key, expected)
    return tuple(failures)


def _differs(where: str, expected: Any, actual: Any) -> list[Message]:
    if expected == actual and (isinstance(expected, bool) == isinstance(actual, bool)):
        return []
    return [message("failure.differs", where=where, expected=shown(expected), actual=shown(actual))]


def _reason(ruling: Ruling, expected: Any) -> list[Message]:
    reason = (ruling.reason("en") or "").casefold()
    wanted = expected if isinstance(expected, list) else [expected]
    missing = [str(text) for text in wanted if _plain(str(text)) not in _plain(reason)]
    return [message("failure.reason", missing=tuple(missing), reason=reason)] if missing else []


def _plain(text: str) -> str:
    """A text for comparing: ids are compared with names (`golem_1` is said as Golem 1)."""
    return text.casefold().replace("_", " ")


def _options(ruling: Ruling, expected: Any) -> list[Message]:
    actual = [option.id for option in ruling.questions[0].options] if ruling.questions else []
    return _differs("options", _sorted(expected), _sorted(actual))


def _decider(ruling: Ruling, expected: Any) -> list[Message]:
    return _differs("decider", expected, ruling.questions[0].decider if ruling.questions else None)


def _taken(ruling: Ruling, expected: Any) -> list[Message]:
    return _losses("taken", expected, ruling.taken)


def _taken_by(ruling: Ruling, expected: Any) -> list[Message]:
    if not isinstance(expected, dict):
        return [message("failure.differs", where="taken_by", expected=shown(expected), actual="…")]
    return [
        failure
        for entity, losses in expected.items()
        for failure in _losses(f"taken_by.{entity}", losses, ruling.taken_by(entity))
    ]


def _losses(where: str, expected: Any, actual: dict[str, int]) -> list[Message]:
    if not isinstance(expected, dict):
        return [message("failure.differs", where=where, expected=shown(expected), actual=shown(actual))]
    layers = dict.fromkeys((*expected, *actual))
    failures: list[Message] = []
    for layer in layers:
        failures += _differs(f"{where}.{layer}", expected.get(layer, 0), actual.get(layer, 0))
    return failures


def _rule(ruling: Ruling, expected: Any) -> list[Message]:
    return _differs("rule", expected, ruling.rule)


def _calls(ruling: Ruling, expected: Any) -> list[Message]:
    return _differs("calls", expected, list(ruling.calls))


_RESERVED = {
    "rule": _rule,
    "reason": _reason,
    "options": _options,
    "decider": _decider,
    "calls": _calls,
    "taken": _taken,
    "taken_by": _taken_by,
}


def _reserved(ruling: Ruling, key: str, expected: Any) -> list[Message]:
    return _RESERVED[key](ruling, expected)


def _entity(table: Table, id: str, expected: Any) -> list[Message]:
    state = table.state
    entity = state.entities.get(id)
    if not isinstance(expected, dict):
        return [message("failure.differs", where=id, expected=shown(expected), actual="…")]
    wanted = dict(expected)
    gone = wanted.pop("gone", None)
    if gone is not None:
        return _differs(f"{id}.gone", gone, entity is None)
    if entity is None:
        if id in state.used:
            return [message("failure.gone", entity=id)]
        return [message("failure.unknown_entity", entity=id, known=tuple(state.entities))]
    actual = entity_json(table.pack, entity, state.clock)
    failures: list[Message] = []
    for key, value in wanted.items():
        where = f"{id}.{key}"
        if key == "pools" and isinstance(value, dict):
            for layer, pool in value.items():
                failures += _pool(table, where, layer, pool, entity, state.clock)
        elif key not in actual and key not in table.pack.facts:
            failures.append(message("failure.unknown_part", where=where, known=tuple(actual)))
        else:
            failures += _part(where, key, _meant(table, key, value), actual.get(key))
    return failures


def _meant(table: Table, key: str, expected: Any) -> Any:
    """Effects of a catalogue may be expected by any of their names."""
    if key == "effects" and table.pack.effects is not None and isinstance(expected, list):
        return [table.pack.called(entry) if isinstance(entry, str) else entry for entry in expected]
    return expected


def _part(where: str, key: str, expected: Any, actual: Any) -> list[Message]:
    if isinstance(expected, list):
        listed = actual if actual is not None else []
        if key in BY_NAME:
            listed = [_name(entry) for entry in listed]
            expected = [_name(entry) for entry in expected]
        return _differs(where, _sorted(expected), _sorted(listed))
    if isinstance(expected, dict) and isinstance(actual, dict):
        if key == "stats":
            failures: list[Message] = []
            for name, value in expected.items():
                failures += _differs(f"{where}.{name}", value, actual.get(name))
            return failures
        return _differs(where, expected, actual)
    if actual is None and expected is False:
        return []
    return _differs(where, expected, actual)


def _pool(table: Table, where: str, layer: str, expected: Any, entity: Entity, clock: int) -> list[Message]:
    if layer not in table.pack.layers:
        return [message("failure.unknown_part", where=f"{where}.{layer}", known=tuple(table.pack.layers))]
    actual = pool_json(entity.pools.get(layer) or empty(), clock, entity)
    if not isinstance(expected, dict):
        return _differs(f"{where}.{layer}", expected, actual["current"])
    failures: list[Message] = []
    for key, value in expected.items():
        if key not in actual and key not in table.pack.layers[layer].keys:
            failures.append(message("failure.unknown_part", where=f"{where}.{layer}.{key}", known=tuple(actual)))
        elif value is None:
            failures += _differs(f"{where}.{layer}.{key}", None, actual.get(key))
        else:
            failures += _part(f"{where}.{layer}.{key}", key, value, actual.get(key))
    return failures


def _name(entry: Any) -> str:
    return str(entry["name"]) if isinstance(entry, dict) and "name" in entry else str(entry)


def _sorted(listed: Any) -> Any:
    return sorted(listed, key=str) if isinstance(listed, list) else listed


def english(said: Message) -> str:
    """A failure in English."""
    return texts(None, "en").say(said)

"""A value that does not fit its type, in words of our own: what is wrong with it, and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec import inspect

from gambeson.language.fields import nearest, shown
from gambeson.model.errors import Path
from gambeson.model.messages import Message, message

Step: TypeAlias = str | int | None
"""A key, an index, or (None) some key of a mapping, which is not said."""

_PLACE = re.compile(r"\[(?P<index>\d+)\]|(?P<some>\[\.\.\.\])|\.(?P<key>[^.\[\]`]+)")
_MISSING = re.compile(r"missing required field `(.*)`")
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_TYPE = re.compile(r"Expected `(.*)`, got `(.*)`")
_WORD = re.compile(r"Invalid (?:enum )?value (.*)")
_LENGTH = re.compile(r"of length >= (\d+)")

TYPES = {
    "str": "fault.pack.type.str",
    "int": "fault.pack.type.int",
    "float": "fault.pack.type.float",
    "bool": "fault.pack.type.bool",
    "null": "fault.pack.type.none",
    "object": "fault.pack.type.object",
    "array": "fault.pack.type.array",
}


def misfit(said: str, type: Any, value: Any, keys: tuple[str, ...]) -> tuple[Path, Message]:
    """The path below the value and the message, from what msgspec says; `keys` are all that a pack may have."""
    text, _, place = said.partition(" - at `")
    steps = tuple(_steps(place))
    below: Path = tuple(step for step in steps[: _named(steps)] if step is not None)
    if unknown := _UNKNOWN.search(text):
        meant = nearest(unknown[1], [key for key in keys if key != unknown[1]])
        return (*below, unknown[1]), message("fault.pack.unknown_key", key=unknown[1], meant=meant)
    if missing := _MISSING.search(text):
        return below, message("fault.field.missing", field=missing[1])
    if word := _WORD.search(text):
        allowed = tuple(dict.fromkeys(_allowed(inspect.type_info(type), steps, value)))
        got = word[1].strip("'")
        if allowed:
            return below, message("fault.field.not_among", got=shown(got), meant=nearest(got, allowed), allowed=allowed)
    if fits := _TYPE.search(text):
        return below, message("fault.pack.type.needed", needed=_types(fits[1]), got=_types(fits[2]))
    if length := _LENGTH.search(text):
        return below, message("fault.pack.least", least=int(length[1]))
    return below, message("fault.pack.value", said=text)


def _steps(place: str) -> Iterator[Step]:
    for found in _PLACE.finditer(place):
        yield int(found["index"]) if found["index"] else None if found["some"] else found["key"]


def _named(steps: tuple[Step, ...]) -> int:
    """How many steps there are before the first that is not said."""
    return steps.index(None) if None in steps else len(steps)


def _types(names: str) -> tuple[Message | str, ...]:
    return tuple(message(TYPES[name]) if name in TYPES else name for name in names.split(" | "))


def _allowed(info: Any, steps: tuple[Step, ...], value: Any) -> Iterator[str]:
    """The words that may stand at a place of a type."""
    match info:
        case inspect.UnionType(types=types):
            chosen = [each for each in types if _is_tagged(each, value, steps)] or types
            for each in chosen:
                yield from _allowed(each, steps, value)
        case inspect.LiteralType(values=values) if not steps:
            yield from map(str, values)
        case inspect.StructType() if steps:
            if steps == (info.tag_field,):
                yield str(info.tag)
            for field in info.fields:
                if field.encode_name == steps[0]:
                    yield from _allowed(field.type, steps[1:], _at(value, steps[0]))
        case inspect.DictType() if steps:
            yield from _allowed(info.value_type, steps[1:], _at(value, steps[0]))
        case inspect.VarTupleType() | inspect.ListType() if steps:
            yield from _allowed(info.item_type, steps[1:], _at(value, steps[0]))
        case _:
            return


def _is_tagged(info: Any, value: Any, steps: tuple[Step, ...]) -> bool:
    """Whether a value says that it is of this type of several; the tag itself may be any of them."""
    if not isinstance(info, inspect.StructType) or not isinstance(value, dict) or steps == (info.tag_field,):
        return False
    return info.tag is not None and value.get(info.tag_field) == info.tag


def _at(value: Any, step: Step) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value) else None

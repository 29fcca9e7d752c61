"""A pack's data looked at as a whole: every fault of it at its place, else the pack."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from types import ModuleType
from typing import Any, get_args, get_origin

from msgspec.structs import replace

from gambeson.games.converting import Converter
from gambeson.games.declared import undeclared
from gambeson.games.documents import Document, placed
from gambeson.games.origins import origin
from gambeson.games.parts import PARTS, part
from gambeson.games.repeats import repeated
from gambeson.games.shapes import MOST_ENTRIES, REQUIRED, SHAPES
from gambeson.games.variants import resolved
from gambeson.language.fields import nearest
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message

ACTING = (
    "layers", "lasting", "moments", "procedure", "words", "spells", "commands", "follows", "effects", "standing",
)  # fmt: skip
"""The parts that act on what a pack declares."""
FORMAT = 1
KEYS = (
    "format", "game", "about", "sources", "licence", "rules", "variants", "kinds", "facts", "layers", "life",
    "conditions", "flags", "words", "types", "traits", "silent", "lasting", "follows", "moments", "clock", "extras",
    "values", "procedure", "commands", "spells", "open_rules", "values_rule", "refusals", "preventions",
    "always_shown", "watchers", "condition_changes", "figure_rounding", "effects", "standing", "own_turns",
    "ids_rule", "templates", "figures", "profile_key", "profiles", "start_effects", "tables", "gone_rule",
    "other_types",
)  # fmt: skip


def checked(
    document: Document, readings: dict[str, str], code: ModuleType | None, named: tuple[tuple[str, str], ...]
) -> Converter:
    """The pack's data with each of its parts made. Raises Unusable with all of its faults."""
    data = _filled(document, readings)
    converter = Converter(data, code, named)
    with contextlib.suppress(Unusable):  # there are so many faults that the rest is not looked at
        if _shaped(converter):
            _make(converter)
    if converter.faults:
        raise Unusable(_each_once(_written(converter.faults, document, readings)))
    return converter


def _filled(document: Document, readings: dict[str, str]) -> Any:
    """The data with readings and repeats filled in. Raises Unusable."""
    try:
        data = resolved(document.data, readings)
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, document)) from None
    try:
        return repeated(data)
    except Unusable as unusable:
        raise Unusable(_written(unusable.faults, document, readings)) from None


def _written(faults: Iterable[Fault], document: Document, readings: dict[str, str]) -> tuple[Fault, ...]:
    """Faults in data that is filled in, each where what it speaks of is written."""
    return placed((replace(fault, path=origin(document.data, readings, fault.path)) for fault in faults), document)


def _make(converter: Converter) -> None:
    """Make every part; where each is sound, see that what they name is declared."""
    made = {name: part(converter, name) for name in PARTS}
    if not converter.faults:
        converter.faults.extend(undeclared({name: made[name] for name in ACTING}, made["life"]))


def _each_once(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """The faults in their order; what was looked at twice is said once."""
    once: list[Fault] = []
    for fault in faults:
        if fault not in once:
            once.append(fault)
    return tuple(once)


def _shaped(converter: Converter) -> bool:
    """Whether every section is what it must be before anything in it can be looked at."""
    data = converter.data
    if not isinstance(data, dict):
        converter.fault((), message("fault.pack.mapping"))
        return False
    for key in REQUIRED:
        if key not in data:
            converter.fault((key,), message("fault.field.missing", field=key))
    for key in data:
        if key not in KEYS:
            converter.fault((key,), message("fault.pack.unknown_key", key=key, meant=nearest(key, KEYS)))
    if data.get("format") != FORMAT:
        converter.fault(("format",), message("fault.pack.format", format=FORMAT))
    shaped = [_has_shape(converter, key, SHAPES[key]) for key in data if key in SHAPES]
    return all(shaped)


def _has_shape(converter: Converter, section: str, shape: Any) -> bool:
    """Whether a section is of its shape; of a mapping every entry is looked at, so that each fault has its place."""
    before = len(converter.faults)
    if isinstance(converter.data[section], dict | tuple) and len(converter.data[section]) > MOST_ENTRIES:
        converter.fault((section,), message("fault.pack.many", most=MOST_ENTRIES))
    elif get_origin(shape) is dict:
        converter.mapped((section,), converter.mapping(section), get_args(shape)[1])
    else:
        converter.convert((section,), shape)
    return len(converter.faults) == before

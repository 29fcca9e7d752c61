"""What a pack names and must declare, because rules act on it: layers, kinds of lasting effect, moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from gambeson.engine.commands.advance import Advance
from gambeson.language.fields import nearest, shown
from gambeson.language.pack import CommandSpec, Moment
from gambeson.model.errors import Fault, Path
from gambeson.model.messages import Message, message

KEYS = {
    "layer": "layers",
    "layers": "layers",
    "front": "layers",
    "fills": "layers",
    "pools": "layers",
    "begins": "lasting",
    "moments": "moments",
}
"""The keys of definitions that name what is declared, and the section that declares it."""
UNKNOWN = {
    "layers": "fault.undeclared.layer",
    "lasting": "fault.undeclared.lasting",
    "moments": "fault.undeclared.moment",
}


def undeclared(sections: Mapping[str, Any], life: str) -> Iterator[Fault]:
    """A fault for each name in these sections that the pack does not declare; `life` is its life layer."""
    if life and life not in sections["layers"]:
        yield Fault(("life",), _unknown("layers", life, tuple(sections["layers"])))
    for section, held in sections.items():
        yield from _below(sections, (section,), held)


def _below(sections: Mapping[str, Any], path: Path, value: Any) -> Iterator[Fault]:
    if isinstance(value, CommandSpec):
        yield from _below(sections, (*path, "with"), value.does)
        if isinstance(value.does, Advance):
            known = tuple(sections["moments"])
            for at, word in enumerate(getattr(value.fields.get("to"), "of", ())):
                if word not in known:
                    yield Fault((*path, "fields", "to", "of", at), _unknown("moments", word, known))
    elif isinstance(value, Struct):
        for key in value.__struct_fields__:
            below = getattr(value, key)
            if not below or isinstance(below, int):
                continue
            if key in KEYS or (key == "clears" and isinstance(value, Moment)):
                section = KEYS.get(key, "layers")
                yield from _among((*path, key), below, section, tuple(sections[section]))
            elif not isinstance(below, str):
                yield from _below(sections, (*path, key), below)
    elif isinstance(value, dict):
        for key, below in value.items():
            if key == "layer" and isinstance(below, str):
                yield from _among((*path, key), below, "layers", tuple(sections["layers"]))
            else:
                yield from _below(sections, (*path, key), below)
    elif isinstance(value, tuple | list):
        for at, below in enumerate(value):
            yield from _below(sections, (*path, at), below)


def _among(path: Path, named: Any, section: str, known: tuple[str, ...]) -> Iterator[Fault]:
    """A fault for each name that is not known; of a mapping the keys are meant, or (moments) the values."""
    if isinstance(named, str):
        if named not in known:
            yield Fault(path, _unknown(section, named, known))
    elif isinstance(named, dict):
        for key, name in named.items():
            yield from _among((*path, key), name if section == "moments" else key, section, known)
    elif isinstance(named, tuple):
        for at, name in enumerate(named):
            yield from _among((*path, at), name, section, known)


def _unknown(section: str, name: str, known: tuple[str, ...]) -> Message:
    return message(UNKNOWN[section], name=shown(name), meant=nearest(name, known), allowed=known)

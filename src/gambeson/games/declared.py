"""What a pack names and must declare, because rules act on it: layers, kinds of lasting effect, moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from gambeson.engine.commands.advance import Advance
from gambeson.engine.commands.grant import GrantPoints
from gambeson.engine.commands.heal import Heal
from gambeson.engine.commands.hit import HitCalled
from gambeson.language.durations import SECONDS
from gambeson.language.effects import EffectRules
from gambeson.language.fields import RecordField, nearest, shown
from gambeson.language.pack import CommandSpec, Moment
from gambeson.language.words import Words
from gambeson.mechanisms.bestow import Bestow
from gambeson.mechanisms.mending import Mend
from gambeson.mechanisms.worn import Worn
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
    "casts": "spells",
    "command": "commands",
}
"""The keys of definitions that name what is declared, and the section that declares it."""
UNKNOWN = {
    "layers": "fault.undeclared.layer",
    "lasting": "fault.undeclared.lasting",
    "moments": "fault.undeclared.moment",
    "spells": "fault.undeclared_spell",
    "commands": "fault.undeclared_command",
}
NEEDS: dict[type, str] = {HitCalled: "words", Bestow: "effects", Worn: "effects"}
"""What cannot work without a section."""
GIVING: tuple[type, ...] = (GrantPoints, Heal, Mend, Bestow)
"""What does something to the layer that a field names."""
DURATIONS = ("lasts", "every")


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
            yield from _words(path, value, "to", "moments", tuple(sections["moments"]))
        if type(value.does) in GIVING:
            yield from _words(path, value, "layer", "layers", tuple(sections["layers"]))
    elif isinstance(value, Struct):
        needed = NEEDS.get(type(value))
        if isinstance(value, EffectRules):
            yield from _meant(path, value)
        if needed is not None and not _is_there(sections[needed]):
            yield Fault(path, message("fault.needs_section", section=needed))
        for key in value.__struct_fields__:
            below = getattr(value, key)
            if key in DURATIONS:
                yield from _faulty((*path, key), below)
                continue
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


def _words(path: Path, command: CommandSpec, field: str, section: str, known: tuple[str, ...]) -> Iterator[Fault]:
    """A fault for each word of a command's field that is not known."""
    words = getattr(command.fields.get(field), "of", ())
    if isinstance(words, tuple):
        for at, word in enumerate(words):
            if isinstance(word, str) and word not in known:
                yield Fault((*path, "fields", field, "of", at), _unknown(section, word, known))


def _meant(path: Path, rules: EffectRules) -> Iterator[Fault]:
    """A fault for each key of an effect's changes that means nothing."""
    written = rules.fields.get("changes")
    for key in written.fields if isinstance(written, RecordField) else ():
        if key not in rules.changes:
            said = message("fault.pack.unknown_key", key=key, meant=nearest(key, tuple(rules.changes)))
            yield Fault((*path, "fields", "changes", "fields", key), said)


def _is_there(section: Any) -> bool:
    """Whether a section has anything in it."""
    return bool(section.known) if isinstance(section, Words) else bool(section)


def _faulty(path: Path, duration: Any) -> Iterator[Fault]:
    """A fault for a written duration that is none."""
    if isinstance(duration, list | tuple):
        for at, one in enumerate(duration):
            yield from _faulty((*path, at), one)
    elif isinstance(duration, dict) or not (duration is None or isinstance(duration, str)):
        sound = isinstance(duration, dict) and len(duration) == 1
        if not sound or not all(unit in SECONDS and type(n) is int and n > 0 for unit, n in duration.items()):
            yield Fault(path, message("fault.duration", got=shown(duration), units=tuple(SECONDS)))


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

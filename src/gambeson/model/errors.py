"""What goes wrong with input, and the one base class of exceptions."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from gambeson.model.messages import Message

Path: TypeAlias = tuple[str | int, ...]


class GambesonError(Exception):
    """Base of every exception that gambeson raises on purpose."""


class Fault(Struct, frozen=True):
    """One thing that is wrong with a document.

    `path` leads from the document's root to the place (keys and list indices); `line` and `column` count
    from 1 and are 0 where no file is known.
    """

    path: Path
    message: Message
    file: str = ""
    line: int = 0
    column: int = 0


class Unusable(GambesonError):
    """A document (pack, scenario, saved table) cannot be used; `faults` says everything that is wrong with it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, f.path))}: {f.message.id}" for f in faults))
        self.faults = faults


class FieldFault(GambesonError):
    """A value does not fit its field; carries the path below the checked value, what to say, perhaps the rule."""

    def __init__(self, path: Path, message: Message, rule: str = "") -> None:
        super().__init__(f"{'.'.join(map(str, path))}: {message.id}")
        self.path = path
        self.message = message
        self.rule = rule


class Endless(GambesonError):
    """A pack's rules call each other without end, or write more facts for one command than any game needs."""


def dotted(path: Path) -> str:
    """The path as people write it: `entities.anna.pools.body`."""
    return ".".join(str(step) for step in path)

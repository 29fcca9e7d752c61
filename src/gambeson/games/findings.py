"""What a check finds: a fault that makes a file unusable, or a lint that says what is probably not meant."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.games.documents import Document, placed
from gambeson.games.origins import origin
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, Path
from gambeson.model.messages import Message

FAMILY = "fault.check."
UNUSABLE = "unusable"


class Severity(enum.StrEnum):
    """How bad it is: `error` (the file can't be used), `wrong` (surely a mistake), `hint` (worth a look)."""

    ERROR = "error"
    WRONG = "wrong"
    HINT = "hint"


class Finding(Struct, frozen=True):
    """One thing that a check found. `id` names the kind of finding, `fault` says where it stands and what it is."""

    id: str
    severity: Severity
    fault: Fault


class Subject(Struct, frozen=True):
    """What a lint of packs looks at: the pack under one choice of readings, and the data that it was made from.

    `data` has readings and repeats filled in; `code` is the text of the game's own Python, `terms` are the ids that
    have a name in some language.
    """

    document: Document
    readings: dict[str, str]
    data: dict[str, Any]
    pack: Pack
    code: str = ""
    terms: tuple[str, ...] = ()

    def section(self, name: str) -> dict[str, Any]:
        """A section of the pack's data that is a mapping."""
        found = self.data.get(name, {})
        return found if isinstance(found, dict) else {}

    def listed(self, name: str) -> list[dict[str, Any]]:
        """The mappings of a section that is a list."""
        found = self.data.get(name, [])
        return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list | tuple) else []

    def coded(self, word: str) -> bool:
        """Whether the game's own Python has the word, so that data alone can't say what becomes of it."""
        return f'"{word}"' in self.code or f"'{word}'" in self.code


def wrong(path: Path, said: Message) -> Finding:
    """A finding of what is surely a mistake."""
    return _finding(Severity.WRONG, path, said)


def hint(path: Path, said: Message) -> Finding:
    """A finding of what may be meant so."""
    return _finding(Severity.HINT, path, said)


def unusable(fault: Fault) -> Finding:
    """A fault as a finding."""
    return Finding(UNUSABLE, Severity.ERROR, fault)


def _finding(severity: Severity, path: Path, said: Message) -> Finding:
    id = re.sub(r"[._]", "-", said.id.removeprefix(FAMILY).removeprefix("fault."))
    return Finding(id, severity, Fault(path, said))


def standing(findings: Iterable[Finding], document: Document) -> tuple[Finding, ...]:
    """The findings with file, line and column by their paths."""
    found = tuple(findings)
    faults = placed((finding.fault for finding in found), document)
    return tuple(replace(finding, fault=fault) for finding, fault in zip(found, faults, strict=True))


def standing_in_pack(findings: Iterable[Finding], subject: Subject) -> tuple[Finding, ...]:
    """The findings in a pack with file, line and column, where what they speak of is written."""
    written = (
        replace(
            finding,
            fault=replace(finding.fault, path=origin(subject.document.data, subject.readings, finding.fault.path)),
        )
        for finding in findings
    )
    return standing(written, subject.document)


def entries(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value below, with its path, from the outside in."""
    if isinstance(value, dict):
        steps: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list | tuple):
        steps = enumerate(value)
    else:
        return
    for step, entry in steps:
        yield (*path, step), entry
        yield from entries(entry, (*path, step))

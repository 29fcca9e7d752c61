"""Lints of time: durations that nothing ends, moments that nothing brings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gambeson.games.findings import Finding, Subject, entries, wrong
from gambeson.language.durations import HIT, SECONDS
from gambeson.language.lastings import PERMANENT
from gambeson.language.timeline import ANY
from gambeson.model.errors import Path
from gambeson.model.messages import message

ENDLESS = ("spent", "ended", HIT, PERMANENT)
"""Durations that need no moment."""
UNITS = tuple(SECONDS)


def durations(subject: Subject) -> Iterator[Finding]:
    """A duration that no moment ends, or that is none."""
    ended = {end for moment in subject.pack.moments.values() for end in moment.ends}
    ended |= set(_ended_by_deeds(subject))
    for path, word in _words(subject):
        if word not in ENDLESS and word not in ended and ANY not in ended and not subject.coded(word):
            yield wrong(path, message("fault.check.duration_endless", duration=word, ended=tuple(sorted(ended))))


def moments(subject: Subject) -> Iterator[Finding]:
    """A moment that neither the clock nor a command brings."""
    brought = _brought(subject)
    for name, moment in subject.pack.moments.items():
        if moment.every is None and name not in brought and not subject.coded(name):
            yield wrong(("moments", name), message("fault.check.moment_unreached", moment=name))


def advances(subject: Subject) -> Iterator[Finding]:
    """A command that advances the clock to a moment which the clock does not bring."""
    for name, command in subject.section("commands").items():
        if command.get("does", name) != "advance":
            continue
        field = (command.get("fields") or {}).get("to", {})
        for at, moment in enumerate(field.get("of", [])):
            path: Path = ("commands", name, "fields", "to", "of", at)
            known = subject.pack.moments.get(moment)
            if known is not None and known.every is None and not subject.code:
                yield wrong(path, message("fault.check.moment_no_clock", moment=moment))


def _words(subject: Subject) -> Iterator[tuple[Path, str]]:
    """Every word that a duration may be, with its place."""
    for path, value in _written(subject):
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, list | tuple):
            yield from (((*path, at), word) for at, word in enumerate(value) if isinstance(word, str))
    for path, value in entries({key: subject.data.get(key) for key in ("layers", "commands", "facts")}):
        if isinstance(value, dict) and value.get("type") == "until":
            yield from (((*path, "of", at), str(word)) for at, word in enumerate(value.get("of", [])))


def _written(subject: Subject) -> Iterator[tuple[Path, Any]]:
    """Every duration that is written in the pack."""
    for path, value in entries({key: subject.data.get(key) for key in ("words", "spells", "lasting")}):
        if path[-1] == "lasts":
            yield path, value
    for name, moment in subject.section("moments").items():
        if isinstance(moment, dict) and isinstance(moment.get("every"), dict | int):
            yield ("moments", name, "every"), moment["every"]


def _ended_by_deeds(subject: Subject) -> Iterator[str]:
    """The durations that a deed of some command ends by name."""
    for command in subject.section("commands").values():
        for path, value in entries(command.get("with") or {}):
            if path[-1] == "until" and isinstance(value, str):
                yield value


def _brought(subject: Subject) -> tuple[str, ...]:
    """The moments that commands name: in what they do, or as what they go on to."""
    named: list[str] = []
    for name, command in subject.section("commands").items():
        for path, value in entries(command.get("with") or {}):
            named.append(str(path[-1]))
            if isinstance(value, str):
                named.append(value)
        if command.get("does", name) == "advance":
            named += (command.get("fields") or {}).get("to", {}).get("of", [])
    for path, value in entries({"follows": subject.data.get("follows"), "tables": subject.data.get("tables")}):
        if isinstance(value, str) and path:
            named.append(value)
    return tuple(named)


LINTS = (durations, moments, advances)

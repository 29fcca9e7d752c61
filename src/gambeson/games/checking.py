"""Checking packs: every fault under every reading, then lints of what can be used but is probably not meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from gambeson.games import (
    checking_layers,
    checking_names,
    checking_predicates,
    checking_rules,
    checking_stages,
    checking_times,
)
from gambeson.games.checking_coverage import uncovered
from gambeson.games.checking_texts import Shelf, lint_texts, read_shelves
from gambeson.games.documents import Document
from gambeson.games.findings import Finding, Subject, standing, standing_in_pack, unusable
from gambeson.games.loading import GAMES, chain, folder_of, load, names, written
from gambeson.games.repeats import repeated
from gambeson.games.variants import resolved
from gambeson.language.pack import Pack
from gambeson.model.errors import Unusable

NO_WORDS = "language-none"
"""Of a game that says nothing in a language; a pack that says nothing in any speaks with the words of its game."""

Lint: TypeAlias = Callable[[Subject], Iterator[Finding]]

ANY_READING: tuple[Lint, ...] = (
    *checking_stages.LINTS,
    *checking_predicates.LINTS,
    *checking_names.LINTS,
    *checking_rules.LINTS,
)
"""Lints of what is there: found under one reading, it is found."""

EVERY_READING: tuple[Lint, ...] = (*checking_stages.MISSING, *checking_layers.LINTS, *checking_times.LINTS)
"""Lints of what is missing: only what is missing under every reading counts."""


def check_pack(game: str | os.PathLike[str], scenarios: tuple[Document, ...] | None = None) -> tuple[Finding, ...]:
    """Everything found in a pack (a game or a folder), in order of place; with scenarios also what they leave out.

    Of a pack that is laid over others only what these have not already. Raises Unusable only where there is no such
    pack.
    """
    folder = folder_of(game)
    found, usable = _found_in(folder, scenarios)
    for below in chain(folder)[:-1] if usable else ():
        known = {_said(finding) for finding in _found_in(below, scenarios)[0]}
        found = [finding for finding in found if _said(finding) not in known]
    return _sorted(found)


def _found_in(folder: FilePath, scenarios: tuple[Document, ...] | None) -> tuple[list[Finding], bool]:
    """Everything found in a pack with all that it is laid over, and whether it can be used."""
    shelves, unreadable = read_shelves(folder)
    packs, faults = _under_every_reading(folder)
    found = [*faults, *unreadable]
    if packs and not unreadable:
        document = written(folder)
        document = Document(document.file, document.data, document.places())
        subjects = [_subject(folder, document, pack, shelves) for pack in packs]
        found += _lints(subjects, shelves)
        if scenarios is not None:
            found += standing_in_pack(uncovered(subjects[0], scenarios), subjects[0])
    if packs and len(chain(folder)) > 1 and not any(shelf.books for shelf in shelves):
        found = [finding for finding in found if finding.id != NO_WORDS]
    return found, bool(packs)


def _under_every_reading(folder: FilePath) -> tuple[tuple[Pack, ...], tuple[Finding, ...]]:
    """The pack as it stands and with each other reading alone; the faults of all of them, each once."""
    packs: list[Pack] = []
    faults: list[Finding] = []
    name = _name(folder)
    try:
        packs.append(load(name))
    except Unusable as wrong:
        return (), tuple(map(unusable, wrong.faults))
    for variant, declared in packs[0].variants.items():
        for reading in declared.readings[1:]:
            try:
                packs.append(load(name, {variant: reading}))
            except Unusable as wrong:
                faults += map(unusable, wrong.faults)
    return tuple(packs), tuple(faults)


def _name(folder: FilePath) -> str:
    return folder.name if folder.parent == GAMES else str(folder)


def _subject(folder: FilePath, document: Document, pack: Pack, shelves: tuple[Shelf, ...]) -> Subject:
    data: Any = repeated(resolved(document.data, pack.readings))
    game = chain(folder)[0]
    code = "\n".join(path.read_text("utf-8") for path in sorted(game.glob("*.py"))) if game.parent == GAMES else ""
    # What a game below names is named here too.
    terms = tuple(dict.fromkeys((*(id for shelf in shelves for id in shelf.data("terms")), *dict(names(folder)))))
    return Subject(document, pack.readings, data, pack, code, terms)


def _lints(subjects: list[Subject], shelves: tuple[Shelf, ...]) -> list[Finding]:
    found: list[Finding] = []
    for lint in ANY_READING:
        for subject in subjects:
            found += standing_in_pack(lint(subject), subject)
    for lint in EVERY_READING:
        everywhere = [standing_in_pack(lint(subject), subject) for subject in subjects]
        found += [
            finding for finding in everywhere[0] if all(_said(finding) in map(_said, other) for other in everywhere)
        ]
    for lint in checking_rules.WRITTEN:
        found += standing(lint(subjects[0]), subjects[0].document)
    found += lint_texts(subjects[0], shelves)
    return found


def _said(finding: Finding) -> tuple[str, str]:
    """A finding whatever its place, which may differ under another reading."""
    return finding.id, str(finding.fault.message.params)


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in order of file and place, each once."""
    once: dict[str, Finding] = {}
    for finding in findings:
        fault = finding.fault
        once.setdefault(f"{finding.id} {fault.file}:{fault.line}:{fault.column} {fault.message}", finding)
    return tuple(sorted(once.values(), key=lambda each: (each.fault.file, each.fault.line, each.fault.column)))

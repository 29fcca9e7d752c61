"""Lints of a pack's texts: what is said in one language only, differs, is no template, or has no words at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.games.documents import Document, read_file
from gambeson.games.findings import Finding, Subject, entries, hint, standing, unusable, wrong
from gambeson.games.loading import LANGUAGES, texts
from gambeson.language.texts import Texts, differing, missing
from gambeson.model.errors import Path, Unusable
from gambeson.model.messages import Message, message

PARTS = ("title", "text", "example", "refusal")
_ID = re.compile(r"(?:trace|refusal|fault|question|option|stage)\.[a-z0-9_.]*[a-z0-9_]\Z")


class Book(Struct, frozen=True):
    """One file of texts in a language, with the data that it holds."""

    document: Document
    data: dict[str, Any]

    def at(self, id: str) -> Path:
        """The path of a text by its id, whether the file nests its ids or not."""
        return (id,) if id in self.data else tuple(id.split("."))


class Shelf(Struct, frozen=True):
    """All files of texts that a pack has in one language."""

    lang: str
    books: dict[str, Book]

    def texts(self, name: str, prefix: str = "") -> Texts:
        """The texts of one file."""
        book = self.books.get(name)
        data = book.data if book is not None else {}
        return Texts(self.lang, {f"{prefix}{id}": text for id, text in data.items()})

    def data(self, name: str) -> dict[str, Any]:
        """What one file holds."""
        book = self.books.get(name)
        return book.data if book is not None else {}

    def stands(self, name: str, id: str, finding: Finding, path: Path = ()) -> Iterator[Finding]:
        """The finding at the text of that id in one of the files."""
        book = self.books.get(name)
        if book is not None:
            placed = replace(finding, fault=replace(finding.fault, path=(*book.at(id), *path)))
            yield from standing((placed,), book.document)


NAMES = ("", "terms", "rules", "variants")
"""The kinds of files with texts: messages, names of things, rules, open questions."""


def read_shelves(folder: FilePath) -> tuple[tuple[Shelf, ...], tuple[Finding, ...]]:
    """The texts of a pack in every language, and the files that cannot be read."""
    faulty: list[Finding] = []
    shelves = []
    for lang in LANGUAGES:
        books = {}
        for name in NAMES:
            path = folder / (f"{name}.{lang}.yaml" if name else f"{lang}.yaml")
            if not path.is_file():
                continue
            try:
                document = read_file(path)
            except Unusable as faults:
                faulty += map(unusable, faults.faults)
                continue
            if isinstance(document.data, dict):
                books[name] = Book(document, document.data)
            else:
                faulty += standing((wrong((), message("fault.check.text_mapping")),), document)
        shelves.append(Shelf(lang, books))
    return tuple(shelves), tuple(faulty)


def lint_texts(subject: Subject, shelves: tuple[Shelf, ...]) -> Iterator[Finding]:
    """Everything that is wrong with the texts of a pack; places are in the files of texts, else in the pack."""
    silent = [shelf.lang for shelf in shelves if not shelf.books]
    for lang in silent:
        yield from standing((hint((), message("fault.check.language_none", lang=lang)),), subject.document)
    telling = [shelf for shelf in shelves if shelf.books]
    for shelf in telling:
        yield from _templates(shelf)
        yield from _rules(subject, shelf)
        yield from _variants(subject, shelf)
        for other in telling:
            if other is not shelf:
                yield from _compared(shelf, other)
    if telling:
        yield from standing(_named(subject, telling), subject.document)
    yield from standing(_said(subject), subject.document)


def _templates(shelf: Shelf) -> Iterator[Finding]:
    for name in ("", "terms"):
        book = shelf.books.get(name)
        if book is not None:
            faults = shelf.texts(name).check()
            yield from standing((wrong(_found(book, fault.path), fault.message) for fault in faults), book.document)


def _found(book: Book, path: Path) -> Path:
    return book.at(".".join(map(str, path)))


def _compared(shelf: Shelf, other: Shelf) -> Iterator[Finding]:
    """What one language says and the other does not, or says of something else."""
    for name in ("", "terms"):
        own, others = shelf.texts(name), other.texts(name)
        for id in missing(own, others):
            yield from shelf.stands(name, id, wrong((), message("fault.check.text_missing", id=id, lang=other.lang)))
        if shelf.lang == LANGUAGES[0]:
            for id in differing(own, others):
                left = sorted(own.parameters(id) ^ others.parameters(id))
                said = message("fault.check.text_differs", id=id, lang=other.lang, names=tuple(left))
                yield from shelf.stands(name, id, wrong((), said))


def _rules(subject: Subject, shelf: Shelf) -> Iterator[Finding]:
    told = shelf.data("rules")
    if "rules" not in shelf.books:
        return
    untold = []
    for id in subject.pack.rules:
        texts_of = told.get(id)
        if not isinstance(texts_of, dict) or not texts_of.get("title") or not texts_of.get("text"):
            untold.append(wrong(("rules", id), message("fault.check.rule_untold", rule=id, lang=shelf.lang)))
        elif not texts_of.get("example") and not texts_of.get("refusal"):
            said = message("fault.check.rule_example", rule=id, lang=shelf.lang)
            yield from shelf.stands("rules", id, hint((), said))
    yield from standing(untold, subject.document)
    for id, texts_of in told.items():
        if id not in subject.pack.rules:
            yield from shelf.stands("rules", id, wrong((), message("fault.check.rule_unknown", rule=id, meant="")))
            continue
        for key in texts_of if isinstance(texts_of, dict) else ():
            if key not in PARTS:
                said = message("fault.check.rule_part", name=str(key), allowed=PARTS)
                yield from shelf.stands("rules", id, wrong((), said), (key,))


def _variants(subject: Subject, shelf: Shelf) -> Iterator[Finding]:
    if "variants" not in shelf.books:
        return
    asked = shelf.data("variants")
    untold = []
    for name, variant in subject.pack.variants.items():
        told = asked.get(name)
        readings = told.get("readings") if isinstance(told, dict) else None
        known = readings if isinstance(readings, Mapping) else {}
        if not isinstance(told, dict) or not told.get("question"):
            untold.append(
                wrong(("variants", name), message("fault.check.variant_untold", variant=name, lang=shelf.lang))
            )
        for reading in variant.readings if isinstance(told, dict) else ():
            if reading not in known:
                said = message("fault.check.reading_untold", variant=name, reading=reading, lang=shelf.lang)
                untold.append(wrong(("variants", name, "readings"), said))
    yield from standing(untold, subject.document)
    for name in asked:
        if name not in subject.pack.variants:
            said = message("fault.check.variant_unknown", name=str(name), meant="")
            yield from shelf.stands("variants", str(name), wrong((), said))


def _named(subject: Subject, shelves: list[Shelf]) -> Iterator[Finding]:
    """Things without a name in a language where the pack has names."""
    pack = subject.pack
    things: dict[str, Path] = {id: ("layers", id) for id in pack.layers}
    things |= {id: ("words", "known", id) for id in pack.words.known}
    things |= {id: ("moments", id) for id in pack.moments}
    things |= {id: ("conditions", id) for id in pack.conditions}
    things |= {id: ("lasting", id) for id in pack.lasting}
    things |= {id: ("spells", id) for id in pack.spells}
    things |= {id: ("types", at) for at, id in enumerate(pack.types)}
    things |= {id: ("traits", at) for at, id in enumerate(pack.traits)}
    for shelf in shelves:
        said = texts(pack.folder, shelf.lang)
        for id, path in things.items():
            if not said.has(f"term.{id}") and not said.has(f"term.spell.{id}"):
                yield hint(path, message("fault.check.term_missing", id=id, lang=shelf.lang))


def _said(subject: Subject) -> Iterator[Finding]:
    """Messages that the pack names and no text says."""
    said = texts(subject.pack.folder, LANGUAGES[0])
    for path, value in entries(subject.document.data):
        if isinstance(value, str) and _ID.match(value) and not said.has(value):
            yield wrong(path, _unsaid(value))


def _unsaid(id: str) -> Message:
    return message("fault.check.text_unknown", id=id)

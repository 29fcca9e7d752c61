"""From a folder with a pack to the pack that the engine works with."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import msgspec

from gambeson.games.building import build
from gambeson.games.documents import Document, Faults, placed
from gambeson.games.folders import GAMES, available, folder_of, named_folder
from gambeson.games.misfits import misfit
from gambeson.games.overlays import extended, laid_over, said_at
from gambeson.games.remembering import parsed
from gambeson.games.shapes import DeclaredVariant
from gambeson.language.fields import not_among
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message

__all__ = ["GAMES", "available", "folder_of", "load", "rule_texts", "texts", "variant_texts"]

COMMON = GAMES.parent / "texts"
LANGUAGES = ("en", "ru")
LONGEST_CHAIN = 16
"""Packs that extend one another."""


def load(game: str | os.PathLike[str], variants: Mapping[str, Any] | None = None) -> Pack:
    """The pack of a game by its name, or of a folder with a pack.yaml, under the chosen readings.

    The name is that of a game which comes with gambeson, or of a folder in GAMBESON_PACKS. A pack that extends others
    is laid over them in order. Raises Unusable with every fault at its place.
    """
    folders = chain(folder_of(game))
    chosen = _readings(_joined(folders), variants or {})
    return _built(folders, tuple(sorted(chosen.items())))


@functools.lru_cache(maxsize=64)
def chain(folder: FilePath) -> tuple[FilePath, ...]:
    """The folder of the game, then those of the packs that are laid over it, this one last. Raises Unusable."""
    return _chain(folder, ())


def _chain(folder: FilePath, above: tuple[FilePath, ...]) -> tuple[FilePath, ...]:
    document = _document(folder)
    if folder in above or len(above) >= LONGEST_CHAIN:
        raise Unusable(placed((Fault(("extends",), message("fault.overlay.circle")),), document))
    found: list[FilePath] = []
    for name in extended(document.data):
        try:
            below = named_folder(name, ("extends",))
        except Unusable as unusable:
            raise Unusable(placed(unusable.faults, document)) from None
        for other in _chain(below, (*above, folder)):
            if other not in found:
                found.append(other)
    games = [other for other in found if not extended(_document(other).data)]
    if len(games) > 1:
        raise Unusable(placed((Fault(("extends",), message("fault.overlay.two_games")),), document))
    return (*found, folder)


@functools.lru_cache(maxsize=32)
def _joined(folders: tuple[FilePath, ...]) -> Document:
    """The data of a game with that of each pack laid over it, as if it stood in the last one's file."""
    documents = [_document(folder) for folder in folders]
    data: Any = documents[0].data
    for document in documents[1:]:
        data = laid_over(data, document)
    return Document(documents[-1].file, data, documents[-1].root)


def _placed_anew(faults: tuple[Fault, ...], folders: tuple[FilePath, ...], data: Any) -> tuple[Fault, ...]:
    """The faults of joined packs, each at its place in the pack that says it."""
    found: list[Fault] = []
    for fault in faults:
        documents = [_document(folder) for folder in reversed(folders)]
        said = [(document, path) for document in documents if (path := said_at(document.data, fault.path, data))]
        document, path = said[0] if said else (documents[-1], fault.path)
        found += placed((Fault(path, fault.message),), document)
    return tuple(found)


@functools.lru_cache(maxsize=32)
def _document(folder: FilePath) -> Document:
    document = parsed(folder / "pack.yaml")
    if not isinstance(document.data, dict):
        raise Unusable(placed((Fault((), message("fault.pack.mapping")),), document))
    return document


def _readings(document: Document, variants: Mapping[str, Any]) -> dict[str, str]:
    """The reading of each variant: the chosen one, else its first. Raises Unusable with paths below `variants`."""
    declared = _declared(document)
    faults = Faults()
    for name, reading in variants.items():
        if name not in declared:
            faults.append(Fault(("variants", name), not_among(name, tuple(declared))))
        elif str(reading) not in declared[name]:
            faults.append(Fault(("variants", name), not_among(str(reading), declared[name])))
    if faults:
        raise Unusable(tuple(faults))
    return {name: str(variants.get(name, readings[0])) for name, readings in declared.items()}


def _declared(document: Document) -> dict[str, tuple[str, ...]]:
    """The readings of each variant of a pack. Raises Unusable, placed, where they are none."""
    assert isinstance(document.data, dict)
    variants = document.data.get("variants", {})
    if not isinstance(variants, dict):
        raise Unusable(placed((Fault(("variants",), message("fault.pack.mapping")),), document))
    declared: dict[str, tuple[str, ...]] = {}
    faults = Faults()
    for name, variant in variants.items():
        try:
            declared[name] = msgspec.convert(variant, DeclaredVariant).readings
        except msgspec.ValidationError as error:
            below, said = misfit(str(error), DeclaredVariant, variant, ("rule", "readings"))
            faults.append(Fault(("variants", name, *below), said))
    if faults:
        raise Unusable(placed(faults, document))
    return declared


def written(folder: FilePath) -> Document:
    """The data of a pack as it is written, laid over what it extends. Raises Unusable."""
    return _joined(chain(folder))


@functools.lru_cache(maxsize=128)
def _built(folders: tuple[FilePath, ...], readings: tuple[tuple[str, str], ...]) -> Pack:
    game, folder = folders[0], folders[-1]
    document = _joined(folders)
    code = importlib.import_module(f"gambeson.games.{game.name}.rules") if _own_code(game) else None
    digest = hashlib.sha256()
    for each in folders:
        digest.update((each / "pack.yaml").read_bytes())
    digest.update(repr(readings).encode())
    try:
        return build(document, dict(readings), code, names(folder), f"sha256:{digest.hexdigest()}", _name(folder))
    except Unusable as unusable:
        if len(folders) == 1:
            raise
        raise Unusable(_placed_anew(unusable.faults, folders, document.data)) from None


def _name(folder: FilePath) -> str:
    return folder.name if folder.parent == GAMES else str(folder.absolute())


def _own_code(folder: FilePath) -> bool:
    """Code is taken from gambeson's own games only, never from a folder that somebody brings."""
    return folder.parent == GAMES and (folder / "rules.py").is_file()


@functools.lru_cache(maxsize=32)
def names(folder: FilePath) -> tuple[tuple[str, str], ...]:
    """(id, name) of everything that has a name in some language, as people may write it."""
    found = [(id, str(name)) for lang in LANGUAGES for id, name in _of_chain(folder, f"terms.{lang}.yaml").items()]
    forms = [_of_chain(folder, f"forms.{lang}.yaml").items() for lang in LANGUAGES]
    return (*found, *((id, str(form)) for listed in forms for id, each in listed for form in each))


@functools.lru_cache(maxsize=64)
def texts(game: str | os.PathLike[str] | None, lang: str) -> Texts:
    """Everything that can be said of a game in a language: the common texts, then the game's own."""
    said = _common(lang)
    if game is None:
        return said
    folder = folder_of(game)
    terms = _of_chain(folder, f"terms.{lang}.yaml")
    called = {str(name): terms[id] for id, name in _of_chain(folder, "terms.en.yaml").items() if id in terms}
    # What a rule or a person calls by its English name is said in this language too.
    own = {f"term.{id}": name for id, name in (called | terms).items()}
    return said.merged(Texts(lang, own), *(Texts(lang, _flat(each / f"{lang}.yaml")) for each in chain(folder)))


@functools.lru_cache(maxsize=8)
def _common(lang: str) -> Texts:
    files = sorted(COMMON.glob(f"{lang}*.yaml"))
    first, *others = (Texts(lang, _flat(path)) for path in files)
    return first.merged(*others)


def _of_chain(folder: FilePath, file: str) -> dict[str, Any]:
    """What a file says in a pack and in those that it extends; of one key the last counts."""
    found: dict[str, Any] = {}
    for each in chain(folder):
        found |= _flat(each / file)
    return found


def _flat(path: FilePath) -> dict[str, Any]:
    data = parsed(path).data if path.is_file() else {}
    assert isinstance(data, dict)
    return data


@functools.lru_cache(maxsize=64)
def rule_texts(game: str, lang: str) -> dict[str, dict[str, str]]:
    """What each rule of a game says: rule id to `title`, `text` and perhaps `example` and `refusal`."""
    return _of_chain(folder_of(game), f"rules.{lang}.yaml")


@functools.lru_cache(maxsize=64)
def variant_texts(game: str, lang: str) -> dict[str, Any]:
    """What each variant asks and what its readings mean."""
    return _of_chain(folder_of(game), f"variants.{lang}.yaml")

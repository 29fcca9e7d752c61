"""From a folder with a pack to the pack that the engine works with."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from gambeson.games.building import build
from gambeson.games.documents import Document, placed, read_file
from gambeson.language.fields import not_among
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message

GAMES = FilePath(__file__).parent
COMMON = GAMES.parent / "texts"
LANGUAGES = ("en", "ru")


def available() -> tuple[str, ...]:
    """The games that come with gambeson."""
    return tuple(sorted(folder.parent.name for folder in GAMES.glob("*/pack.yaml")))


def load(game: str | os.PathLike[str], variants: Mapping[str, Any] | None = None) -> Pack:
    """The pack of a game by its name, or of a folder with a pack.yaml, under the chosen readings.

    Raises Unusable with every fault at its place.
    """
    folder = folder_of(game)
    document = _document(folder)
    chosen = _readings(document, variants or {})
    return _built(folder, tuple(sorted(chosen.items())))


def folder_of(game: str | os.PathLike[str]) -> FilePath:
    """Where the pack of a game stands. Raises Unusable."""
    if isinstance(game, str) and game in available():
        return GAMES / game
    folder = FilePath(game)
    if os.sep in str(game) and (folder / "pack.yaml").is_file():
        return folder
    raise Unusable((Fault(("game",), not_among(str(game), available())),))


@functools.lru_cache(maxsize=32)
def _document(folder: FilePath) -> Document:
    document = read_file(folder / "pack.yaml")
    if not isinstance(document.data, dict):
        raise Unusable(placed((Fault((), message("fault.pack.mapping")),), document))
    return document


def _readings(document: Document, variants: Mapping[str, Any]) -> dict[str, str]:
    """The reading of each variant: the chosen one, else its first. Raises Unusable with paths below `variants`."""
    assert isinstance(document.data, dict)
    declared: dict[str, Any] = document.data.get("variants", {})
    faults = []
    for name, reading in variants.items():
        if name not in declared:
            faults.append(Fault(("variants", name), not_among(name, tuple(declared))))
        elif str(reading) not in declared[name]["readings"]:
            faults.append(Fault(("variants", name), not_among(str(reading), tuple(declared[name]["readings"]))))
    if faults:
        raise Unusable(tuple(faults))
    return {name: str(variants.get(name, variant["readings"][0])) for name, variant in declared.items()}


@functools.lru_cache(maxsize=128)
def _built(folder: FilePath, readings: tuple[tuple[str, str], ...]) -> Pack:
    document = _document(folder)
    code = importlib.import_module(f"gambeson.games.{folder.name}.rules") if _own_code(folder) else None
    digest = hashlib.sha256((folder / "pack.yaml").read_bytes())
    digest.update(repr(readings).encode())
    return build(document, dict(readings), code, names(folder), f"sha256:{digest.hexdigest()}", _name(folder))


def _name(folder: FilePath) -> str:
    return folder.name if folder.parent == GAMES else str(folder)


def _own_code(folder: FilePath) -> bool:
    """Code is taken from gambeson's own games only, never from a folder that somebody brings."""
    return folder.parent == GAMES and (folder / "rules.py").is_file()


@functools.lru_cache(maxsize=32)
def names(folder: FilePath) -> tuple[tuple[str, str], ...]:
    """(id, name) of everything that has a name in some language, as people may write it."""
    found: list[tuple[str, str]] = []
    for lang in LANGUAGES:
        path = folder / f"terms.{lang}.yaml"
        if path.is_file():
            data = read_file(path).data
            assert isinstance(data, dict)
            found += [(id, str(name)) for id, name in data.items()]
    return tuple(found)


@functools.lru_cache(maxsize=64)
def texts(game: str | os.PathLike[str] | None, lang: str) -> Texts:
    """Everything that can be said of a game in a language: the common texts, then the game's own."""
    said = _common(lang)
    if game is None:
        return said
    folder = folder_of(game)
    terms = dict(_flat(folder / f"terms.{lang}.yaml"))
    called = {str(name): terms[id] for id, name in _flat(folder / "terms.en.yaml").items() if id in terms}
    # What a rule or a person calls by its English name is said in this language too.
    own = {f"term.{id}": name for id, name in (called | terms).items()}
    return said.merged(Texts(lang, own), Texts(lang, _flat(folder / f"{lang}.yaml")))


@functools.lru_cache(maxsize=8)
def _common(lang: str) -> Texts:
    files = sorted(COMMON.glob(f"{lang}*.yaml"))
    first, *others = (Texts(lang, _flat(path)) for path in files)
    return first.merged(*others)


def _flat(path: FilePath) -> dict[str, Any]:
    data = read_file(path).data if path.is_file() else {}
    assert isinstance(data, dict)
    return data


@functools.lru_cache(maxsize=64)
def rule_texts(game: str, lang: str) -> dict[str, dict[str, str]]:
    """What each rule of a game says: rule id to `title`, `text` and perhaps `example` and `refusal`."""
    return _flat(folder_of(game) / f"rules.{lang}.yaml")


@functools.lru_cache(maxsize=64)
def variant_texts(game: str, lang: str) -> dict[str, Any]:
    """What each variant asks and what its readings mean."""
    return _flat(folder_of(game) / f"variants.{lang}.yaml")

"""Where packs stand: those that come with gambeson, folders that are named, and the folders of GAMBESON_PACKS."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path as FilePath

from gambeson.language.fields import not_among
from gambeson.model.errors import Fault, Unusable

GAMES = FilePath(__file__).parent
PACK = "pack.yaml"
PLACES = "GAMBESON_PACKS"
"""Names folders of packs, or packs, as PATH names folders of programs."""


def available() -> tuple[str, ...]:
    """The games that come with gambeson."""
    with os.scandir(GAMES) as entries:
        return tuple(sorted(entry.name for entry in entries if os.path.isfile(os.path.join(entry.path, PACK))))


def known() -> tuple[str, ...]:
    """The names that a game may have here: of those that come with gambeson, and of packs that somebody brings."""
    return tuple(dict.fromkeys((*available(), *brought())))


def is_own(name: str) -> bool:
    """Whether a game of this name comes with gambeson; like its folder, it is named in small letters."""
    return name.isidentifier() and name == name.lower() and os.path.isfile(os.path.join(GAMES, name, PACK))


def brought() -> dict[str, FilePath]:
    """The packs that somebody brings, by the names of their folders; of one name the first counts."""
    found: dict[str, FilePath] = {}
    for folder in _folders():
        found.setdefault(folder.name, folder)
    return found


def _folders() -> Iterator[FilePath]:
    for place in os.environ.get(PLACES, "").split(os.pathsep):
        root = FilePath(place)
        if not place:
            continue
        if (root / PACK).is_file():
            yield root.resolve()
        elif root.is_dir():
            yield from sorted(path.parent.resolve() for path in root.glob(f"*/{PACK}"))


def folder_of(game: str | os.PathLike[str]) -> FilePath:
    """Where the pack of a game stands: by its name, or as a folder. Raises Unusable."""
    if isinstance(game, str) and is_own(game):
        return GAMES / game
    folder = FilePath(game)
    if (os.sep in str(game) or not isinstance(game, str)) and (folder / PACK).is_file():
        return folder
    others = brought()
    if str(game) in others:
        return others[str(game)]
    raise Unusable((Fault(("game",), not_among(str(game), known())),))


def named_folder(name: str, document_path: tuple[str | int, ...]) -> FilePath:
    """The folder of a pack that another extends: always by its name, never by a path. Raises Unusable."""
    if os.sep not in name and "/" not in name:
        if is_own(name):
            return GAMES / name
        others = brought()
        if name in others:
            return others[name]
    raise Unusable((Fault(document_path, not_among(name, known())),))

"""`--pack PATH`: packs of one's own, for this run only."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping, Sequence
from pathlib import Path

from msgspec import Struct

OPTION = "--pack"


class NoPack(Exception):
    """What was named with `--pack` is no pack and no folder of packs."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Unused(Struct, frozen=True):
    """A pack that was brought and left lying, while what it is laid over was used."""

    name: str
    game: str


def bring(args: Sequence[str], environ: MutableMapping[str, str]) -> tuple[list[str], tuple[Path, ...]]:
    """The arguments without every `--pack PATH`, and the packs; these join those of GAMBESON_PACKS, in front.

    Raises NoPack.
    """
    from gambeson.games.folders import PACK, PLACES

    left: list[str] = []
    paths: list[str] = []
    rest = iter(args)
    for arg in rest:
        name, joined, value = arg.partition("=")
        if arg == "--":
            left += [arg, *rest]
        elif name == OPTION:
            paths.append(value if joined else next(rest, ""))
        else:
            left.append(arg)
    for path in paths:
        folder = Path(path)
        if not path or not ((folder / PACK).is_file() or any(folder.glob(f"*/{PACK}"))):
            raise NoPack(path)
    if paths:
        known = [environ[PLACES]] if environ.get(PLACES) else []
        environ[PLACES] = os.pathsep.join((*(str(Path(path).resolve()) for path in paths), *known))
    return left, tuple(Path(path).resolve() for path in paths if (Path(path) / PACK).is_file())


def unused(packs: Sequence[Path]) -> Iterator[Unused]:
    """The packs that nobody named in this run, each where a game or pack that it is laid over was named instead."""
    from gambeson.games.loading import chain, was_loaded
    from gambeson.model.errors import Unusable

    loaded = [was_loaded(pack) for pack in packs]
    for pack, used in zip(packs, loaded, strict=True):
        if used:
            continue
        try:
            below = chain(pack)[:-1]
        except Unusable:
            continue  # who names it is told what is wrong with it
        named = [folder.name for folder in below if was_loaded(folder)]
        if named:
            yield Unused(pack.name, named[-1])

"""`--pack PATH`: packs of one's own, for this run only."""

from __future__ import annotations

import os
from collections.abc import MutableMapping, Sequence
from pathlib import Path

OPTION = "--pack"


class NoPack(Exception):
    """What was named with `--pack` is no pack and no folder of packs."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def bring(args: Sequence[str], environ: MutableMapping[str, str]) -> list[str]:
    """The arguments without every `--pack PATH`; the packs join those of GAMBESON_PACKS, in front. Raises NoPack."""
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
    return left

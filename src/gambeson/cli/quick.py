"""Reading a plain `run` without Typer, which takes as long to load as everything else together.

Whatever is not plain (help, abbreviations, mistakes) is left to Typer, which knows how to answer it.
"""

from __future__ import annotations

import re

from msgspec import Struct

from gambeson.cli.choosing import LANGUAGES

_NUMBER = re.compile(r"-?[0-9]{1,18}\Z")


class Quick(Struct, frozen=True):
    """A `run` that was understood."""

    files: list[str]
    as_json: bool = False
    seed: int | None = None
    legal: bool = False


def quick_run(args: list[str]) -> Quick | None:
    """The `run` that these arguments ask for, or None where Typer must look at them."""
    if not args or args[0] != "run":
        return None
    files: list[str] = []
    as_json = False
    seed: int | None = None
    legal = False
    rest = iter(args[1:])
    for arg in rest:
        name, joined, value = arg.partition("=")
        if arg == "--json":
            as_json = True
        elif arg == "--legal":
            legal = True
        elif name in ("--lang", "--seed"):
            value = value if joined else next(rest, "")
            if name == "--lang" and value not in LANGUAGES:
                return None
            if name == "--seed":
                if not _NUMBER.match(value):
                    return None
                seed = int(value)
        elif arg.startswith("-"):
            return None
        else:
            files.append(arg)
    return Quick(files, as_json, seed, legal) if files else None

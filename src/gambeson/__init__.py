"""gambeson: a rules referee for layered protection and magic at the gaming table."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gambeson.version import __version__

if TYPE_CHECKING:
    from gambeson.model.errors import Fault, GambesonError, Unusable
    from gambeson.model.values import Effect, Entity, Extra, Hit, Part, Pool, State, Until
    from gambeson.table import Ruling, Table, preview

__all__ = [
    "Effect",
    "Entity",
    "Extra",
    "Fault",
    "GambesonError",
    "Hit",
    "Part",
    "Pool",
    "Ruling",
    "State",
    "Table",
    "Until",
    "Unusable",
    "__version__",
    "preview",
]

# Looked up when first asked for: the command line must not wait for what it does not use.
_HOMES = {
    "gambeson.model.errors": ("Fault", "GambesonError", "Unusable"),
    "gambeson.model.values": ("Effect", "Entity", "Extra", "Hit", "Part", "Pool", "State", "Until"),
    "gambeson.table": ("Ruling", "Table", "preview"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(importlib.import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))

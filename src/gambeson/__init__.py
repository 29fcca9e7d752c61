"""gambeson: a rules referee for layered protection and magic at the gaming table."""

from __future__ import annotations

from gambeson.model.errors import Fault, GambesonError, Unusable
from gambeson.model.values import Effect, Entity, Extra, Hit, Part, Pool, State, Until
from gambeson.table import Ruling, Table, preview

__version__ = "0.1.0"

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
    "Unusable",
    "Until",
    "__version__",
    "preview",
]

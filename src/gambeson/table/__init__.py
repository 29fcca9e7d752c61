"""The table: one object that the library, the command line and the server drive."""

from __future__ import annotations

from gambeson.table.rulings import Ruling
from gambeson.table.table import Table, preview

__all__ = ["Ruling", "Table", "preview"]

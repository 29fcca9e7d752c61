"""Where tables are kept: memory, an SQLite file, PostgreSQL. An adapter is imported when a URL asks for it."""

from __future__ import annotations

from gambeson.table.stores.base import (
    Conflict,
    Entry,
    SeatRecord,
    Store,
    StoreError,
    TableRecord,
    Unreachable,
    UnusableStore,
    new_id,
)

__all__ = [
    "Conflict",
    "Entry",
    "SeatRecord",
    "Store",
    "StoreError",
    "TableRecord",
    "Unreachable",
    "UnusableStore",
    "new_id",
    "open_store",
]

URLS = ("memory:", "sqlite:///FILE", "postgresql+psycopg://USER@HOST/NAME")


def open_store(url: str) -> Store:
    """The store behind a URL (see `URLS`). Raises UnusableStore where there is none, Unreachable where it is silent."""
    scheme = url.partition(":")[0]
    if url == "memory:":
        from gambeson.table.stores.memory import MemoryStore

        return MemoryStore()
    if scheme not in ("sqlite", "postgresql", "postgresql+psycopg"):
        raise UnusableStore(f"no store is known by {scheme}:...; allowed: {', '.join(URLS)}")
    try:
        if scheme == "sqlite":
            from gambeson.table.stores.sqlite import SqliteStore

            return SqliteStore(url)
        from gambeson.table.stores.postgres import PostgresStore

        return PostgresStore(url)
    except ModuleNotFoundError as missing:
        extra = "table" if scheme == "sqlite" else "table,postgres"
        raise UnusableStore(f"{missing.name} is not installed: pip install 'gambeson[{extra}]'") from None

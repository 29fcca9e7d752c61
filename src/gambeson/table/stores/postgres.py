"""Tables in PostgreSQL, which many servers may share: each hears from the others by LISTEN and NOTIFY."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from gambeson.table.stores.base import Heard
from gambeson.table.stores.sql import SqlStore

CHANNEL = "gambeson"
PATIENCE = 0.5
"""Seconds before a lost connection is tried again."""

_NOTIFY = text("SELECT pg_notify(:channel, :news)")
_LAYOUT_LOCK = 7_206_137
"""The key under which processes queue to make the layout."""


class PostgresStore(SqlStore):
    """Keeps tables in a PostgreSQL database: `postgresql+psycopg://user@host/name`."""

    writers = 8

    def __init__(self, url: str) -> None:
        parsed = make_url(url).set(drivername="postgresql+psycopg")
        engine = create_engine(parsed, pool_size=8, max_overflow=8, connect_args={"connect_timeout": 5})
        self._plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
        super().__init__(engine, engine)

    def _lock_schema(self, connection: Connection) -> None:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LAYOUT_LOCK})

    def _tell(self, connection: Connection, id: str, version: int) -> None:
        connection.execute(_NOTIFY, {"channel": CHANNEL, "news": f"{id} {version}"})

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Hear of every change; after the connection was lost, that any table may have changed."""
        over = threading.Event()
        thread = threading.Thread(target=self._hear, args=(heard, over), name="gambeson-postgres-listen", daemon=True)
        thread.start()

        def end() -> None:
            over.set()
            thread.join()

        return end

    def _hear(self, heard: Heard, over: threading.Event) -> None:
        while not over.is_set():
            try:
                with psycopg.connect(self._plain, autocommit=True, connect_timeout=5) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    heard("", 0)
                    while not over.is_set():
                        for notice in connection.notifies(timeout=0.2):
                            id, _, version = notice.payload.partition(" ")
                            heard(id, int(version or 0))
            except psycopg.Error:
                over.wait(PATIENCE)

"""Tables in one SQLite file: write-ahead log, every commit on the disk before it is acknowledged, one writer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from gambeson.table.stores.base import Heard, UnusableStore
from gambeson.table.stores.sql import SqlStore

LOOKED = 0.25
"""Seconds between looks for what another process has written into the file."""


class SqliteStore(SqlStore):
    """Keeps tables in a file: `sqlite:///tables.db` (relative) or `sqlite:////var/lib/tables.db`."""

    def __init__(self, url: str) -> None:
        if url in ("sqlite://", "sqlite:///", "sqlite:///:memory:"):
            raise UnusableStore("sqlite needs a file: sqlite:///FILE; without one use memory:")
        self._one_writer = threading.Lock()
        super().__init__(_engine(url, "BEGIN", 4), _engine(url, "BEGIN IMMEDIATE", 1))

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._one_writer, super()._write() as connection:
            yield connection

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Look now and then whether another process has written; which table is not known."""
        over = threading.Event()
        thread = threading.Thread(target=self._look, args=(heard, over), name="gambeson-sqlite-look", daemon=True)
        thread.start()

        def end() -> None:
            over.set()
            thread.join()

        return end

    def _look(self, heard: Heard, over: threading.Event) -> None:
        seen = self._data_version()
        while not over.wait(LOOKED):
            now = self._data_version()
            if now != seen:
                seen = now
                heard("", 0)

    def _data_version(self) -> int:
        """A number that changes when another connection than the writing one writes."""
        with self._one_writer:
            connection = self._writing.raw_connection()
            try:
                cursor: Any = connection.cursor()
                found = cursor.execute("PRAGMA data_version").fetchone()
                return int(found[0])
            finally:
                connection.close()


def _engine(url: str, begin: str, size: int) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        connect_args={"check_same_thread": False, "timeout": 10},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, as they are meant
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

"""Tables in memory: gone with the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from gambeson.engine.views import Secrets
from gambeson.table.log import Row, Snapshot
from gambeson.table.stores.base import Conflict, Entry, Heard, SeatRecord, TableRecord


class MemoryStore:
    """Keeps tables in dictionaries (see `Store`)."""

    writers = 1

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._records: dict[str, TableRecord] = {}
        self._entries: dict[str, list[Entry]] = {}
        self._keys: dict[tuple[str, str], bytes] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._seats: dict[tuple[str, str], SeatRecord] = {}

    def create(self, record: TableRecord, seats: Sequence[SeatRecord] = (), rows: Sequence[Row] = ()) -> None:
        """Keep a new table."""
        with self._lock:
            if record.id in self._records:
                raise Conflict(record.id)
            self._records[record.id] = record
            self._entries[record.id] = [Entry(row) for row in rows]
            for seat in seats:
                self._seats[seat.table, seat.name] = seat

    def tables(self) -> tuple[tuple[str, str, str], ...]:
        """(id, game, title) of every table."""
        with self._lock:
            return tuple((record.id, record.game, record.title) for record in self._records.values())

    def record(self, id: str) -> TableRecord | None:
        """What is kept of a table, or None."""
        return self._records.get(id)

    def version(self, id: str) -> int:
        """How many rows a table has."""
        return len(self._entries.get(id, ()))

    def append(self, id: str, after: int, entries: Sequence[Entry]) -> None:
        """Keep rows that follow on row `after`."""
        with self._lock:
            kept = self._entries[id]
            keys = [(id, entry.key) for entry in entries if entry.key]
            if len(kept) != after or any(key in self._keys for key in keys) or len(dict.fromkeys(keys)) != len(keys):
                raise Conflict(id)
            kept.extend(entries)
            for entry in entries:
                if entry.key:
                    self._keys[id, entry.key] = entry.answer

    def rows(self, id: str, first: int, last: int | None = None) -> list[Row]:
        """The rows with the versions from `first` to `last`."""
        with self._lock:
            return [entry.row for entry in self._entries[id][first - 1 : last]]

    def answer(self, id: str, key: str) -> bytes | None:
        """The answer that was kept under a key, or None."""
        return self._keys.get((id, key))

    def keyed(self, id: str) -> list[tuple[int, str]]:
        """(version, key) of every row that has a key."""
        with self._lock:
            return [(entry.row.version, entry.key) for entry in self._entries[id] if entry.key]

    def snapshot(self, id: str) -> Snapshot | None:
        """The newest snapshot, or None."""
        return self._snapshots.get(id)

    def keep_snapshot(self, id: str, snapshot: Snapshot) -> None:
        """Keep a snapshot in place of an older one."""
        with self._lock:
            old = self._snapshots.get(id)
            if old is None or old.version < snapshot.version:
                self._snapshots[id] = snapshot

    def seats(self, id: str) -> tuple[SeatRecord, ...]:
        """The seats of a table."""
        with self._lock:
            return tuple(seat for seat in self._seats.values() if seat.table == id)

    def seat_of(self, token: str, id: str = "") -> SeatRecord | None:
        """The seat that a token with this hash opens, or None."""
        with self._lock:
            seat = next((seat for seat in self._seats.values() if seat.token == token), None)
            return seat if seat is None or not id or seat.table == id else None

    def put_seat(self, seat: SeatRecord) -> None:
        """Keep a seat."""
        with self._lock:
            self._seats[seat.table, seat.name] = seat

    def remove_seat(self, id: str, name: str) -> bool:
        """Take a seat away."""
        with self._lock:
            return self._seats.pop((id, name), None) is not None

    def set_secrets(self, id: str, hidden: Secrets) -> None:
        """Change what is hidden at a table."""
        with self._lock:
            record = self._records[id]
            self._records[id] = replace(record, secrets=hidden, revision=record.revision + 1)

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Nobody else can change anything here."""
        return lambda: None

    def close(self) -> None:
        """Nothing is held."""

"""What every store of tables can do, and the form in which it keeps rows."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from gambeson.engine.views import Secrets
from gambeson.model.errors import GambesonError
from gambeson.model.values import State
from gambeson.table.log import Row, Snapshot, thawed_row, thawed_state

ROW_FORMAT = 1
"""The format in which rows are written; each row is kept with its own."""

SCHEMA = 1
"""The layout of the database's tables."""

ROW_UPCASTERS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""For each older format of rows, what makes the next one of it."""


Heard: TypeAlias = Callable[[str, int], None]
"""Told of a change: the table's id ("": any table may have changed) and its new version (0: look for yourself)."""


class StoreError(GambesonError):
    """Base of what goes wrong with a store."""


class UnusableStore(StoreError):
    """The URL names no store, or one that this version can't use."""


class Conflict(StoreError):
    """Somebody else has written since: the rows are not kept. Catch up and try again."""


class Unreachable(StoreError):
    """The database does not answer. Whether the rows were kept is not known: catch up, then look for their keys."""


class Entry(Struct, frozen=True):
    """A row to keep, under the sender's key (empty: none) with the answer that the sender was given."""

    row: Row
    key: str = ""
    answer: bytes = b""


class TableRecord(Struct, frozen=True, kw_only=True):
    """What is kept of a table beside its rows. `pack` is the hash of the rules that began it.

    `entities` are those of the start as they were written down; `revision` counts changes of `secrets`.
    """

    id: str
    game: str
    title: str = ""
    readings: dict[str, str] = {}
    pack: str = ""
    gambeson: str = ""
    start: State = State()
    entities: dict[str, Any] = {}
    secrets: Secrets = Secrets()
    revision: int = 0


class SeatRecord(Struct, frozen=True):
    """A seat at a table and the hash of the token that opens it (never the token)."""

    table: str
    name: str
    role: str
    entities: tuple[str, ...]
    token: str


class Store(Protocol):
    """Keeps tables. Every method may raise Unreachable; what it writes is kept whole or not at all.

    Methods may be called from any thread; `writers` is how many writes may usefully go on at once.
    """

    writers: int

    def create(self, record: TableRecord, seats: Sequence[SeatRecord] = (), rows: Sequence[Row] = ()) -> None:
        """Keep a new table."""
        ...

    def tables(self) -> tuple[tuple[str, str, str], ...]:
        """(id, game, title) of every table."""
        ...

    def record(self, id: str) -> TableRecord | None:
        """What is kept of a table, or None."""
        ...

    def version(self, id: str) -> int:
        """How many rows a table has."""
        ...

    def append(self, id: str, after: int, entries: Sequence[Entry]) -> None:
        """Keep rows that follow on row `after`. Raises Conflict where it is not the last or a key is there already."""
        ...

    def rows(self, id: str, first: int, last: int | None = None) -> list[Row]:
        """The rows with the versions from `first` to `last`, both included."""
        ...

    def answer(self, id: str, key: str) -> bytes | None:
        """The answer that was kept under a key, or None."""
        ...

    def keyed(self, id: str) -> list[tuple[int, str]]:
        """(version, key) of every row that has a key, in order."""
        ...

    def snapshot(self, id: str) -> Snapshot | None:
        """The newest snapshot, or None."""
        ...

    def keep_snapshot(self, id: str, snapshot: Snapshot) -> None:
        """Keep a snapshot in place of an older one."""
        ...

    def seats(self, id: str) -> tuple[SeatRecord, ...]:
        """The seats of a table."""
        ...

    def seat_of(self, token: str, id: str = "") -> SeatRecord | None:
        """The seat that a token with this hash opens (at the table `id`, if one is named), or None."""
        ...

    def put_seat(self, seat: SeatRecord) -> None:
        """Keep a seat; one of the same name is replaced, its token opens nothing any more."""
        ...

    def remove_seat(self, id: str, name: str) -> bool:
        """Take a seat away; whether it was there."""
        ...

    def set_secrets(self, id: str, hidden: Secrets) -> None:
        """Change what is hidden at a table."""
        ...

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Call `heard` from another thread when tables change; gives a function that ends it."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


def unguessable(size: int) -> str:
    """A text of `size` random bytes for a link; it never begins like an option of a command line."""
    while (text := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return text


def new_id() -> str:
    """An id that no other table has, and that can't be guessed."""
    return unguessable(16)


_rows = msgspec.json.Decoder(Row)
_snapshots = msgspec.json.Decoder(Snapshot)
_states = msgspec.json.Decoder(State)
_encode = msgspec.json.Encoder().encode


def packed(value: Any) -> bytes:
    """A row, snapshot or state as it is kept."""
    return _encode(value)


def unpacked_row(data: bytes, format: int) -> Row:
    """A row that was kept in this format. Raises UnusableStore where the format is not known."""
    if format == ROW_FORMAT:
        return thawed_row(_rows.decode(data))
    if not 1 <= format <= ROW_FORMAT:
        raise UnusableStore(f"rows of format {format} are not known; a newer gambeson has written them")
    raw = msgspec.json.decode(data)
    for step in range(format, ROW_FORMAT):
        raw = ROW_UPCASTERS[step](raw)
    return thawed_row(msgspec.convert(raw, Row))


def unpacked_snapshot(data: bytes) -> Snapshot:
    """A snapshot that was kept."""
    snapshot = _snapshots.decode(data)
    state = thawed_state(snapshot.state)
    before = tuple(map(thawed_state, snapshot.before))
    command = thawed_row(Row(0, "command", "", snapshot.command)).command
    return msgspec.structs.replace(snapshot, state=state, before=before, command=command)


def unpacked_state(data: bytes) -> State:
    """A state that was kept."""
    return thawed_state(_states.decode(data))

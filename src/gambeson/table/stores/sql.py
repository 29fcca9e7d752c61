"""Tables in a database, by SQLAlchemy Core: the layout and the statements that SQLite and PostgreSQL share."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import DBAPIError, IntegrityError

from gambeson.engine.views import Secrets
from gambeson.table.log import Row, Snapshot
from gambeson.table.stores.base import (
    ROW_FORMAT,
    SCHEMA,
    Conflict,
    Entry,
    Heard,
    SeatRecord,
    TableRecord,
    Unreachable,
    UnusableStore,
    packed,
    unpacked_row,
    unpacked_snapshot,
    unpacked_state,
)

T = TypeVar("T")

layout = MetaData()

schema_table = SqlTable("gambeson_schema", layout, Column("version", Integer, nullable=False))

tables_table = SqlTable(
    "gambeson_tables",
    layout,
    Column("id", String(64), primary_key=True),
    Column("game", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("readings", Text, nullable=False),
    Column("pack", Text, nullable=False),
    Column("gambeson", Text, nullable=False),
    Column("start", LargeBinary, nullable=False),
    Column("entities", LargeBinary, nullable=False),
    Column("secrets", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
)

rows_table = SqlTable(
    "gambeson_rows",
    layout,
    Column("table_id", String(64), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("format", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("key", Text),
    Column("answer", LargeBinary),
    PrimaryKeyConstraint("table_id", "version"),
    UniqueConstraint("table_id", "key"),
)

snapshots_table = SqlTable(
    "gambeson_snapshots",
    layout,
    Column("table_id", String(64), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("format", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

seats_table = SqlTable(
    "gambeson_seats",
    layout,
    Column("table_id", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("entities", Text, nullable=False),
    Column("token", String(64), nullable=False, unique=True),
    PrimaryKeyConstraint("table_id", "name"),
)

_move_version = (
    update(tables_table)
    .where(tables_table.c.id == bindparam("on"), tables_table.c.version == bindparam("after"))
    .values(version=bindparam("now"))
)
_insert_row = insert(rows_table)
_revise = update(tables_table).where(tables_table.c.id == bindparam("on")).values(revision=tables_table.c.revision + 1)


class SqlStore:
    """Keeps tables in a database (see `Store`); what differs between databases is in the subclasses."""

    writers = 1

    def __init__(self, reading: Engine, writing: Engine) -> None:
        self._reading = reading
        self._writing = writing
        self._check_schema()

    def _check_schema(self) -> None:
        with self._write() as connection:
            self._lock_schema(connection)
            layout.create_all(connection)
            found = connection.execute(select(schema_table.c.version)).scalar()
            if found is None:
                connection.execute(insert(schema_table).values(version=SCHEMA))
            elif found > SCHEMA:
                raise UnusableStore(f"the database has layout {found}, this gambeson knows up to {SCHEMA}")

    # --- what differs between databases -----------------------------------------------------------------------

    def _lock_schema(self, connection: Connection) -> None:
        """Keep other processes from making the layout at the same time."""

    def _tell(self, connection: Connection, id: str, version: int) -> None:
        """Tell other processes, once the transaction is through, that a table has changed."""

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Hear of changes by others."""
        raise NotImplementedError

    # --- transactions -----------------------------------------------------------------------------------------

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """One transaction. Raises Conflict, or Unreachable where it is not known whether it came through."""
        try:
            with self._writing.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise Conflict(str(error.orig).splitlines()[0]) from None
        except DBAPIError as error:
            raise Unreachable(_first_line(error)) from None

    def _read(self, read: Callable[[Connection], T]) -> T:
        """Read; a connection that was cut is made anew once."""
        for last in (False, True):
            try:
                with self._reading.connect() as connection:
                    return read(connection)
            except DBAPIError as error:
                if last or not error.connection_invalidated:
                    raise Unreachable(_first_line(error)) from None
        raise AssertionError("unreachable")

    # --- tables -----------------------------------------------------------------------------------------------

    def create(self, record: TableRecord, seats: Sequence[SeatRecord] = (), rows: Sequence[Row] = ()) -> None:
        """Keep a new table."""
        with self._write() as connection:
            connection.execute(
                insert(tables_table).values(
                    id=record.id,
                    game=record.game,
                    title=record.title,
                    readings=_text(record.readings),
                    pack=record.pack,
                    gambeson=record.gambeson,
                    start=packed(record.start),
                    entities=packed(record.entities),
                    secrets=_text(record.secrets),
                    revision=record.revision,
                    version=len(rows),
                )
            )
            if seats:
                connection.execute(insert(seats_table), [_seat_values(seat) for seat in seats])
            if rows:
                connection.execute(_insert_row, [_row_values(record.id, Entry(row)) for row in rows])

    def tables(self) -> tuple[tuple[str, str, str], ...]:
        """(id, game, title) of every table."""
        columns = (tables_table.c.id, tables_table.c.game, tables_table.c.title)
        found = self._read(lambda connection: connection.execute(select(*columns)).all())
        return tuple((row.id, row.game, row.title) for row in found)

    def record(self, id: str) -> TableRecord | None:
        """What is kept of a table, or None."""
        asked = select(tables_table).where(tables_table.c.id == id)
        row = self._read(lambda connection: connection.execute(asked).first())
        if row is None:
            return None
        return TableRecord(
            id=row.id,
            game=row.game,
            title=row.title,
            readings=msgspec.json.decode(row.readings, type=dict[str, str]),
            pack=row.pack,
            gambeson=row.gambeson,
            start=unpacked_state(row.start),
            entities=msgspec.json.decode(row.entities),
            secrets=msgspec.json.decode(row.secrets, type=Secrets),
            revision=row.revision,
        )

    def version(self, id: str) -> int:
        """How many rows a table has."""
        asked = select(tables_table.c.version).where(tables_table.c.id == id)
        return self._read(lambda connection: connection.execute(asked).scalar()) or 0

    # --- rows -------------------------------------------------------------------------------------------------

    def append(self, id: str, after: int, entries: Sequence[Entry]) -> None:
        """Keep rows that follow on row `after`."""
        with self._write() as connection:
            moved = connection.execute(_move_version, {"on": id, "after": after, "now": after + len(entries)})
            if moved.rowcount != 1:
                raise Conflict(id)
            connection.execute(_insert_row, [_row_values(id, entry) for entry in entries])
            self._tell(connection, id, after + len(entries))

    def rows(self, id: str, first: int, last: int | None = None) -> list[Row]:
        """The rows with the versions from `first` to `last`."""
        columns = rows_table.c
        asked = select(columns.body, columns.format).where(columns.table_id == id, columns.version >= first)
        if last is not None:
            asked = asked.where(columns.version <= last)
        found = self._read(lambda connection: connection.execute(asked.order_by(columns.version)).all())
        return [unpacked_row(body, format) for body, format in found]

    def answer(self, id: str, key: str) -> bytes | None:
        """The answer that was kept under a key, or None."""
        asked = select(rows_table.c.answer).where(rows_table.c.table_id == id, rows_table.c.key == key)
        found = self._read(lambda connection: connection.execute(asked).scalar())
        return None if found is None else zlib.decompress(found)

    def keyed(self, id: str) -> list[tuple[int, str]]:
        """(version, key) of every row that has a key."""
        columns = rows_table.c
        asked = select(columns.version, columns.key).where(columns.table_id == id, columns.key.is_not(None))
        found = self._read(lambda connection: connection.execute(asked.order_by(columns.version)).all())
        return [(version, key) for version, key in found]

    # --- snapshots --------------------------------------------------------------------------------------------

    def snapshot(self, id: str) -> Snapshot | None:
        """The newest snapshot, or None. One in a format of another version is left aside: the rows have everything."""
        columns = snapshots_table.c
        asked = select(columns.body).where(columns.table_id == id, columns.format == ROW_FORMAT)
        found = self._read(lambda connection: connection.execute(asked).scalar())
        return None if found is None else unpacked_snapshot(found)

    def keep_snapshot(self, id: str, snapshot: Snapshot) -> None:
        """Keep a snapshot in place of an older one."""
        columns = snapshots_table.c
        body = packed(snapshot)
        with self._write() as connection:
            gone = delete(snapshots_table).where(columns.table_id == id, columns.version < snapshot.version)
            connection.execute(gone)
            if connection.execute(select(columns.version).where(columns.table_id == id)).first() is None:
                connection.execute(
                    insert(snapshots_table).values(table_id=id, version=snapshot.version, format=ROW_FORMAT, body=body)
                )

    # --- seats ------------------------------------------------------------------------------------------------

    def seats(self, id: str) -> tuple[SeatRecord, ...]:
        """The seats of a table."""
        asked = select(seats_table).where(seats_table.c.table_id == id).order_by(seats_table.c.name)
        return tuple(_seat(row) for row in self._read(lambda connection: connection.execute(asked).all()))

    def seat_of(self, token: str, id: str = "") -> SeatRecord | None:
        """The seat that a token with this hash opens, or None."""
        asked = select(seats_table).where(seats_table.c.token == token)
        if id:
            asked = asked.where(seats_table.c.table_id == id)
        row = self._read(lambda connection: connection.execute(asked).first())
        return None if row is None else _seat(row)

    def put_seat(self, seat: SeatRecord) -> None:
        """Keep a seat in place of one with its name."""
        with self._write() as connection:
            connection.execute(_seat_named(seat.table, seat.name))
            connection.execute(insert(seats_table).values(**_seat_values(seat)))
            self._tell(connection, seat.table, 0)

    def remove_seat(self, id: str, name: str) -> bool:
        """Take a seat away."""
        with self._write() as connection:
            gone = connection.execute(_seat_named(id, name)).rowcount
            self._tell(connection, id, 0)
        return gone > 0

    def set_secrets(self, id: str, hidden: Secrets) -> None:
        """Change what is hidden at a table."""
        with self._write() as connection:
            connection.execute(_revise, {"on": id})
            connection.execute(update(tables_table).where(tables_table.c.id == id).values(secrets=_text(hidden)))
            self._tell(connection, id, 0)

    def close(self) -> None:
        """Let go of the database."""
        self._reading.dispose()
        self._writing.dispose()


def _seat_named(id: str, name: str) -> Any:
    return delete(seats_table).where(seats_table.c.table_id == id, seats_table.c.name == name)


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _row_values(id: str, entry: Entry) -> dict[str, Any]:
    return {
        "table_id": id,
        "version": entry.row.version,
        "format": ROW_FORMAT,
        "body": packed(entry.row),
        "key": entry.key or None,
        "answer": zlib.compress(entry.answer, 1) if entry.key else None,
    }


def _seat_values(seat: SeatRecord) -> dict[str, Any]:
    return {
        "table_id": seat.table,
        "name": seat.name,
        "role": seat.role,
        "entities": _text(seat.entities),
        "token": seat.token,
    }


def _seat(row: Any) -> SeatRecord:
    entities = msgspec.json.decode(row.entities, type=tuple[str, ...])
    return SeatRecord(row.table_id, row.name, row.role, entities, row.token)


def _first_line(error: DBAPIError) -> str:
    return (str(error.orig).splitlines() or [type(error.orig).__name__])[0]

"""A table over a store: opened without folding its whole log, brought up to date, written down whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from gambeson.engine.views import Secrets
from gambeson.games import load
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, GambesonError, Unusable
from gambeson.model.messages import message
from gambeson.table.log import Rows
from gambeson.table.saving import FORMAT, Saved, restored
from gambeson.table.stores import SeatRecord, Store, TableRecord, UnusableStore
from gambeson.table.table import Table
from gambeson.table.working import Dice

SNAPSHOT_EVERY = 500
"""Rows between snapshots."""

IN_MEMORY = 1_000
"""Rows of a long log that stay in memory."""


def new_record(id: str, table: Table, title: str = "", secrets: Secrets | None = None) -> TableRecord:
    """What is kept of a table beside its rows."""
    from gambeson import __version__

    return TableRecord(
        id=id,
        game=table.pack.folder,
        title=title,
        readings=dict(table.pack.readings),
        pack=table.pack.hash,
        gambeson=__version__,
        start=table.start,
        entities=dict(table.written),
        secrets=secrets or Secrets(),
    )


def load_table(store: Store, id: str, record: TableRecord, make: Callable[[Pack], Table] = Table) -> Table:
    """The table of this id as it stands. Raises Unusable where its game is not there any more."""
    table = make(load(record.game, record.readings))
    table.written = record.entities
    snapshot = store.snapshot(id)
    if snapshot is None:
        rows = Rows(store.rows(id, 1), read=_reader(store, id))
    else:
        rows = Rows(store.rows(id, snapshot.version + 1), snapshot.version, _reader(store, id))
    table.resume(record.start, rows, snapshot)
    return table


def _reader(store: Store, id: str) -> Callable[[int, int], Sequence[Any]]:
    return lambda first, last: store.rows(id, first, last)


def catch_up(store: Store, id: str, table: Table) -> bool:
    """Take in what others have written; whether there was anything."""
    rows = store.rows(id, table.version + 1)
    if rows:
        table.follow(rows)
    return bool(rows)


def snapshot_due(before: int, now: int) -> bool:
    """Whether a snapshot should be kept after the versions from `before` to `now` were written."""
    return before // SNAPSHOT_EVERY != now // SNAPSHOT_EVERY


def lighten(table: Table) -> None:
    """Let old rows go from memory; they are read again when they are asked for."""
    if table.version > 2 * IN_MEMORY:
        table.rows.forget(table.version - IN_MEMORY)


def saved_whole(store: Store, id: str) -> bytes:
    """The whole table as one document: its log, what is hidden, its seats without their tokens."""
    record = store.record(id)
    if record is None:
        raise UnusableStore(f"there is no table {id}")
    rows = store.rows(id, 1)
    seats = {seat.name: seat.entities for seat in store.seats(id) if seat.role == "player"}
    saved = Saved(
        FORMAT,
        record.gambeson,
        record.game,
        record.pack,
        record.readings,
        record.start,
        tuple(rows),
        record.title,
        record.entities,
        record.secrets,
        seats,
    )
    return msgspec.json.encode(saved)


def checked_whole(saved: Saved) -> Table:
    """The table of a document, which must stand on its own. Raises Unusable."""
    try:
        table = restored(saved)
        for row in table.rows:
            if row.undoes >= row.version or row.completes >= row.version:
                raise Unusable((Fault(("rows", row.version - 1), message("fault.saved.versions")),))
    except Unusable:
        raise
    except (
        GambesonError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise Unusable((Fault(("rows",), message("fault.saved.rows", said=str(error)[:200])),)) from None
    return table


def keep_whole(store: Store, id: str, saved: Saved, seats: Sequence[SeatRecord] = ()) -> Table:
    """Keep a table that was saved as a document, under a new id. Raises Unusable where it holds no table."""
    table = checked_whole(saved)
    record = TableRecord(
        id=id,
        game=saved.game,
        title=saved.title,
        readings=saved.readings,
        pack=saved.pack,
        gambeson=saved.gambeson,
        start=table.start,
        entities=saved.entities,
        secrets=saved.secrets,
    )
    store.create(record, seats, tuple(table.rows))
    return table


def begin(
    store: Store,
    id: str,
    game: str,
    *,
    title: str = "",
    variants: Mapping[str, Any] | None = None,
    entities: Mapping[str, Any] | None = None,
    clock: int = 0,
    dice: Dice | None = None,
) -> TableRecord:
    """Keep a new table of a game. Raises Unusable where the game, a reading or an entity is wrong."""
    record = new_record(id, Table(game, variants=variants, entities=entities, clock=clock, dice=dice), title)
    store.create(record)
    return record

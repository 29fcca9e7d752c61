"""A table as one JSON document, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from gambeson.engine.views import Secrets
from gambeson.games import load
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message
from gambeson.model.values import State
from gambeson.table.log import Row, thawed_row, thawed_state
from gambeson.table.table import Table

FORMAT = 1
"""The format that is written; older ones are lifted step by step by `UPCASTERS`."""

UPCASTERS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""For each older format, what makes the next one of it."""

MOST_BYTES = 64 * 1024 * 1024


class Saved(Struct, frozen=True, omit_defaults=True):
    """A whole table. `pack` is the hash of the rules that wrote it, `gambeson` the engine's version.

    `entities` are those that were there from the start, as they were written down; `secrets` what the referee hides;
    `seats` who plays which entities.
    """

    format: int
    gambeson: str
    game: str
    pack: str
    readings: dict[str, str]
    start: State
    rows: tuple[Row, ...] = ()
    title: str = ""
    entities: dict[str, Any] = {}
    secrets: Secrets = Secrets()
    seats: dict[str, tuple[str, ...]] = {}


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Saved)


def save(table: Table, title: str = "") -> bytes:
    """The table as one JSON document."""
    from gambeson import __version__

    pack = table.pack
    saved = Saved(FORMAT, __version__, pack.folder, pack.hash, pack.readings, table.start, tuple(table.rows), title)
    return _ENCODER.encode(saved)


def decode(data: bytes) -> Saved:
    """The document of a saved table. Raises Unusable where it is none, or of a format that is not known."""
    if len(data) > MOST_BYTES:
        raise Unusable((Fault((), message("fault.saved.too_large", most=MOST_BYTES // (1024 * 1024))),))
    try:
        raw = msgspec.json.decode(data)
        found = raw.get("format") if isinstance(raw, dict) else None
        if type(found) is not int or not 1 <= found <= FORMAT:
            raise Unusable((Fault(("format",), message("fault.saved.format", format=FORMAT)),))
        if found == FORMAT:
            return _DECODER.decode(data)
        for step in range(found, FORMAT):
            raw = UPCASTERS[step](raw)
        return msgspec.convert(raw, Saved)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Unusable((Fault((), message("fault.saved.not_one", said=str(error)[:200])),)) from None


def restore(data: bytes, pack: Pack | None = None) -> Table:
    """The table that a document holds, with its log and whatever waits in it. Raises Unusable."""
    return restored(decode(data), pack)


def restored(saved: Saved, pack: Pack | None = None) -> Table:
    """The table of a decoded document; `pack` stands in for the rules that it names. Raises Unusable."""
    table = Table(pack if pack is not None else load(saved.game, saved.readings))
    rows = tuple(map(thawed_row, saved.rows))
    if [row.version for row in rows] != list(range(1, len(rows) + 1)):
        raise Unusable((Fault(("rows",), message("fault.saved.versions")),))
    table.written = saved.entities
    try:
        table.resume(thawed_state(saved.start), rows)
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable((Fault(("rows",), message("fault.saved.rows", said=str(error)[:200])),)) from None
    return table

"""Replay: the log of a table is worked out anew and compared with what was written."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.pack import Pack
from gambeson.table.log import Row, thawed_state
from gambeson.table.saving import Saved, restored
from gambeson.table.table import Table

EXACT, UNVERIFIED, DIVERGED = "exact", "unverified", "diverged"


class Verdict(Struct, frozen=True):
    """What a replay showed.

    `exact`: the same rules give the same facts. `unverified`: other rules wrote the log, the facts alone were folded.
    `diverged`: the same rules give other facts from `version` on.
    """

    outcome: str
    version: int = 0


def replay(saved: Saved, pack: Pack | None = None) -> Verdict:
    """Work every command of a saved table out anew, with the answers and dice that were given. Raises Unusable."""
    written = restored(saved, pack)
    if written.pack.hash != saved.pack:
        return Verdict(UNVERIFIED)
    anew = Table(written.pack)
    anew.resume(thawed_state(saved.start), ())
    for row in written.rows:
        if len(anew.rows) >= row.version:
            if not _same(anew, row):
                return Verdict(DIVERGED, row.version)
            continue
        _give(anew, row)
        if len(anew.rows) < row.version or not _same(anew, row):
            return Verdict(DIVERGED, row.version)
    return Verdict(EXACT) if anew.state == written.state else Verdict(DIVERGED, len(written.rows))


def _same(anew: Table, row: Row) -> bool:
    """Whether a row came out as it was written; the clock on the wall is not worked out."""
    return replace(anew.rows[row.version - 1], at=row.at) == row


def _give(table: Table, row: Row) -> None:
    """Give one row's input again."""
    if row.undoes:
        table.undo(by=row.by, client=row.client)
    elif row.command is not None:
        table.take_up(row.command, row.answers, row.client)
    else:
        table.take_answers(row.answers, row.by, row.client)

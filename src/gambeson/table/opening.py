"""`Table.open`: the same table, kept in a database; what was accepted is on the disk before the ruling is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.values import REFEREE
from gambeson.table.keeping import begin, catch_up, lighten, load_table, snapshot_due
from gambeson.table.rulings import Ruling
from gambeson.table.stores import Conflict, Entry, Store, Unreachable, UnusableStore, new_id, open_store
from gambeson.table.table import Table
from gambeson.table.working import Dice

TRIES = 6
"""How often a database that does not answer is asked again, after 0.1, 0.2, 0.4, ... seconds."""


class KeptTable(Table):
    """A table in a store. Several processes may hold the same one: each input is applied once, in one order.

    Raises Unreachable where the database stays silent; the table then stands as before.
    """

    def __init__(self, pack: Pack, store: Store, id: str, dice: Dice | None = None) -> None:
        super().__init__(pack, dice=dice)
        self.store = store
        self.id = id
        self._giving = False

    def submit(
        self, command: Command, *, answers: Sequence[str] = (), rolls: Sequence[int] = (), client: str = ""
    ) -> Ruling:
        """Give a command, an answer (`answer`, `roll`) or an `undo`."""
        give = super().submit
        return self._kept(lambda: give(command, answers=answers, rolls=rolls, client=client))

    def answer(self, option: Any, *, by: str = REFEREE, decision: str = "", client: str = "") -> Ruling:
        """Answer the first open choice, or the one with the key `decision`."""
        give = super().answer
        return self._kept(lambda: give(option, by=by, decision=decision, client=client))

    def roll(self, faces: Any, *, by: str = REFEREE, decision: str = "", client: str = "") -> Ruling:
        """Enter dice for the first open roll, or the one with the key `decision`."""
        give = super().roll
        return self._kept(lambda: give(faces, by=by, decision=decision, client=client))

    def undo(self, *, by: str = REFEREE, client: str = "") -> Ruling:
        """Take back the last command that stands, or withdraw the one that waits."""
        give = super().undo
        return self._kept(lambda: give(by=by, client=client))

    def take_up(self, command: Command, answers: tuple[Answer, ...], client: str = "") -> Ruling:
        """Give a command with answers that are keyed already."""
        give = super().take_up
        return self._kept(lambda: give(command, answers, client))

    def take_answers(self, answers: tuple[Answer, ...], by: str, client: str = "") -> Ruling:
        """Give the waiting command answers that are keyed already."""
        give = super().take_answers
        return self._kept(lambda: give(answers, by, client))

    def refresh(self) -> bool:
        """Take in what other processes have written; whether there was anything."""
        return catch_up(self.store, self.id, self)

    def close(self) -> None:
        """Keep a snapshot and let go of the database."""
        if self.version:
            self.store.keep_snapshot(self.id, self.snapshot())
        self.store.close()

    def _kept(self, give: Callable[[], Ruling]) -> Ruling:
        """Work an input out and write it down; worked out anew on what others have written meanwhile."""
        if self._giving:
            return give()
        silent = 0
        sent = new_id()
        while True:
            mark = self.mark()
            self._giving = True
            try:
                ruling = give()
            finally:
                self._giving = False
            rows = self.rows[mark.version :]
            if not rows:
                return ruling
            entries = [Entry(row, f"process/{sent}" if at == 0 else "") for at, row in enumerate(rows)]
            try:
                self._write(mark.version, entries)
                return ruling
            except Conflict:
                self.revert(mark)
                self.refresh()
            except Unreachable:
                self.revert(mark)
                silent += 1
                if silent == TRIES:
                    raise
                time.sleep(0.1 * 2 ** (silent - 1))
                if self._came_through(sent):
                    self.refresh()
                    return ruling

    def _write(self, after: int, entries: Sequence[Entry]) -> None:
        self.store.append(self.id, after, entries)
        if snapshot_due(after, self.version):
            self.store.keep_snapshot(self.id, self.snapshot())
            lighten(self)

    def _came_through(self, sent: str) -> bool:
        """Whether a write whose acknowledgement was lost is there after all."""
        try:
            return self.store.answer(self.id, f"process/{sent}") is not None
        except Unreachable:
            return False


def open_table(
    url: str,
    game: str = "",
    *,
    id: str = "",
    title: str = "",
    variants: Mapping[str, Any] | None = None,
    entities: Mapping[str, Any] | None = None,
    clock: int = 0,
    dice: Dice | None = None,
) -> KeptTable:
    """The table behind a URL: the one with this `id`, else the only one there, else a new one of this `game`.

    `variants`, `entities` and `clock` (seconds) are for a new table, as for `Table`. Raises UnusableStore where the
    URL names no store, no such table, or several without an id; Unusable where the game or an entity is wrong;
    Unreachable where the database does not answer.
    """
    store = open_store(url)
    try:
        there = tuple(known for known, _, _ in store.tables())
        if not id and len(there) > 1:
            raise UnusableStore(f"{len(there)} tables are kept there; name one: id={', '.join(there[:5])}")
        chosen = id or (there[0] if there else new_id())
        record = store.record(chosen)
        if record is None:
            if not game:
                raise UnusableStore(f"no table is kept there{f' as {id}' if id else ''}; name a game to begin one")
            record = begin(
                store, chosen, game, title=title, variants=variants, entities=entities, clock=clock, dice=dice
            )
        elif game and record.game != game:
            raise UnusableStore(f"the table {chosen} is of {record.game}, not of {game}")
        table = load_table(store, chosen, record, lambda pack: KeptTable(pack, store, chosen, dice))
        assert isinstance(table, KeptTable)
        return table
    except BaseException:
        store.close()
        raise

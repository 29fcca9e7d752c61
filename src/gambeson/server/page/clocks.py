"""Clocks that run between commands, in games that are played in real time: from when, and what has just ended."""

from __future__ import annotations

import time
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from gambeson.language.figures import flags
from gambeson.model.events import ClockMoved, EffectBegan, EffectChanged, Event
from gambeson.model.values import Effect, State
from gambeson.server.page.dyes import in_real_time
from gambeson.table.log import Row
from gambeson.table.table import Table

LOOKED_BACK = 500
"""Rows of the log in which the beginnings of clocks are looked for."""

REMINDED = 30
"""Seconds for which somebody is reminded of a flag that is not needed any more."""


class Running:
    """Since when the clocks of a table run.

    What ends by the clock of the game runs on by the clock of the world from the moment when it began, or when the
    clock of the game was moved last, whichever came later: a command that moves it says how late it is.
    """

    def __init__(self) -> None:
        self._version = 0
        self._moved = 0
        self._begun: dict[int, tuple[int, int]] = {}

    def follow(self, table: Table) -> None:
        """Take in what has happened since; what was taken back never was."""
        rows = table.rows[max(self._version, table.version - LOOKED_BACK) :]
        if table.version < self._version or any(row.undoes for row in rows):
            rows = table.rows[max(0, table.version - LOOKED_BACK) :]
            self._moved, self._begun = 0, {}
        undone = {row.undoes: True for row in rows if row.undoes}
        for row in rows:
            self._moved = self._moved or row.at
            for event in _facts(row, undone):
                if isinstance(event, ClockMoved):
                    self._moved, self._begun = row.at, {}
                elif isinstance(event, EffectBegan | EffectChanged):
                    self._begins(event.effect, row.at)
        self._version = table.version

    def _begins(self, effect: Effect, at: int) -> None:
        due = due_of(effect)
        if due and self._begun.get(effect.serial, (0, 0))[0] != due:
            self._begun[effect.serial] = (due, at)

    def ends(self, effect: Effect, clock: int) -> int:
        """When something runs out whose game's clock is at `clock`, in seconds since 1970; 0: not by itself."""
        due = due_of(effect)
        _, since = self._begun.get(effect.serial, (0, self._moved))
        return since + due - clock if due and since else 0


_KNOWN: WeakKeyDictionary[Table, Running] = WeakKeyDictionary()


def running(table: Table) -> Running:
    """The clocks of a table that run by themselves: none in games that are not played in real time."""
    if not in_real_time(table.pack):
        return Running()
    known = _KNOWN.setdefault(table, Running())
    known.follow(table)
    return known


def minutes_of(seconds: int) -> str:
    """A length of time as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02}"


def time_of(clock: int) -> str:
    """A clock in seconds as a time of day."""
    minutes = clock // 60 % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def due_of(effect: Effect) -> int:
    """The second of the game at which something ends by the clock, 0 where it does not."""
    return min((end.due for end in effect.until if end.kind == "clock"), default=0)


def _facts(row: Row, undone: dict[int, bool]) -> Iterable[Event]:
    if row.version not in undone:
        yield from row.events
    if row.completes and row.completes not in undone:
        yield from row.completed


def taken_off(table: Table, now: int | None = None) -> dict[str, dict[str, int]]:
    """The flags that stopped being needed a moment ago, by entity, each with when the reminder ends."""
    if not table.pack.flags:
        return {}
    now = int(time.time()) if now is None else now
    found: dict[str, dict[str, int]] = {}
    later: State = table.state
    for moment in reversed(table.moments()):
        row = table.rows[moment.version - 1]
        ends = row.at + REMINDED
        if moment.before is None or not row.at or ends <= now:
            break
        for id, flag in _ended(table, moment.before, later):
            if flag not in flags(table.pack, table.state.entities[id]):
                found.setdefault(id, {}).setdefault(flag, ends)
        later = moment.before
    return found


def _ended(table: Table, before: State, after: State) -> Iterable[tuple[str, str]]:
    for id, old in before.entities.items():
        if id in after.entities and id in table.state.entities and after.entities[id] is not old:
            worn = flags(table.pack, after.entities[id])
            yield from ((id, flag) for flag in flags(table.pack, old) if flag not in worn)

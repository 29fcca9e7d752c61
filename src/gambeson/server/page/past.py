"""Rulings of rows that were written before, worked out anew on the state of then, as far as a seat may know."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from gambeson.engine.step import step
from gambeson.engine.views import Sight
from gambeson.model.commands import Answer, Command
from gambeson.model.events import fold
from gambeson.model.outcomes import Done
from gambeson.model.values import State
from gambeson.table.log import Row
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.table import Table


def finished(row: Row) -> bool:
    """Whether a command came to an end with this row."""
    return bool(row.completes) or (row.command is not None and not row.waits and not row.undoes)


def rulings(table: Table, versions: Iterable[int]) -> dict[int, Ruling]:
    """The rulings of these rows, by version; rows that ended no command have none."""
    wanted = {version for version in versions if 0 < version <= table.version and finished(table.rows[version - 1])}
    if not wanted:
        return {}
    near = {moment.version: moment.before for moment in table.moments() if moment.before is not None}
    found: dict[int, Ruling | None] = {}
    for version in sorted(wanted):
        row = table.rows[version - 1]
        before = near.get(row.completes or version)
        if before is not None:
            found[version] = _ruling(table, row, before)
    missing = wanted - found.keys()
    if missing:
        found |= _folded(table, missing)
    return {version: ruling for version, ruling in found.items() if ruling is not None}


def _folded(table: Table, wanted: set[int]) -> dict[int, Ruling | None]:
    """The same by folding the log, for rows whose state is not at hand."""
    undone = {row.undoes: True for row in table.rows if row.undoes}
    found: dict[int, Ruling | None] = {}
    kept: dict[int, State] = {}
    state = table.start
    for row in table.rows[: max(wanted)]:
        if row.undoes:
            state = kept.pop(row.undoes, state)
            continue
        before = state
        if row.version in undone:
            kept[row.version] = before
        state = fold(state, row.events)
        if row.completes:
            if row.completes in undone:
                kept[row.completes] = state
            if row.version in wanted:
                found[row.version] = _ruling(table, row, state)
            state = fold(state, row.completed)
        elif row.version in wanted:
            found[row.version] = _ruling(table, row, before)
    return found


def _ruling(table: Table, row: Row, before: State) -> Ruling | None:
    """The ruling of one row; None where the rules of today don't allow what was done then."""
    command, answers = _given(table, row)
    if command is None:
        return None
    outcome = step(table.pack, before, command, answers)
    if not isinstance(outcome, Done):
        return None
    return Ruling(
        table.pack, DONE, before, outcome.state, command, outcome.events, outcome.trace, target=outcome.target
    )


def _given(table: Table, row: Row) -> tuple[Command | None, tuple[Answer, ...]]:
    """The command that ended with a row, and all answers that it rests on."""
    if not row.completes:
        return row.command, row.answers
    first = table.rows[row.completes - 1]
    answers = first.answers
    for later in table.rows[row.completes : row.version]:
        answers += later.answers
    return first.command, answers


def seen(ruling: Ruling, sight: Sight, answers: tuple[Answer, ...] = ()) -> Ruling:
    """A ruling as a seat may read it."""
    if sight.whole:
        return ruling
    return replace(
        ruling,
        before=sight.state(ruling.before),
        after=sight.state(ruling.after),
        command=sight.command(ruling.command) if ruling.command is not None else None,
        events=sight.events(ruling.events),
        trace=sight.trace(ruling.trace, answers),
        target=ruling.target if sight.sees(ruling.target) else "",
    )


def answers_of(table: Table, version: int) -> tuple[Answer, ...]:
    """The answers that the command which ended with this row rests on."""
    return _given(table, table.rows[version - 1])[1]

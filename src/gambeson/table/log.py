"""The log of a table: one row for each accepted input, and the fold that makes a state of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast, overload

from msgspec import Struct
from msgspec.structs import replace

from gambeson.model.commands import Answer, Command
from gambeson.model.events import EffectBegan, EffectChanged, EntityAdded, Event, FactSet, PoolSet, apply, thaw
from gambeson.model.values import State, frozen


class Row(Struct, frozen=True, omit_defaults=True):
    """One accepted input and one version.

    `kind` is `command`, `edit`, `answer` or `undo`. `events` are the facts of this input itself; `completed` those of
    the waiting command (row `completes`) that this input completed. `waits`: the command paused. `undoes` names the
    row that an undo takes back. `client` is the sender's own id of the input. `at` is when it was accepted, in seconds
    since 1970 by the clock of the server; 0 where nobody looked at a clock.
    """

    version: int
    kind: str
    by: str
    command: Command | None = None
    answers: tuple[Answer, ...] = ()
    events: tuple[Event, ...] = ()
    completes: int = 0
    completed: tuple[Event, ...] = ()
    undoes: int = 0
    waits: bool = False
    client: str = ""
    at: int = 0

    def dice(self) -> bool:
        """Whether dice were entered with this input."""
        return any(isinstance(answer.value, tuple) for answer in self.answers)


def thawed_row(row: Row) -> Row:
    """A decoded row with its facts as states hold them: what JSON made lists is tuples again."""
    command = row.command
    if command is not None and command.fields:
        command = Command(command.name, frozen(command.fields), command.by)
    return replace(row, command=command, events=_thawed(row.events), completed=_thawed(row.completed))


_CARRYING = (PoolSet, EffectBegan, EffectChanged, EntityAdded, FactSet)
"""The events that carry facts of any form."""


def _thawed(events: tuple[Event, ...]) -> tuple[Event, ...]:
    if not any(isinstance(event, _CARRYING) for event in events):
        return events
    return tuple(_deep(event) if isinstance(event, _CARRYING) else event for event in events)


def _deep(value: Any) -> Any:
    if isinstance(value, Struct):
        return type(value)(**{name: _deep(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, list | tuple):
        return tuple(_deep(item) for item in value)
    if isinstance(value, dict):
        return {key: _deep(item) for key, item in value.items()}
    return value


def thawed_state(state: State) -> State:
    """A decoded state with its facts as states hold them."""
    return cast(State, _deep(state))


def fold_rows(start: State, rows: Iterable[Row]) -> State:
    """The state that the rows make; what was undone is skipped together with the row that undid it."""
    rows = tuple(rows)
    undone = {row.undoes: True for row in rows if row.undoes}
    world = thaw(start)
    for row in rows:
        if row.version not in undone:
            for event in row.events:
                apply(world, event)
        if row.completes and row.completes not in undone:
            for event in row.completed:
                apply(world, event)
    return world.frozen()


class Snapshot(Struct, frozen=True, omit_defaults=True):
    """Where a table stood at one version, so that it opens without folding its whole log.

    `undoable` are the rows that could be undone, oldest first, as runs (first, last); `before` the states before the
    newest of them. `open_row` is the row of the command that waited (0: none), with the answers given so far.
    """

    version: int
    state: State
    undoable: tuple[tuple[int, int], ...] = ()
    before: tuple[State, ...] = ()
    open_row: int = 0
    command: Command | None = None
    answers: tuple[Answer, ...] = ()


def runs(versions: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Numbers as runs (first, last) of one more each time."""
    found: list[tuple[int, int]] = []
    for version in versions:
        if found and found[-1][1] + 1 == version:
            found[-1] = (found[-1][0], version)
        else:
            found.append((version, version))
    return tuple(found)


_READ_AT_ONCE = 5_000


class Rows(Sequence[Row]):
    """The rows of a log in order: the newest are in memory, the `earlier` ones are read when they are asked for.

    `read(first, last)` gives the rows with these versions, both included.
    """

    def __init__(
        self,
        rows: Iterable[Row] = (),
        earlier: int = 0,
        read: Callable[[int, int], Sequence[Row]] | None = None,
    ) -> None:
        self._recent = list(rows)
        self._earlier = earlier
        self._read = read

    def __len__(self) -> int:
        return self._earlier + len(self._recent)

    def __iter__(self) -> Iterator[Row]:
        for first in range(0, len(self), _READ_AT_ONCE):
            yield from self._between(first, min(first + _READ_AT_ONCE, len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            return self._between(first, last)[::step] if step > 0 else self._between(0, len(self))[index]
        at = index if index >= 0 else len(self) + index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._between(at, at + 1)[0]

    def _between(self, first: int, last: int) -> list[Row]:
        """The rows at the positions from `first` up to `last`, which is not included."""
        earlier = self._earlier
        rows: list[Row] = []
        if first < earlier and first < last:
            assert self._read is not None
            rows = list(self._read(first + 1, min(last, earlier)))
        return rows + self._recent[max(0, first - earlier) : max(0, last - earlier)]

    def up_to(self, version: int) -> Rows:
        """The rows up to this version, none of them in memory where they can be read again."""
        if self._read is not None:
            return Rows((), version, self._read)
        return Rows(self._between(0, version))

    def append(self, row: Row) -> None:
        """A row is added at the end."""
        self._recent.append(row)

    def cut(self, length: int) -> None:
        """Take the newest rows off, so that `length` are left."""
        del self._recent[length - self._earlier :]

    def forget(self, version: int) -> None:
        """Keep the rows up to this version no longer in memory, where they can be read again."""
        if self._read is not None and version > self._earlier:
            del self._recent[: version - self._earlier]
            self._earlier = version

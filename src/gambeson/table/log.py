"""The log of a table: one row for each accepted input, and the fold that makes a state of them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from gambeson.model.commands import Answer, Command
from gambeson.model.events import Event, World, apply
from gambeson.model.values import State


class Row(Struct, frozen=True, omit_defaults=True):
    """One accepted input and one version.

    `kind` is `command`, `edit`, `answer` or `undo`. `events` are the facts of this input itself; `completed` those of
    the waiting command (row `completes`) that this input completed. `waits`: the command paused. `undoes` names the
    row that an undo takes back. `client` is the sender's own id of the input.
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

    def dice(self) -> bool:
        """Whether dice were entered with this input."""
        return any(isinstance(answer.value, tuple) for answer in self.answers)


def fold_rows(start: State, rows: Iterable[Row]) -> State:
    """The state that the rows make; what was undone is skipped together with the row that undid it."""
    rows = tuple(rows)
    undone = {row.undoes: True for row in rows if row.undoes}
    world = World(start)
    for row in rows:
        if row.version not in undone:
            for event in row.events:
                apply(world, event)
        if row.completes and row.completes not in undone:
            for event in row.completed:
                apply(world, event)
    return world.frozen()

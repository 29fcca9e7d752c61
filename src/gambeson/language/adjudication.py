"""What a rule is handed: the eight members through which it sees and acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from gambeson.language.throws import Readable, Rest
from gambeson.model.events import Event, World
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import Question
from gambeson.model.values import State

if TYPE_CHECKING:
    from gambeson.language.pack import Pack


class Adjudication(Protocol):
    """One command being worked out.

    `state` is the working copy as it is now, `start` the state before the command. `ask` puts one or several
    questions at one moment and gives the chosen option ids; `roll` gives the reading of the dice; `change` writes
    an event and what follows from it; `note` adds a row to the trace; `refuse` ends the command with the refusal
    whose rule id is lowest. `ask`, `roll` and `refuse` leave the rule where an answer is missing or play is illegal.
    """

    pack: Pack
    state: World
    start: State

    def ask(self, *questions: Question) -> tuple[str, ...]:
        """The chosen option of each question, all put at one moment."""
        ...

    def roll(self, question: Question | tuple[Question, ...], reading: Readable, rest: Rest | None = None) -> Any:
        """What the reading makes of the dice of this question, or of several that are put at one moment.

        `rest` may tell everything of what came before in this command that still matters: where that is equal,
        whoever lists all outcomes need not go the rest of the way twice.
        """
        ...

    def change(self, event: Event) -> None:
        """Write a fact, then settle what follows from it."""
        ...

    def note(self, row: TraceRow) -> None:
        """Add a row to the trace."""
        ...

    def refuse(self, *refusals: Refusal) -> NoReturn:
        """Leave the command: it is illegal."""
        ...

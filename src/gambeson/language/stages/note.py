"""note: the figure that is left here keeps a name for later stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.stages.base import ALWAYS, Runs, Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow


class Note(Stage, frozen=True, kw_only=True, tag="note"):
    """`name` is what the figure is kept under; the trace does not show it."""

    runs: Runs = ALWAYS
    name: str

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Keep what is left now."""
        blow.noted[self.name] = blow.amount

    def lower(self, program: Program) -> None:
        """The same in a program."""
        program.noted[self.name] = program.amount

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.note", name=self.name)

"""call: what must be shouted when the hit came out as it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.stages.base import ALWAYS, Runs, Stage
from gambeson.model.events import Called
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow


class CallStage(Stage, frozen=True, kw_only=True, tag="call"):
    """`text` is shouted, the same in every language; `when` says after which hits."""

    runs: Runs = ALWAYS
    text: str

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Shout."""
        self.row(turn, blow, blow.amount, message("trace.call", text=self.text))
        turn.change(Called(blow.target, self.text, self.rule))

    def lower(self, program: Program) -> None:
        """A shout changes nothing."""

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.call", text=self.text)

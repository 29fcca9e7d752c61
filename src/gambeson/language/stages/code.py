"""code: a function of the game's own, under its rule id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.functions import Function
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow


class Code(Stage, frozen=True, kw_only=True, tag="code"):
    """`function` is called with the adjudication and the blow; it leaves its own rows."""

    runs: Runs = ZERO
    function: Function

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Let the game's own function do it."""
        self.function.call(turn, blow, self)

    def describe(self) -> Message:
        """What the function's docstring says of its rule."""
        return Message(f"stage.code.{self.function.name}")

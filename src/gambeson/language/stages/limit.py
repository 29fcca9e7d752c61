"""limit: more damage than a given number becomes that number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.lowering import larger
from gambeson.language.stages.base import Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

WITHIN = Message("trace.limit.within")


class Limit(Stage, frozen=True, kw_only=True, tag="limit"):
    """`to` is the most that is left of the blow; the rest is cut off."""

    to: int

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Cut what is above the limit."""
        before = blow.amount
        if before <= self.to:
            return WITHIN
        blow.take(before - self.to)
        self.row(turn, blow, before, message("trace.limit.cut", to=self.to, cut=before - self.to))
        return None

    def lower(self, program: Program) -> None:
        """The same in a program."""
        program.take(larger(0, program.amount - self.to), self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.limit", to=self.to)

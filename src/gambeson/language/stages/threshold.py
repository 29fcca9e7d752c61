"""threshold: a hit whose sum stays below a number does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.lowering import choose
from gambeson.language.predicates import Formula
from gambeson.language.stages.base import Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NONE = Message("trace.threshold.none")


class Threshold(Stage, frozen=True, kw_only=True, tag="threshold"):
    """`at` is the sum from which on the hit works; 0 means that there is none. It reads the sum, parts stay apart."""

    at: Formula

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Below the threshold every part becomes 0."""
        threshold = self.at.value(blow)
        if not threshold:
            return NONE
        before = blow.amount
        if before < threshold:
            for portion in blow.portions:
                portion.amount = 0
            self.row(turn, blow, before, message("trace.threshold.below", threshold=threshold, sum=before))
        else:
            self.row(turn, blow, before, message("trace.threshold.reached", threshold=threshold, sum=before))
        return None

    def lower(self, program: Program) -> None:
        """The same in a program."""
        below = program.amount < program.worth(self.at)
        for share in program.shares:
            share.amount = program.let(share.type or "damage", choose(below, 0, share.amount), self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.threshold", at=self.at.text)

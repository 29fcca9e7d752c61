"""save: a saving throw that succeeded halves the damage or takes it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.arithmetic import Rounding, halves
from gambeson.language.lowering import choose, halved, larger, later, smaller
from gambeson.language.predicates import Predicate
from gambeson.language.stages.base import Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NO_SAVE = Message("trace.save.none")


class Save(Stage, frozen=True, kw_only=True, tag="save"):
    """`none` and `half` say when the damage becomes 0 and when each part is halved; `none` is looked at first."""

    none: Predicate
    half: Predicate
    rounding: Rounding = "down"
    least: int = 0

    NEEDS = "parts"

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Halve or cancel each part."""
        before = blow.amount
        if self.none.holds(blow):
            for portion in blow.portions:
                portion.amount = 0
            self.row(turn, blow, before, Message("trace.save.cancelled"))
        elif self.half.holds(blow):
            for portion in blow.portions:
                portion.amount = max(halves(portion.amount, 2, self.rounding), min(self.least, portion.amount))
            self.row(turn, blow, before, Message("trace.save.halved"))
        else:
            return NO_SAVE
        return None

    def lower(self, program: Program) -> None:
        """The same in a program."""
        none, half = program.holds(self.none), program.holds(self.half)
        if half.fixed != 0:
            later(program, self.rounding)
        for share in program.shares:
            was = share.amount
            less = larger(halved(was, 2, self.rounding), smaller(self.least, was)) if half.fixed != 0 else was
            kept = choose(none, 0, choose(half, less, was))
            share.amount = program.let(share.type or "damage", kept, self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.save", none=self.none.text, half=self.half.text)

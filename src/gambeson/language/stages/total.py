"""total: from here on the parts are one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.arithmetic import Rounding, whole
from gambeson.language.lowering import Share, choose, larger
from gambeson.language.scope import Portion
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow


class Total(Stage, frozen=True, kw_only=True, tag="total"):
    """Add the parts up; types do not matter any more. `rounding` is that of fractions that stages before have left.

    With `least`, a sum above 0 is at least that.
    """

    rounding: Rounding = "down"
    least: int = 0

    runs: Runs = ZERO
    GIVES = "sum"

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """One portion without a type takes the place of all."""
        before = blow.amount
        amount = max(whole(before, self.rounding), self.least if before else 0)
        blow.portions = [Portion(amount, "")]
        self.row(turn, blow, whole(before, self.rounding), message("trace.total", amount=amount))

    def lower(self, program: Program) -> None:
        """The same in a program."""
        amount = program.amount
        least = choose(amount > 0, larger(amount, self.least), 0)
        program.shares = [Share(program.let("damage", least, self.rule), "")]

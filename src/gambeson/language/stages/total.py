"""total: from here on the parts are one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.scope import Portion
from gambeson.language.stages.base import ZERO, Stage
from gambeson.model.messages import message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow


class Total(Stage, frozen=True, kw_only=True, tag="total"):
    """Add the parts up; types do not matter any more."""

    runs: str = ZERO
    GIVES = "sum"

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """One portion without a type takes the place of all."""
        amount = blow.amount
        blow.portions = [Portion(amount, "")]
        self.row(turn, blow, amount, message("trace.total", amount=amount))

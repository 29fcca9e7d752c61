"""at_zero: what becomes of a target whose life layer was emptied, or that was struck when it was empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.figures import pool_of
from gambeson.language.outcomes import Outcome, first_of
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

ABOVE = Message("trace.at_zero.above")


class AtZero(Stage, frozen=True, kw_only=True, tag="at_zero"):
    """`falls` are the outcomes when the hit emptied `layer`, `below` those of damage (noted as `taken`) at 0.

    Of each list the first that holds happens.
    """

    runs: Runs = ZERO
    layer: str
    taken: str
    falls: tuple[Outcome, ...]
    below: tuple[Outcome, ...] = ()

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Find the outcome and let it happen."""
        entity = blow.entity
        if pool_of(entity, self.layer).current or not blow.noted.get(self.taken):
            return ABOVE
        outcome = first_of(self.falls if blow.lost.get(self.layer) else self.below, blow)
        if outcome is None:
            return ABOVE
        note = message("trace.at_zero.happens", conditions=outcome.marks, counts=tuple(outcome.adds))
        self.row(turn, blow, blow.amount, note, outcome.rule)
        outcome.happen(turn, blow.target)
        return None

    def lower(self, program: Program) -> None:
        """At 0 a fight is over (see `simulate.ends`), so nothing of this is left to a program."""

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.at_zero", layer=self.layer)

"""until_hit: what lasts until the next hit is over with it, whatever becomes of the hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import end_effect
from gambeson.language.durations import HIT
from gambeson.language.stages.base import ALWAYS, Runs, Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow


class UntilHit(Stage, frozen=True, kw_only=True, tag="until_hit"):
    """Effects on the target that last until the next hit end. Without any there is no row of it."""

    runs: Runs = ALWAYS

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """End them, oldest first."""
        if not blow.start.effects:
            return
        ended = tuple(one for one in blow.start.effects if any(end.kind == HIT for end in one.until))
        if not ended:
            return
        names = tuple(effect.name for effect in ended)
        self.row(turn, blow, blow.amount, message("trace.until_hit.ended", ended=names))
        for effect in ended:
            end_effect(turn, blow.target, effect, self.rule)

    def lower(self, program: Program) -> None:
        """Nothing that was there before the fight may wait for the next hit."""
        if any(end.kind == HIT for effect in program.entity.effects for end in effect.until):
            program.refuse(HIT)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.until_hit")

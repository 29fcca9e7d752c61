"""riders: conditions that were declared with the hit and land with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambeson.language.deeds import add_condition
from gambeson.language.figures import own_conditions
from gambeson.language.lowering import NO, YES, Value, either
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.mark.nothing")


class Riders(Stage, frozen=True, kw_only=True, tag="riders"):
    """`reads` names the field of the hit that lists `{condition, when}`.

    `when` is `hit` (whenever the hit lands), `damage` (if the figure noted as `taken` is above 0) or `loss` (if one of
    the `layers` lost points).
    """

    runs: Runs = ZERO
    reads: str
    taken: str
    layers: tuple[str, ...]

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Bring the conditions, in listed order."""
        listed: tuple[dict[str, Any], ...] = blow.values.get(self.reads, ())
        landing = [rider["condition"] for rider in listed if self._lands(blow, rider["when"])]
        if not landing:
            return NOTHING
        self.row(turn, blow, blow.amount, message("trace.mark.left", conditions=tuple(landing)))
        for condition in landing:
            if blow.target in turn.state.entities:
                add_condition(turn, blow.target, condition, self.rule)
        return None

    def _lands(self, blow: Blow, when: str) -> bool:
        if when == "damage":
            return bool(blow.noted.get(self.taken))
        return when == "hit" or any(blow.lost.get(layer) for layer in self.layers)

    def lower(self, program: Program) -> None:
        """The same in a program: each condition is a number of the fight, 1 once it is there."""
        for rider in program.hit.facts.get(self.reads, ()):
            name = f"condition.{rider['condition']}"
            there = program.count(name, int(rider["condition"] in own_conditions(program.entity)))
            program.keep(name, either(there, self._lower_landing(program, rider["when"])), self.rule)

    def _lower_landing(self, program: Program, when: str) -> Value:
        if when == "damage":
            return program.noted.get(self.taken, NO) > 0
        lost = NO
        for layer in self.layers:
            lost += program.lost.get(layer, NO)
        return YES if when == "hit" else lost > 0

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.riders", reads=self.reads)

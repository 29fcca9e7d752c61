"""check: whoever concentrates and takes damage rolls, or lets everything go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.concentration import BROKEN, let_go
from gambeson.language.dice import Single
from gambeson.language.predicates import Formula
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message, message
from gambeson.model.questions import DiceGroup, Question

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow


class Check(Stage, frozen=True, kw_only=True, tag="check"):
    """One die of `sides` and `bonus` must reach `against`, else the target's concentration is broken.

    `when` says after which hits. `name` is what the roll is called.
    """

    runs: Runs = ZERO
    otherwise: str = "trace.check.none"
    bonus: Formula
    against: Formula
    sides: int = 20
    name: str = "concentration"

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Roll, then keep or lose it."""
        entity = blow.entity
        against, bonus = self.against.value(blow), self.bonus.value(blow)
        question = Question(
            f"{self.name}:{entity.id}{blow.values.get('via', '')}",
            entity.id,
            self.rule,
            message("question.check", entity=entity.name, name=self.name, against=against, bonus=bonus),
            dice=(DiceGroup(1, self.sides, entity.id),),
        )
        held: bool = turn.roll(question, Single(against, bonus))
        note = message("trace.check.held" if held else "trace.check.lost", name=self.name, against=against)
        self.row(turn, blow, blow.amount, note)
        if not held:
            let_go(turn, entity.id, self.rule, BROKEN)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.check", name=self.name, against=self.against.text)

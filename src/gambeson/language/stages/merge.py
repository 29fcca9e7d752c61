"""merge: parts of one type become one, and the parts are put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gambeson.language.lowering import Share, by_size
from gambeson.language.scope import Portion
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow


class Merge(Stage, frozen=True, kw_only=True, tag="merge"):
    """`same_type`: `merged` (at the place of the first) or `separate`; `order`: `listed` or `largest_first`.

    It prepares a hit of several parts; one of a single part has no row of it.
    """

    runs: Runs = ZERO
    same_type: Literal["merged", "separate"] = "merged"
    order: Literal["listed", "largest_first"] = "listed"

    NEEDS = "parts"

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Merge, then order."""
        if len(blow.portions) == 1:
            return
        if self.same_type == "merged":
            merged: dict[str, Portion] = {}
            for portion in blow.portions:
                first = merged.setdefault(portion.type, portion)
                if first is not portion:
                    first.amount += portion.amount
            blow.portions = list(merged.values())
        if self.order == "largest_first":
            blow.portions.sort(key=lambda portion: -portion.amount)
        self.row(turn, blow, blow.amount, message("trace.merge.parts", parts=listed(blow)))

    def lower(self, program: Program) -> None:
        """The same in a program."""
        if len(program.shares) == 1:
            return
        if self.same_type == "merged":
            merged: dict[str, Share] = {}
            for share in program.shares:
                first = merged.setdefault(share.type, share)
                if first is not share:
                    first.amount = program.let(first.type or "damage", first.amount + share.amount, self.rule)
            program.shares = list(merged.values())
        if self.order == "largest_first" and len(program.shares) > 1:
            program.put(by_size(program, program.shares, self.rule))

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.merge", same_type=self.same_type, order=self.order)


def listed(blow: Blow) -> tuple[Message, ...]:
    """The portions of a blow, to be said."""
    return tuple(message("trace.part", amount=portion.amount, type=portion.type) for portion in blow.portions)

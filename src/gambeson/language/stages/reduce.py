"""reduce: points come off the damage, in order over the parts, or from each type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gambeson.language.figures import amounts
from gambeson.language.lowering import by_size, choose, fixed, larger, smaller
from gambeson.language.predicates import Formula
from gambeson.language.stages.base import Stage
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.reduce.nothing")
EVERY_TYPE = "all"


class Reduce(Stage, frozen=True, kw_only=True, tag="reduce"):
    """Either `by`: a formula whose points come off the parts in listed order, or `reads`: points for types.

    With `reads`, a type's own entry and the entry `all` both match: `combine` says whether the `greatest` counts or
    their `sum`. `scope` says whether the entry `all` works on `each_part` or `once` over the hit, after the types' own,
    and `order` whether the parts lose its points as `listed` or `largest_first`.
    """

    by: Formula | None = None
    reads: str = ""
    combine: Literal["greatest", "sum"] = "greatest"
    scope: Literal["each_part", "once"] = "each_part"
    order: Literal["listed", "largest_first"] = "listed"

    NEEDS = "parts"

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Take the points off, no part below 0."""
        before = blow.amount
        if self.by is not None:
            offered = self.by.value(blow)
            off = blow.take(offered)
            self.row(turn, blow, before, message("trace.reduce.points", off=off, offered=offered))
            return None
        entries = amounts(blow.pack, blow.entity, self.reads)
        if not entries:
            return NOTHING
        self._by_type(blow, entries)
        after = blow.amount
        if after == before and not any(entries.get(p.type, 0) or entries.get(EVERY_TYPE, 0) for p in blow.portions):
            return NOTHING
        self.row(turn, blow, before, message("trace.reduce.points", off=before - after, offered=before - after))
        return None

    def _by_type(self, blow: Blow, entries: dict[str, int]) -> None:
        general = entries.get(EVERY_TYPE, 0)
        left = general
        portions = blow.portions
        if self.order == "largest_first":
            portions = sorted(portions, key=lambda portion: -portion.amount)
        for portion in portions:
            own = entries.get(portion.type, 0)
            if self.scope == "each_part":
                left = general
            off = own + left if self.combine == "sum" else max(own, left)
            taken = min(portion.amount, off)
            portion.amount -= taken
            if self.scope == "once":
                left -= max(0, taken - own) if self.combine == "sum" else (taken if left > own else 0)

    def lower(self, program: Program) -> None:
        """The same in a program."""
        if self.by is not None:
            program.take(program.worth(self.by), self.rule)
            return
        entries = amounts(program.pack, program.entity, self.reads)
        if not entries:
            return
        general = entries.get(EVERY_TYPE, 0)
        turns = program.turns()
        if general and self.scope == "once" and self.order == "largest_first":
            turns = by_size(program, program.shares, self.rule)
        left = fixed(general)
        for share, here in turns:
            own = entries.get(share.type, 0)
            if self.scope == "each_part":
                left = fixed(general)
            offered = left + own if self.combine == "sum" else larger(own, left)
            off = program.let("off", choose(here, smaller(share.amount, offered), 0), self.rule)
            rest = (share.amount - off).within(0, share.amount.most)
            share.amount = program.let(share.type or "damage", rest, self.rule)
            if self.scope == "once":
                used = larger(0, off - own) if self.combine == "sum" else choose(left > own, off, 0)
                left = program.let("left", (left - used).within(0, general), self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        if self.by is not None:
            return message("stage.reduce.by", by=self.by.text)
        return message("stage.reduce.reads", reads=self.reads, combine=self.combine)

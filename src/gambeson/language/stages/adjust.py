"""adjust: bonuses, penalties and multipliers that come with the attack, in the order given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambeson.language.arithmetic import Rounding, halves
from gambeson.language.lowering import YES, Share, both, choose, fixed, halved, larger, later, negated, smaller
from gambeson.language.scope import Portion
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.messages import Message, message
from gambeson.model.values import LARGEST_FIGURE

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.adjust.nothing")


class Adjust(Stage, frozen=True, kw_only=True, tag="adjust"):
    """`reads` names the field of the hit that lists `{add}`, `{multiply}` and `{divide}`, perhaps with a `type`."""

    runs: Runs = ZERO
    reads: str
    rounding: Rounding = "down"
    least: int = 0

    NEEDS = "parts"

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Apply the entries one by one, no part below 0."""
        listed: tuple[dict[str, Any], ...] = blow.values.get(self.reads, ())
        if not listed:
            return NOTHING
        before = blow.amount
        for entry in listed:
            self._apply(blow, entry)
        if blow.amount > LARGEST_FIGURE:
            turn.refuse(blow.pack.too_large(f"hit.{self.reads}"))
        self.row(turn, blow, before, message("trace.adjust.entries", entries=len(listed)))
        return None

    def _apply(self, blow: Blow, entry: dict[str, Any]) -> None:
        type = entry.get("type")
        matching = [portion for portion in blow.portions if type is None or portion.type == type]
        if "add" in entry:
            add = entry["add"]
            if add >= 0:
                if matching:
                    matching[0].amount += add
                elif type is not None:
                    blow.portions.append(Portion(add, type))
                return
            left = -add
            for portion in matching:
                off = min(portion.amount, left)
                portion.amount -= off
                left -= off
            return
        for portion in matching:
            if "multiply" in entry:
                portion.amount *= entry["multiply"]
            else:
                least = min(self.least, portion.amount)
                portion.amount = max(halves(portion.amount, entry["divide"], self.rounding), least)

    def lower(self, program: Program) -> None:
        """The same in a program."""
        for entry in program.hit.facts.get(self.reads, ()):
            self._lower_entry(program, entry)

    def _lower_entry(self, program: Program, entry: dict[str, Any]) -> None:
        type = entry.get("type")
        matching = [turn for turn in program.turns() if type is None or turn[0].type == type]
        if "add" in entry and entry["add"] >= 0:
            first = YES
            for share, here in matching:
                share.amount += choose(both(first, here), entry["add"], 0)
                first = both(first, negated(here))
            if not matching and type is not None:
                program.shares.append(Share(fixed(entry["add"]), type))
            return
        left = fixed(-entry["add"] if "add" in entry else 0)
        for share, here in matching:
            if "add" in entry:
                off = program.let("off", choose(here, smaller(share.amount, left), 0), self.rule)
                left = (left - off).within(0, left.most)
                kept = (share.amount - off).within(0, share.amount.most)
            elif "multiply" in entry:
                kept = choose(here, share.amount * entry["multiply"], share.amount)
            else:
                later(program, self.rounding)
                least = smaller(self.least, share.amount)
                less = larger(halved(share.amount, entry["divide"], self.rounding), least)
                kept = choose(here, less, share.amount)
            share.amount = program.let(share.type or "damage", kept, self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.adjust", reads=self.reads)

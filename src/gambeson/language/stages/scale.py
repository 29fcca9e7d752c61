"""scale: damage of some types is made 0, halved or doubled by what the target is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from gambeson.language.arithmetic import Rounding, halves
from gambeson.language.figures import entries
from gambeson.language.lowering import NO, Value, choose, halved, larger, later, smaller
from gambeson.language.stages.base import Stage
from gambeson.model.messages import Message, message
from gambeson.model.values import LARGEST_FIGURE

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.scale.nothing")


class Scale(Stage, frozen=True, kw_only=True, tag="scale"):
    """`zero`, `halve` and `double` name the target's lists of types (`all` matches every type; `unless` excepts).

    Where both halving and doubling match, `both` says whether they `cancel` or work `in_order`. `rounding` is that
    of the halving, for each part; `least` is what a halving of something leaves at least. The rules beside each name
    are cited where it applies.
    """

    zero: str = ""
    zero_rule: str = ""
    halve: str = ""
    halve_rule: str = ""
    double: str = ""
    double_rule: str = ""
    both: Literal["cancel", "in_order"] = "cancel"
    rounding: Rounding = "down"
    least: int = 0

    NEEDS = "parts"

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Change each part by its type."""
        before = blow.amount
        said: list[Message] = []
        rule = ""
        for portion in blow.portions:
            factor = "plain" if portion.changed else self.factor(blow, portion.type)
            if factor == "plain" or not portion.amount:
                continue
            was = portion.amount
            portion.amount = self.changed(was, factor)
            rule = rule or self._rule(factor)
            said.append(message(f"trace.scale.{factor}", type=portion.type, was=was, now=portion.amount))
        if blow.amount > LARGEST_FIGURE:
            turn.refuse(blow.pack.too_large("damage"))
        if said:
            self.row(turn, blow, before, message("trace.scale.parts", parts=tuple(said)), rule)
        else:
            return NOTHING
        return None

    def factor(self, blow: Blow | Program, type: str) -> str:
        """What happens to damage of a type: `zero`, `halve`, `double`, `both` or `plain`."""
        entity, words = blow.entity, blow.words
        if self.zero and matches(entries(entity, self.zero), type, words):
            return "zero"
        halved = bool(self.halve) and matches(entries(entity, self.halve), type, words)
        doubled = bool(self.double) and matches(entries(entity, self.double), type, words)
        if halved and doubled:
            return "both"
        return "halve" if halved else "double" if doubled else "plain"

    def changed(self, amount: int, factor: str) -> int:
        """The amount after a factor."""
        match factor:
            case "zero":
                return 0
            case "halve":
                return self._half(amount)
            case "double":
                return amount * 2
            case "both" if self.both == "in_order":
                return self._half(amount) * 2
            case _:
                return amount

    def stopped(self, points: int, factor: str) -> int:
        """How much unchanged damage this many points of a pool behind this change pay for."""
        if factor == "halve":
            return points * 2
        return points // 2 if factor == "double" else points

    def _half(self, amount: int) -> int:
        return max(halves(amount, 2, self.rounding), min(self.least, amount))

    def _rule(self, factor: str) -> str:
        rules = {"zero": self.zero_rule, "halve": self.halve_rule, "double": self.double_rule, "both": self.double_rule}
        return rules[factor]

    def lower(self, program: Program) -> None:
        """The same in a program: the types are known before the fight."""
        for share in program.shares:
            factor = self.factor(program, share.type)
            if factor != "plain":
                if factor != "zero" and self.halve:
                    later(program, self.rounding)
                kept = choose(share.changed, share.amount, self.lowered(share.amount, factor))
                share.amount = program.let(share.type or "damage", kept, self.rule)

    def lowered(self, amount: Value, factor: str) -> Value:
        """The amount after a factor (the counterpart of `changed`)."""
        half = larger(halved(amount, 2, self.rounding), smaller(self.least, amount))
        match factor:
            case "zero":
                return NO
            case "halve":
                return half
            case "double":
                return amount * 2
            case "both" if self.both == "in_order":
                return half * 2
            case _:
                return amount

    def lowered_stop(self, points: Value, factor: str) -> Value:
        """How much unchanged damage points pay for (the counterpart of `stopped`)."""
        if factor == "halve":
            return points * 2
        return points // 2 if factor == "double" else points

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message(
            "stage.scale", zero=self.zero, halve=self.halve, double=self.double, both=self.both, rounding=self.rounding
        )


def matches(listed: tuple[Any, ...], type: str, words: tuple[str, ...]) -> bool:
    """Whether a list of types has this one, or `all`; an entry `{type, unless}` does not count against those words."""
    for entry in listed:
        if isinstance(entry, dict):
            if entry["type"] in (type, "all") and not any(word in words for word in entry.get("unless", ())):
                return True
        elif entry == type or entry == "all":
            return True
    return False

"""requirement: who can be harmed only by certain words takes no damage from a hit without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gambeson.language.figures import entries
from gambeson.language.lowering import NO, YES, Value, both, choose, either, negated
from gambeson.language.predicates import Predicate
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.language.words import meets
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NONE = Message("trace.requirement.none")
OFF = Message("trace.requirement.off")


class Requirement(Stage, frozen=True, kw_only=True, tag="requirement"):
    """`reads` names the target's list of words; `off` lifts it; `wounds` says whether wounds called by name pass it."""

    runs: Runs = ZERO
    reads: str
    off: Predicate | None = None
    wounds: Literal["passes", "stops"] = "passes"

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Take the damage away; what else the hit carries still lands."""
        required = entries(blow.entities[blow.target], self.reads)
        if not required:
            return NONE
        wounding = bool(blow.noted.get("wound")) and self.wounds == "stops"
        unknown = bool(blow.noted.get("unknown")) and bool(blow.words)
        if blow.amount == 0 and not unknown and not wounding:
            return NONE
        if self.off is not None and self.off.holds(blow):
            return OFF
        if meets(blow.pack.words.known, blow.words, required):
            return message("trace.requirement.met", required=required)
        before = blow.amount
        for portion in blow.portions:
            portion.amount = 0
        blow.noted["unknown"] = False
        blow.noted["damage_stopped"] = True
        if wounding:
            blow.noted["wound"] = ""
        blow.stopped = not pending(blow)
        self.row(turn, blow, before, message("trace.requirement.stopped", required=required))
        return None

    def lower(self, program: Program) -> None:
        """The same in a program."""
        required = entries(program.entity, self.reads)
        if not required or meets(program.pack.words.known, program.words, required):
            return
        unknown = program.noted.get("unknown", NO) if program.words else NO
        wound = program.noted.get("wound", NO) if self.wounds == "stops" else NO
        lifted = program.holds(self.off) if self.off is not None else NO
        stops = both(negated(lifted), either(program.amount > 0, either(unknown, wound)))
        for share in program.shares:
            share.amount = program.let(share.type or "damage", choose(stops, 0, share.amount), self.rule)
        goes_on = negated(stops)
        program.noted["unknown"] = both(program.noted.get("unknown", NO), goes_on)
        program.noted["damage_stopped"] = either(program.noted.get("damage_stopped", NO), stops)
        if wound.fixed != 0:
            program.noted["wound"] = both(program.noted["wound"], goes_on)
        program.stopped = either(program.stopped, both(stops, negated(lower_pending(program))))

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.requirement", reads=self.reads)


def pending(blow: Blow) -> bool:
    """Whether anything of the blow is still to happen: damage, a wound, or a condition that lands with the hit."""
    if blow.amount or blow.noted.get("unknown") or blow.noted.get("wound"):
        return True
    known = blow.pack.words.known
    return any(word in known and known[word].lands == "hit" for word in blow.words)


def lower_pending(program: Program) -> Value:
    """The same in a program."""
    known = program.pack.words.known
    if any(word in known and known[word].lands == "hit" for word in program.words):
        return YES
    return either(program.amount > 0, either(program.noted.get("unknown", NO), program.noted.get("wound", NO)))

"""wound: damage that no pool took, or a wound called by name, marks a place on the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import strip_entries
from gambeson.language.figures import entries
from gambeson.language.lowering import NO, Value, both, either, negated
from gambeson.language.predicates import Predicate
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.model.events import FactSet
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NONE = Message("trace.wound.none")
ALREADY = Message("trace.wound.already")


class Wound(Stage, frozen=True, kw_only=True, tag="wound"):
    """One hit makes at most one wound, written into the target's list `writes`.

    A place that is wounded already passes the wound on to `beyond`; a wounded `beyond` takes no other. Unknown
    damage wounds `unknown`. Where `spares` holds, a wound that was called for a wounded place does nothing.
    Where `passes` holds, the wound is only noted (`passing_entries`) for the word that lets it pass later; a wound that
    would pass is made lasting by one that does not. The rules beside each case are cited where it applies.
    """

    runs: Runs = ZERO
    writes: str
    beyond: str
    beyond_rule: str = ""
    unknown: str = ""
    unknown_rule: str = ""
    called_rule: str = ""
    spares: Predicate | None = None
    spares_rule: str = ""
    passes: Predicate | None = None

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Choose the place and mark it."""
        called: str = blow.noted.get("wound") or ""
        unknown = bool(blow.noted.get("unknown"))
        before = blow.amount
        if not called and not unknown and not before:
            return NONE
        place = called or (self.unknown if unknown else blow.hit.location or self.beyond)
        rule = self.called_rule if called else self.unknown_rule if unknown else self.rule
        wounds = entries(blow.entity, self.writes)
        passing = self.passes is not None and self.passes.holds(blow)
        blow.take(before)
        passed = place in wounds and place != self.beyond
        if passed and called and self.spares is not None and self.spares.holds(blow):
            self.row(turn, blow, before, message("trace.wound.spared", place=place), self.spares_rule)
            return None
        if passed:
            rule = self.beyond_rule or rule
        struck, place = place, self.beyond if passed else place
        lasting: tuple[str, ...] = blow.entity.facts.get(self.writes, ())
        if place in (wounds if passing else lasting):
            self.row(turn, blow, before, ALREADY, rule)
            return None
        note = "trace.wound.passed_on" if passed else "trace.wound.made"
        self.row(turn, blow, before, message(note, place=place, struck=struck, lost=max(0, before - 1)), rule)
        blow.noted["wounded"] = place
        if passing:
            blow.noted["passing_entries"] = {self.writes: (place,)}
            return None
        strip_entries(turn, blow.target, self.writes, (place,), rule)
        turn.change(FactSet(blow.target, self.writes, (*lasting, place), rule))
        return None

    def lower(self, program: Program) -> None:
        """The same in a program: each place that may be struck is a number of the fight, 1 once it is wounded."""
        called: str = program.hit.facts.get("wound") or ""
        calling = program.noted.get("wound", NO)
        unknown = program.noted.get("unknown", NO)
        if any(effect.lists.get(self.writes) for effect in program.entity.effects):
            program.refuse(self.writes)
        damaging = program.amount > 0
        happens = (damaging.fixed, calling.fixed, unknown.fixed) != (0, 0, 0)
        if happens and self.passes is not None and program.holds(self.passes).fixed != 0:
            program.refuse("passes")
        spared = program.holds(self.spares) if self.spares is not None else NO
        rest = negated(calling)
        self._lower_place(program, called, calling, spared)
        self._lower_place(program, self.unknown, both(unknown, rest), NO)
        place = program.hit.location or self.beyond
        self._lower_place(program, place, both(damaging, both(rest, negated(unknown))), NO)
        for share in program.shares:
            share.amount = NO

    def _lower_place(self, program: Program, place: str, struck: Value, spared: Value) -> None:
        """A wound at this place, or beyond it."""
        if struck.fixed == 0:
            return
        there = program.count(f"{self.writes}.{place}", int(place in entries(program.entity, self.writes)))
        struck = program.let("wounding", struck, self.rule)
        new = both(struck, negated(there))
        program.keep(f"{self.writes}.{place}", either(there, struck), self.rule)
        if place != self.beyond:
            wounded = int(self.beyond in entries(program.entity, self.writes))
            beyond = program.count(f"{self.writes}.{self.beyond}", wounded)
            passed = program.let("passed_on", both(both(struck, there), negated(spared)), self.rule)
            new = either(new, both(passed, negated(beyond)))
            program.keep(f"{self.writes}.{self.beyond}", either(beyond, passed), self.rule)
        program.noted["wounded"] = either(program.noted.get("wounded", NO), new)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.wound", beyond=self.beyond)

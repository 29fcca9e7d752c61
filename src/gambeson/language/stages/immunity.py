"""immunity: whoever is immune to a word of the hit, or to a type of its damage, suffers nothing from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from gambeson.language.figures import entries
from gambeson.language.lowering import NO, YES, Value, choose, either
from gambeson.language.predicates import Predicate
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.language.stages.scale import matches
from gambeson.language.words import protected
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.immunity.nothing")


class Inborn(Struct, frozen=True, forbid_unknown_fields=True):
    """Words that a target is immune to because of what it is."""

    when: Predicate
    words: tuple[str, ...]


class Immunity(Stage, frozen=True, kw_only=True, tag="immunity"):
    """`reads` names the target's list; `stops`: the whole `hit` by its words, or the `parts` of a listed type."""

    runs: Runs = ZERO
    reads: str
    stops: Literal["hit", "parts"] = "hit"
    inborn: tuple[Inborn, ...] = ()

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Stop the hit, or take the immune parts away."""
        if self.stops == "parts":
            return self._parts(turn, blow)
        listed = entries(blow.entities[blow.target], self.reads)
        for inborn in self.inborn:
            if inborn.when.holds(blow):
                listed += inborn.words
                blow.noted["inborn"] = (*blow.noted.get("inborn", ()), *inborn.words)
        word = protected(blow.pack.words.known, blow.words, listed) if listed else ""
        if not word:
            return NOTHING
        before = blow.amount
        stop(blow)
        self.row(turn, blow, before, message("trace.immunity.stopped", word=word))
        return None

    def _parts(self, turn: Adjudication, blow: Blow) -> Message | None:
        listed = entries(blow.entity, self.reads)
        for inborn in self.inborn:
            if inborn.when.holds(blow):
                listed += inborn.words
        before = blow.amount
        types = []
        for portion in blow.portions:
            if portion.amount and matches(listed, portion.type, blow.words):
                portion.amount = 0
                types.append(portion.type)
        if types:
            self.row(turn, blow, before, message("trace.immunity.parts", types=tuple(types)))
        else:
            return NOTHING
        return None

    def lower(self, program: Program) -> None:
        """The same in a program: the lists and words are known before the fight."""
        listed = entries(program.entity, self.reads)
        for inborn in self.inborn:
            holds = program.holds(inborn.when)
            if holds.fixed is None:
                program.refuse("inborn")
            listed += inborn.words if holds.fixed else ()
        if self.stops == "parts":
            for share in program.shares:
                if matches(listed, share.type, program.words):
                    share.amount = NO
        elif listed and protected(program.pack.words.known, program.words, listed):
            lower_stop(program, YES, self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message(f"stage.immunity.{self.stops}", reads=self.reads)


def stop(blow: Blow) -> None:
    """Nothing of the blow happens any more."""
    for portion in blow.portions:
        portion.amount = 0
    blow.stopped = True
    blow.noted["stopped"] = True


def lower_stop(program: Program, stopped: Value, rule: str) -> None:
    """The same in a program, where `stopped` holds."""
    for share in program.shares:
        share.amount = program.let(share.type or "damage", choose(stopped, 0, share.amount), rule)
    program.stopped = either(program.stopped, stopped)
    program.noted["stopped"] = program.stopped

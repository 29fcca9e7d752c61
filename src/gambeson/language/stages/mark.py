"""mark: the words of the hit leave their conditions on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import MAGIC, mark
from gambeson.language.figures import entries, own_conditions
from gambeson.language.lowering import NO, YES, either
from gambeson.language.predicates import Predicate
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.language.words import Mark, Word, protected
from gambeson.language.written_deeds import Origin
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.mark.nothing")


class MarkStage(Stage, frozen=True, kw_only=True, tag="mark"):
    """Each word's marks, and its deeds, in the order of the pack's table of words.

    `immune` names the target's list of immunities. Where `passes` holds, marks that may pass are only noted
    (`passing_conditions`) for the word that lets them pass later.
    """

    runs: Runs = ZERO
    immune: str = ""
    passes: Predicate | None = None

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Leave the conditions, whatever the order in which the words were called."""
        left: list[str] = []
        rule = ""
        acted = False
        known = blow.pack.words.known
        words = blow.words if len(blow.words) < 2 else self._in_order(blow)
        passing = self._noted(blow, words) if self.passes is not None and self.passes.holds(blow) else ()
        for word in words:
            entry = known.get(word)
            if entry is None:
                continue
            for marking in entry.marks:
                if marking in passing or self._lands(blow, marking):
                    left.append(marking.condition)
                    rule = rule or marking.rule
                    if marking not in passing:
                        self._leave(turn, blow, marking)
            if entry.does:
                self._act(turn, blow, word, entry)
                acted = True
        if left:
            self.row(turn, blow, blow.amount, message("trace.mark.left", conditions=tuple(left)), rule)
            return None
        if not acted:
            return NOTHING
        self.skip(turn, blow, NOTHING)
        return None

    def _act(self, turn: Adjudication, blow: Blow, word: str, entry: Word) -> None:
        """Do what the word does; an effect of which nothing can come is in vain."""
        spell = blow.pack.words.spell in blow.words
        origin = Origin(
            target=blow.target,
            rule=entry.rule or self.rule,
            name=word,
            code=word,
            source=blow.hit.source,
            actor=blow.hit.source if blow.hit.source in blow.entities else blow.target,
            lasts=entry.lasts,
            tags=(MAGIC,) if spell else (),
            blow=blow,
        )
        for deed in entry.does:
            if blow.target in blow.entities:
                held = deed.run(turn, origin)
                if entry.kind == "effect":
                    blow.noted["landed" if held else "in_vain"] = True

    def _in_order(self, blow: Blow) -> tuple[str, ...]:
        """The words of the blow that the pack knows, in the order of its table."""
        known = blow.pack.words.known
        return tuple(sorted((word for word in blow.words if word in known), key=list(known).index))

    def _noted(self, blow: Blow, words: tuple[str, ...]) -> tuple[Mark, ...]:
        """The marks that pass, noted before any word does what it does."""
        known = blow.pack.words.known
        marks = [marking for word in words if word in known for marking in known[word].marks]
        passing = tuple(marking for marking in marks if marking.passes and self._lands(blow, marking))
        if passing:
            blow.noted["landed"] = True
            blow.noted["passing_conditions"] = tuple(marking.condition for marking in passing)
        return passing

    def _leave(self, turn: Adjudication, blow: Blow, marking: Mark) -> None:
        blow.noted["landed"] = True
        spell = blow.pack.words.spell in blow.words
        mark(turn, blow.target, marking, blow.hit.source, marking.spell_tags if spell else ())

    def _lands(self, blow: Blow, marking: Mark) -> bool:
        if marking.unless_immune and self.immune:
            immune = (*entries(blow.entity, self.immune), *blow.noted.get("inborn", ()))
            if protected(blow.pack.words.known, (marking.unless_immune,), immune):
                return False
        return marking.when is None or marking.when.holds(blow)

    def lower(self, program: Program) -> None:
        """Conditions without a time of their own; clocks and deeds are not lowered."""
        for word, entry in program.pack.words.known.items():
            if word not in program.words:
                continue
            if entry.does:
                program.refuse(word)
            for marking in entry.marks:
                self._lower_mark(program, word, marking)

    def _lower_mark(self, program: Program, word: str, marking: Mark) -> None:
        if marking.unless_immune and self.immune:
            immune = entries(program.entity, self.immune)
            if protected(program.pack.words.known, (marking.unless_immune,), immune):
                return
        lands = YES if marking.when is None else program.holds(marking.when)
        if lands.fixed == 0:
            return
        if marking.lasts is not None or (self.passes is not None and program.holds(self.passes).fixed != 0):
            program.refuse(word)
        program.noted["landed"] = either(lands, program.noted.get("landed", NO))
        name = f"condition.{marking.condition}"
        there = program.count(name, int(marking.condition in own_conditions(program.entity)))
        program.keep(name, either(there, lands), marking.rule)

"""prevent: a protection of limited use stops the whole hit and loses a charge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import field
from msgspec.structs import replace

from gambeson.language.lowering import NO, Value, both, either
from gambeson.language.stages.base import ZERO, Runs, Stage
from gambeson.language.stages.immunity import lower_stop, stop
from gambeson.language.stages.requirement import lower_pending, pending
from gambeson.language.words import protected
from gambeson.model.events import EffectChanged
from gambeson.model.messages import Message, message
from gambeson.model.questions import Option, Question
from gambeson.model.values import Effect, Protection

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.prevent.nothing")
COME_TO_NOTHING = Message("trace.prevent.come_to_nothing")
ANYTHING = "all"


class Prevent(Stage, frozen=True, kw_only=True, tag="prevent"):
    """One protection that fits loses one charge: the `oldest`, or the `holder` chooses.

    `before` names effects that are used in place of others, which it lists, as long as both fit. Words of the kind
    `ignores` do not call a protection up, unless it names their general word and `named` is true.
    """

    runs: Runs = ZERO
    chooses: Literal["oldest", "holder"] = "oldest"
    ignores: str = ""
    named: bool = False
    choice_rule: str = ""
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Stop the hit if something fits."""
        if not blow.start.effects:
            return NOTHING
        if not pending(blow):
            return COME_TO_NOTHING
        fitting = self._fitting(blow)
        if not fitting:
            return NOTHING
        effect, word = self._first(fitting)
        if len(dict.fromkeys(effect.name for effect, _ in fitting)) > 1 and self.chooses == "holder":
            effect, word = self._chosen(turn, blow, fitting)
        before = blow.amount
        stop(blow)
        spent = tuple(
            Protection(p.stops, p.charges - 1, p.but) if self._called_up(blow, p) else p for p in effect.protections
        )
        self.row(turn, blow, before, message("trace.prevent.stopped", effect=effect.name, word=word))
        turn.change(EffectChanged(blow.target, replace(effect, protections=spent), self.rule))
        return None

    def _fitting(self, blow: Blow) -> list[tuple[Effect, str]]:
        found = []
        for effect in blow.entity.effects:
            for protection in effect.protections:
                word = self._called_up(blow, protection)
                if word:
                    found.append((effect, word))
        return found

    def _first(self, fitting: list[tuple[Effect, str]]) -> tuple[Effect, str]:
        """The oldest, or what is used before it."""
        oldest = fitting[0]
        return next((pair for pair in fitting if oldest[0].name in self.before.get(pair[0].name, ())), oldest)

    def _called_up(self, blow: Blow | Program, protection: Protection) -> str:
        words = blow.pack.words
        if any(word in blow.words for word in protection.but):
            return ""
        heard = tuple(
            word
            for word in blow.words
            if word in words.known or word == words.spell or word in words.traits
            if word not in words.known or words.known[word].kind != self.ignores
        )
        if self.named and words.wound in protection.stops and words.wound in blow.words:
            return words.wound
        if ANYTHING in protection.stops and heard:
            return heard[0]
        return protected(words.known, heard, protection.stops)

    def _chosen(self, turn: Adjudication, blow: Blow, fitting: list[tuple[Effect, str]]) -> tuple[Effect, str]:
        names = dict.fromkeys(effect.name for effect, _ in fitting)
        options = tuple(Option(name, message("option.prevention", effect=name)) for name in names)
        (chosen,) = turn.ask(
            Question(
                f"prevent:{blow.target}",
                blow.target,
                self.choice_rule or self.rule,
                message("question.prevention", entity=blow.entity.name),
                options,
                suggested=self._first(fitting)[0].name,
            )
        )
        return next(pair for pair in fitting if pair[0].name == chosen)

    def lower(self, program: Program) -> None:
        """The same in a program: which protections fit is known, the charges that are left are numbers of the fight."""
        fitting: list[tuple[str, str, Value]] = []
        for effect in program.entity.effects:
            if any(self._called_up(program, protection) for protection in effect.protections):
                if len(effect.protections) > 1:
                    program.refuse("protections")
                name = f"charges.{effect.serial}"
                fitting.append((effect.name, name, program.count(name, effect.protections[0].charges)))
        if self.chooses == "holder" and len({effect for effect, _, _ in fitting}) > 1:
            program.refuse("chooses: holder")
        ready = lower_pending(program)
        stopped, none_before = NO, ready
        used = dict.fromkeys((name for _, name, _ in fitting), NO)
        for oldest, name, charges in fitting:
            first = program.let("first", both(none_before, charges > 0), self.rule)
            none_before = both(none_before, charges.equals(0))
            stopped = either(stopped, first)
            for other, instead, others in fitting:
                if oldest in self.before.get(other, ()):
                    turns = both(first, others > 0)
                    used[instead] = either(used[instead], turns)
                    first = both(first, others.equals(0))
            used[name] = either(used[name], first)
        for _, name, charges in fitting:
            program.keep(name, (charges - used[name]).within(0, charges.most), self.rule)
        if fitting:
            lower_stop(program, program.let("prevented", stopped, self.rule), self.rule)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message(f"stage.prevent.{self.chooses}")

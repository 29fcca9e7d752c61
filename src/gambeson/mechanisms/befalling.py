"""Befalling: a command by which something happens to its target at once, as the pack lists it."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import entries
from gambeson.language.outcomes import Outcome, first_of
from gambeson.language.scope import Scope
from gambeson.model.events import Called
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Befall(Struct, frozen=True, forbid_unknown_fields=True, tag="befall"):
    """The first of the `outcomes` that holds happens to the target; where none does, the command is refused.

    Whoever has the `immune_word` on its list `immune` is spared, and the `call` is shouted. `step` is the name in
    traces.
    """

    rule: str
    outcomes: tuple[Outcome, ...]
    step: str = "befall"
    immune: str = ""
    immune_word: str = ""
    call: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[str, list[Refusal]]:
        """Whom it befalls, and whether anything can."""
        entity = turn.state.entities[fields["target"]]
        if first_of(self.outcomes, Scope(turn.pack, entity)) is not None:
            return entity.id, []
        return entity.id, [Refusal(self.rule, message("refusal.befall.nothing", entity=entity.name), "target")]

    def run(self, turn: Adjudication, prepared: str) -> None:
        """Let it happen, unless the target is immune."""
        entity = turn.state.entities[prepared]
        if self.immune_word and self.immune_word in entries(entity, self.immune):
            note = message("trace.befall.immune", entity=entity.name, word=self.immune_word)
            turn.note(TraceRow(self.step, self.rule, prepared, 0, 0, note, False))
            if self.call:
                turn.change(Called(prepared, self.call, self.rule))
            return
        outcome = first_of(self.outcomes, Scope(turn.pack, entity))
        assert outcome is not None
        note = message("trace.befall.happens", entity=entity.name, conditions=outcome.marks, counts=tuple(outcome.adds))
        turn.note(TraceRow(self.step, outcome.rule, prepared, 0, 0, note))
        outcome.happen(turn, prepared)

"""A command said in other words: a word of it stands for fields of another command."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import check_fields
from gambeson.language.pack import context_of
from gambeson.model.errors import FieldFault, dotted
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts


class InOtherWords(Struct, frozen=True, forbid_unknown_fields=True, tag="in_other_words"):
    """A word in the field `reads` says what another `command` says with the fields beside that word in `fields`."""

    command: str
    reads: str
    fields: dict[str, dict[str, Any]]

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Any, list[Refusal]]:
        """What the other command needs."""
        other = turn.pack.commands[self.command]
        try:
            said = check_fields(other.fields, self.fields.get(fields[self.reads], {}), context_of(turn.state.entities))
        except FieldFault as fault:
            reason = message("refusal.field", field=dotted(fault.path), fault=fault.message)
            return None, [Refusal(fault.rule or turn.pack.values_rule, reason, self.reads)]
        return other.does.prepare(turn, said, by)

    def run(self, turn: Adjudication, prepared: Any) -> None:
        """Carry the other command out."""
        turn.pack.commands[self.command].does.run(turn, prepared)

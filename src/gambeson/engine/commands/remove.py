"""remove: an entity leaves the table."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.model.events import EntityRemoved
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Remove(Struct, frozen=True, forbid_unknown_fields=True, tag="remove"):
    """The entity is gone with all that is on it; its id is not given again."""

    rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[str, list[Refusal]]:
        """Which one."""
        return fields["id"], []

    def run(self, turn: Adjudication, prepared: str) -> None:
        """It leaves."""
        name = turn.state.entities[prepared].name
        turn.note(TraceRow("remove", self.rule, prepared, 0, 0, message("trace.remove", entity=name)))
        turn.change(EntityRemoved(prepared, self.rule))

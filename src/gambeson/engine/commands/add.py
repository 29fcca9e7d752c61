"""add: an entity joins the table."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from gambeson.engine.entities import build_entity, check_id, check_newcomer
from gambeson.language.adjudication import Adjudication
from gambeson.language.pack import context_of
from gambeson.model.errors import FieldFault, dotted
from gambeson.model.events import EntityAdded
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Entity, Facts


class Add(Struct, frozen=True, forbid_unknown_fields=True, tag="add"):
    """A new id with the keys of an entity; `rule` is cited where the id is taken."""

    WRITES_ENTITIES: ClassVar[bool] = True

    rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Entity | None, list[Refusal]]:
        """Build the entity."""
        id = fields["id"]
        state = turn.state
        if id in state.entities:
            return None, [Refusal(self.rule, message("refusal.add.there", id=id), "id")]
        if id in state.used:
            return None, [Refusal(self.rule, message("refusal.add.used", id=id), "id")]
        try:
            check_id(id, ("id",))
            keys = {key: value for key, value in fields.items() if key != "id"}
            known = context_of({**state.entities, id: None})
            built = build_entity(turn.pack, id, keys, state.clock, state.serial, known)
            check_newcomer(turn, built)
            return built, []
        except FieldFault as fault:
            reason = message("refusal.field", field=dotted(fault.path), fault=fault.message)
            return None, [Refusal(fault.rule or turn.pack.values_rule, reason, dotted(fault.path))]

    def run(self, turn: Adjudication, prepared: Entity) -> None:
        """It joins."""
        turn.note(TraceRow("add", self.rule, prepared.id, 0, 0, message("trace.add", entity=prepared.name)))
        turn.change(EntityAdded(prepared, self.rule))

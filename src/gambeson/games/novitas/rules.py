"""What is Kingdoms of Novitas' alone and no pack data can say, under its rule ids."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import add_condition
from gambeson.language.figures import conditions, entries
from gambeson.model.events import Called
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts

IMMUNE = "killing_blow"
NO_EFFECT = "No Effect"


class Kill(Struct, frozen=True, forbid_unknown_fields=True, tag="kill"):
    """NV-26: a killing blow makes an entity with a torso wound dead at once."""

    rule: str

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[str, list[Refusal]]:
        """NV-26: there must be a torso wound, and life."""
        entity = turn.state.entities[fields["target"]]
        if "dead" in conditions(turn.pack, entity):
            return entity.id, [Refusal(self.rule, message("refusal.novitas.dead", entity=entity.name), "target")]
        if "torso" not in entity.facts.get("wounds", ()):
            return entity.id, [Refusal(self.rule, message("refusal.novitas.no_torso_wound", entity=entity.name), "target")]
        return entity.id, []

    def run(self, turn: Adjudication, prepared: str) -> None:
        """NV-26: dead, unless immune to it; then No Effect (NV-11)."""
        entity = turn.state.entities[prepared]
        if IMMUNE in entries(entity, "immune"):
            turn.note(TraceRow("kill", self.rule, prepared, 0, 0, message("trace.kill.immune"), False))
            turn.change(Called(prepared, NO_EFFECT, self.rule))
            return
        turn.note(TraceRow("kill", self.rule, prepared, 0, 0, message("trace.kill.dead", entity=entity.name)))
        add_condition(turn, prepared, "dead", self.rule)


COMMANDS = {"kill": Kill}
CODE: dict[str, object] = {}

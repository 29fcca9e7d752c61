"""Ending: effects of a name end on one target or on all, whoever's they are or one source's."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect
from gambeson.language.figures import shown_effects
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Effect, Facts


class EndEffects(Struct, frozen=True, forbid_unknown_fields=True, tag="end_effects"):
    """Every effect named `effect` ends; `target` and `source`, where given, must match. There must be one."""

    rule: str
    text: str = "refusal.end.not_there"

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[list[tuple[str, Effect]], list[Refusal]]:
        """Find them."""
        wanted = turn.pack.called(fields["effect"])
        target, source = fields.get("target"), fields.get("source")
        found = [
            (id, effect)
            for id, entity in turn.state.entities.items()
            for effect in shown_effects(entity)
            if effect.name == wanted and target in (None, id) and source in (None, effect.source)
        ]
        found.sort(key=lambda pair: pair[1].serial)
        if found:
            return found, []
        where = turn.state.entities[target].name if target is not None else None
        return [], [Refusal(self.rule, message(self.text, effect=wanted, entity=where), "effect")]

    def run(self, turn: Adjudication, prepared: list[tuple[str, Effect]]) -> None:
        """End them, oldest first."""
        for id, effect in prepared:
            if id in turn.state.entities:
                turn.note(TraceRow("end", self.rule, id, 0, 0, message("trace.end", effect=effect.name)))
                end_effect(turn, id, effect, self.rule)

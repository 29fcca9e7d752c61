"""advance: on to a moment of the game's timeline."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import not_among
from gambeson.language.timeline import next_time, pass_time, reach
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import LARGEST_FIGURE, Facts


class Coming(Struct, frozen=True):
    """The moment that comes, and at which second."""

    moment: str
    at: int


class Advance(Struct, frozen=True, forbid_unknown_fields=True, tag="advance"):
    """The clock moves to the next time that it brings the moment `to`; one that no clock brings comes at once."""

    rule: str

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Coming, list[Refusal]]:
        """When that is."""
        moment = turn.pack.moments.get(fields["to"])
        if moment is None:
            fault = message("refusal.field", field="to", fault=not_among(fields["to"], tuple(turn.pack.moments)))
            return Coming(fields["to"], 0), [Refusal(turn.pack.values_rule, fault, "to")]
        at = next_time(moment, turn.state.clock) if moment.every is not None else turn.state.clock
        return Coming(fields["to"], at), [turn.pack.too_large("clock")] if at // 60 > LARGEST_FIGURE else []

    def run(self, turn: Adjudication, prepared: Coming) -> None:
        """Let the time pass."""
        passed = prepared.at - turn.state.clock
        turn.note(TraceRow("wait", self.rule, "", 0, 0, message("trace.wait", minutes=passed // 60)))
        pass_time(turn, prepared.at, self.rule)
        if turn.pack.moments[prepared.moment].every is None:
            reach(turn, prepared.moment)

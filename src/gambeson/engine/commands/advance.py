"""advance: on to a moment of the game's timeline."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.timeline import next_time, pass_time
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import LARGEST_FIGURE, Facts


class Advance(Struct, frozen=True, forbid_unknown_fields=True, tag="advance"):
    """The clock moves to the next time that it brings the moment `to`."""

    rule: str

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[int, list[Refusal]]:
        """When that is."""
        at = next_time(turn.pack.moments[fields["to"]], turn.state.clock)
        return at, [turn.pack.too_large("clock")] if at // 60 > LARGEST_FIGURE else []

    def run(self, turn: Adjudication, prepared: int) -> None:
        """Let the time pass."""
        passed = prepared - turn.state.clock
        turn.note(TraceRow("wait", self.rule, "", 0, 0, message("trace.wait", minutes=passed // 60)))
        pass_time(turn, prepared, self.rule)

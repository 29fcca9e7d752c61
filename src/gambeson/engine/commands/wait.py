"""wait: clock time passes."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.durations import SECONDS
from gambeson.language.timeline import pass_time
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import LARGEST_FIGURE, Facts


class Wait(Struct, frozen=True, forbid_unknown_fields=True, tag="wait"):
    """The clock moves by the given units; what is due on the way happens in order."""

    rule: str

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[int, list[Refusal]]:
        """The second at which the wait is over."""
        seconds = sum(SECONDS[unit] * count for unit, count in fields.items())
        if not seconds:
            nothing = message("refusal.wait.nothing", units=tuple(turn.pack.commands["wait"].fields))
            return 0, [Refusal(turn.pack.values_rule, nothing, "wait")]
        if (turn.state.clock + seconds) // 60 > LARGEST_FIGURE:
            return 0, [turn.pack.too_large("clock")]
        return turn.state.clock + seconds, []

    def run(self, turn: Adjudication, prepared: int) -> None:
        """Let the time pass."""
        passed = prepared - turn.state.clock
        turn.note(TraceRow("wait", self.rule, "", 0, 0, message("trace.wait", minutes=passed // 60)))
        pass_time(turn, prepared, self.rule)

"""What every stage kind shares: its name, its rule, when it runs, and the row it leaves in the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from msgspec import Struct

from gambeson.language.predicates import Predicate
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

STOPPED = Message("trace.skipped.stopped")
NO_DAMAGE = Message("trace.skipped.no_damage")
GONE = Message("trace.skipped.gone")

Runs: TypeAlias = Literal["live", "zero", "always"]
LIVE: Runs = "live"
ZERO: Runs = "zero"
ALWAYS: Runs = "always"


class Stage(Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """One numbered step of a damage procedure.

    `stage` is its name in traces, `rule` what it cites. It runs while damage is left (`live`), also at 0 damage
    unless the blow was stopped (`zero`), or in any case (`always`), as its kind or its `runs` says. `when`
    must hold, else it is skipped, for the reason `otherwise`.
    """

    stage: str
    rule: str
    runs: Runs = LIVE
    when: Predicate | None = None
    otherwise: str = "trace.skipped.condition"

    NEEDS: ClassVar[str] = "any"
    """What the stage works on: `parts` (typed portions), `sum` (one figure), or `any`."""
    GIVES: ClassVar[str] = ""
    """`sum` if portions are one figure afterwards, else nothing changes."""
    OUTLIVES: ClassVar[bool] = False
    """Whether the stage also runs when the target has left the table on the way."""

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Do what the rule says to the blow and the target, and leave rows that say so.

        Where there was nothing to do and nothing has changed, gives the reason instead, which makes the row.
        """
        raise NotImplementedError

    def describe(self) -> Message:
        """The stage in one sentence, for the printed procedure."""
        return message(f"stage.{self.__struct_config__.tag}", stage=self.stage)

    def lower(self, program: Program) -> None:
        """Write the stage as steps of a simulation program; kinds that cannot be lowered refuse by name."""
        program.refuse("")

    def faults(self, declared: Any) -> tuple[Message, ...]:
        """What this stage names that the pack does not declare."""
        return ()

    def skip(self, turn: Adjudication, blow: Blow, why: Message, rule: str = "") -> None:
        """Leave a row that says why the stage had nothing to do."""
        portions = blow.portions
        amount = portions[0].amount if len(portions) == 1 else blow.amount
        turn.note(TraceRow(self.stage, rule or self.rule, blow.target, amount, amount, why, False))

    def row(self, turn: Adjudication, blow: Blow, before: int, note: Message | None, rule: str = "") -> None:
        """Leave a row for what the stage did."""
        turn.note(TraceRow(self.stage, rule or self.rule, blow.target, before, blow.amount, note, True))

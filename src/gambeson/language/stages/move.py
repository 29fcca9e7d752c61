"""move: part of the damage, or as much again, goes to somebody else; deliver: it arrives there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from gambeson.language.arithmetic import Rounding, halves
from gambeson.language.figures import conditions
from gambeson.language.potency import bearing
from gambeson.language.stages.base import ALWAYS, LIVE, Runs, Stage
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import Hit, Part

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program
    from gambeson.language.scope import Blow

NOTHING = Message("trace.move.nothing")
MOVING, MOVED = "moving", "moved"
"""What a blow notes as on its way elsewhere, and the mark of a hit that came from elsewhere."""


class Move(Stage, frozen=True, kw_only=True, tag="move"):
    """Effects that bear `reads` (`to`, and the divisor `divide`) send damage to another entity, in order of beginning.

    Without `copies` the divided part, rounded as `rounding` says, leaves the blow; with it the figure noted under that
    name is dealt there too and nothing leaves. `at`: the links count as they were at the `start` of the blow or are
    `now`. Nothing goes to an absent entity, to one with a condition of `spares`, or to the target itself. What is
    moved waits for a `deliver` stage, and is never moved again.
    """

    runs: Runs = LIVE
    reads: str
    copies: str = ""
    at: Literal["now", "start"] = "now"
    rounding: Rounding = "up"
    spares: tuple[str, ...] = ()

    OUTLIVES = True

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Send off what each link carries."""
        if blow.values.get(MOVED):
            self.skip(turn, blow, NOTHING)
            return
        bearer = blow.start if self.at == "start" else turn.state.entities.get(blow.target, blow.start)
        before = blow.amount
        sent = False
        for effect in bearing(blow.pack, bearer, self.reads):
            link: dict[str, Any] = effect.facts[self.reads]
            if self.copies:
                points = int(blow.noted.get(self.copies, 0))
            else:
                points = halves(blow.amount, link.get("divide", 2), self.rounding)
            if not points or link["to"] == blow.target or not receives(turn, link["to"], self.spares):
                continue
            if not self.copies:
                blow.take(points)
            blow.noted[MOVING] = (*blow.noted.get(MOVING, ()), (link["to"], points, effect.serial))
            to = turn.state.entities[link["to"]].name
            self.row(turn, blow, before, message("trace.move.goes", points=points, to=to, effect=effect.name))
            before, sent = blow.amount, True
        if not sent:
            self.skip(turn, blow, NOTHING)

    def lower(self, program: Program) -> None:
        """Without a link nothing is moved; with one, the fight is not the target's alone."""
        if bearing(program.pack, program.entity, self.reads):
            program.refuse(self.reads)

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.move.copies" if self.copies else "stage.move.leaves", reads=self.reads)


class Deliver(Stage, frozen=True, kw_only=True, tag="deliver"):
    """What was moved strikes whom it went to, untyped and without any word, from the stage named `enters` on."""

    runs: Runs = ALWAYS
    enters: str
    type: str = "untyped"
    spares: tuple[str, ...] = ()

    OUTLIVES = True

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Strike each in turn."""
        from gambeson.language.procedure import strike

        for to, points, serial in blow.noted.get(MOVING, ()):
            if not receives(turn, to, self.spares):
                continue
            note = message("trace.move.arrives", points=points, to=turn.state.entities[to].name)
            turn.note(TraceRow(self.stage, self.rule, to, points, points, note))
            via = f"{blow.values.get('via', '')}:{serial}"
            strike(turn, Hit(to, (Part(points, self.type),), facts={MOVED: True, "via": via}), enters=self.enters)

    def lower(self, program: Program) -> None:
        """What cannot be moved does not arrive."""

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message("stage.deliver", enters=self.enters)


def receives(turn: Adjudication, id: str, spares: tuple[str, ...]) -> bool:
    """Whether an entity is on the table and has none of these conditions."""
    entity = turn.state.entities.get(id)
    return entity is not None and not any(condition in spares for condition in conditions(turn.pack, entity))

"""Healing and what becomes of points that are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from gambeson.language.deeds import Grant, Offer, accept, offer, restore
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication


class Overheal(Struct, frozen=True, forbid_unknown_fields=True):
    """Points healed beyond the maximum become points of `layer`: `one_for_one`, `halved` (down) or `none`."""

    layer: str
    rule: str
    gives: str = "one_for_one"
    source: str = "overheal"

    def points(self, excess: int) -> int:
        """How many points an excess gives."""
        return {"one_for_one": excess, "halved": excess // 2, "none": 0}[self.gives]


class Overhealed(Struct, frozen=True):
    """An excess that is offered to its holder."""

    offered: Offer

    def settle(self, turn: Adjudication) -> None:
        """Ask the holder if there is something to choose, and grant."""
        question = self.offered.question
        accept(turn, self.offered, turn.ask(question)[0] if question is not None else None)


def healed(
    turn: Adjudication, target: str, layer: str, points: int | None, rule: str, overheal: Overheal | None
) -> Overhealed | None:
    """Restore points of a layer; gives the excess as an offer that the caller settles when its moment has come."""
    excess = restore(turn, target, layer, points, rule)
    if overheal is None or not excess:
        return None
    granted = overheal.points(excess)
    if not granted:
        return None
    note = message("trace.overheal", excess=excess, points=granted, layer=overheal.layer)
    turn.note(TraceRow("overheal", overheal.rule, target, excess, granted, note))
    given = Grant(target=target, layer=overheal.layer, points=granted, rule=overheal.rule, source=overheal.source)
    return Overhealed(offer(turn, given))

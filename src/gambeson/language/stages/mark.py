"""mark: the words of the hit leave their conditions on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import mark
from gambeson.language.figures import entries
from gambeson.language.stages.base import ZERO, Stage
from gambeson.language.words import Mark, protected
from gambeson.model.messages import Message, message

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow

NOTHING = Message("trace.mark.nothing")


class MarkStage(Stage, frozen=True, kw_only=True, tag="mark"):
    """Each word's marks, as the pack's table of words has them; `immune` names the target's list of immunities."""

    runs: str = ZERO
    immune: str = ""

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Leave the conditions, in the order of the words."""
        known = blow.pack.words.known
        left: list[str] = []
        rule = ""
        for word in blow.words:
            entry = known.get(word)
            for marking in entry.marks if entry is not None else ():
                if self._lands(blow, marking):
                    blow.noted["landed"] = True
                    left.append(marking.condition)
                    rule = rule or marking.rule
                    mark(turn, blow.target, marking, blow.hit.source)
        if left:
            self.row(turn, blow, blow.amount, message("trace.mark.left", conditions=tuple(left)), rule)
        else:
            self.skip(turn, blow, NOTHING)

    def _lands(self, blow: Blow, marking: Mark) -> bool:
        if marking.unless_immune and self.immune:
            if protected(blow.pack.words.known, (marking.unless_immune,), entries(blow.entity, self.immune)):
                return False
        return marking.when is None or marking.when.holds(blow)

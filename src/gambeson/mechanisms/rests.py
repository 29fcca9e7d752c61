"""Rests: a successful one brings its moment for each who rests, then points come back, then an excess is offered."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import Offer, take_up
from gambeson.language.fields import check_fields
from gambeson.language.healing import healed
from gambeson.language.pack import context_of
from gambeson.language.timeline import reach
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Entity, Facts

EVERYBODY, ALL_POINTS = "all", "all"


class Resting(Struct, frozen=True):
    """Who rests, in the table's order, and what they get back (None: all that is missing)."""

    who: tuple[str, ...]
    kind: str
    success: bool
    points: int | None


class Rest(Struct, frozen=True, forbid_unknown_fields=True, tag="rest"):
    """Everybody named rests once, in the table's order; what must be chosen is asked of all together.

    `moments` names the moment that a success of each kind brings; `restores` are the kinds whose success gives every
    lost point back where nothing else is said. Entities of the kinds `unhealed` get nothing back by a rest, those of
    the kinds `restless` complete none (cited with `kinds_rule`). `heal_rule` is cited for the points.
    """

    rule: str
    moments: dict[str, str]
    heal_rule: str
    restores: tuple[str, ...] = ()
    unhealed: tuple[str, ...] = ()
    restless: tuple[str, ...] = ()
    kinds_rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Resting, list[Refusal]]:
        """Who rests, and what it restores."""
        kind, success, named = fields["kind"], fields["success"], fields["who"]
        points = fields.get("heals", ALL_POINTS if success and kind in self.restores else 0)
        who = tuple(id for id in turn.state.entities if named == EVERYBODY or id in named)
        return Resting(who, kind, success, None if points == ALL_POINTS else points), []

    def run(self, turn: Adjudication, prepared: Resting) -> None:
        """Let the moment come, then heal each in turn, then ask everybody who has something to choose."""
        if prepared.success:
            self._complete(turn, prepared.who, self.moments[prepared.kind])
        else:
            turn.note(TraceRow("rest", self.rule, "", 0, 0, Message("trace.rest.failed"), False))
        offers: list[Offer] = []
        for id in prepared.who:
            offered = self._heal(turn, turn.state.entities[id], prepared.points)
            if offered is not None:
                offers.append(offered)
        take_up(turn, offers)

    def _complete(self, turn: Adjudication, who: tuple[str, ...], moment: str) -> None:
        """The moment of a successful rest comes for those who complete it, before anything of the rest is felt."""
        completing = []
        for id in who:
            kind = turn.state.entities[id].kind
            if kind in self.restless:
                note = message("trace.rest.restless", kind=kind)
                turn.note(TraceRow("rest", self.kinds_rule or self.rule, id, 0, 0, note, False))
            else:
                completing.append(id)
        reach(turn, moment, tuple(completing))

    def _heal(self, turn: Adjudication, entity: Entity, points: int | None) -> Offer | None:
        layer = turn.pack.life
        if points == 0 or layer not in entity.pools:
            return None
        if entity.kind in self.unhealed:
            note = message("trace.rest.unhealed", kind=entity.kind)
            turn.note(TraceRow("heal", self.kinds_rule or self.rule, entity.id, 0, 0, note, False))
            return None
        return healed(turn, entity.id, layer, points, self.heal_rule)


class InOtherWords(Struct, frozen=True, forbid_unknown_fields=True, tag="in_other_words"):
    """A word in the field `reads` says what another `command` says with the fields beside that word in `fields`."""

    command: str
    reads: str
    fields: dict[str, dict[str, Any]]

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Any, list[Refusal]]:
        """What the other command needs."""
        other = turn.pack.commands[self.command]
        said = check_fields(other.fields, self.fields[fields[self.reads]], context_of(turn.state.entities))
        return other.does.prepare(turn, said, by)

    def run(self, turn: Adjudication, prepared: Any) -> None:
        """Carry the other command out."""
        turn.pack.commands[self.command].does.run(turn, prepared)

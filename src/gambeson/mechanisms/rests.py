"""Rests: each step for all who rest before the next: time, the moment that a success brings, points, recharging."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.concentration import BROKEN, let_go
from gambeson.language.deeds import Offer, end_effect, take_up
from gambeson.language.durations import SECONDS
from gambeson.language.fields import not_among
from gambeson.language.healing import healed, in_front
from gambeson.language.predicates import Predicate
from gambeson.language.scope import Scope
from gambeson.language.timeline import pass_time, reach
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import LARGEST_FIGURE, Entity, Facts

EVERYBODY, ALL_POINTS = "all", "all"


class Unfit(Struct, frozen=True, forbid_unknown_fields=True):
    """Who may not rest: whoever `when` holds for, in rests of the `kinds` (all, if none are named).

    It `keeps_from` the `rest` (refused where it is named), only from its `moment`, or only from its `points`.
    """

    when: Predicate
    rule: str
    text: str
    kinds: tuple[str, ...] = ()
    keeps_from: Literal["rest", "moment", "points"] = "rest"


class Resting(Struct, frozen=True):
    """Who rests how, the points that come back (None: all that are missing), and by how many seconds the clock moves.

    `shortened` says of a broken-off rest that it was long enough to count for something.
    """

    who: tuple[str, ...]
    kind: str
    success: bool
    points: int | None
    seconds: int
    shortened: bool


class Rest(Struct, frozen=True, forbid_unknown_fields=True, tag="rest"):
    """All who rest do so at once: the clock moves, what lasts until then ends, points come back, the spent recharges.
    What must be chosen is asked of all together.

    `clock` is how long a successful rest of each kind takes, as a written duration; a broken-off one takes its `hours`,
    and rests of a kind that is not named leave the clock alone.
    `moments` names the moment that a success brings. `restores` are the kinds whose success gives every point back
    where nothing else is said; layers of `front` are restored in the life layer's place. Who rests in one of the kinds
    `lets_go` stops concentrating. A rest of the kinds `wakes` ends effects tagged `woken`. A broken-off rest of a kind
    of `shortened` that took so many hours (0: any) wakes and gives the points that are named, others give nothing.
    `unfit` may not rest; `all` leaves them out.
    """

    rule: str
    heal_rule: str
    moments: dict[str, str]
    clock: dict[str, dict[str, int]] = {}
    restores: tuple[str, ...] = ()
    front: tuple[str, ...] = ()
    lets_go: tuple[str, ...] = ()
    lets_go_rule: str = ""
    wakes: tuple[str, ...] = ()
    woken: str = ""
    wakes_rule: str = ""
    shortened: dict[str, int] = {}
    unfit: tuple[Unfit, ...] = ()

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Resting, list[Refusal]]:
        """Who rests, how long, and who cannot."""
        kind, success, named = fields["kind"], fields.get("success", True), fields["who"]
        refusals: list[Refusal] = []
        if kind not in self.moments:
            fault = message("refusal.field", field="kind", fault=not_among(kind, tuple(self.moments)))
            refusals.append(Refusal(turn.pack.values_rule, fault, "kind"))
        who: list[str] = []
        for id, entity in turn.state.entities.items():
            if named == EVERYBODY or id in named:
                against = self._against(turn, entity, kind)
                if not against:
                    who.append(id)
                elif named != EVERYBODY:
                    refusals += against
        hours: int = fields.get("hours", 0)
        if hours and success:
            refusals.append(Refusal(turn.pack.values_rule, message("refusal.rest.hours"), "hours"))
        length = self.clock.get(kind, {})
        seconds = _seconds(length if success or not length else {"hours": hours})
        if (turn.state.clock + seconds) // 60 > LARGEST_FIGURE:
            refusals.append(turn.pack.too_large("clock"))
        points = fields.get("heals", ALL_POINTS if success and kind in self.restores else 0)
        shortened = not success and hours >= self.shortened.get(kind, LARGEST_FIGURE)
        if not success and not shortened:
            points = 0
        given = None if points == ALL_POINTS else points
        return Resting(tuple(who), kind, success, given, seconds, shortened), refusals

    def _against(self, turn: Adjudication, entity: Entity, kind: str) -> list[Refusal]:
        return [
            Refusal(unfit.rule, message(unfit.text, entity=entity.name, id=entity.id), "who")
            for unfit in self._unfit(turn, entity, kind, "rest")
        ]

    def _unfit(self, turn: Adjudication, entity: Entity, kind: str, keeps_from: str) -> list[Unfit]:
        """What keeps an entity from a rest of this kind, or from a part of it."""
        scope = Scope(turn.pack, entity)
        return [
            unfit
            for unfit in self.unfit
            if unfit.keeps_from == keeps_from and (not unfit.kinds or kind in unfit.kinds) and unfit.when.holds(scope)
        ]

    def run(self, turn: Adjudication, prepared: Resting) -> None:
        """Take the steps, each for all who rest."""
        kind = prepared.kind
        if not prepared.success:
            note = message("trace.rest.broken", moment=self.moments[kind])
            turn.note(TraceRow("rest", self.rule, "", 0, 0, note, False))
        if prepared.seconds:
            pass_time(turn, turn.state.clock + prepared.seconds, self.rule)
        if prepared.success:
            for id in prepared.who if kind in self.lets_go else ():
                let_go(turn, id, self.lets_go_rule or self.rule, BROKEN)
            there = self._there(turn, prepared)
            coming = tuple(id for id in there if not self._kept_from(turn, id, kind, "moment"))
            reach(turn, self.moments[kind], coming)
        self._heal(turn, prepared)
        if self.woken and (prepared.shortened or (prepared.success and kind in self.wakes)):
            self._wake(turn, prepared)

    def _kept_from(self, turn: Adjudication, id: str, kind: str, part: str) -> bool:
        """Whether something keeps one who rests from a part of the rest, which is said then."""
        entity = turn.state.entities[id]
        for unfit in self._unfit(turn, entity, kind, part)[:1]:
            note = message(unfit.text, entity=entity.name, id=id, kind=entity.kind)
            turn.note(TraceRow("rest" if part == "moment" else "heal", unfit.rule, id, 0, 0, note, False))
            return True
        return False

    def _there(self, turn: Adjudication, prepared: Resting) -> tuple[str, ...]:
        return tuple(id for id in prepared.who if id in turn.state.entities)

    def _heal(self, turn: Adjudication, prepared: Resting) -> None:
        if prepared.points == 0:
            return
        offers: list[Offer] = []
        for id in self._there(turn, prepared):
            entity = turn.state.entities.get(id)
            layer = in_front(turn, id, self.front) if entity is not None else ""
            if entity is None or layer not in entity.pools or self._against(turn, entity, prepared.kind):
                continue
            if self._kept_from(turn, id, prepared.kind, "points"):
                continue
            offered = healed(turn, id, layer, prepared.points, self.heal_rule)
            if offered is not None:
                offers.append(offered)
        take_up(turn, offers)

    def _wake(self, turn: Adjudication, prepared: Resting) -> None:
        for id in self._there(turn, prepared):
            entity = turn.state.entities.get(id)
            for effect in entity.effects if entity is not None else ():
                if self.woken in effect.tags:
                    end_effect(turn, id, effect, self.wakes_rule or self.rule)


def _seconds(written: dict[str, Any]) -> int:
    return sum(SECONDS[unit] * count for unit, count in written.items())

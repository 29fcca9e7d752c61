"""Phases: a Turn runs through them in order, each with what it brings; then the next player's Turn begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, lose, unmark
from gambeson.language.fields import not_among
from gambeson.language.figures import figure, own_conditions, pool_of, present, written_figure
from gambeson.language.functions import Function
from gambeson.language.offers import Offer, Open
from gambeson.mechanisms.turns import (
    PLAYER,
    TURN,
    active_player,
    phase_of,
    player_of,
    players_of,
    role_of,
)
from gambeson.model.events import FactSet, MomentReached, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import REFEREE, Effect, Facts, Pool


class Ends(Struct, frozen=True, tag="ends", tag_field="deed", forbid_unknown_fields=True):
    """Effects with this written end are over: those whose `source` or `holder` is the Turn's player's, or `any`."""

    rule: str
    until: str
    whose: str = "any"

    def run(self, turn: Adjudication, player: str) -> None:
        """End them, oldest first."""
        over = [
            (effect.serial, id, effect)
            for id, entity in turn.state.entities.items()
            for effect in entity.effects
            if any(end.moment == self.until for end in effect.until) and self._due(turn, id, effect, player)
        ]
        for _, id, effect in sorted(over, key=lambda entry: entry[0]):
            note = message("trace.effect_over", effect=effect.name)
            turn.note(TraceRow(self.until, self.rule, id, 0, 0, note))
            end_effect(turn, id, effect, self.rule)

    def _due(self, turn: Adjudication, holder: str, effect: Effect, player: str) -> bool:
        match self.whose:
            case "source":
                return player_of(turn.state, effect.source or holder) == player
            case "holder":
                return player_of(turn.state, holder) == player
            case _:
                return True


class Unmark(Struct, frozen=True, tag="unmark", tag_field="deed", forbid_unknown_fields=True):
    """A condition ends on all entities of the Turn's player."""

    rule: str
    condition: str

    def run(self, turn: Adjudication, player: str) -> None:
        """End it."""
        for id, entity in tuple(turn.state.entities.items()):
            if entity.facts.get(PLAYER) == player and unmark(turn, id, self.condition, self.rule):
                note = message("trace.unmark.gone", gone=(self.condition,))
                turn.note(TraceRow(self.condition, self.rule, id, 0, 0, note))


class Deal(Struct, frozen=True, tag="deal", tag_field="deed", forbid_unknown_fields=True):
    """Every entity of these `kinds` gets points of a layer equal to a figure, on top of what it has.

    Those under one of the conditions in `unless` get none; a word of the fact `traits` that stands in `doubled`
    doubles them in that role.
    """

    rule: str
    layer: str
    figure: str
    kinds: tuple[str, ...]
    unless: tuple[str, ...] = ()
    doubled: dict[str, str] = {}

    def run(self, turn: Adjudication, player: str) -> None:
        """Deal them out."""
        for id in tuple(turn.state.entities):
            points = self._points(turn, id)
            if points:
                raise_points(turn, id, self.layer, points, self.rule)

    def _points(self, turn: Adjudication, id: str) -> int:
        entity = present(turn, id)
        if entity.kind not in self.kinds or any(word in self.unless for word in own_conditions(entity)):
            return 0
        points = figure(turn.pack, entity, self.figure, written_figure(turn.pack, entity, self.figure) or 0)
        role = role_of(turn.state, id)
        doubled = any(self.doubled.get(trait) == role for trait in entity.facts.get("traits", ()))
        return points * 2 if doubled else points


class Discard(Struct, frozen=True, tag="discard", tag_field="deed", forbid_unknown_fields=True):
    """All points of a layer are discarded, everybody's."""

    rule: str
    layer: str

    def run(self, turn: Adjudication, player: str) -> None:
        """Take them."""
        for id, entity in tuple(turn.state.entities.items()):
            left = pool_of(entity, self.layer).current
            if left:
                turn.note(
                    TraceRow("discard", self.rule, id, left, 0, message("trace.discard", layer=self.layer, points=left))
                )
                lose(turn, id, self.layer, left, self.rule, "end")


class Run(Struct, frozen=True, tag="code", tag_field="deed", forbid_unknown_fields=True):
    """A function of the game's own, called with the adjudication and the Turn's player."""

    function: Function

    def run(self, turn: Adjudication, player: str) -> None:
        """Let it do its part."""
        self.function.call(turn, player)


PhaseDeed: TypeAlias = Ends | Unmark | Deal | Discard | Run


def raise_points(turn: Adjudication, id: str, layer: str, points: int, rule: str) -> None:
    """An entity gets points of a layer that has no maximum."""
    before = pool_of(present(turn, id), layer).current
    after = before + points
    turn.note(TraceRow("deal", rule, id, before, after, message("trace.deal", layer=layer, points=points)))
    turn.change(PoolSet(id, layer, Pool(after, after), rule))


class Phase(Struct, frozen=True, forbid_unknown_fields=True):
    """A phase of a Turn and what happens as it begins, in order."""

    rule: str
    does: tuple[PhaseDeed, ...] = ()


class Planned(Struct, frozen=True):
    """The phases that an advance runs through, each with its player; a Turn that it begins is marked."""

    steps: tuple[tuple[str, str, bool], ...]


class AdvancePhases(Struct, frozen=True, forbid_unknown_fields=True, tag="advance.phases"):
    """On to a phase; everything between happens in order. While the fact `held_by` stands nobody advances."""

    rule: str
    phases: dict[str, Phase]
    held_by: str = ""
    held_rule: str = ""
    held_text: str = ""
    roles_rule: str = ""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """The phases ahead in this Turn; before the first Turn and from its last phase on, each player's."""
        names = tuple(self.phases)
        now = active_player(turn.state)
        ahead = names[names.index(phase_of(turn.state)) + 1 :] if now else ()
        if ahead:
            yield Offer("", {}, (Open("to", ahead),))
            return
        for player in players_of(turn.state):
            yield Offer("", {"player": player}, (Open("to", names),))

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Planned | None, list[Refusal]]:
        """Which phases lie between now and then."""
        held = turn.state.facts.get(self.held_by) if self.held_by else None
        if held is not None:
            holder = turn.state.entities.get(held["model"])
            name = holder.name if holder is not None else held["model"]
            return None, [Refusal(self.held_rule, message(self.held_text, model=name))]
        now = active_player(turn.state)
        if by != REFEREE and now and player_of(turn.state, by) != now:
            reason = message("refusal.phase.turn", player=now)
            return None, [Refusal(self.roles_rule or self.rule, reason, "by")]
        to = fields["to"]
        if to not in self.phases:
            fault = message("refusal.field", field="to", fault=not_among(to, tuple(self.phases)))
            return None, [Refusal(turn.pack.values_rule, fault, "to")]
        players = players_of(turn.state)
        named = fields.get("player")
        if named is not None and named not in players:
            fault = message("refusal.field", field="player", fault=not_among(named, players))
            return None, [Refusal(turn.pack.values_rule, fault, "player")]
        names = tuple(self.phases)
        ahead = bool(now) and names.index(to) > names.index(phase_of(turn.state))
        if named is None and not ahead:
            return None, [Refusal(self.rule, message("refusal.phase.whose", phase=to, players=players), "player")]
        return Planned(self._between(turn, to, named if named is not None else now, players)), []

    def _between(
        self, turn: Adjudication, to: str, player: str, players: tuple[str, ...]
    ) -> tuple[tuple[str, str, bool], ...]:
        names = tuple(self.phases)
        at = active_player(turn.state)
        steps: list[tuple[str, str, bool]] = []
        left = names[names.index(phase_of(turn.state)) + 1 :] if at else ()
        begins = False
        if not at:
            at, left, begins = player, names, True
        while True:
            for name in left:
                steps.append((at, name, begins))
                begins = False
                if at == player and name == to:
                    return tuple(steps)
            at, left, begins = players[(players.index(at) + 1) % len(players)], names, True

    def run(self, turn: Adjudication, prepared: Planned) -> None:
        """Go through them."""
        for player, name, begins in prepared.steps:
            self._enter(turn, player, name, begins)

    def _enter(self, turn: Adjudication, player: str, name: str, begins: bool) -> None:
        phase = self.phases[name]
        old: dict[str, Any] = turn.state.facts.get(TURN, {})
        record = {
            "player": player,
            "phase": name,
            "number": old.get("number", 0) + begins,
            "players": players_of(turn.state),
            "done": () if begins else old.get("done", ()),
        }
        turn.note(TraceRow(name, phase.rule, "", 0, 0, message("trace.phase", phase=name, player=player)))
        turn.change(FactSet("", TURN, record, phase.rule))
        turn.change(MomentReached(name, player, phase.rule))
        for deed in phase.does:
            deed.run(turn, player)

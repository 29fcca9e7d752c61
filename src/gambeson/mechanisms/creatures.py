"""Summoned creatures: whose they are, the limits that they fill, and letting them go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import own_conditions
from gambeson.language.offers import Offer
from gambeson.mechanisms.turns import Standing, active_player, mark_done, phase_of, player_of, same_side, was_done
from gambeson.model.events import EntityRemoved
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import REFEREE, Entity, Facts

CASTER = "caster"
"""The key of a creature that names who called it."""
MODEL = "model"
"""The kind of entity that a creature is; other things that a caster made are none."""


def creatures_of(state: Standing, caster: str) -> tuple[Entity, ...]:
    """The creatures that this caster has on the field."""
    return tuple(e for e in state.entities.values() if e.facts.get(CASTER) == caster and e.kind == MODEL)


def limit_of(entity: Entity) -> int:
    """How much of its caster's limit a creature fills: its own `summoning_limit`, else its `tier`."""
    found: int = entity.facts["summoning_limit"] if "summoning_limit" in entity.facts else entity.facts.get("tier", 0)
    return found


def limits_of(state: Standing, caster: str) -> int:
    """The sum of the limits of the caster's creatures on the field."""
    return sum(limit_of(creature) for creature in creatures_of(state, caster))


def leave(turn: Adjudication, id: str, rule: str) -> None:
    """An entity leaves the field with all that is on it."""
    entity = turn.state.entities.get(id)
    if entity is not None:
        turn.note(TraceRow("leave", rule, id, 0, 0, message("trace.leaves", entity=entity.name)))
        turn.change(EntityRemoved(id, rule))


class Dismissal(Struct, frozen=True):
    """Who lets what go."""

    caster: str
    creature: str


class Dismiss(Struct, frozen=True, forbid_unknown_fields=True, tag="dismiss"):
    """A caster lets a creature of its own go, in the `phase` of its own Turn; with `once` one of them in a Turn.

    Nobody with one of the conditions in `unless` does. The rules of each check stand beside it.
    """

    rule: str
    phase: str
    once: bool
    once_rule: str
    unless: tuple[str, ...] = ()
    unless_rule: str = ""
    by_rule: str = ""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """Each caster with each of its creatures."""
        for id in ids:
            for creature in creatures_of(turn.state, id):
                yield Offer(id, {CASTER: id, "creature": creature.id})

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Dismissal, list[Refusal]]:
        """Whether it may."""
        found = Dismissal(fields["caster"], fields["creature"])
        refusal = self._against(turn, found, by)
        return found, [] if refusal is None else [refusal]

    def _against(self, turn: Adjudication, wanted: Dismissal, by: str) -> Refusal | None:
        state = turn.state
        caster, creature = state.entities[wanted.caster], state.entities[wanted.creature]
        player = player_of(state, caster.id)
        if by != REFEREE and not same_side(state, caster.id, by):
            return Refusal(self.by_rule, message("refusal.not_yours", model=caster.name, player=player), "by")
        hindered = next((word for word in own_conditions(caster) if word in self.unless), None)
        if hindered is not None:
            return Refusal(self.unless_rule, message("refusal.dismiss.unless", entity=caster.name, condition=hindered))
        told: dict[str, Any] = {"caster": caster.name, "creature": creature.name, "player": player, "phase": self.phase}
        if phase_of(state) != self.phase or active_player(state) != player:
            return Refusal(self.rule, message("refusal.dismiss.phase", **told))
        if creature.facts.get(CASTER) != caster.id or creature.kind != MODEL:
            return Refusal(self.rule, message("refusal.dismiss.other", **told), "creature")
        if self.once and was_done(state, f"dismiss:{caster.id}"):
            gone = next((id for id in reversed(state.used) if was_done(state, f"dismissed:{id}")), "")
            return Refusal(self.once_rule, message("refusal.dismiss.once", caster=caster.name, creature=gone))
        return None

    def run(self, turn: Adjudication, prepared: Dismissal) -> None:
        """It goes, instantly."""
        mark_done(turn, f"dismiss:{prepared.caster}", self.once_rule)
        mark_done(turn, f"dismissed:{prepared.creature}", self.once_rule)
        leave(turn, prepared.creature, self.rule)

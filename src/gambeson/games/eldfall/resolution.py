"""The Resolution of one Sequence: the activated model's Action and all Reactions together, stage by stage."""

from __future__ import annotations

from typing import Any

from gambeson.games.eldfall.attacks import Attack, lay_out
from gambeson.games.eldfall.damage import Damage, Tally, damage, suffer, wound_effects
from gambeson.games.eldfall.declaring import (
    CAST,
    DODGE,
    NOTHING,
    WEAPON,
    Declared,
    declared_attack,
    declared_cast,
)
from gambeson.games.eldfall.falling import LIFE, MANA, at_zero
from gambeson.games.eldfall.grants import hit_effects, place, summon
from gambeson.games.eldfall.models import SEQUENCE, TRANSMUTATION
from gambeson.games.eldfall.protections import negate, resist, ward_off, warding
from gambeson.games.eldfall.rolls import roll_attacks, roll_dodges
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, lose
from gambeson.language.figures import pool_of
from gambeson.mechanisms.phases import raise_points
from gambeson.mechanisms.turns import ACTIVE, REACTIVE
from gambeson.model.events import FactSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import Entity, Facts


def pay_mana(turn: Adjudication, declared: Declared) -> None:
    """EF-40, EF-42, EF-44: the Mana Counters are taken as the casting is declared."""
    if not declared.price:
        return
    for id, points in (declared.mana_from or {declared.actor: declared.price}).items():
        if points:
            rule = "EF-44" if declared.mana_from else "EF-42" if declared.mana else "EF-40"
            left = pool_of(turn.state.entities[id], MANA).current
            note = message("trace.eldfall.mana_paid", points=points, spell=declared.code)
            turn.note(TraceRow("paid", rule, id, left, left - points, note))
            lose(turn, id, MANA, points, rule, "cost")


def reaction(turn: Adjudication, record: Facts) -> Declared | None:
    """A declared Reaction as it is resolved; None if its model or all of its targets are gone."""
    id = record["model"]
    if id not in turn.state.entities:
        return None
    blind = record.get("no_line_of_sight", False)
    match record["action"]:
        case "attack":
            declared = declared_attack(turn, id, record, REACTIVE)
        case "cast":
            declared = declared_cast(turn, id, record, REACTIVE)
        case action:
            return Declared(actor=id, role=REACTIVE, action=action, blind=blind)
    if any(target not in turn.state.entities for target in declared.ids):
        return None
    return declared


def resolve(turn: Adjudication, action: Declared) -> None:
    """EF-17: everything in a Resolution reads the values at its start and takes effect together, Wounds last."""
    record: dict[str, Any] = turn.state.facts[SEQUENCE]
    reactions = [found for entry in record["reactions"] if (found := reaction(turn, entry)) is not None]
    turn.change(FactSet("", SEQUENCE, {**record, "action": action.action}, "EF-04"))
    together = (action, *reactions)
    attacks = tuple(Attack(turn, declared) for declared in together if declared.action in (WEAPON, CAST))
    for attack in attacks:
        lay_out(turn, attack)
    roll_attacks(turn, attacks)
    roll_dodges(turn, tuple(declared for declared in together if declared.action == DODGE), attacks)
    carry_out(turn, attacks)


def carry_out(turn: Adjudication, attacks: tuple[Attack, ...]) -> None:
    """Stages 4 to 13 of the damage procedure."""
    for attack in attacks:
        resist(turn, attack)
    wards = warding(turn, attacks)
    for attack in attacks:
        ward_off(turn, attack, wards)
    used = negate(turn, attacks)
    before = dict(turn.state.entities)
    for id, code in used:
        _use_up(turn, id, code)
    for attack in attacks:
        hit_effects(turn, attack)
        _appearances(turn, attack, "creature_appears")
    at_once = turn.pack.readings["new_effects"] == "at_once"

    def read(id: str) -> Entity | None:
        """EF-17: the entity whose values count from stage 8 on."""
        now = turn.state.entities.get(id)
        return now if at_once or now is None else before.get(id, now)

    tally = Tally(turn, attacks, before)
    while tally.coming:
        found = damage(turn, *tally.coming[0], tally, read)
        del tally.coming[0]
        if found is not None:
            tally.dealt.append(found)
    _wounds(turn, tally.dealt)
    for attack in attacks:
        _appearances(turn, attack, "no_creature")
        _felled(turn, attack)
        _failed(turn, attack)


def _use_up(turn: Adjudication, id: str, code: str) -> None:
    """EF-73: the Enchantment that negated a Hit ends."""
    for effect in turn.state.entities[id].effects:
        if effect.code == code:
            end_effect(turn, id, effect, "EF-73")
            return


def _wounds(turn: Adjudication, dealt: list[Damage]) -> None:
    suffered = [(entry, suffer(turn, entry)) for entry in dealt]
    for entry, wounds in suffered:
        wound_effects(turn, entry, wounds)


def _appearances(turn: Adjudication, attack: Attack, reading: str) -> None:
    """EF-59, EF-55, EF-68: what appears; under `no_creature` only if the caster still stands after the Wounds."""
    spell = attack.spell
    if spell is None or not attack.succeeded:
        return
    if spell.creature and turn.pack.readings["ritual_when_caster_falls"] == reading:
        caster = turn.state.entities.get(attack.actor)
        stands = caster is not None and pool_of(caster, LIFE).current > 0
        if reading == "creature_appears" or stands:
            summon(turn, attack)
        else:
            note = message("trace.eldfall.no_creature")
            turn.note(TraceRow("hit_effects", "EF-68", attack.actor, 0, 0, note))
    if spell.type == TRANSMUTATION and reading == "creature_appears":
        place(turn, attack)


def _felled(turn: Adjudication, attack: Attack) -> None:
    """EF-68: a Ritual works although a Reaction has felled its caster; the creature leaves with the Sequence."""
    if attack.spell is None or not attack.spell.creature:
        return
    caster = turn.state.entities.get(attack.actor)
    if (caster is None or at_zero(caster)) and turn.pack.readings["ritual_when_caster_falls"] == "creature_appears":
        turn.note(TraceRow("hit_effects", "EF-68", attack.actor, 0, 0, message("trace.eldfall.felled")))


def _failed(turn: Adjudication, attack: Attack) -> None:
    """EF-41: the mana of a casting is spent though no die succeeded; under `kept` it returns."""
    declared = attack.declared
    if attack.succeeded or not declared.price:
        return
    if turn.pack.readings["mana_on_failed_cast"] != "kept":
        note = message("trace.eldfall.mana_spent", points=declared.price)
        turn.note(TraceRow("mana", "EF-41", attack.actor, declared.price, 0, note))
        return
    for id, points in (declared.mana_from or {declared.actor: declared.price}).items():
        if id in turn.state.entities and points:
            raise_points(turn, id, MANA, points, "EF-41")


def nothing(actor: str, action: str) -> Declared:
    """EF-04: Nothing or Dodge as the activated model's Action."""
    return Declared(actor=actor, role=ACTIVE, action=action or NOTHING)

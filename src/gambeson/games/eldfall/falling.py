"""Wounds and what comes of them: Incapacitated, Dead, who leaves the field, the end of a Sequence."""

from __future__ import annotations

from typing import Any

from gambeson.games.eldfall.models import (
    CROUCHED,
    DEAD,
    INCAPACITATED,
    LEAVING,
    SEQUENCE,
    TRANSMUTATION,
    can_be,
    fallen,
    has_class,
    has_trait,
    tables,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import add_condition, begin, end_effect, lose, unmark
from gambeson.language.figures import own_conditions, pool_of
from gambeson.language.lastings import lasting_effect
from gambeson.mechanisms.creatures import creatures_of, leave
from gambeson.model.events import FactSet
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Effect, Entity

LIFE, MANA, ACTIVATION = "hit_points", "mana", "activation"


def wound(turn: Adjudication, id: str, wounds: int, rule: str) -> int:
    """EF-18: nobody suffers more Wounds than it has HP, an Incapacitated one suffers one; says how many it suffered."""
    entity = turn.state.entities[id]
    before = pool_of(entity, LIFE).current
    state = fallen(entity)
    if state == DEAD or not wounds:
        suffered = 0
    elif state == INCAPACITATED and not before:
        suffered = 0 if id in _struck(turn) else 1
        _strike_again(turn, id)
    else:
        suffered = lose(turn, id, LIFE, wounds, rule, "damage")
    after = pool_of(turn.state.entities[id], LIFE).current
    note = message("trace.eldfall.wounds", wounds=wounds, suffered=suffered)
    turn.note(TraceRow("wounds", rule, id, before, after, note, bool(wounds)))
    return suffered


def _struck(turn: Adjudication) -> tuple[str, ...]:
    record: dict[str, Any] = turn.state.facts.get(SEQUENCE) or {}
    return tuple(record.get("struck", ()))


def _strike_again(turn: Adjudication, id: str) -> None:
    """EF-18: an Incapacitated model that suffers a Wound dies at the end of the Sequence; without one, at once."""
    record = turn.state.facts.get(SEQUENCE)
    if record is None:
        die(turn, id)
        _lost_outside(turn, [id])
    elif id not in record["struck"]:
        turn.change(FactSet("", SEQUENCE, {**record, "struck": (*record["struck"], id)}, "EF-18"))


def die(turn: Adjudication, id: str) -> None:
    """EF-18: Dead in place of Incapacitated, keeping its other States."""
    unmark(turn, id, INCAPACITATED, "EF-18")
    add_condition(turn, id, DEAD, "EF-18")
    turn.note(TraceRow("falls", "EF-18", id, 0, 0, message("trace.eldfall.dead")))


def settle_outside(turn: Adjudication) -> None:
    """EF-67: with no Sequence open a model at 0 HP falls at once, and what belongs to it leaves at once."""
    if turn.state.facts.get(SEQUENCE) is not None:
        return
    late = turn.pack.readings["removal_outside_sequence"] == "next_sequence_end"
    casters: list[str] = []
    for id, entity in tuple(turn.state.entities.items()):
        if not at_zero(entity) or (late and leaves(turn, entity)):
            continue
        _fall(turn, entity)
        casters.append(id)
    for id in casters:
        note = message("trace.eldfall.outside", late=int(late))
        turn.note(TraceRow("falls", "EF-67", id, 0, 0, note))
    _lost_outside(turn, casters)


def _lost_outside(turn: Adjudication, casters: list[str]) -> None:
    """EF-67, EF-43: what those lose that fall or die with no Sequence open."""
    if turn.pack.readings["removal_outside_sequence"] == "next_sequence_end" and casters:
        waiting = turn.state.facts.get(LEAVING, ())
        turn.change(FactSet("", LEAVING, (*waiting, *casters), "EF-67"))
    else:
        creatures_leave(turn, casters, "EF-67")
    mana_is_lost(turn, casters)


def end_sequence(turn: Adjudication) -> None:
    """EF-18, EF-66, EF-43, EF-45: what the end of an Activation Sequence brings, in order."""
    struck = _struck(turn)
    casters: list[str] = list(turn.state.facts.get(LEAVING, ()))
    for id, entity in tuple(turn.state.entities.items()):
        if id in struck and fallen(entity) == INCAPACITATED and not pool_of(entity, LIFE).current:
            die(turn, id)
            casters.append(id)
        elif at_zero(entity):
            _fall(turn, entity)
            casters.append(id)
    creatures_leave(turn, casters)
    mana_is_lost(turn, casters)
    if turn.state.facts.get(LEAVING):
        turn.change(FactSet("", LEAVING, None, "EF-67"))
    for id, entity in tuple(turn.state.entities.items()):
        for effect in entity.effects:
            if any(end.moment == "sequence_end" for end in effect.until):
                turn.note(TraceRow("sequence_end", "EF-45", id, 0, 0, message("trace.effect_over", effect=effect.name)))
                end_effect(turn, id, effect, "EF-45")
    turn.change(FactSet("", SEQUENCE, None, "EF-04"))


def at_zero(entity: Entity) -> bool:
    """Whether a model has no HP left and its State has not come yet."""
    return entity.kind != TRANSMUTATION and not pool_of(entity, LIFE).current and not fallen(entity)


def leaves(turn: Adjudication, entity: Entity) -> bool:
    """EF-69: Constructs and Elementals leave the field at 0 HP."""
    return any(has_trait(entity, trait) for trait in tables(turn.pack).leave)


def _fall(turn: Adjudication, entity: Entity) -> None:
    """EF-18: Incapacitated and Crouched; EF-69: or gone; EF-52: what the fall ends elsewhere."""
    if leaves(turn, entity):
        leave(turn, entity.id, "EF-69")
    else:
        add_condition(turn, entity.id, INCAPACITATED, "EF-18")
        add_condition(turn, entity.id, CROUCHED, "EF-18")
        turn.note(TraceRow("falls", "EF-18", entity.id, 0, 0, message("trace.eldfall.incapacitated")))
    _enchantments_of(turn, entity.id)


def _enchantments_of(turn: Adjudication, caster: str) -> None:
    """EF-52: the Enchantments of a fallen caster stay to their normal end; under `ends` they end with the fall."""
    ends = turn.pack.readings["enchantment_when_caster_falls"] == "ends"
    for id, entity in tuple(turn.state.entities.items()):
        for effect in entity.effects:
            spell = turn.pack.spells.get(effect.code)
            if effect.source != caster or spell is None or spell.type != "enchantment":
                continue
            note = message("trace.eldfall.outlasts", effect=effect.code, ends=int(ends))
            turn.note(TraceRow("falls", "EF-52", id, 0, 0, note))
            if ends:
                end_effect(turn, id, effect, "EF-52")


def creatures_leave(turn: Adjudication, casters: list[str], rule: str = "EF-66") -> None:
    """EF-66: the creatures of casters that fell leave the field."""
    for caster in casters:
        for creature in creatures_of(turn.state, caster):
            leave(turn, creature.id, rule)
            creatures_leave(turn, [creature.id], rule)


def mana_is_lost(turn: Adjudication, fell: list[str]) -> None:
    """EF-43: who loses all Mana Counters with the fall."""
    reading = turn.pack.readings["mana_on_incapacitated"]
    for id in fell:
        entity = turn.state.entities.get(id)
        if entity is None or reading == "none" or (reading == "summoner_only" and not has_class(entity, "summoner")):
            continue
        points = pool_of(entity, MANA).current
        if points:
            turn.note(TraceRow("mana", "EF-43", id, points, 0, message("trace.eldfall.mana_lost", points=points)))
            lose(turn, id, MANA, points, "EF-43", "end")


def healed(turn: Any, event: Any) -> None:
    """EF-19: a watcher of pools: 1 HP regained ends Incapacitated, and the model's player may end Crouched."""
    if event.layer != LIFE:
        return
    entity: Entity = turn.state.entities[event.entity]
    if not pool_of(entity, LIFE).current or not unmark(turn, entity.id, INCAPACITATED, "EF-19"):
        return
    if CROUCHED not in own_conditions(turn.state.entities[entity.id]):
        return
    options = (Option("stand", message("option.eldfall.stand")), Option("stay", message("option.eldfall.stay")))
    question = Question(
        f"stand:{entity.id}",
        entity.id,
        "EF-19",
        message("question.eldfall.stand", entity=entity.name),
        options,
        suggested="stand",
    )
    if turn.ask(question) == ("stand",):
        unmark(turn, entity.id, CROUCHED, "EF-19")


def comes_under(turn: Adjudication, id: str, state: str, rule: str) -> None:
    """EF-21: a State without a date, if the model can have it."""
    entity = turn.state.entities[id]
    if can_be(turn.pack, entity, state):
        add_condition(turn, id, state, rule)


def bear(turn: Adjudication, id: str, code: str, source: str | None, rule: str) -> Effect:
    """EF-49, EF-50: an effect begins, in place of the one of its name that is there."""
    entity = turn.state.entities[id]
    for effect in entity.effects:
        if effect.code == code:
            note = message("trace.eldfall.one_of_a_name", effect=code)
            turn.note(TraceRow("hit_effects", "EF-49", id, 0, 0, note))
            end_effect(turn, id, effect, "EF-50")
    effect = lasting_effect(turn.pack, code, source)
    kept = tuple(state for state in effect.conditions if can_be(turn.pack, entity, state))
    return begin(turn, id, Effect(
        0, effect.name, effect.source, effect.code, effect.until, 0, effect.tags, kept, effect.lists, effect.changes,
    ), rule)  # fmt: skip


def cure(turn: Adjudication, id: str, state: str, rule: str) -> bool:
    """EF-21: a cure ends the State and every effect that brings it; says whether it was there."""
    entity = turn.state.entities[id]
    if state not in own_conditions(entity):
        return False
    for effect in entity.effects:
        if state in effect.conditions:
            end_effect(turn, id, effect, rule)
    unmark(turn, id, state, rule)
    return True

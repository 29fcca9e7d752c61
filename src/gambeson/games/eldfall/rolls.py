"""Stages 1 to 3 of a Resolution: Attack dice, Confrontations, Dodges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gambeson.games.eldfall.attacks import SIDES, Attack
from gambeson.games.eldfall.declaring import Declared
from gambeson.games.eldfall.models import HALF, has_class, has_trait, smaller, stat, tables, untouched
from gambeson.language.adjudication import Adjudication
from gambeson.language.dice import AtMost, Confrontation
from gambeson.language.throws import Clashing, Counted, Marked, Marks, Share, Stood, Together
from gambeson.mechanisms.turns import ACTIVE
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import DiceGroup, Question


def roll_attacks(turn: Adjudication, attacks: tuple[Attack, ...]) -> None:
    """EF-10, EF-11, EF-12: all dice of the Sequence are thrown; successes that no Confrontation cancels are Hits."""
    rolling = [attack for attack in attacks if attack.rolled]
    if not rolling:
        return
    places = [(attack, id) for attack in rolling for id in attack.dice]
    pairs = _confrontations(turn, attacks)
    shares: list[Share] = []
    read: list[tuple[tuple[Attack, str], ...]] = []
    for at, (attack, id) in enumerate(places):
        other = pairs.get((attack.actor, id))
        if other is None:
            shares.append(Share(Marked(_against(turn, attack)), (at,)))
            read.append(((attack, id),))
        elif attack.declared.role == ACTIVE:
            against = places.index((other, other.aimed[0]))
            ties = "a_wins" if turn.pack.readings["confrontation_tie"] == "active_wins" else "both_cancel"
            clash = Confrontation(_against(turn, attack), _against(turn, other), ties)  # type: ignore[arg-type]
            told = bool(attack.declared.price or other.declared.price)
            told = told and turn.pack.readings["mana_on_failed_cast"] == "kept"
            shares.append(Share(Clashing(clash, told), (at, against)))
            read.append(((attack, id), (other, other.aimed[0])))
    questions = tuple(_dice_question(attack) for attack in rolling)
    values = turn.roll(questions, Together(tuple(shares)))
    for sides, value in zip(read, values, strict=True):
        marks = (value,) if len(sides) == 1 else value[:2]
        if isinstance(value, Stood) and value.tied:
            _tie(turn, sides[0][0])
        for (attack, _), success in zip(sides, value[2:] if len(sides) == 2 else (), strict=False):
            attack.succeeded = attack.succeeded or success
        for (attack, id), own in zip(sides, marks, strict=True):
            _stand(turn, attack, id, own, len(sides) == 2)


def _tie(turn: Adjudication, active: Attack) -> None:
    """EF-13: an equal die has decided."""
    reading = turn.pack.readings["confrontation_tie"]
    note = message("trace.eldfall.tie", stands=int(reading == "active_wins"))
    turn.note(TraceRow("confrontation", "EF-13", active.actor, 0, 0, note))


def _stand(turn: Adjudication, attack: Attack, id: str, marks: Marks, confronted: bool) -> None:
    attack.succeeded = attack.succeeded or bool(marks)
    for target in attack.aimed if attack.declared.template else (id,):
        attack.hits[target] = marks
        criticals = sum(marks)
        told: dict[str, Any] = {"hits": len(marks), "criticals": criticals, "value": attack.value}
        told["assist"] = int(attack.assist)
        if confronted:
            note = message("trace.eldfall.hits_left", attacker=attack.name, **told)
        else:
            note = message("trace.eldfall.hits", **told)
        stage = "confrontation" if confronted else "attack_rolls"
        rule = "EF-11" if criticals else "EF-12" if confronted else _rule(attack)
        turn.note(TraceRow(stage, rule, target, attack.dice[id], len(marks), note))
    if not attack.aimed:
        attack.hits[""] = marks
        note = message("trace.eldfall.hits", hits=len(marks), criticals=0, value=attack.value, assist=1)
        turn.note(TraceRow("attack_rolls", _rule(attack), attack.actor, attack.dice[id], len(marks), note))


def _rule(attack: Attack) -> str:
    """EF-10, EF-29, EF-33: what the dice of an Attack, an Assist or a template stand under."""
    return "EF-29" if attack.assist else "EF-33" if attack.declared.template else "EF-10"


def _dice_question(attack: Attack) -> Question:
    return Question(
        f"attack:{attack.actor}",
        attack.actor,
        "EF-10",
        message("question.eldfall.attack", entity=attack.name, what=attack.code, value=attack.value),
        dice=tuple(DiceGroup(dice, SIDES, attack.actor, id) for id, dice in attack.dice.items()),
    )


def _against(turn: Adjudication, attack: Attack) -> AtMost:
    """EF-11, EF-29: 1 is critical (for some classes more), and 20 above an attribute of 20; an Assist has none."""
    if attack.assist or not attack.aimed:
        return AtMost(attack.value, 0)
    critical = 1
    for cls, most in tables(turn.pack).critical.items():
        if attack.by is not None and has_class(attack.by, cls):
            critical = max(critical, most)
    return AtMost(attack.value, critical, (SIDES,) if attack.value > SIDES else ())


def _confrontations(turn: Adjudication, attacks: tuple[Attack, ...]) -> dict[tuple[str, str], Attack]:
    """EF-12: for each Attack and target the enemy Attack that it meets."""
    found: dict[tuple[str, str], Attack] = {}
    if len(attacks) < 2 or attacks[0].declared.role != ACTIVE:
        return found
    mine = attacks[0]
    for other in attacks[1:]:
        if _meet(turn, mine, other):
            found[mine.actor, other.actor] = other
            found[other.actor, mine.actor] = mine
    return found


def _meet(turn: Adjudication, mine: Attack, other: Attack) -> bool:
    if not (mine.rolled and other.rolled) or mine.declared.ground:
        return False
    if other.aimed[:1] != (mine.actor,) or other.actor not in (
        mine.aimed[:1] if mine.declared.template else mine.aimed
    ):
        return False
    assert mine.by is not None
    assert other.by is not None
    for one, two in ((mine.by, other.by), (other.by, mine.by)):
        if has_trait(one, "unstoppable") and smaller(turn.pack, two, one):
            return False
    return True


def roll_dodges(turn: Adjudication, dodgers: tuple[Declared, ...], attacks: tuple[Attack, ...]) -> None:
    """EF-14, EF-48, EF-33: one die against each Attack that rolled at the dodger takes away its Hits but criticals."""
    thrown = [
        (declared, attack, value)
        for declared in dodgers
        for attack in _dodgeable(turn, declared.actor, attacks)
        if (value := _dodge_value(turn, declared, attack))
    ]
    if not thrown:
        return
    questions = tuple(
        Question(
            f"dodge:{declared.actor}:{attack.actor}",
            declared.actor,
            "EF-14",
            message(
                "question.eldfall.dodge",
                entity=turn.state.entities[declared.actor].name,
                value=value,
                attacker=attack.name,
            ),
            dice=(DiceGroup(1, SIDES, declared.actor),),
        )
        for declared, attack, value in thrown
    )
    shares = tuple(Share(Counted((value,)), (at,)) for at, (_, _, value) in enumerate(thrown))
    for (declared, attack, value), success in zip(thrown, turn.roll(questions, Together(shares)), strict=True):
        before = after = attack.hits[declared.actor]
        if success and before:
            after = tuple(mark for mark in before if mark)
            attack.left(declared.actor, after)
        note = message("trace.eldfall.dodge", value=value, success=success)
        turn.note(TraceRow("dodge", "EF-14", declared.actor, len(before), len(after), note, bool(success)))


def _dodgeable(turn: Adjudication, id: str, attacks: tuple[Attack, ...]) -> Iterator[Attack]:
    for attack in attacks:
        if id not in attack.aimed or not attack.rolled or attack.assist:
            continue
        if attack.spell is not None and attack.spell.type == "enchantment":
            turn.note(TraceRow("dodge", "EF-48", id, 0, 0, message("trace.eldfall.not_dodged")))
            continue
        yield attack


def _dodge_value(turn: Adjudication, declared: Declared, attack: Attack) -> int:
    entity = turn.state.entities[declared.actor]
    mindgame = "mindgame" in attack.traits and not untouched(turn.pack, entity, "mindgame")
    half = (HALF,) if declared.blind else ()
    return stat(turn, entity, "intellect" if mindgame else "agility", *half)

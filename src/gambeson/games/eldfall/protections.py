"""Stages 4 to 6 of a Resolution: Resistance, Ward, and the Enchantments that negate a Hit."""

from __future__ import annotations

from collections.abc import Iterable

from gambeson.games.eldfall.attacks import Attack
from gambeson.games.eldfall.models import resisted, tagged
from gambeson.language.adjudication import Adjudication
from gambeson.language.throws import Marks
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Entity

WARD, NEGATES = "ward", "negates"


def resist(turn: Adjudication, attack: Attack) -> None:
    """EF-71: a Resistance II negates the Attack on that model, criticals and effects included."""
    for id, marks in attack.hits.items():
        if not marks or attack.assist or not id:
            continue
        matching = resisted(turn.state.entities[id], 2, attack)
        if matching:
            attack.left(id, ())
            note = message("trace.eldfall.resisted", names=matching)
            turn.note(TraceRow("resistance", "EF-71", id, len(marks), 0, note))


def warding(turn: Adjudication, attacks: tuple[Attack, ...]) -> tuple[str, ...]:
    """EF-72: on whom this Resolution brings a Ward."""
    found: tuple[str, ...] = ()
    for attack in attacks:
        if attack.spell is not None and attack.spell.bears and WARD in turn.pack.lasting[attack.code].tags:
            found += tuple(id for id, marks in attack.hits.items() if marks)
    return found


def ward_off(turn: Adjudication, attack: Attack, wards: tuple[str, ...]) -> None:
    """EF-72: under a Ward, an old one or one of those new `wards`, all Hits that are not critical are ignored."""
    if attack.assist:
        return
    for id, marks in attack.hits.items():
        if marks and id and (id in wards or tagged(turn.state.entities[id], WARD)):
            attack.left(id, tuple(mark for mark in marks if mark))
            turn.note(TraceRow("ward", "EF-72", id, len(marks), len(attack.hits[id]), message("trace.eldfall.ward")))


def negate(turn: Adjudication, attacks: Iterable[Attack]) -> tuple[tuple[str, str], ...]:
    """EF-73: one Hit of the first Attack that has any left is negated; says which effects of whom that uses up."""
    used: dict[str, str] = {}
    for attack in attacks:
        for id, marks in attack.hits.items() if not attack.assist else ():
            entity = turn.state.entities.get(id)
            if entity is None or not entity.effects or id in used:
                continue
            barrier = next((effect for effect in entity.effects if NEGATES in effect.tags), None)
            if barrier is None:
                continue
            if not marks:
                _spared(turn, attack, id, barrier.code)
                continue
            used[id] = barrier.code
            gone = _negated(turn, entity, attack, marks)
            attack.left(id, (*marks[:gone], *marks[gone + 1 :]))
            note = message("trace.eldfall.negated", effect=barrier.code)
            turn.note(TraceRow("negation", "EF-73", id, len(marks), len(marks) - 1, note))
    return tuple(used.items())


def _spared(turn: Adjudication, attack: Attack, id: str, effect: str) -> None:
    """EF-70: what an earlier protection has stopped does not use up a later one."""
    if id in attack.stopped:
        turn.note(TraceRow("negation", "EF-70", id, 0, 0, message("trace.eldfall.spared", effect=effect)))


def _negated(turn: Adjudication, entity: Entity, attack: Attack, marks: Marks) -> int:
    if len(marks) == 1:
        return 0
    first = marks.index(True) if True in marks else 0
    options = tuple(
        Option(f"hit_{n}", message("option.eldfall.hit", number=n, critical=int(mark)))
        for n, mark in enumerate(marks, 1)
    )
    question = Question(
        f"negate:{entity.id}",
        entity.id,
        "EF-73",
        message("question.eldfall.negate", entity=entity.name, attacker=attack.name),
        options,
        suggested=f"hit_{first + 1}",
    )
    (chosen,) = turn.ask(question)
    return int(chosen.removeprefix("hit_")) - 1

"""Stages 1 to 6 of a Resolution: from the dice of all its Attacks and Assists to the Hits that remain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gambeson.games.eldfall.declaring import (
    MOST_DICE,
    Declared,
    is_attack,
    rolled_with,
    splits,
    strike,
    without_roll,
)
from gambeson.games.eldfall.models import (
    HALF,
    STAR,
    Spell,
    has_class,
    has_trait,
    resisted,
    smaller,
    stat,
    tables,
    tagged,
    traits_of,
    untouched,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.dice import AtMost, Confrontation
from gambeson.language.throws import Clashing, Counted, Marked, Marks, Share, Together
from gambeson.mechanisms.turns import ACTIVE
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import DiceGroup, Option, Question
from gambeson.model.values import Entity

SIDES = 20
WARD, NEGATES, LEECH = "ward", "negates", "leech"


class Attack:
    """An Attack or Assist on its way through the stages; `hits` are the marks that are left on each target."""

    __slots__ = (
        "actor", "aimed", "assist", "by", "choices", "code", "declared", "dice", "hits", "leeches", "mode", "natural",
        "pays_no_die", "power", "rolled", "spell", "succeeded", "traits", "types", "value",
    )  # fmt: skip

    def __init__(self, turn: Adjudication, declared: Declared) -> None:
        self.declared = declared
        self.actor = declared.actor
        self.code = declared.code
        self.spell: Spell | None = declared.spell
        self.mode = declared.mode
        self.assist = not is_attack(turn, declared)
        self.aimed = declared.ids
        self.traits = (
            dict(declared.spell.traits) if declared.spell is not None else traits_of(declared.weapon["traits"])
        )
        self.natural = bool(declared.weapon.get("natural"))
        self.leeches = _leeches(turn, self)
        self.types = _types(turn, self)
        self.value = 0
        self.dice: dict[str, int] = {}
        self.pays_no_die: tuple[str, ...] = ()
        self.hits: dict[str, Marks] = dict.fromkeys(self.aimed, ())
        self.rolled = False
        self.succeeded = False
        self.choices = list(declared.choices)
        self.power: int | str | None = declared.written_power
        self.by: Entity | None = turn.state.entities.get(declared.actor)

    @property
    def words(self) -> tuple[str, ...]:
        """EF-71: everything that a Resistance may name: types, Element, traits."""
        own = (*self.types, *self.traits)
        return own if "spell" in self.types else (*own, "non_spell")


def _types(turn: Adjudication, attack: Attack) -> tuple[str, ...]:
    """EF-51, EF-71: what is a Spell, of which type and Element: also Attacks under ✦ and natural ones of an Essence."""
    entity = turn.state.entities.get(attack.actor)
    if entity is None:
        return ()
    found: list[str] = []
    if attack.spell is not None:
        found += ["spell", attack.spell.type, attack.spell.element]
    for effect in entity.effects if not attack.assist else ():
        spell = turn.pack.spells.get(effect.code)
        if spell is not None and spell.power == STAR:
            found.append("spell")
        for traits in effect.lists.get("attack_traits", ()):
            attack.traits.update(traits)
    if attack.natural and attack.mode == "melee":
        for element in entity.facts.get("essence", ()):
            found += ["spell", element]
    return tuple(dict.fromkeys(found))


def _leeches(turn: Adjudication, attack: Attack) -> tuple[str, ...]:
    """EF-51: to whom the Wounds of an enchanted model's Attacks bring mana."""
    entity = turn.state.entities.get(attack.actor)
    if entity is None or attack.assist:
        return ()
    return tuple(effect.source for effect in entity.effects if LEECH in effect.tags and effect.source is not None)


def lay_out(turn: Adjudication, attack: Attack) -> None:
    """EF-09, EF-26, EF-31, EF-33: how many dice go at each target, and which successes need none."""
    declared = attack.declared
    if declared.out_of_reach:
        turn.note(TraceRow("attack_rolls", "EF-32", attack.actor, 0, 0, message("trace.eldfall.out_of_reach"), False))
        return
    if attack.spell is not None and attack.spell.creature:
        attack.succeeded = True
        return
    counts = _counts(turn, attack)
    attack.pays_no_die = tuple(id for id in attack.aimed if without_roll(turn, declared, id))
    for id in attack.pays_no_die:
        attack.hits[id] = (False,) * counts[id]
        attack.succeeded = True
        note = message("trace.eldfall.no_roll", successes=counts[id])
        turn.note(TraceRow("attack_rolls", "EF-31", id, 0, counts[id], note))
    attack.dice = {id: dice for id, dice in counts.items() if id not in attack.pays_no_die}
    if not attack.dice:
        return
    attack.value = rolled_with(turn, declared)
    if not attack.value:
        note = message("trace.eldfall.value_nothing", attribute=declared.attribute)
        turn.note(TraceRow("attack_rolls", "EF-07", attack.actor, 0, 0, note, False))
    attack.rolled = attack.value > 0


def _counts(turn: Adjudication, attack: Attack) -> dict[str, int]:
    """The dice for each target; one for a template, and `""` for what has no target."""
    declared = attack.declared
    if declared.template:
        return {attack.aimed[0] if attack.aimed else "": 1}
    dice = strike(turn, declared)
    if dice > MOST_DICE:
        turn.refuse(turn.pack.too_large("strike"))
    if not declared.targets:
        return {"": dice}
    if declared.targets[0][1]:
        return dict(declared.targets)
    if len(declared.targets) == 1 or len(declared.targets) == dice:
        share = dice if len(declared.targets) == 1 else 1
        return dict.fromkeys(declared.ids, share)
    return dict(zip(declared.ids, _split(turn, attack, dice), strict=True))


def _split(turn: Adjudication, attack: Attack, dice: int) -> tuple[int, ...]:
    """EF-09, EF-26: whoever rolls decides how the dice are split."""
    rule = "EF-26" if attack.spell is not None else "EF-09"
    ways = splits(dice, len(attack.aimed))
    names = tuple(turn.state.entities[id].name for id in attack.aimed)
    options = tuple(
        Option("-".join(map(str, way)), message("option.eldfall.split", shares=tuple(map(str, way)), targets=names))
        for way in ways
    )
    question = Question(
        f"split:{attack.actor}",
        attack.actor,
        rule,
        message("question.eldfall.split", entity=named_by(attack), dice=dice),
        options,
        suggested=options[0].id,
    )
    return tuple(map(int, stated(turn, attack, question).split("-")))


def stated(turn: Adjudication, attack: Attack, question: Question) -> str:
    """The answer: the first unused one of the `choices` stated with the casting that is an option here, else asked."""
    for word in attack.choices:
        if any(option.id == word for option in question.options):
            attack.choices.remove(word)
            return word
    (chosen,) = turn.ask(question)
    return chosen


def named_by(attack: Attack) -> str:
    """The name of the model that attacks."""
    return attack.by.name if attack.by is not None else attack.actor


# Stages 1 and 2


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
            shares.append(Share(Clashing(clash), (at, against)))
            read.append(((attack, id), (other, other.aimed[0])))
    questions = tuple(_dice_question(attack) for attack in rolling)
    values = turn.roll(questions, Together(tuple(shares)))
    for sides, value in zip(read, values, strict=True):
        marks = (value,) if len(sides) == 1 else value
        for (attack, id), own in zip(sides, marks, strict=True):
            _stand(turn, attack, id, own, len(sides) == 2)


def _stand(turn: Adjudication, attack: Attack, id: str, marks: Marks, confronted: bool) -> None:
    attack.succeeded = attack.succeeded or bool(marks)
    for target in attack.aimed if attack.declared.template else (id,):
        attack.hits[target] = marks
        criticals = sum(marks)
        note = message("trace.eldfall.hits", hits=len(marks), criticals=criticals, value=attack.value)
        stage = "confrontation" if confronted else "attack_rolls"
        rule = "EF-11" if criticals else "EF-12" if confronted else _rule(attack)
        turn.note(TraceRow(stage, rule, target, attack.dice[id], len(marks), note))
    if not attack.aimed:
        attack.hits[""] = marks
        note = message("trace.eldfall.hits", hits=len(marks), criticals=0, value=attack.value)
        turn.note(TraceRow("attack_rolls", _rule(attack), attack.actor, attack.dice[id], len(marks), note))


def _rule(attack: Attack) -> str:
    """EF-10, EF-29, EF-33: what the dice of an Attack, an Assist or a template stand under."""
    return "EF-29" if attack.assist else "EF-33" if attack.declared.template else "EF-10"


def _dice_question(attack: Attack) -> Question:
    rule = _rule(attack)
    return Question(
        f"attack:{attack.actor}",
        attack.actor,
        rule,
        message("question.eldfall.attack", entity=named_by(attack), what=attack.code, value=attack.value),
        dice=tuple(DiceGroup(dice, SIDES, attack.actor) for dice in attack.dice.values()),
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
    if not attacks or attacks[0].declared.role != ACTIVE:
        return found
    mine = attacks[0]
    for other in attacks[1:]:
        if _meet(turn, mine, other):
            found[mine.actor, other.actor] = other
            found[other.actor, mine.actor] = mine
    return found


def _meet(turn: Adjudication, mine: Attack, other: Attack) -> bool:
    if not (mine.rolled and other.rolled) or mine.assist or other.assist or mine.declared.ground:
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


# Stage 3


def roll_dodges(turn: Adjudication, dodgers: tuple[Declared, ...], attacks: tuple[Attack, ...]) -> None:
    """EF-14, EF-48, EF-33: one die against each Attack that rolled at the dodger takes away its Hits but criticals."""
    dice = [(declared, attack) for declared in dodgers for attack in _dodgeable(turn, declared.actor, attacks)]
    asked = [(declared, attack, _dodge_value(turn, declared, attack)) for declared, attack in dice]
    thrown = [entry for entry in asked if entry[2]]
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
                attacker=named_by(attack),
            ),
            dice=(DiceGroup(1, SIDES, declared.actor),),
        )
        for declared, attack, value in thrown
    )
    shares = tuple(Share(Counted((value,)), (at,)) for at, (_, _, value) in enumerate(thrown))
    for (declared, attack, value), success in zip(thrown, turn.roll(questions, Together(shares)), strict=True):
        before = attack.hits[declared.actor]
        after = tuple(mark for mark in before if mark) if success else before
        attack.hits[declared.actor] = after
        note = message("trace.eldfall.dodge", value=value, success=success)
        turn.note(TraceRow("dodge", "EF-14", declared.actor, len(before), len(after), note, bool(success)))


def _dodgeable(turn: Adjudication, id: str, attacks: tuple[Attack, ...]) -> Iterator[Attack]:
    for attack in attacks:
        if id not in attack.aimed or not attack.rolled or attack.assist or attack.actor == id:
            continue
        if attack.spell is not None and attack.spell.type == "enchantment":
            turn.note(TraceRow("dodge", "EF-48", id, 0, 0, message("trace.eldfall.not_dodged"), False))
            continue
        yield attack


def _dodge_value(turn: Adjudication, declared: Declared, attack: Attack) -> int:
    entity = turn.state.entities[declared.actor]
    mindgame = "mindgame" in attack.traits and not untouched(turn.pack, entity, "mindgame")
    half = (HALF,) if declared.blind else ()
    return stat(turn, entity, "intellect" if mindgame else "agility", *half)


# Stages 4 to 6


def resist(turn: Adjudication, attack: Attack) -> None:
    """EF-71: a Resistance II negates the Attack on that model, criticals and effects included."""
    for id, marks in attack.hits.items():
        if not marks or attack.assist or not id:
            continue
        matching = resisted(turn.state.entities[id], 2, attack.words)
        if matching:
            attack.hits[id] = ()
            note = message("trace.eldfall.resisted", names=matching)
            turn.note(TraceRow("resistance", "EF-71", id, len(marks), 0, note))


def warded(turn: Adjudication, attacks: tuple[Attack, ...]) -> tuple[str, ...]:
    """EF-72: who is under a Ward: borne already, or brought by this Resolution."""
    found = [id for id, entity in turn.state.entities.items() if tagged(entity, WARD)]
    for attack in attacks:
        if attack.spell is not None and attack.spell.bears and WARD in turn.pack.lasting[attack.code].tags:
            found += [id for id, marks in attack.hits.items() if marks]
    return tuple(dict.fromkeys(found))


def ward_off(turn: Adjudication, attack: Attack, wards: tuple[str, ...]) -> None:
    """EF-72: all Hits that are not critical are ignored, with their effects."""
    for id, marks in attack.hits.items():
        if id in wards and marks and not attack.assist:
            attack.hits[id] = tuple(mark for mark in marks if mark)
            turn.note(TraceRow("ward", "EF-72", id, len(marks), len(attack.hits[id]), message("trace.eldfall.ward")))


def negate(turn: Adjudication, attacks: Iterable[Attack]) -> tuple[tuple[str, str], ...]:
    """EF-73: one Hit of the first Attack that has any left is negated; says which effects of whom that uses up."""
    used: dict[str, str] = {}
    for attack in attacks:
        for id, marks in attack.hits.items():
            if not marks or attack.assist or not id or id in used:
                continue
            entity = turn.state.entities[id]
            barrier = next((effect for effect in entity.effects if NEGATES in effect.tags), None)
            if barrier is None:
                continue
            used[id] = barrier.code
            gone = _negated(turn, entity, attack, marks)
            attack.hits[id] = (*marks[:gone], *marks[gone + 1 :])
            note = message("trace.eldfall.negated", effect=barrier.code)
            turn.note(TraceRow("negation", "EF-73", id, len(marks), len(marks) - 1, note))
    return tuple(used.items())


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
        message("question.eldfall.negate", entity=entity.name, attacker=named_by(attack)),
        options,
        suggested=f"hit_{first + 1}",
    )
    (chosen,) = turn.ask(question)
    return int(chosen.removeprefix("hit_")) - 1

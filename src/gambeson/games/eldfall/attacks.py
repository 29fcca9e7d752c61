"""An Attack or Assist on its way through a Resolution: what it is made of, and how many dice it throws at whom."""

from __future__ import annotations

from gambeson.games.eldfall.declaring import Declared, rolled_with, splits, without_roll
from gambeson.games.eldfall.models import STAR, Spell, named, needs_stat, traits_of
from gambeson.language.adjudication import Adjudication
from gambeson.language.throws import Marks
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Entity

SIDES = 20
LEECH = "leech"


class Attack:
    """An Attack or Assist on its way through the stages; `hits` are the marks that are left on each target.

    `stopped` tells of each target that a protection has left no Hit on.
    """

    __slots__ = (
        "actor", "aimed", "assist", "by", "choices", "code", "declared", "dice", "hits", "leeches", "mode", "name",
        "natural", "power", "rolled", "spell", "stopped", "succeeded", "traits", "types", "value",
    )  # fmt: skip

    def __init__(self, turn: Adjudication, declared: Declared) -> None:
        spell: Spell | None = declared.spell
        self.declared = declared
        self.actor = declared.actor
        self.by: Entity | None = turn.state.entities.get(declared.actor)
        self.name = named(turn.state, declared.actor)
        self.code = declared.code
        self.spell = spell
        self.mode = declared.mode
        self.assist = not declared.attacks
        self.aimed = declared.ids
        self.traits = dict(spell.traits) if spell is not None else traits_of(declared.weapon["traits"])
        self.natural = bool(declared.weapon.get("natural"))
        self.leeches = _leeches(turn, self)
        self.types = _types(turn, self)
        self.power = declared.power
        self.value = 0
        self.dice: dict[str, int] = {}
        self.hits: dict[str, Marks] = dict.fromkeys(self.aimed, ())
        self.stopped: dict[str, bool] = {}
        self.rolled = False
        self.succeeded = False
        self.choices = list(declared.choices)

    @property
    def words(self) -> tuple[str, ...]:
        """EF-71: everything that a Resistance may name: types, Element, traits."""
        own = (*self.types, *self.traits)
        return own if "spell" in self.types else (*own, "non_spell")

    def left(self, id: str, marks: Marks) -> None:
        """What a protection has left of the Hits on a target."""
        self.hits[id] = marks
        if not marks:
            self.stopped[id] = True


def _types(turn: Adjudication, attack: Attack) -> tuple[str, ...]:
    """EF-51, EF-71: what is a Spell, of which type and Element: also Attacks under ✦ and natural ones of an Essence."""
    entity = turn.state.entities.get(attack.actor)
    if entity is None:
        return ()
    found: list[str] = []
    if attack.spell is not None:
        found += ["spell", attack.spell.type, attack.spell.element]
    for effect in entity.effects:
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
    if entity is None:
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
    for id in attack.aimed if attack.assist else ():
        if without_roll(turn, declared, id):
            successes = counts.pop(id)
            attack.hits[id] = (False,) * successes
            attack.succeeded = True
            note = message("trace.eldfall.no_roll", successes=successes)
            turn.note(TraceRow("attack_rolls", "EF-31", id, 0, successes, note))
    attack.dice = counts
    if not counts:
        return
    attack.value = rolled_with(turn, declared)
    _say_value(turn, attack)
    if not attack.value:
        note = message("trace.eldfall.value_nothing", attribute=declared.attribute)
        turn.note(TraceRow("attack_rolls", "EF-07", attack.actor, 0, 0, note, False))
    attack.rolled = attack.value > 0


def _say_value(turn: Adjudication, attack: Attack) -> None:
    """EF-07, EF-08, EF-23: with which attribute the dice are rolled, and what it has become."""
    declared = attack.declared
    printed = needs_stat(turn, turn.state.entities[attack.actor], declared.attribute)
    changed = attack.value if attack.value != printed else None
    rule = "EF-07" if changed is not None else "EF-23" if attack.spell is not None else "EF-08"
    modifier = f"{declared.modifier:+d}" if declared.modifier else None
    note = message(
        "trace.eldfall.value",
        printed=printed,
        modifier=modifier,
        blind=int(declared.blind),
        changed=str(changed) if changed is not None else None,
    )
    turn.note(TraceRow(declared.attribute, rule, attack.actor, printed, attack.value, note))


def _counts(turn: Adjudication, attack: Attack) -> dict[str, int]:
    """The dice for each target; one for a template, and `""` for what has no target."""
    declared = attack.declared
    if declared.template:
        return {attack.aimed[0] if attack.aimed else "": 1}
    dice = declared.strike
    ids = declared.ids
    if declared.shares:
        return dict(zip(ids, declared.shares, strict=True))
    if len(ids) < 2:
        return {ids[0] if ids else "": dice}
    if len(ids) == dice:
        return dict.fromkeys(ids, 1)
    return dict(zip(ids, _split(turn, attack, dice), strict=True))


def _split(turn: Adjudication, attack: Attack, dice: int) -> tuple[int, ...]:
    """EF-09, EF-26: whoever rolls decides how the dice are split."""
    rule = "EF-26" if attack.spell is not None else "EF-09"
    ways = splits(dice, len(attack.aimed))
    names = tuple(turn.state.entities[id].name for id in attack.aimed)
    options = tuple(Option("-".join(map(str, way)), _told(names, way)) for way in ways)
    question = Question(
        f"split:{attack.actor}",
        attack.actor,
        rule,
        message("question.eldfall.split", entity=attack.name, dice=dice),
        options,
        suggested=options[0].id,
    )
    return tuple(map(int, stated(turn, attack, question).split("-")))


def _told(names: tuple[str, ...], way: tuple[int, ...]) -> Message:
    """A way to split dice, target by target."""
    shares = [message("option.eldfall.share", target=name, dice=dice) for name, dice in zip(names, way, strict=True)]
    return message("option.eldfall.split", shares=tuple(shares))


def stated(turn: Adjudication, attack: Attack, question: Question) -> str:
    """The answer: the first unused one of the `choices` stated with the casting that is an option here, else asked."""
    for word in attack.choices:
        if any(option.id == word for option in question.options):
            attack.choices.remove(word)
            return word
    (chosen,) = turn.ask(question)
    return chosen

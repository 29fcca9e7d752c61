"""Random legal games of eldfall: whatever is offered is accepted, laws hold after every input, everything occurs."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from msgspec import Struct

from gambeson.engine.legal import Choice, proposed, tried
from gambeson.games import load
from gambeson.language.figures import own_conditions, shown_figures
from gambeson.language.offers import Offer
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.events import EntityAdded
from gambeson.model.questions import Question
from gambeson.model.values import State
from gambeson.table import Ruling, Table

UNCITED = {
    "EF-08": "which attribute a weapon uses shows in the value of a roll",
    "EF-13": "ties are part of the Confrontation, which cites EF-12",
    "EF-22": "what words mean",
    "EF-32": "sight and reach are facts of players, absent here",
    "EF-34": "that nothing is spent is checked after every refusal",
    "EF-35": "what mana is for",
    "EF-17": "that all is read at the start shows in the figures",
    "EF-23": "only what a model may cast with is offered",
    "EF-37": "that mana stays is checked after every input",
    "EF-44": "who pays with whom is a choice of players, absent here",
    "EF-48": "cited as a note beside the Dodge",
    "EF-49": "the older copy ends under EF-50",
    "EF-60": "a creature is attacked under EF-10 and dispelled under EF-75",
    "EF-61": "Limits are summed up under EF-62",
    "EF-63": "Limits are summed up under EF-62",
    "EF-70": "the order shows in the order of the stages",
}
"""Rules that a random game need not cite, and why."""

SELDOM = (
    "EF-07",
    "EF-12",
    "EF-39",
    "EF-41",
    "EF-50",
    "EF-52",
    "EF-57",
    "EF-62",
    "EF-67",
    "EF-68",
    "EF-74",
    "EF-75",
    "EF-77",
)
"""Rules that want another reading or much luck: some hundred games may go without, ten thousand do not."""

READINGS = (
    (
        "mana_on_failed_cast",
        "enchantment_when_caster_falls",
        "transmutation_in_reaction",
        "convert_timing",
        "capped_bonus",
    ),
    ("removal_outside_sequence", "ritual_when_caster_falls", "mana_conversion", "same_enchantment", "repeat_success"),
)
"""Other readings that are played together."""

TRAITS = [
    "stagger",
    "knockdown",
    "armor_piercing",
    "ignore_armor",
    {"burn": 2},
    "cleave",
    "frostbite",
    "stun",
    {"poison": 1},
    {"poison": 2},
]
CLASSES = ["mage", "summoner", "enchanter", "vitalist", "artificer", "mystic", "druid", "assassin"]
ELEMENTS = ["fire", "water", "earth", "air", "divine", "profane", "elder"]
STATES = [
    "weakened",
    "fatigued",
    "confused",
    "crippled",
    "crouched",
    "immobilized",
    "blinded",
    "engaged",
    "bleeding",
    "poisoned",
]
CREATURES = ["gargoyle", "golem", "earth_elemental", "water_elemental", "colossus"]
EFFECTS = [
    "ice_shield",
    "protective_barrier",
    "arcane_shield",
    "stoneskin",
    "deep_freeze",
    "ward",
    "melting_touch",
    "soul_leech",
]


class Seen(Struct):
    """What occurred in the games that were played."""

    spells: set[str]
    creatures: set[str]
    rules: set[str]
    commands: int = 0
    games: int = 0


def army(dice: random.Random) -> dict[str, Any]:
    """Two players with casters, fighters and creatures of every kind."""
    entities: dict[str, Any] = {}
    for player in ("red", "blue"):
        for number in range(dice.randint(2, 3)):
            entities[f"{player}_{number}"] = model(dice, player)
        if dice.random() < 0.6:
            creature = dice.choice(CREATURES)
            entities[f"{player}_pet"] = {"player": player, "creature": creature, "caster": f"{player}_0"}
        if dice.random() < 0.3:
            entities[f"{player}_wall"] = {"player": player, "kind": "transmutation", "stats": {"armor": 6}}
    for id, keys in entities.items():
        if keys.get("kind") is None and dice.random() < 0.25:
            keys["effects"] = [{"name": dice.choice(EFFECTS), "source": id}]
    return entities


def model(dice: random.Random, player: str) -> dict[str, Any]:
    names = ("offense", "defense", "accuracy", "intellect", "agility", "toughness", "morale")
    found: dict[str, Any] = {
        "player": player,
        "stats": {
            "stamina": dice.randint(2, 4),
            "armor": dice.randint(0, 6),
            **{n: dice.choice([2, *range(7, 23)]) for n in names},
        },
        "pools": {"hit_points": dice.randint(1, 3), "mana": dice.choice([0, 2, 5])},
        "classes": dice.sample(CLASSES, 3),
        "affinity": dice.sample(ELEMENTS, dice.choice([5, 7])),
        "weapons": {
            "blade": {
                "power": 13,
                "strike": 2,
                "reactive_strike": dice.randint(1, 2),
                "traits": dice.sample(TRAITS, 2),
            },
            "bow": {"power": "toughness-1", "strike": "stamina", "mode": "ranged"},
            "flask": {"power": 12, "mode": "ranged", "template": True, "traits": ["armor_piercing"]},
        },
        "conditions": [state for state in STATES if dice.random() < 0.06],
        "hands": dice.choice([[], [], [], ["shield"], ["two_handed"]]),
    }
    if dice.random() < 0.2:
        found["resistances"] = {dice.choice(["spell", "fire", "non_spell", "burn"]): dice.randint(1, 2)}
    if dice.random() < 0.1:
        found["traits"] = [dice.choice(["incorporeal", "unstoppable", "watchful", "construct"])]
    if dice.random() < 0.1:
        found["spellcraft"] = {"wizardry": 3, "cryomancy": 1}
    if dice.random() < 0.1:
        found["essence"] = [dice.choice(ELEMENTS)]
    return found


def filled(choice: Choice, dice: random.Random) -> Any:
    if not choice.listed:
        return dice.choice(choice.values)
    first = dice.choice(choice.first or choice.values)
    others = [other for other in choice.values if other != first]
    return (first, *dice.sample(others, min(dice.randint(choice.least, choice.most) - 1, len(others))))


def thrown(dice: random.Random) -> Any:
    """Real dice, a little luckier than real, so that rare things happen."""

    def throw(question: Question) -> tuple[int, ...]:
        return tuple(
            1 if dice.random() < 0.1 else dice.randint(1, group.sides)
            for group in question.dice
            for _ in range(group.count)
        )

    return throw


WEIGHTS = {"cast": 10, "react": 6, "attack": 6, "finish": 6, "activate": 10, "advance": 2}


def step_of(table: Table, dice: random.Random, seen: Seen) -> Ruling:
    """One legal command, chosen at random; refusals met on the way count as seen."""
    if dice.random() < 0.08:
        found = by_the_referee(table, dice)
        if found is not None:
            return found
    by_command: dict[str, list[Offer]] = {}
    for name, offer in proposed(table.pack, table.state, tuple(table.state.entities)):
        by_command.setdefault(name, []).append(offer)
    kinds = list(by_command)
    for _ in range(1_000):
        name = dice.choices(kinds, [WEIGHTS.get(kind, 3) for kind in kinds])[0]
        offers = by_command[name]
        new = [offer for offer in offers if wanted(table, offer, seen)]
        offer = dice.choice(new if new and name == "cast" and dice.random() < 0.8 else offers)
        entry = tried(table.pack, table.state, name, offer)
        if entry.refusal is not None:
            seen.rules.add(entry.refusal.rule)
            continue
        fields = dict(entry.fields)
        for choice in entry.open:
            if not choice.optional or dice.random() < 0.4:
                fields[choice.field] = filled(choice, dice)
        before = table.state
        ruling = table.submit(Command(name, fields))
        assert "rejected" != ruling.status, (fields, ruling.refusal)
        assert before is ruling.before
        if "spell" in fields:
            seen.spells.add(fields["spell"])
        return ruling
    raise AssertionError("nothing is legal")


def wanted(table: Table, offer: Offer, seen: Seen) -> bool:
    """Whether a casting would bring something that has not occurred: its Spell, or a second copy of an effect."""
    spell = offer.fields.get("spell", "")
    if spell not in seen.spells or "EF-50" in seen.rules:
        return spell not in seen.spells
    return any(effect.code == spell for entity in table.state.entities.values() for effect in entity.effects)


def by_the_referee(table: Table, dice: random.Random) -> Ruling | None:
    """A command that only the referee gives."""
    id = dice.choice(tuple(table.state.entities))
    entity = table.state.entities[id]
    if entity.kind == "transmutation":
        return None
    match dice.choice(["hit", "power", "heal", "grant", "end"]):
        case "hit":
            return table.do("hit", target=id, damage=dice.randint(1, 2))
        case "power":
            return table.do(
                "hit", target=id, power=dice.randint(5, 15), hits=dice.randint(1, 3), critical=dice.random() < 0.3
            )
        case "heal":
            ruling = table.do("heal", target=id, points=1)
            assert "rejected" != ruling.status or "dead" in own_conditions(entity)
            return ruling
        case "grant":
            return table.do("grant", target=id, layer=dice.choice(["activation", "mana"]), points=1)
        case _:
            return table.do("end", target=id, effect=entity.effects[0].code) if entity.effects else None


def play(dice: random.Random, seen: Seen, commands: int = 25) -> None:
    """One game, with readings at random; laws are checked after every input."""
    pack = varied(dice)
    table = Table(pack, entities=army(dice), dice=thrown(dice))
    table.do("advance", to="tactical", player=dice.choice(["red", "blue"]))
    for _ in range(commands):
        ruling = step_of(table, dice, seen)
        while table.waiting is not None:
            question = table.waiting.paused.questions[0]
            seen.rules.add(question.rule)
            ruling = table.answer(dice.choice(question.options).id)
            assert "rejected" != ruling.status, ruling.refusal
        remember(ruling, seen)
        laws(table, ruling)
        seen.commands += 1
    assert table.state == table.replayed()
    seen.games += 1


def varied(dice: random.Random) -> Pack:
    """The pack, every other time under one of the sets of other readings."""
    variants = load("eldfall").variants
    chosen = dice.choice([READINGS[0], READINGS[1], (), ()])
    return load("eldfall", {name: variants[name].readings[-1] for name in chosen})


def remember(ruling: Ruling, seen: Seen) -> None:
    seen.rules.update(row.rule for row in ruling.trace)
    seen.rules.update(event.rule for event in ruling.events)
    for event in ruling.events:
        if isinstance(event, EntityAdded):
            seen.creatures.add(event.entity.facts.get("creature", ""))


def laws(table: Table, ruling: Ruling) -> None:
    """What must hold whatever was done."""
    for entity in table.state.entities.values():
        for pool in entity.pools.values():
            assert 0 <= pool.current <= pool.maximum
        assert len({effect.code for effect in entity.effects}) == len(entity.effects)
        assert {"incapacitated", "dead"} - set(own_conditions(entity))
        if not entity.effects and not entity.conditions and entity.kind == "model":
            assert {"stamina": 2, "armor": 0, **entity.facts.get("stats", {})} == shown_figures(table.pack, entity)
    if ruling.status == "rejected":
        assert ruling.before is ruling.after
    elif ruling.command is not None and ruling.command.name == "finish":
        at_rest(table.state)


def at_rest(state: State) -> None:
    """After a Sequence nobody stands at 0 HP, no Sorcery lasts, and no creature outlives its caster's fall."""
    assert state.facts.get("sequence") is None
    for entity in state.entities.values():
        states = own_conditions(entity)
        if entity.kind == "model" and not entity.pools["hit_points"].current:
            assert "incapacitated" in states or "dead" in states
        assert not any(end.moment == "sequence_end" for effect in entity.effects for end in effect.until)


def report(seen: Seen) -> dict[str, list[str]]:
    """What never occurred."""
    pack = load("eldfall")
    return {
        "spells": [code for code in pack.spells if code not in seen.spells],
        "creatures": [code for code in pack.profiles if code not in seen.creatures],
        "rules": [id for id in pack.rules if id not in seen.rules and id not in UNCITED],
    }


def played(games: int, seconds: float) -> Seen:
    """So many games, or as many as the time allows."""
    seen = Seen(set(), set(), set())
    until = time.monotonic() + seconds
    while seen.games < games:
        seed = random.randrange(2**32)
        try:
            play(random.Random(seed), seen)
        except Exception as error:
            raise AssertionError(f"game with seed {seed}") from error
        if time.monotonic() > until:
            break
    return seen


def test_two_hundred_random_games_keep_every_law_and_reach_every_spell_and_creature() -> None:
    seen = played(200, 45)

    never = report(seen)
    never["rules"] = [id for id in never["rules"] if id not in SELDOM]
    assert {"spells": [], "creatures": [], "rules": []} == never, f"{seen.games} games, {seen.commands} commands"


@pytest.mark.long
def test_ten_thousand_random_games_keep_every_law_and_reach_everything() -> None:
    seen = played(10_000, 3_600)

    assert {"spells": [], "creatures": [], "rules": []} == report(seen)

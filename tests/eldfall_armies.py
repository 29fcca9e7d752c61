"""Random armies of eldfall, and the pack under random readings."""

from __future__ import annotations

import random
from typing import Any

from gambeson.games import load
from gambeson.language.pack import Pack

READINGS = (
    (
        "mana_on_failed_cast",
        "enchantment_when_caster_falls",
        "transmutation_in_reaction",
        "convert_timing",
        "capped_bonus",
        "new_effects",
    ),
    (
        "removal_outside_sequence",
        "ritual_when_caster_falls",
        "mana_conversion",
        "same_enchantment",
        "repeat_success",
        "confrontation_tie",
    ),
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


FRAGILE: dict[str, Any] = {
    "pools": {"hit_points": 1, "mana": 5},
    "affinity": ELEMENTS,
    "hands": [],
    "conditions": [],
    "spells": ["summon_gargoyle", "summon_golem", "ignite", "ward"],
}
"""Mages who cast little but Rituals, and fall easily while they do."""


def army(dice: random.Random) -> dict[str, Any]:
    """Two players with casters, fighters and creatures of every kind; now and then all are fragile, or shielded."""
    scene = dice.choice(["usual", "usual", "usual", "fragile", "shielded"])
    entities: dict[str, Any] = {}
    for player in ("red", "blue"):
        for number in range(dice.randint(2, 3)):
            entities[f"{player}_{number}"] = model(dice, player)
            if scene == "fragile":
                entities[f"{player}_{number}"] |= FRAGILE
        if scene != "fragile" and dice.random() < 0.6:
            pet: dict[str, Any] = {"player": player, "creature": dice.choice(CREATURES), "caster": f"{player}_0"}
            if dice.random() < 0.4:
                pet["summoning_limit"] = 0
            entities[f"{player}_pet"] = pet
        if dice.random() < 0.3:
            entities[f"{player}_wall"] = {"player": player, "kind": "transmutation", "stats": {"armor": 6}}
    models = [id for id, keys in entities.items() if keys.get("kind") is None]
    for id in models:
        if scene == "shielded" or dice.random() < 0.4:
            name = "protective_barrier" if scene == "shielded" else dice.choice(EFFECTS)
            entities[id]["effects"] = [{"name": name, "source": dice.choice([id, *models])}]
    return entities


def model(dice: random.Random, player: str) -> dict[str, Any]:
    """A caster and fighter in one."""
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


def varied(dice: random.Random) -> Pack:
    """The pack, every other time under one of the sets of other readings."""
    variants = load("eldfall").variants
    chosen = dice.choice([READINGS[0], READINGS[1], (), ()])
    return load("eldfall", {name: variants[name].readings[-1] for name in chosen})

"""The catalogue of eldfall is what the cards say: Spells, creatures, readings, and cards laid over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gambeson.games import load, texts
from gambeson.table import Table
from tests.small_packs import write

SPELLS = """
mana_burst | Mana Burst | Всплеск маны | wizardry 1 | elder | sorcery ranged | intellect / 16 / 1 | stagger
arcane_bolt | Arcane Bolt | Магический снаряд | art_of_sorcery 1 | elder | sorcery ranged | intellect / 16 / stamina | critical: knockdown
ignite | Ignite | Воспламенение | art_of_sorcery 1 | fire | sorcery ranged | intellect / 16 / stamina | burn 1
fireball | Fireball | Огненный шар | art_of_sorcery 3 | fire | sorcery ranged | intellect / 16 T / 1 | burn 1, targetless
ice_spikes | Ice Spikes | Ледяные шипы | cryomancy 1 | water | sorcery ranged | 11 / 16 / 3 | bears
lightning_bolt | Lightning Bolt | Удар молнии | everlasting_rain 2 | air | sorcery ranged | intellect / 16 / 2 | ignore_armor, stun
smite | Smite | Кара | hieromancy 3 | divine | sorcery ranged | morale / aura T / 1 | armor_piercing, burn 1, targetless
confuse_target | Confuse Target | Сбить с толку | wizardry 2 | elder | sorcery ranged | – / 16 / 1 | mindgame, bears, 1 mana: Strike +2
ward | Ward | Оберег | wizardry 2 | elder | sorcery ranged melee | – / 16 / 1 | bears
dispel_magic | Dispel Magic | Рассеять магию | wizardry 1 | elder | healing ranged | – / 16 / 1 | dispels
cure | Cure | Лечение | cryomancy 1 | water | healing ranged | – / 16 / 1 | cures bleeding crippled poisoned weakened
curative_touch | Curative Touch | Целительное касание | hieromancy 1 | divine | healing melee | – / 0 / stamina | heals all, cures bleeding crippled poisoned weakened
hastened_recovery | Hastened Recovery | Ускоренное восстановление | wizardry 3 | elder | healing ranged | – / 16 / stamina | 1 HP or bleeding crippled poisoned weakened
arcane_shield | Arcane Shield | Магический щит | art_of_enchanting 1 | elder | enchantment ranged | – / 16 / 1 | bears
melting_touch | Melting Touch | Плавящее касание | art_of_enchanting 2 | fire | enchantment ranged | ✦ / 16 / 1 | bears
ice_shield | Ice Shield | Ледяной щит | art_of_enchanting 3 | water | enchantment ranged | – / 16 / 1 | bears
stoneskin | Stoneskin | Каменная кожа | invocation 2 | earth | enchantment ranged | – / 16 / 1 | bears
overgrowth | Overgrowth | Буйный рост | invocation 1 | earth | enchantment ranged | – / 16 / 2 | bears
natural_fortitude | Natural Fortitude | Природная стойкость | invocation 2 | earth | enchantment ranged | – / 16 / 1 | bears
protective_barrier | Protective Barrier | Защитный барьер | hieromancy 2 | divine | enchantment ranged | – / 16 / stamina | bears
deep_freeze | Deep Freeze | Глубокая заморозка | cryomancy 3 | water | enchantment ranged melee | – / 10 / 1 | bears, costs 1
soul_leech | Soul Leech | Похищение души | necromancy 2 | profane | enchantment ranged melee | ✦ / 10 / 1 | bears
curse_of_decay | Curse of Decay | Проклятие разложения | necromancy 1 | profane | enchantment ranged | – / 16 / 1 | continuous, bears
blessed_rain | Blessed Rain | Благословенный дождь | everlasting_rain 1 | water | transmutation ranged melee | – / 0 T / 1 | until strategic
downpour | Downpour | Ливень | everlasting_rain 3 | water | transmutation ranged | – / 16 T / 1 | costs 1
summon_gargoyle | Summon Gargoyle | Призвать горгулью | art_of_conjuration 1 | earth | conjuration | – / 0 / – | costs 1, gargoyle
summon_golem | Summon Golem | Призвать голема | art_of_conjuration 2 | earth | conjuration | – / 0 / – | costs 2, golem
summon_earth_elemental | Summon Earth Elemental | Призвать элементаля земли | art_of_conjuration 3 | earth | conjuration | – / 0 / – | costs 3, earth_elemental
summon_water_elemental | Summon Water Elemental | Призвать элементаля воды | art_of_conjuration 3 | water | conjuration | – / 0 / – | costs 3, water_elemental
summon_colossus | Summon Colossus | Призвать колосса | art_of_conjuration 4 | earth | conjuration | – / 0 / – | costs 4, colossus
"""  # noqa: E501 - a line is a card
"""Code, names, Craft and level, Element, type and modes, Power / reach (T: template) / Strike, what it brings."""

CREATURES: dict[str, dict[str, Any]] = {
    "gargoyle": {
        "names": "Gargoyle, Горгулья",
        "tier": 1,
        "size": "small",
        "figures": "2 5 12 8 8 8 8 12 5 1 20",
        "weapons": {"claws": "toughness, stamina, melee, natural, claws"},
        "traits": ["construct"],
    },
    "golem": {
        "names": "Golem, Голем",
        "tier": 2,
        "size": "huge",
        "figures": "2 3 10 13 8 8 6 15 8 3 20",
        "weapons": {"fists": "toughness, stamina, melee, natural, stagger"},
        "traits": ["construct"],
    },
    "earth_elemental": {
        "names": "Earth Elemental, Элементаль земли",
        "tier": 3,
        "size": "gigantic",
        "figures": "2 4 12 14 10 8 6 16 10 4 20",
        "weapons": {"fists": "toughness, 2, melee, natural, stagger, knockdown"},
        "traits": ["elemental", "watchful"],
        "essence": ["earth"],
        "affinity": ["earth"],
    },
    "water_elemental": {
        "names": "Water Elemental, Элементаль воды",
        "tier": 3,
        "size": "gigantic",
        "figures": "2 4 14 14 14 8 8 14 2 5 20",
        "weapons": {
            "ice_pick": "18, 1, melee, natural, stagger, offense +3",
            "tentacle": "10, 2, ranged, natural, template",
            "tidal_wave": "10, 1, ranged, natural, template, knockdown",
        },
        "traits": ["elemental"],
        "resistances": {"non_spell": 1, "burn": 2},
        "essence": ["water"],
        "affinity": ["water"],
    },
    "colossus": {
        "names": "Colossus, Колосс",
        "tier": 4,
        "size": "colossal",
        "figures": "3 4 14 14 8 8 6 17 10 6 20",
        "weapons": {"hack": "toughness, 2, melee, natural, knockdown, cleave"},
        "traits": ["construct", "unstoppable"],
    },
}
FIGURES = ("stamina", "speed", "offense", "defense", "accuracy", "intellect", "agility", "toughness", "armor", "morale")


def card(code: str, spell: Any) -> str:
    """A Spell as its line of the catalogue."""
    names = [texts("eldfall", lang).term(code) for lang in ("en", "ru")]
    ritual = spell.type == "conjuration"
    power = {None: "–", "star": "✦"}.get(spell.power, spell.power)
    brings = [f"{name} {x}" if x else name for name, x in spell.traits.items()]
    brings += [f"critical: {name}" for name in spell.critical]
    brings += ["bears"] if spell.bears else []
    brings += [f"{spell.extra.mana} mana: Strike +{spell.extra.strike}"] if spell.extra else []
    brings += [f"heals {spell.heals}"] if spell.heals else []
    brings += [f"cures {' '.join(sorted(spell.cures))}"] if spell.cures else []
    brings += [f"{spell.chooses.points} HP or {' '.join(sorted(spell.chooses.states))}"] if spell.chooses else []
    brings += ["dispels"] if spell.dispels else []
    brings += [f"costs {spell.mana_cost}"] if spell.mana_cost else []
    brings += [f"until {spell.lasts}"] if spell.lasts else []
    brings += [spell.creature] if spell.creature else []
    parts = (
        code,
        *names,
        f"{spell.craft} {spell.level}",
        spell.element,
        " ".join((spell.type, *spell.modes)),
        f"{power} / {spell.reach}{' T' if spell.template else ''} / {'–' if ritual else spell.strike}",
        ", ".join(brings),
    )
    return " | ".join(parts)


def armed(weapon: Any) -> str:
    """A weapon as the catalogue writes it."""
    words = [str(weapon["power"]), str(weapon["strike"]), weapon["mode"]]
    words += [key for key in ("natural", "template") if weapon.get(key)]
    words += list(weapon["traits"])
    words += [f"{name} {plus:+d}" for name, plus in weapon.get("attribute_modifier", {}).items()]
    return ", ".join(words)


def test_every_spell_is_as_its_card_says() -> None:
    spells = load("eldfall").spells

    assert SPELLS.strip().splitlines() == [card(code, spell) for code, spell in spells.items()]


@pytest.mark.parametrize("code", CREATURES)
def test_a_creature_is_as_its_card_says(code: str) -> None:
    wanted = dict(CREATURES[code])
    table = Table("eldfall", entities={"pet": {"creature": code, "player": "red"}})

    pet = table.state.entities["pet"]

    stats = pet.facts["stats"]
    pool = pet.pools["hit_points"]
    assert pool.current == pool.maximum
    assert wanted.pop("figures") == " ".join(
        str(n) for n in (*map(stats.get, FIGURES[:-1]), pool.current, stats["morale"])
    )
    assert wanted.pop("names") == ", ".join(texts("eldfall", lang).term(code) for lang in ("en", "ru"))
    assert wanted.pop("weapons") == {name: armed(weapon) for name, weapon in pet.facts["weapons"].items()}
    own = {key: pet.facts[key] for key in pet.facts if key not in ("stats", "weapons", "creature", "player")}
    assert wanted == {key: list(value) if isinstance(value, tuple) else value for key, value in own.items()}


def test_all_creatures_of_the_catalogue_are_known() -> None:
    assert tuple(CREATURES) == tuple(load("eldfall").profiles)


VARIANTS = {
    "confrontation_tie": ("EF-13", "both_cancel", "active_wins"),
    "power_reads": ("EF-16", "modified", "printed"),
    "new_effects": ("EF-17", "next_sequence", "at_once"),
    "mana_conversion": ("EF-38", "free", "action"),
    "convert_timing": ("EF-39", "any_time", "between_sequences"),
    "mana_on_failed_cast": ("EF-41", "spent", "kept"),
    "mana_on_incapacitated": ("EF-43", "summoner_only", "all", "none"),
    "same_enchantment": ("EF-50", "refresh", "refuse"),
    "enchantment_when_caster_falls": ("EF-52", "stays", "ends"),
    "transmutation_in_reaction": ("EF-57", "allowed", "refused"),
    "dismiss_count": ("EF-65", "one", "any"),
    "removal_outside_sequence": ("EF-67", "at_once", "next_sequence_end"),
    "ritual_when_caster_falls": ("EF-68", "creature_appears", "no_creature"),
    "capped_bonus": ("EF-74", "last", "first"),
    "repeat_success": ("EF-77", "each", "once"),
}
"""Each open question: its rule, the reading that holds unless a table says otherwise, the other ones."""


def test_every_open_question_has_its_readings_by_name() -> None:
    variants = load("eldfall").variants

    assert VARIANTS == {name: (variant.rule, *variant.readings) for name, variant in variants.items()}


# Cards laid over the game

OURS = """
format: 1
extends: eldfall
spells:
  downpour: {armor: 7}
  cure: {element: earth, heals: 2}
lasting:
  ice_spikes: {conditions: [panicked, bleeding, confused, slowed]}
"""


@pytest.fixture
def laid(tmp_path: Path) -> Table:
    """A mage with an open Sequence against a brute, a golem and a spirit, under these cards."""
    table = Table(
        write(tmp_path / "ours", OURS),
        entities={
            "mage": {
                "player": "red",
                "classes": ["vitalist"],
                "affinity": ["earth", "water"],
                "stats": {"stamina": 3, "intellect": 12, "offense": 12},
                "pools": {"mana": 1},
                "weapons": {"maul": {"power": 12}},
            },
            "clay": {"player": "red", "creature": "golem", "pools": {"hit_points": {"current": 1, "maximum": 4}}},
            "golem": {"player": "blue", "creature": "golem"},
            "spirit": {"player": "blue", "traits": ["elemental"]},
            "brute": {"player": "blue"},
        },
    )
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="mage")
    return table


def test_a_transmutation_whose_card_states_an_armor_is_destroyed_against_it(laid: Table) -> None:
    laid.do("cast", caster="mage", spell="downpour", rolls=[12])
    for die, there in ((6, True), (5, False)):
        laid.do("finish", model="mage")
        laid.do("activate", model="mage")
        laid.do("attack", attacker="mage", weapon="maul", targets=["downpour_1"], rolls=[12, die])
        assert there is ("downpour_1" in laid.state.entities)


def test_an_earth_spell_gives_hp_to_a_construct(laid: Table) -> None:
    laid.do("cast", caster="mage", spell="cure", targets=["clay"])

    assert 3 == laid.state.entities["clay"].pools["hit_points"].current


def test_constructs_and_elementals_never_have_some_states_whatever_a_card_brings(laid: Table) -> None:
    targets = {"golem": 1, "spirit": 1, "brute": 1}

    laid.do("cast", caster="mage", spell="ice_spikes", targets=targets, rolls=[12, 12, 12, 20, 20, 20])

    had = {id: sorted(laid.state.entities[id].effects[0].conditions) for id in targets}
    assert {
        "golem": ["slowed"],
        "spirit": ["confused", "panicked", "slowed"],
        "brute": ["bleeding", "confused", "panicked", "slowed"],
    } == had

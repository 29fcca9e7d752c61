"""Time in novitas: many waits are one wait, undo brings clocks back, and the laws of pools hold under all effects."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gambeson.language.layers import bounded
from gambeson.model.commands import Command
from gambeson.model.values import State, frozen
from gambeson.table import Table
from gambeson.table.rulings import PAUSED

Given = tuple[str, dict[str, Any]]

WHO = st.sampled_from(["anna", "boris"])
PLACES = st.sampled_from(["torso", "left_arm", "right_arm", "left_leg"])
CALLS = st.sampled_from(
    [
        "1", "2", "3 Blunt", "1 Blunt", "2 Poison Blunt", "1 Disease Blunt Pierce", "2 Pierce", "1 Poison", "4 Slay",
        "Curse", "Dispel", "Pin", "Silence", "Terror", "Smite", "Poison Pin", "Left Arm Wound", "Torso Wound Blunt",
    ]
)  # fmt: skip
SPELLS = st.sampled_from(
    [
        "magic_armor", "improved_magic_armor", "toughness", "spirit_shield", "anti_magic_shield", "anti_magic_aura",
        "aura_of_reflection", "poison_immunity", "synchronize", "enhance_armor", "heal_body", "restore_limb",
        "purify_spirit", "heal_mortal_wound", "dispel_magic", "mend_armor",
    ]
)  # fmt: skip
UNTIL = st.sampled_from(["game_day_end", {"minutes": 7}, {"minutes": 25}])
VARIANTS = st.fixed_dictionaries(
    {},
    optional={
        "magic_armor_sources": st.just("reserve"),
        "spent_magic_armor": st.just("stays"),
        "blunt_clock": st.just("latest"),
        "temporary_body_end": st.just("points_stay"),
        "toughness_at_cap": st.just("killing_blow_immunity"),
        "recast": st.just("replace"),
        "mend_scope": st.just("both"),
    },
)

hits = st.builds(lambda who, call, place: ("hit", {"target": who, "call": call, "location": place}), WHO, CALLS, PLACES)
casts = st.builds(lambda who, spell: ("cast", {"caster": "mage", "spell": spell, "targets": (who,)}), WHO, SPELLS)
grants = st.builds(
    lambda who, layer, points, source, until: (
        "grant",
        {"target": who, "layer": layer, "points": points, "source": source, "until": until},
    ),
    WHO,
    st.sampled_from(["magic_armor", "body", "natural_armor"]),
    st.integers(1, 5),
    st.sampled_from(["Ring", "Brew"]),
    UNTIL,
)
heals = st.builds(lambda who, points: ("heal", {"target": who, "points": points}), WHO, st.integers(1, 4))
mends = st.builds(
    lambda who, layer: ("mend", {"target": who, "layer": layer}),
    WHO,
    st.sampled_from(["physical_armor", "natural_armor"]),
)
kills = st.builds(lambda who: ("kill", {"target": who}), WHO)
ends = st.builds(
    lambda who, effect: ("end", {"target": who, "effect": effect}),
    WHO,
    st.sampled_from(["Toughness", "Ring", "Brew", "Enhance Armor", "cursed", "poisoned", "bleeding_out"]),
)
waits = st.builds(lambda minutes: ("wait", {"minutes": minutes}), st.integers(1, 12))
commands = st.lists(st.one_of(hits, hits, casts, casts, grants, heals, mends, kills, ends, waits), max_size=14)


def table(variants: dict[str, str], body: int) -> Table:
    pools = {
        "physical_armor": 2,
        "natural_armor": {"current": 1, "maximum": 2},
        "body": {"current": body, "maximum": 4},
    }
    entities = {"mage": {}, "anna": {"pools": pools}, "boris": {"pools": {"body": 2}, "requires": ["silver"]}}
    return Table("novitas", variants=variants, entities=entities, clock=5 * 3600 + 50 * 60)


def play(at: Table, told: list[Given]) -> None:
    """Give the commands; a question is answered by the option shown first, a refusal is passed over."""
    for name, fields in told:
        ruling = at.submit(Command(name, frozen(fields)))
        while ruling.status == PAUSED:
            ruling = at.answer(ruling.questions[0].suggested)


def wait(at: Table, minutes: int) -> State:
    at.do("wait", minutes=minutes)
    return at.state


@settings(max_examples=150)
@given(VARIANTS, st.integers(0, 4), commands, st.lists(st.integers(1, 40), min_size=2, max_size=8))
def test_many_waits_are_one_wait(variants: dict[str, str], body: int, told: list[Given], steps: list[int]) -> None:
    together, apart = table(variants, body), table(variants, body)
    play(together, told)
    play(apart, told)

    expected = wait(together, sum(steps))
    for minutes in steps:
        wait(apart, minutes)

    assert expected == apart.state


@given(VARIANTS, st.integers(0, 4), commands, st.integers(1, 500))
def test_undo_brings_back_what_a_wait_has_ended(
    variants: dict[str, str], body: int, told: list[Given], minutes: int
) -> None:
    at = table(variants, body)
    play(at, told)
    before = at.state

    once = wait(at, minutes)
    at.undo()

    assert before == at.state
    assert once == wait(at, minutes)


@settings(max_examples=150)
@given(VARIANTS, st.integers(0, 4), commands)
def test_pools_stay_within_their_bounds_and_replay_agrees(
    variants: dict[str, str], body: int, told: list[Given]
) -> None:
    at = table(variants, body)
    for one in told:
        play(at, [one])
        for entity in at.state.entities.values():
            for name, pool in entity.pools.items():
                assert bounded(pool), (one, entity.id, name, pool)
            assert entity.pools.get("body") is None or entity.pools["body"].maximum <= 4

    assert at.state == at.replayed()


@given(st.integers(0, 4), commands)
def test_all_that_was_lent_goes_back(body: int, told: list[Given]) -> None:
    """After a day without blows maxima are as they were: no effect keeps or leaves a point of them."""
    at = table({}, body)
    play(at, [one for one in told if one[0] != "grant" or one[1]["layer"] == "body"])
    wait(at, 24 * 60)

    anna = at.state.entities["anna"]
    assert {"physical_armor": 2, "natural_armor": 2, "body": 4} == {
        name: anna.pools[name].maximum for name in ("physical_armor", "natural_armor", "body")
    }
    assert 2 == at.state.entities["boris"].pools["body"].maximum


quiet = st.one_of(
    grants.filter(lambda one: one[1]["layer"] == "body"),
    st.builds(
        lambda who, spell: ("cast", {"caster": "mage", "spell": spell, "targets": (who,)}),
        WHO,
        st.sampled_from(["toughness", "magic_armor", "spirit_shield"]),
    ),
    waits,
)


@given(st.integers(0, 4), commands, st.lists(quiet, max_size=8), st.sampled_from(["points_leave", "points_stay"]))
def test_a_curse_under_which_nothing_is_lost_or_healed_leaves_no_trace(
    body: int, before: list[Given], during: list[Given], ending: str
) -> None:
    """NV-46: what other effects give or take meanwhile counts as if there had been no curse."""
    variants = {"temporary_body_end": ending}
    plain, cursed = table(variants, body), table(variants, body)
    for at in (plain, cursed):
        play(at, [one for one in before if "Curse" not in str(one)])
    play(cursed, [("hit", {"target": "anna", "call": "Curse"})])
    if "cursed" not in str(cursed.state.entities["anna"].effects):
        return
    # The call ends a Terror and uses up a spell shield: only body is compared.
    for at in (plain, cursed):
        play(at, during)
        wait(at, 24 * 60)

    expected, actual = (at.state.entities["anna"].pools["body"] for at in (plain, cursed))
    assert (expected.current, expected.maximum) == (actual.current, actual.maximum)

"""The generated programs and the referee play the very same fights: the same blows, pools, lost points and ends."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gambeson.games import load
from gambeson.simulate.fighters import starts, thresholds
from gambeson.simulate.program import Unlowered
from tests.simulate.agreement import SEEDS, by_program, by_referee, documents, program, read, readings

GAMES = ("novitas", "pokrovy", "srd5")
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TRIED = 2_000 if LONG else 40
LONGEST = 25
"""Blows of one fight; what agrees that long agrees."""


def drawn(data: st.DataObject, game: str) -> tuple[Any, Any]:
    variants = data.draw(readings(load(game)), label="variants")
    document = data.draw(documents(load(game, variants), variants), label="document")
    simulation = read(document)
    assume(simulation is not None)
    assert simulation is not None
    fight = simulation.cells[0].fight
    fight = replace(fight, most=min(LONGEST, fight.most))
    try:
        return fight, program(fight)
    except Unlowered:
        assume(False)
        raise


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=TRIED)
def test_the_program_as_plain_python_plays_as_the_referee_does(game: str, data: st.DataObject, seed: int) -> None:
    fight, written = drawn(data, game)

    assert by_referee(fight, written, seed, 5) == by_program(fight, written, seed, 5)


FIXED: list[dict[str, Any]] = [
    {
        "game": "novitas",
        "target": {"pools": {"magic_armor": 4, "physical_armor": {"current": 4, "covers": ["torso"]}, "body": 4}},
        "hits": [{"damage": "1d4", "weight": 9}, {"damage": "1d4", "traits": ["pierce"], "location": "left_arm"}],
    },
    {
        "game": "novitas",
        "target": {
            "pools": {"physical_armor": {"current": 3, "monstrous": True}, "natural_armor": 2, "body": 4},
            "preventions": [{"name": "ward", "charges": 3, "stops": ["poison", "magic"]}],
            "requires": ["silver", "poison"],
        },
        "hits": [{"damage": "1d6+1", "traits": ["poison"]}, {"damage": 5, "traits": ["silver"]}, {"damage": 3}],
        "heal": {"points": 1, "every": 2},
    },
    {
        "game": "pokrovy",
        "target": {
            "pools": {
                "wards": {"current": 20, "extras": [{"name": "as_owner"}, {"name": "defence_bonus", "amount": 2}]},
                "vyn": 40,
                "shield": 7,
            },
            "reductions": {"fire": 3, "all": 1},
            "resistant": ["fire"],
            "vulnerable": ["cold"],
        },
        "hits": [{"damage": [{"amount": "2d6", "type": "fire"}, {"amount": "1d8", "type": "cold"}], "defence": 2}],
    },
    {
        "game": "pokrovy",
        "target": {"pools": {"wards": 6, "vyn": 20}, "immune": ["fire"]},
        "hits": [{"damage": [{"amount": "1d8", "type": "fire"}, {"amount": "1d6", "type": "cold"}], "parry": 1}],
        "heal": {"points": 9, "every": 2},
        "policy": {"keep_or_take": "greater"},
    },
    {
        "game": "srd5",
        "target": {
            "pools": {"temporary": 10, "hit_points": 40, "ward": {"current": 9, "absorbs": {"only": ["fire"]}}},
            "resistant": ["slashing"],
            "reductions": {"all": 3},
            "threshold": 4,
        },
        "hits": [
            {"damage": [{"amount": "1d8+3", "type": "slashing"}, {"amount": "1d6", "type": "fire"}], "weight": 3},
            {"damage": [{"amount": "8d6", "type": "fire"}], "saved": True},
        ],
    },
]


@pytest.mark.parametrize("until", ["down", {"hits": 5}])
@pytest.mark.parametrize("number", range(len(FIXED)))
def test_the_machine_code_plays_as_the_referee_does(number: int, until: Any) -> None:
    pytest.importorskip("numba", reason="compiled simulations need numba")
    from gambeson.simulate.compiling import compiled
    from gambeson.simulate.sampling import rows

    simulation = read({"until": until, **FIXED[number]})
    assert simulation is not None
    fight = replace(simulation.cells[0].fight, most=40)
    written = program(fight)
    call = compiled(written).call

    for seed in (1, 2):
        expected = by_referee(fight, written, seed, 40)[:-1]
        begins, bounds = starts(fight, written), thresholds(fight)
        found = rows(written, call, begins, bounds, seed=seed, first=0, trials=40, most=fight.most)
        assert expected == found


def test_both_sides_of_a_duel_agree_with_the_referee() -> None:
    for order in ("alternate", "at_once"):
        simulation = read(
            {
                "game": "novitas",
                "target": {"pools": {"physical_armor": 4, "body": 4}},
                "hits": [{"damage": 2, "weight": 3}, {"damage": "1d4", "traits": ["pierce"]}],
                "against": {"pools": {"magic_armor": 3, "body": 4}, "hits": [{"damage": "1d4"}]},
                "order": order,
            }
        )
        assert simulation is not None
        fight = simulation.cells[0].fight
        written = program(fight)
        assert by_referee(fight, written, 3, 200) == by_program(fight, written, 3, 200)


@pytest.mark.parametrize(
    ("game", "target", "hit", "stage"),
    [
        ("novitas", {"pools": {"body": 4}}, {"damage": 1, "traits": ["blunt"]}, "wound"),
        ("novitas", {"pools": {"body": 4}}, {"call": "terror"}, "effects"),
        (
            "srd5",
            {"pools": {"hit_points": 9}},
            {"damage": 3, "riders": [{"condition": "prone", "when": "hit"}]},
            "after",
        ),
    ],
)
def test_what_is_not_lowered_is_refused_by_name(game: str, target: Any, hit: Any, stage: str) -> None:
    simulation = read({"game": game, "target": target, "hits": [hit], "until": {"hits": 2}})
    assert simulation is not None

    with pytest.raises(Unlowered) as refused:
        program(simulation.cells[0].fight)

    assert stage == refused.value.stage

"""The generated programs and the referee play the very same fights: the same blows, pools, lost points and ends."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gambeson.games import load
from gambeson.simulate.fighters import starts
from gambeson.simulate.program import Unlowered
from tests.simulate.agreement import SEEDS, bounds, by_program, by_referee, documents, program, read, readings

GAMES = ("novitas", "pokrovy", "srd5")
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TRIED = 2_000 if LONG else 30
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


THORNS = {"name": "thorns", "dice": "1d4", "type": "fire"}
PARTS = [{"amount": f"1d{4 + at}", "type": type} for at, type in enumerate(("fire", "cold", "acid", "poison", "force"))]

LOWERED: dict[str, dict[str, Any]] = {
    "wards pay for the largest part first": {
        "game": "pokrovy",
        "variants": {"part_order": "largest_first", "same_type_parts": "separate"},
        "target": {
            "pools": {"wards": {"current": 9, "extras": [{"name": "as_owner"}]}, "shield": 4, "vyn": 30},
            "resistant": ["fire"],
            "vulnerable": ["cold"],
            "reductions": {"acid": 2},
        },
        "hits": [{"damage": PARTS[:4], "parry": 3, "defence": 1}, {"damage": [*PARTS[:2], *PARTS[:2]]}],
    },
    "reductions come off the largest part first": {
        "game": "srd5",
        "variants": {"part_order": "largest_first", "reduction_scope": "once"},
        "target": {"pools": {"hit_points": 60, "temporary": 5}, "reductions": {"all": 5, "fire": 2}},
        "hits": [{"damage": PARTS[:3], "adjust": [{"add": -2}, {"multiply": 2, "type": "fire"}]}],
    },
    "riders land": {
        "game": "srd5",
        "target": {"pools": {"hit_points": 40, "temporary": 9}},
        "hits": [
            {"damage": "1d6", "riders": [{"condition": "prone", "when": "loss"}]},
            {"damage": "1d4", "riders": [{"condition": "poisoned", "when": "hit"}], "weight": 0.2},
            {"damage": "1d4", "riders": [{"condition": "stunned", "when": "damage"}], "saved": True, "weight": 0.1},
        ],
        "until": {"condition": "prone"},
    },
}

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
    *(
        {
            "game": "pokrovy",
            "target": {"pools": {"wards": {"current": 9, "extras": [THORNS, {"name": "as_owner"}]}, "vyn": 14}},
            "hits": [{"damage": "1d6", "traits": ["melee"]}, {"damage": "1d8"}],
            "against": {
                "pools": {"wards": {"current": 5, "extras": [THORNS]}, "vyn": 12},
                "resistant": ["fire"],
                "hits": [{"damage": "2d4", "traits": ["melee"]}],
            },
            "order": order,
        }
        for order in ("alternate", "at_once")
    ),
    {
        "game": "pokrovy",
        "target": {
            "pools": {"wards": {"current": 6, "extras": [{"name": "as_owner"}]}, "vyn": 9},
            "resistant": ["fire"],
        },
        "hits": [{"damage": [{"amount": "1d6", "type": "fire"}]}, {"damage": "1d4"}],
        "heal": {"points": 7, "every": 2},
        "policy": {"keep_or_take": "best"},
    },
    *LOWERED.values(),
]


@pytest.mark.parametrize("until", ["down", {"hits": 5}], ids=str)
@pytest.mark.parametrize("number", range(len(FIXED)))
def test_the_machine_code_plays_as_the_referee_does(number: int, until: Any) -> None:
    pytest.importorskip("numba", reason="compiled simulations need numba")
    from gambeson.simulate.compiling import compiled
    from gambeson.simulate.sampling import rows

    simulation = read({**FIXED[number], "until": until})
    assert simulation is not None
    fight = replace(simulation.cells[0].fight, most=40)
    written = program(fight)
    call = compiled(written).call

    for seed in (1, 2):
        expected = by_referee(fight, written, seed, 40)[:-1]
        begins, bound = starts(fight, written), bounds(fight, written)
        found = rows(written, call, begins, bound, seed=seed, first=0, trials=40, most=fight.most)
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


SMALL = {"pools": {"hit_points": 9}}


@pytest.mark.parametrize(
    ("document", "stage", "why"),
    [
        ({"game": "novitas", "target": {"pools": {"body": 4}}, "hits": [{"call": "terror"}]}, "effects", "terror"),
        ({"game": "novitas", "target": {"pools": {"body": 4}}, "hits": [{"damage": "1d4-1"}]}, "hit", "0"),
        (
            {"game": "srd5", "variants": {"rounding_when": "once"}, "target": {**SMALL, "resistant": ["fire"]}},
            "resistance",
            "rounding: later",
        ),
        (
            {
                "game": "pokrovy",
                "variants": {"part_order": "largest_first", "same_type_parts": "separate"},
                "target": {"pools": {"wards": 9, "vyn": 9}},
                "hits": [{"damage": [*PARTS, {"amount": "1d3"}]}],
            },
            "parts",
            "order: largest_first",
        ),
    ],
    ids=("clock", "nothing", "later", "many parts"),
)
def test_what_is_not_lowered_is_refused_by_name(document: Any, stage: str, why: str) -> None:
    hits = [{"damage": [{"amount": "1d6", "type": "fire"}]}]
    simulation = read({"hits": hits, "until": {"hits": 2}, **document})
    assert simulation is not None

    with pytest.raises(Unlowered) as refused:
        program(simulation.cells[0].fight)

    assert (stage, why) == (refused.value.stage, refused.value.why)


@pytest.mark.parametrize("name", LOWERED)
def test_these_are_played_by_programs_too(name: str) -> None:
    simulation = read(LOWERED[name])
    assert simulation is not None
    fight = replace(simulation.cells[0].fight, most=40)
    written = program(fight)

    assert by_referee(fight, written, 4, 40) == by_program(fight, written, 4, 40)

"""Exact odds: against every possibility counted one by one, against icepool, and against fights that were played."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="exact odds need numpy")

from gambeson.model.errors import Unusable  # noqa: E402
from gambeson.simulate.exact import STATES_MOST, Curve, Solver, TooManyStates  # noqa: E402
from gambeson.simulate.fighters import starts  # noqa: E402
from gambeson.simulate.fights import Fight  # noqa: E402
from gambeson.simulate.playing import planned, simulate  # noqa: E402
from tests.simulate.agreement import program, read  # noqa: E402

ARMOUR: dict[str, Any] = {
    "game": "novitas",
    "target": {"pools": {"magic_armor": 2, "physical_armor": 3, "body": 4}},
    "hits": [{"damage": "1d4", "weight": 9}, {"damage": "1d4", "traits": ["pierce"], "weight": 1}],
    "trials": "exact",
}


def fight_of(document: dict[str, Any]) -> Fight:
    simulation = read(document)
    assert simulation is not None
    return simulation.cells[0].fight


def solved(fight: Fight, *, fractions: bool = False) -> Curve:
    written = program(fight)
    return Solver(written).curve(fight, 0, starts(fight, written), fractions=fractions)


def counted(armour: tuple[int, int], body: int, blows: int) -> list[Fraction]:
    """ARMOUR by brute force: every kind and face of every blow, one after another."""
    alive: dict[tuple[int, int, int], Fraction] = {(*armour, body): Fraction(1)}
    ends = []
    for _ in range(blows):
        after: dict[tuple[int, int, int], Fraction] = {}
        down = Fraction(0)
        for (magic, physical, left), chance in alive.items():
            for pierce, weight in ((False, Fraction(9, 10)), (True, Fraction(1, 10))):
                for face in range(1, 5):
                    m, p, rest = magic, physical, face
                    if not pierce:
                        off = min(rest, m)
                        m, rest = m - off, rest - off
                        off = min(rest, p)
                        p, rest = p - off, rest - off
                    off = min(rest, left)
                    own = chance * weight / 4
                    if rest > off:  # what no pool took wounds the torso
                        down += own
                    else:
                        key = (m, p, left - off)
                        after[key] = after.get(key, Fraction(0)) + own
        ends.append(down)
        alive = after
    return ends


def test_fractions_equal_every_possibility_counted() -> None:
    curve = solved(fight_of(ARMOUR), fractions=True)

    assert counted((2, 3), 4, len(curve.ends)) == list(curve.ends)
    assert 1 == sum(curve.ends)


def test_floats_equal_fractions() -> None:
    fight = fight_of(ARMOUR)

    for exact, near in zip(solved(fight, fractions=True).ends, solved(fight).ends, strict=False):
        assert abs(float(exact) - near) < 1e-12


def test_icepool_gives_the_same_distribution() -> None:
    icepool = pytest.importorskip("icepool", reason="icepool is the oracle")
    fight = fight_of(
        {
            "game": "pokrovy",
            "target": {"pools": {"wards": 6, "vyn": 12}},
            "hits": [{"damage": "1d6"}],
            "trials": "exact",
        }
    )
    curve = solved(fight, fractions=True)
    for blows, chance in enumerate(curve.ends, 1):
        now = icepool.d6.repeat_and_sum(blows) if hasattr(icepool.d6, "repeat_and_sum") else blows @ icepool.d6
        before = (blows - 1) @ icepool.d6 if blows > 1 else icepool.Die([0])
        assert chance == now.probability(">=", 18) - before.probability(">=", 18)


def test_sampling_agrees_within_four_standard_errors() -> None:
    pytest.importorskip("numba", reason="compiled simulations need numba")
    exact, sampled = read(ARMOUR), read({**ARMOUR, "trials": 200_000})
    assert exact is not None
    assert sampled is not None
    right, near = simulate(exact).cells[0].outcome, simulate(sampled).cells[0].outcome

    assert right.mean is not None
    assert near.mean is not None
    assert near.standard_error
    assert abs(right.mean - near.mean) < 4 * near.standard_error
    for layer, points in right.absorbed.items():
        assert abs(points - near.absorbed[layer]) < 0.02


@pytest.mark.parametrize("order", ["alternate", "at_once"])
def test_a_duel_worked_out_agrees_with_one_that_is_played(order: str) -> None:
    document = {
        "game": "novitas",
        "target": {"pools": {"physical_armor": 3, "body": 4}},
        "hits": [{"damage": "1d4"}],
        "against": {"pools": {"magic_armor": 4, "body": 3}, "hits": [{"damage": "1d3"}]},
        "order": order,
    }
    exact, played = read({**document, "trials": "exact"}), read({**document, "trials": 3_000})
    assert exact is not None
    assert played is not None
    right = simulate(exact).cells[0].outcome
    near = simulate(played, engine="referee").cells[0].outcome

    assert abs(right.ended - 1) < 1e-12
    assert right.wins is not None
    assert near.wins is not None
    assert abs(sum(right.wins.values()) - 1) < 1e-12
    for side, chance in right.wins.items():
        assert abs(chance - near.wins[side]) < 0.05
    for layer, points in right.absorbed.items():
        assert abs(points - near.absorbed[layer]) < 0.15


def test_too_many_states_are_refused_with_their_number() -> None:
    huge = {
        "game": "pokrovy",
        "target": {"pools": {"shield": 400_000, "wards": 3_000_000, "vyn": 10_000_000}},
        "hits": [{"damage": "9d20", "defence": 1}, {"damage": "9d12"}],
        "trials": "exact",
    }
    simulation = read(huge)
    assert simulation is not None

    with pytest.raises(TooManyStates) as refused:
        simulate(simulation)

    assert refused.value.states > STATES_MOST or refused.value.outcomes


def test_one_program_serves_all_cells_of_a_sweep() -> None:
    simulation = read({**ARMOUR, "vary": {"magic_armor": "1..4", "hits.1.weight": [0, 1, 5]}})
    assert simulation is not None

    assert 12 == len(simulation.cells)
    assert 1 == len(planned(simulation).kernels)
    means = [cell.outcome.mean for cell in simulate(simulation).cells]
    assert means[0] is not None
    assert means[9] is not None
    assert means[0] < means[9]


def test_a_fight_that_cannot_end_is_left() -> None:
    simulation = read(
        {
            "game": "pokrovy",
            "target": {"pools": {"vyn": 9}, "immune": ["fire"]},
            "hits": [{"damage": [{"amount": 3, "type": "fire"}]}],
            "trials": "exact",
        }
    )
    assert simulation is not None
    outcome = simulate(simulation).cells[0].outcome

    assert (0.0, None) == (outcome.ended, outcome.mean)


def test_without_life_nobody_falls() -> None:
    from gambeson.games.documents import read_text
    from gambeson.simulate.files import read_simulation

    with pytest.raises(Unusable):
        read_simulation(read_text("game: pokrovy\ntarget: {pools: {wards: 3}}\nhits: [{damage: 1}]\n"))

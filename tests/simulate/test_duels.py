"""Duels in which the struck strike back: played alike by programs and the referee, and counted to the last fraction."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

np = pytest.importorskip("numpy", reason="exact odds need numpy")

from gambeson.engine.step import step  # noqa: E402
from gambeson.model.commands import Answer  # noqa: E402
from gambeson.model.outcomes import Done, Paused  # noqa: E402
from gambeson.model.values import State  # noqa: E402
from gambeson.simulate.exact import Solver  # noqa: E402
from gambeson.simulate.fighters import starts  # noqa: E402
from gambeson.simulate.fights import Fight  # noqa: E402
from gambeson.simulate.program import Unlowered  # noqa: E402
from gambeson.simulate.referee import Referee  # noqa: E402
from tests.simulate.agreement import by_program, by_referee, program, read  # noqa: E402

ORDERS = ("alternate", "at_once")
READINGS: tuple[dict[str, str], ...] = (
    {},
    {"thorns_check": "after_loss"},
    {"thorns_trigger": "damage"},
    {"thorns_type": "at_hit"},
    {"part_order": "largest_first"},
)


def thorns(dice: str, type: str, variants: dict[str, str]) -> dict[str, Any]:
    extra = {"name": "thorns", "dice": dice}
    return extra if variants.get("thorns_type") == "at_hit" else {**extra, "type": type}


def duel(order: str, variants: dict[str, str], until: Any = "down") -> Fight:
    """Both have thorns; one resists what the other's deal."""
    simulation = read(
        {
            "game": "pokrovy",
            "variants": variants,
            "target": {"pools": {"wards": {"current": 5, "extras": [thorns("1d4", "fire", variants)]}, "vyn": 7}},
            "hits": [{"damage": "1d6", "traits": ["melee"], "weight": 2}, {"damage": "1d4"}],
            "against": {
                "pools": {"wards": {"current": 3, "extras": [thorns("2d4", "cold", variants)]}, "vyn": 6},
                "resistant": ["fire"],
                "hits": [{"damage": [{"amount": "1d8", "type": "slashing"}], "traits": ["melee"], "parry": 2}],
            },
            "order": order,
            "policy": {"type": "fire"},
            "until": until,
        }
    )
    assert simulation is not None
    return simulation.cells[0].fight


def struck(fight: Fight, state: State, side: str) -> Iterator[tuple[State, Fraction]]:
    """Every way in which one blow on a side may fall, through the rules alone."""
    other = next(one for one in fight.sides if one != side)
    total = sum(blows.weight for blows in fight.hits[side])
    for blows in fight.hits[side]:
        ranges = [range(1, amount.dice.sides + 1) if amount.dice else (amount.number,) for amount in blows.amounts]
        for amounts in itertools.product(*ranges):
            chance = blows.weight / total / len(list(itertools.product(*ranges)))
            command = blows.command(side, amounts, other)
            for after, share in answered(fight, state, command, ()):
                yield after, chance * share


def answered(fight: Fight, state: State, command: Any, answers: tuple[Answer, ...]) -> Iterator[tuple[State, Fraction]]:
    outcome = step(fight.pack, state, command, answers)
    if isinstance(outcome, Done):
        yield outcome.state, Fraction(1)
        return
    assert isinstance(outcome, Paused)
    (question,) = outcome.questions
    if not question.dice:
        yield from answered(fight, state, command, (*answers, Answer(question.key, "fire")))
        return
    (group,) = question.dice
    for faces in itertools.product(range(1, group.sides + 1), repeat=group.count):
        for after, share in answered(fight, state, command, (*answers, Answer(question.key, faces))):
            yield after, share / group.sides**group.count


def counted(fight: Fight, rounds: int) -> tuple[list[Fraction], list[Fraction]]:
    """The chance that it is over with each round, and that the first, the second and both fell."""
    judge = Referee(fight, 1)
    standing: dict[Any, tuple[State, Fraction]] = {"": (fight.state, Fraction(1))}
    ends, fallen = [], [Fraction(0)] * 3
    for _ in range(rounds):
        over = Fraction(0)
        for at, side in enumerate(fight.sides):
            after: dict[Any, tuple[State, Fraction]] = {}
            for state, chance in standing.values():
                for new, share in struck(fight, state, side):
                    falls = [judge.over(new, one) for one in fight.sides]
                    gone = any(falls) or any(judge.down(new, one) for one in fight.sides)
                    if gone and (at or fight.order == "alternate"):
                        over += chance * share * any(falls)
                        for index, fell in enumerate((*falls, all(falls))):
                            fallen[index] += chance * share * fell
                        continue
                    key = tuple((one.pools, one.facts) for one in new.entities.values()).__repr__()
                    after[key] = (new, after.get(key, (new, Fraction(0)))[1] + chance * share)
            standing = after
        ends.append(over)
    return ends, fallen


@pytest.mark.parametrize("until", ["down", {"spent": "wards"}, {"hits": 2}], ids=str)
@pytest.mark.parametrize("variants", READINGS, ids=str)
@pytest.mark.parametrize("order", ORDERS)
def test_whoever_is_struck_back_loses_the_same_in_both_engines(
    order: str, variants: dict[str, str], until: Any
) -> None:
    fight = duel(order, variants, until)
    written = program(fight)

    assert all(side.answers for side in written.sides)
    assert by_referee(fight, written, 5, 20) == by_program(fight, written, 5, 20)


@pytest.mark.parametrize("order", ORDERS)
def test_exact_odds_of_thorns_equal_every_possibility_counted(order: str) -> None:
    fight = duel(order, {})
    written = program(fight)
    found = Solver(written).duel(fight, starts(fight, written), fractions=True)
    ends, fallen = counted(fight, 3)

    assert ends == list(found.ends[:3])
    assert 1 == sum(found.ends)
    whole = Solver(written).duel(fight, starts(fight, written))
    for exact, near in zip(found.ends, whole.ends, strict=False):
        assert abs(float(exact) - near) < 1e-12
    assert all(a <= b for a, b in zip(fallen, found.fallen, strict=True))


@pytest.mark.parametrize("order", ORDERS)
def test_a_duel_left_before_its_end_is_won_by_nobody(order: str) -> None:
    """Magic armor that is spent ends it; whoever is pierced before has only left it."""
    simulation = read(
        {
            "game": "novitas",
            "target": {"pools": {"magic_armor": 3, "body": 2}},
            "hits": [{"damage": "1d2"}, {"damage": 2, "traits": ["pierce"]}],
            "against": {
                "pools": {"magic_armor": 2, "body": 1},
                "hits": [{"damage": 1}, {"damage": 1, "traits": ["pierce"]}],
            },
            "until": {"spent": "magic_armor"},
            "order": order,
        }
    )
    assert simulation is not None
    fight = simulation.cells[0].fight
    written = program(fight)

    assert by_referee(fight, written, 2, 100) == by_program(fight, written, 2, 100)
    found = Solver(written).duel(fight, starts(fight, written), fractions=True)
    ends, fallen = counted(fight, len(found.ends))
    assert ends == list(found.ends)
    assert tuple(fallen) == found.fallen
    assert sum(found.ends) < 1


def test_thorns_that_name_their_type_late_need_an_answer_for_it() -> None:
    fight = replace(duel("alternate", {"thorns_type": "at_hit"}), policy={})
    with pytest.raises(Unlowered, match="policy: type"):
        program(fight)

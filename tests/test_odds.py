"""Exact chances agree with every throw of small cases, and readings with brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from gambeson.engine.odds import changes, odds
from gambeson.engine.step import step
from gambeson.language.dice import AtMost, Confrontation, Group, NotEnumerable
from gambeson.language.throws import Clashing, Counted, Marked, Share, Together
from gambeson.model.commands import Answer, Command
from gambeson.model.errors import GambesonError
from gambeson.model.outcomes import Done, Paused
from gambeson.table import Table


def brute(table: Table, command: Command) -> dict[Any, Fraction]:
    """The chances by throwing every face of every die."""
    found: dict[Any, Fraction] = {}
    waiting: list[tuple[tuple[Answer, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        answers, chance = waiting.pop()
        outcome = step(table.pack, table.state, command, answers)
        if isinstance(outcome, Paused):
            question = outcome.questions[0]
            sides = [group.sides for group in question.dice for _ in range(group.count)]
            throws = list(product(*(range(1, n + 1) for n in sides)))
            waiting += [((*answers, Answer(question.key, throw)), chance / len(throws)) for throw in throws]
        else:
            assert isinstance(outcome, Done)
            key = changes(table.pack, table.state, outcome)
            found[key] = found.get(key, Fraction(0)) + chance
    return found


def duel(dice: int, **more: Any) -> Table:
    """A knight with so many dice in the open Sequence, an orc that strikes back."""
    table = Table(
        "eldfall",
        entities={
            "knight": {"player": "red", "stats": {"stamina": 2, "offense": 13, "armor": 3, "agility": 9},
                       "pools": {"hit_points": 5}, "weapons": {"blade": {"power": 12, "strike": dice}}},
            "orc": {"player": "blue", "stats": {"stamina": 2, "defense": 12, "armor": 4, "agility": 10},
                    "pools": {"hit_points": 5}, "weapons": {"axe": {"power": 13, **more}}},
            "goblin": {
                "player": "blue",
                "stats": {"stamina": 2, "agility": 10, "armor": 4},
                "pools": {"hit_points": 3},
            },
        },
    )  # fmt: skip
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="knight")
    return table


def test_a_die_against_a_dodge_agrees_with_brute_force() -> None:
    table = duel(1)
    table.do("react", model="orc", action="dodge")
    command = Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 1}})

    counted = {chance.changes: chance.chance for chance in odds(table.pack, table.state, command).chances}

    assert brute(table, command) == counted


def test_one_die_against_one_in_a_confrontation_agrees_with_brute_force() -> None:
    table = duel(1)
    table.do("react", model="orc", action="attack", weapon="axe")
    command = Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 1}})

    counted = {chance.changes: chance.chance for chance in odds(table.pack, table.state, command).chances}

    assert brute(table, command) == counted


def test_a_single_hit_has_the_chance_of_its_two_dice() -> None:
    command = Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"goblin": 1}})
    found = duel(1).odds(command)

    # 12 plain faces of 13 and 8 or less of 20; a critical face and 12 or less of 20
    wounded = Fraction(12, 20) * Fraction(8, 20) + Fraction(1, 20) * Fraction(12, 20)
    assert {0: 1 - wounded, 1: wounded} == found.lost("goblin", "hit_points")


def test_five_dice_against_three_with_a_dodge_sum_up_to_one() -> None:
    table = duel(5, reactive_strike=3)
    table.do("react", model="orc", action="attack", weapon="axe")
    table.do("react", model="goblin", action="dodge")
    found = table.odds(Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 4, "goblin": 1}}))

    assert 1 == sum(chance.chance for chance in found.chances)
    assert 1 == sum(found.lost("orc", "hit_points").values())


def test_odds_of_a_waiting_command_keep_the_dice_on_the_table() -> None:
    table = duel(2)
    table.do("react", model="orc", action="attack", weapon="axe")
    table.do("attack", attacker="knight", weapon="blade", targets={"orc": 2}, rolls=[11, 12])
    # the orc's die is still to come: 12 cancels both, 1 is critical and cancels both, 11 cancels the 11
    waiting = table.odds()
    fresh = table.odds(Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 2}}))

    assert 1 == sum(chance.chance for chance in waiting.chances)
    assert waiting.lost("orc", "hit_points") != fresh.lost("orc", "hit_points")
    untouched = Fraction(2, 20) + Fraction(1, 20) * Fraction(12, 20) + Fraction(17, 20) * Fraction(12, 20) ** 2
    assert untouched == waiting.lost("orc", "hit_points")[0]


def test_states_that_a_spell_brings_have_their_chance() -> None:
    table = Table(
        "eldfall",
        entities={
            "mage": {"player": "red", "affinity": ["elder"], "stats": {"stamina": 2, "intellect": 14}},
            "orc": {"player": "blue", "stats": {"stamina": 2, "intellect": 8, "agility": 8}},
        },
    )
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="mage")
    table.do("react", model="orc", action="dodge")
    found = table.odds(Command("cast", {"caster": "mage", "spell": "confuse_target", "targets": ("orc",)}))

    # 13 plain faces may be dodged with 8 or less; the critical one may not
    confused = Fraction(13, 20) * Fraction(12, 20) + Fraction(1, 20)
    assert confused == found.having("orc", "confused")
    assert confused == found.having("orc", "confuse_target")


def test_an_illegal_command_has_no_odds_but_a_reason() -> None:
    found = duel(1).odds(Command("attack", {"attacker": "orc", "weapon": "axe", "targets": ("knight",)}))

    assert () == found.chances
    assert found.refusal is not None
    assert "EF-04" == found.refusal.rule


def test_without_a_waiting_command_one_must_be_named() -> None:
    with pytest.raises(GambesonError):
        duel(1).odds()


def counted(reading: Any, *groups: Group) -> Counter[Any]:
    """Each value of a reading, by throwing every face; marks count without their order."""
    found: Counter[Any] = Counter()
    each = [product(range(1, group.sides + 1), repeat=group.count) for group in groups]
    for throw in product(*each):
        found[unordered(reading.read(*throw))] += 1
    return found


def unordered(value: Any) -> Any:
    if isinstance(value, tuple) and all(isinstance(entry, bool) for entry in value):
        return tuple(sorted(value, reverse=True))
    return tuple(map(unordered, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    ("reading", "groups"),
    [
        (Marked(AtMost(4, 1, (6,))), (Group(3, 6),)),
        (Marked(AtMost(4, 0)), (Group(2, 6), Group(1, 6))),
        (Clashing(Confrontation(AtMost(4), AtMost(5))), (Group(2, 6), Group(2, 6))),
        (Clashing(Confrontation(AtMost(4), AtMost(5), "a_wins")), (Group(2, 6), Group(1, 6))),
        (Clashing(Confrontation(AtMost(4), AtMost(5)), told=True), (Group(2, 6), Group(2, 6))),
        (Clashing(Confrontation(AtMost(4), AtMost(3, 0), "a_wins"), told=True), (Group(2, 6), Group(1, 6))),
        (Counted((3, 5, 0)), (Group(2, 6), Group(1, 6))),
        (
            Together((Share(Counted((2,)), (1,)), Share(Marked(AtMost(3)), (0, 2)))),
            (Group(1, 6), Group(1, 6), Group(1, 6)),
        ),
    ],
)
def test_outcomes_of_a_reading_are_those_of_all_throws(reading: Any, groups: tuple[Group, ...]) -> None:
    expected = counted(reading, *groups)
    weighed: Counter[Any] = Counter()
    for value, weight in reading.outcomes(*groups):
        weighed[unordered(value)] += weight

    assert expected == +weighed


def test_too_many_dice_are_refused_by_name() -> None:
    with pytest.raises(NotEnumerable):
        Marked(AtMost(10)).outcomes(Group(1000, 20))


def test_points_and_counts_that_come_have_their_chance() -> None:
    table = Table("srd5", entities={"anna": {"pools": {"hit_points": {"current": 0, "maximum": 9}}}})
    table.do("advance", to="turn_start", who="anna")
    found = table.odds()

    assert {0: Fraction(19, 20), 1: Fraction(1, 20)} == found.gained("anna", "hit_points")
    counts = {change.figures: chance.chance for chance in found.chances for change in chance.changes}
    assert Fraction(10, 20) == counts[(("death_successes", 1),)]
    assert Fraction(8, 20) == counts[(("death_failures", 1),)]
    assert Fraction(1, 20) == counts[(("death_failures", 2),)]


def test_dice_of_a_grant_have_their_chances() -> None:
    table = Table("srd5", entities={"anna": {"pools": {"temporary": 1, "hit_points": 9}}})
    found = table.odds(Command("grant", {"target": ("anna",), "effect": "false_life"}))

    assert {points: Fraction(1, 4) for points in (4, 5, 6, 7)} == found.gained("anna", "temporary")

"""Dice and their readings: every fast count is held against all faces, or against icepool."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any, Literal

import icepool
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambeson.language.dice import (
    AtMost,
    Clash,
    Confrontation,
    Dice,
    Faces,
    Group,
    NotEnumerable,
    Reading,
    Row,
    Single,
    Successes,
    Table,
    Total,
    faces_fit,
    parse_dice,
    table_fits,
)
from gambeson.model.errors import FieldFault


def by_brute_force(reading: Any, *groups: Group) -> dict[Any, int]:
    """Every roll there is, read."""
    ways = [list(product(range(1, group.sides + 1), repeat=group.count)) for group in groups]
    return dict(Counter(reading.read(*faces) for faces in product(*ways)))


def weights(reading: Any, *groups: Group) -> dict[Any, int]:
    outcomes = reading.outcomes(*groups)
    found = dict(outcomes)
    assert len(found) == len(outcomes)
    return found


GROUPS = st.builds(Group, st.integers(0, 3), st.integers(1, 6))
AT_MOST = st.builds(AtMost, st.integers(-1, 8), st.integers(0, 3), st.lists(st.integers(1, 6), max_size=2).map(tuple))
TIES = st.sampled_from(["both_cancel", "a_wins"])


# Written dice


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2d6", Dice(2, 6)),
        ("2d6+1", Dice(2, 6, 1)),
        (" 2 d 6 - 10 ", Dice(2, 6, -10)),
        ("0d4", Dice(0, 4)),
        ("1000d1000+1000000000", Dice(1000, 1000, 1_000_000_000)),
    ],
)
def test_written_dice(text: str, expected: Dice) -> None:
    assert expected == parse_dice(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "form"),
        ("d6", "form"),
        ("2d", "form"),
        ("2d6+", "form"),
        ("2d6*2", "form"),
        ("-1d6", "form"),
        ("٢d6", "form"),
        ("x" * 10_000, "form"),
        ("1001d6", "count"),
        ("1d0", "sides"),
        ("1d1001", "sides"),
        ("1d6+1000000001", "plus"),
        ("1d6-" + "9" * 5000, "plus"),
    ],
)
def test_what_is_no_dice_is_refused(text: str, expected: str) -> None:
    with pytest.raises(FieldFault) as caught:
        parse_dice(text)
    assert f"fault.dice.{expected}" == caught.value.message.id


@given(st.text("0123456789d+- ", max_size=12) | st.text(max_size=12))
def test_any_text_is_dice_that_read_back_or_a_fault(text: str) -> None:
    try:
        dice = parse_dice(text)
    except FieldFault:
        return
    assert dice == parse_dice(str(dice))


def test_dice_know_their_group_and_reading() -> None:
    assert (Group(2, 6), Total(1)) == (Dice(2, 6, 1).group, Dice(2, 6, 1).total)


# Entered dice


@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        (((1, 6), (20,)), None),
        ([[1, 6], [20]], None),
        ([[1, 6]], ((), "groups")),
        (7, ((), "groups")),
        ([[1, 6], 20], ((1,), "list")),
        ([[1], [20]], ((0,), "number_of_dice")),
        ([[1, 2, 99], [20]], ((0,), "number_of_dice")),
        ([[1, 7], [20]], ((0, 1), "face")),
        ([[1, 6], [0]], ((1, 0), "face")),
        ([[1, 6.0], [20]], ((0, 1), "whole")),
        ([[1, True], [20]], ((0, 1), "whole")),
        ([["1", 2], [20]], ((0, 0), "whole")),
    ],
)
def test_entered_dice(faces: object, expected: tuple[Any, str] | None) -> None:
    fault = faces_fit((Group(2, 6), Group(1, 20)), faces)
    assert expected == (fault and (fault.path, fault.message.id.removeprefix("fault.dice.")))


# Total


@given(st.integers(-5, 5), st.lists(GROUPS, max_size=2))
def test_total_outcomes_are_those_of_all_faces(plus: int, groups: list[Group]) -> None:
    assert by_brute_force(Total(plus), *groups) == weights(Total(plus), *groups)


@pytest.mark.parametrize("dice", [Dice(8, 6, 3), Dice(20, 4, -1), Dice(1, 100), Dice(40, 20)])
def test_total_outcomes_are_those_of_icepool(dice: Dice) -> None:
    expected = (dice.count @ icepool.d(dice.sides)) + dice.plus
    assert dict(expected.items()) == weights(dice.total, dice.group)


def test_outcomes_too_many_to_list_are_refused_at_once() -> None:
    with pytest.raises(NotEnumerable):
        Total().outcomes(Group(1000, 1000))
    with pytest.raises(NotEnumerable):
        AtMost(9).outcomes(Group(1000, 20))
    with pytest.raises(NotEnumerable):
        AtMost(9).outcomes(Group(200, 20), Group(200, 20))
    with pytest.raises(NotEnumerable):
        Confrontation(AtMost(9), AtMost(9)).outcomes(Group(1000, 20), Group(1000, 20))


# At most


@given(AT_MOST, st.lists(GROUPS, max_size=2))
def test_at_most_outcomes_are_those_of_all_faces(reading: AtMost, groups: list[Group]) -> None:
    assert by_brute_force(reading, *groups) == weights(reading, *groups)


@pytest.mark.parametrize(("count", "target", "critical"), [(6, 13, 1), (30, 7, 3), (10, 25, 1), (4, 0, 1)])
def test_at_most_outcomes_are_those_of_icepool(count: int, target: int, critical: int) -> None:
    mark = icepool.d20.map(lambda face: 100 * (face <= target) + (face <= min(target, critical)))
    expected = {divmod(value, 100): weight for value, weight in (count @ mark).items() if weight}
    assert expected == weights(AtMost(target, critical), Group(count, 20))


def test_a_value_of_0_has_no_success_and_no_critical() -> None:
    assert Successes(0, 0) == AtMost(0).read((1, 1))


def test_a_20_is_critical_where_the_reading_says_so() -> None:
    assert Successes(2, 2) == AtMost(22, 1, (20,)).read((1, 20))


# Confrontation


def stands_by_the_words(
    own: AtMost, other: AtMost, die: int, enemies: Faces, on_a_tie: Literal["cancelled", "stands"]
) -> bool:
    """Each successful die cancels every enemy die with an equal or lower result; criticals beat all but criticals."""
    for enemy in enemies:
        if not other.succeeds(enemy) or own.is_critical(die):
            continue
        if other.is_critical(enemy) or enemy > die or (enemy == die and on_a_tie == "cancelled"):
            return False
    return True


def clash_by_the_words(reading: Confrontation, a: Faces, b: Faces) -> Clash:
    tie_for_a: Literal["cancelled", "stands"] = "stands" if reading.ties == "a_wins" else "cancelled"
    left_a = [
        die for die in a if reading.a.succeeds(die) and stands_by_the_words(reading.a, reading.b, die, b, tie_for_a)
    ]
    left_b = [
        die for die in b if reading.b.succeeds(die) and stands_by_the_words(reading.b, reading.a, die, a, "cancelled")
    ]
    return Clash(
        len(left_a), sum(map(reading.a.is_critical, left_a)), len(left_b), sum(map(reading.b.is_critical, left_b))
    )


FACES = st.lists(st.integers(1, 6), max_size=5).map(tuple)


@given(st.builds(Confrontation, AT_MOST, AT_MOST, TIES), FACES, FACES)
def test_confrontation_reads_as_the_rule_says(reading: Confrontation, a: Faces, b: Faces) -> None:
    assert clash_by_the_words(reading, a, b) == reading.read(a, b)


@given(st.builds(Confrontation, AT_MOST, AT_MOST, TIES), GROUPS, GROUPS)
def test_confrontation_outcomes_are_those_of_all_faces(reading: Confrontation, a: Group, b: Group) -> None:
    assert by_brute_force(reading, a, b) == weights(reading, a, b)


def test_confrontation_outcomes_of_many_dice_add_up() -> None:
    found = weights(Confrontation(AtMost(13), AtMost(12, 3)), Group(12, 20), Group(9, 20))
    assert 20**21 == sum(found.values())
    assert min(found.values()) > 0


@pytest.mark.parametrize(
    ("a", "b", "ties", "expected"),
    [
        ((6, 11), (8,), "both_cancel", Clash(1, 0, 0, 0)),
        ((6, 11), (11,), "both_cancel", Clash(0, 0, 0, 0)),
        ((6, 11), (11,), "a_wins", Clash(1, 0, 0, 0)),
        ((11,), (11, 12), "a_wins", Clash(0, 0, 1, 0)),
        ((1, 5), (12,), "both_cancel", Clash(1, 1, 0, 0)),
        ((1, 5), (1, 12), "both_cancel", Clash(1, 1, 1, 1)),
        ((14, 20), (12,), "both_cancel", Clash(0, 0, 1, 0)),
        ((14,), (13,), "both_cancel", Clash(0, 0, 0, 0)),
    ],
)
def test_confrontation(a: Faces, b: Faces, ties: Literal["both_cancel", "a_wins"], expected: Clash) -> None:
    assert expected == Confrontation(AtMost(13), AtMost(12), ties).read(a, b)


# Single


@given(
    st.builds(Single, st.integers(-2, 9), st.integers(-3, 3), st.sampled_from(["highest", "lowest"])),
    st.builds(Group, st.integers(1, 3), st.integers(1, 6)),
    GROUPS,
)
def test_single_outcomes_are_those_of_all_faces(reading: Single, one: Group, two: Group) -> None:
    assert by_brute_force(reading, one, two) == weights(reading, one, two)


def test_single_with_advantage_is_that_of_icepool() -> None:
    expected = icepool.d20.highest(2) + 3 >= 15
    assert {bool(k): w for k, w in expected.items()} == weights(Single(15, 3), Group(2, 20))


# Table

DEATH = Table((Row(1, 1, "two_failures"), Row(2, 9, "failure"), Row(10, 19, "success"), Row(20, 20, "back")))


def test_table_outcomes() -> None:
    expected = (("two_failures", 1), ("failure", 8), ("success", 10), ("back", 1))
    assert expected == DEATH.outcomes(Group(1, 20))


@given(st.integers(-2, 2))
def test_table_outcomes_are_those_of_all_faces(plus: int) -> None:
    table = Table((Row(8, 99, "high"), Row(-99, 4, "low"), Row(5, 7, "middle")), plus)
    assert by_brute_force(table, Group(2, 6)) == weights(table, Group(2, 6))


ROWS = st.lists(st.builds(Row, st.integers(-1, 9), st.integers(-1, 9), st.sampled_from("abc")), max_size=4).map(tuple)


@given(st.builds(Table, ROWS, st.integers(-1, 1)))
def test_a_table_fits_when_each_total_has_exactly_one_row(table: Table) -> None:
    if any(row.low > row.high for row in table.rows):
        expected = False
    else:
        hits = Counter(total for row in table.rows for total in range(row.low, row.high + 1))
        totals = range(2 + table.plus, 9 + table.plus)
        expected = max(hits.values(), default=0) <= 1 and all(hits[total] == 1 for total in totals)
    assert expected is (table_fits(table, Group(1, 3), Group(1, 5)) is None)


def test_a_total_without_a_row_is_a_fault() -> None:
    with pytest.raises(FieldFault):
        DEATH.read((21,))


# All readings


@pytest.mark.parametrize(
    "reading", [Total(3), AtMost(13, 3, (20,)), Confrontation(AtMost(13), AtMost(12), "a_wins"), Single(15), DEATH]
)
def test_readings_survive_their_encoding(reading: Reading) -> None:
    assert reading == msgspec.json.decode(msgspec.json.encode(reading), type=Reading)

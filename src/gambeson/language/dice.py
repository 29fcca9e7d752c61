"""Dice, and the readings of dice: pure functions from faces to a small value, with their exact weights."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import comb, prod
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Meta, Struct

from gambeson.model.errors import FieldFault, GambesonError
from gambeson.model.messages import Message, message

COUNT_MOST = 1000
"""Dice in one group."""
SIDES_MOST = 1000
"""Sides of one die."""
PLUS_MOST = 1_000_000_000
"""Upper bound of what is added to dice."""
STEPS_MOST = 10_000_000
"""Upper bound of the work that `outcomes` takes on (about a second or two)."""

Faces: TypeAlias = tuple[int, ...]
"""What the dice of one group show, in the order rolled."""


class NotEnumerable(GambesonError):
    """The outcomes of a roll are too many to list."""

    def __init__(self) -> None:
        self.message: Message = message("fault.dice.not_enumerable")
        super().__init__(self.message.id)


# Dice


class Group(Struct, frozen=True):
    """Dice of one kind that one person rolls."""

    count: Annotated[int, Meta(ge=0, le=COUNT_MOST)]
    sides: Annotated[int, Meta(ge=1, le=SIDES_MOST)]


class Dice(Struct, frozen=True):
    """`2d6+1`: so many dice with so many sides, and what is added to their sum."""

    count: Annotated[int, Meta(ge=0, le=COUNT_MOST)]
    sides: Annotated[int, Meta(ge=1, le=SIDES_MOST)]
    plus: Annotated[int, Meta(ge=-PLUS_MOST, le=PLUS_MOST)] = 0

    @property
    def group(self) -> Group:
        """The dice to roll."""
        return Group(self.count, self.sides)

    @property
    def total(self) -> Total:
        """How they are read."""
        return Total(self.plus)

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}{f'{self.plus:+d}' if self.plus else ''}"


_DICE = re.compile(r"\s*([0-9]+)\s*d\s*([0-9]+)\s*(?:([+-])\s*([0-9]+)\s*)?")
_DIGITS_MOST = 10
_SHOWN_MOST = 40


def parse_dice(text: str) -> Dice:
    """Read `NdM`, `NdM+K` or `NdM-K`, spaces allowed.

    Raises FieldFault when it is something else, or a number is out of bounds: N 0 to 1,000, M 1 to 1,000,
    K to 1,000,000,000.
    """
    found = _DICE.fullmatch(text)
    if found is None:
        shown = text if len(text) <= _SHOWN_MOST else text[:_SHOWN_MOST] + "…"
        raise FieldFault((), message("fault.dice.form", text=shown))
    count, sides, sign, plus = found.groups("0")
    bonus = _number(plus, 0, PLUS_MOST, "plus")
    return Dice(
        _number(count, 0, COUNT_MOST, "count"), _number(sides, 1, SIDES_MOST, "sides"), -bonus if sign == "-" else bonus
    )


def _number(digits: str, least: int, most: int, what: Literal["count", "sides", "plus"]) -> int:
    digits = digits.lstrip("0") or "0"
    if len(digits) > _DIGITS_MOST or not least <= int(digits) <= most:
        raise FieldFault((), message(f"fault.dice.{what}", least=least, most=most))
    return int(digits)


def faces_fit(groups: tuple[Group, ...], faces: object) -> FieldFault | None:
    """What is wrong with dice that somebody entered, None if nothing is.

    `faces` must be a list for each group, in order, each of whole numbers from 1 to the group's sides; the
    fault's path leads into it: (group, die).
    """
    if not isinstance(faces, list | tuple) or len(faces) != len(groups):
        return FieldFault((), message("fault.dice.groups", needed=len(groups)))
    faults = (_group_fault(at, group, own) for at, (group, own) in enumerate(zip(groups, faces, strict=True)))
    return next((fault for fault in faults if fault is not None), None)


def _group_fault(at: int, group: Group, faces: object) -> FieldFault | None:
    if not isinstance(faces, list | tuple):
        return FieldFault((at,), message("fault.dice.list"))
    for die, face in enumerate(faces[: group.count]):
        if type(face) is not int:
            return FieldFault((at, die), message("fault.dice.whole", sides=group.sides))
        if not 1 <= face <= group.sides:
            return FieldFault((at, die), message("fault.dice.face", sides=group.sides))
    if len(faces) != group.count:
        return FieldFault((at,), message("fault.dice.number_of_dice", needed=group.count, given=len(faces)))
    return None


# Values of readings


class Successes(NamedTuple):
    """Dice that succeed, and how many of them are critical."""

    hits: int
    criticals: int


class Clash(NamedTuple):
    """Dice that stand on both sides; criticals are counted among the hits."""

    hits_a: int
    criticals_a: int
    hits_b: int
    criticals_b: int


# Readings


class Total(Struct, frozen=True, tag="total", tag_field="reading"):
    """The sum of all dice and `plus`."""

    plus: int = 0

    def read(self, *groups: Faces) -> int:
        """The sum."""
        return sum(map(sum, groups)) + self.plus

    def outcomes(self, *groups: Group) -> tuple[tuple[int, int], ...]:
        """Each sum with the number of rolls that give it, from the least; raises NotEnumerable."""
        least, weights = _sums(groups)
        return tuple((least + self.plus + at, weight) for at, weight in enumerate(weights))


class AtMost(Struct, frozen=True, tag="at_most", tag_field="reading"):
    """Each die that shows `target` or less succeeds.

    A success that shows `critical` or less is critical, and so is one that shows a face of `also_critical`
    (where a 20 is critical because the target lies above it). `critical` 0: none is.
    """

    target: int
    critical: int = 1
    also_critical: tuple[int, ...] = ()

    def succeeds(self, face: int) -> bool:
        """Whether a die with this face succeeds."""
        return face <= self.target

    def is_critical(self, face: int) -> bool:
        """Whether a die with this face succeeds critically."""
        return face <= self.target and (face <= self.critical or face in self.also_critical)

    def read(self, *groups: Faces) -> Successes:
        """All successes (criticals too), and the criticals."""
        faces = [face for group in groups for face in group]
        return Successes(sum(map(self.succeeds, faces)), sum(map(self.is_critical, faces)))

    def outcomes(self, *groups: Group) -> tuple[tuple[Successes, int], ...]:
        """Each pair with the number of rolls that give it; raises NotEnumerable."""
        _bounded(sum(group.count**3 for group in groups))
        weights = {(0, 0): 1}
        for group in groups:
            critical, plain = self.split(group.sides)
            own = _marked(group, len(critical), len(plain))
            _bounded(len(weights) * len(own))
            weights = _added(
                ((h1 + h2, c1 + c2), w1 * w2) for (h1, c1), w1 in weights.items() for (h2, c2), w2 in own.items()
            )
        return tuple((Successes(*pair), weight) for pair, weight in sorted(weights.items()))

    def split(self, sides: int) -> tuple[Faces, Faces]:
        """The critical and the plain successful faces of a die."""
        successes = range(1, min(self.target, sides) + 1)
        critical = tuple(face for face in successes if self.is_critical(face))
        return critical, tuple(face for face in successes if not self.is_critical(face))


class Confrontation(Struct, frozen=True, tag="confrontation", tag_field="reading"):
    """Two sides roll; each successful die cancels every enemy die with an equal or lower result.

    All dice count, also those that are cancelled themselves. A critical beats every plain die and no critical.
    `ties`: equal dice cancel each other, or the die of side a stands.
    """

    a: AtMost
    b: AtMost
    ties: Literal["both_cancel", "a_wins"] = "both_cancel"

    def read(self, faces_a: Faces, faces_b: Faces) -> Clash:
        """The dice that stand."""
        criticals_a = sum(map(self.a.is_critical, faces_a))
        criticals_b = sum(map(self.b.is_critical, faces_b))
        plain_a = [face for face in faces_a if self.a.succeeds(face) and not self.a.is_critical(face)]
        plain_b = [face for face in faces_b if self.b.succeeds(face) and not self.b.is_critical(face)]
        best_a, best_b = max(plain_a, default=0), max(plain_b, default=0)
        stand_a = 0 if criticals_b else sum(face >= self._bar_for_a(best_b) for face in plain_a)
        stand_b = 0 if criticals_a else sum(face > best_a for face in plain_b)
        return Clash(criticals_a + stand_a, criticals_a, criticals_b + stand_b, criticals_b)

    def outcomes(self, group_a: Group, group_b: Group) -> tuple[tuple[Clash, int], ...]:
        """Each result with the number of rolls of both groups that give it; raises NotEnumerable.

        Plain dice can stand on one side only, those above the other side's best: so the work grows with
        the sides and the number of dice, not with the faces.
        """
        _bounded((group_a.sides + group_b.sides) * (group_a.count**2 + group_b.count**2) + group_a.count**3)
        critical_a, plain_a = self.a.split(group_a.sides)
        critical_b, plain_b = self.b.split(group_b.sides)
        weights: dict[Clash, int] = {}

        def add(clash: Clash, weight: int) -> None:
            if weight:
                weights[clash] = weights.get(clash, 0) + weight

        for c_a, w_a in _criticals(group_a, len(critical_a)):
            for c_b, w_b in _criticals(group_b, len(critical_b)):
                add(Clash(c_a, c_a, c_b, c_b), w_a * w_b)
        none_stand = _without(group_a, critical_a) * _without(group_b, critical_b)
        for best, weight in _best(group_b, len(critical_b), plain_b):
            standing = sum(face >= self._bar_for_a(best) for face in plain_a)
            for (hits, criticals), own in _marked(group_a, len(critical_a), standing).items():
                if hits and not criticals:
                    none_stand -= own * weight
                if hits:
                    add(Clash(hits, criticals, 0, 0), own * weight)
        for best, weight in _best(group_a, len(critical_a), plain_a):
            standing = sum(face > best for face in plain_b)
            for (hits, criticals), own in _marked(group_b, len(critical_b), standing).items():
                if hits and not criticals:
                    none_stand -= own * weight
                if hits:
                    add(Clash(0, 0, hits, criticals), own * weight)
        add(Clash(0, 0, 0, 0), none_stand)
        return tuple(sorted(weights.items()))

    def _bar_for_a(self, best_b: int) -> int:
        """The least result with which a plain die of side a stands against b's best (0: b has no success)."""
        return best_b + 1 if self.ties == "both_cancel" else best_b


class Single(Struct, frozen=True, tag="single", tag_field="reading"):
    """One die and `bonus` reach `against` or more; of several dice the highest or the lowest counts."""

    against: int
    bonus: int = 0
    keep: Literal["highest", "lowest"] = "highest"

    def read(self, *groups: Faces) -> bool:
        """Whether the die reaches the number; there must be a die."""
        faces = [face for group in groups for face in group]
        kept = max(faces) if self.keep == "highest" else min(faces)
        return kept + self.bonus >= self.against

    def outcomes(self, *groups: Group) -> tuple[tuple[bool, int], ...]:
        """Failure and success with the numbers of rolls that give them."""
        everything = prod(group.sides**group.count for group in groups)
        passing = [(group, min(group.sides, max(0, group.sides - self.against + self.bonus + 1))) for group in groups]
        if self.keep == "lowest":
            success = prod(good**group.count for group, good in passing)
        else:
            success = everything - prod((group.sides - good) ** group.count for group, good in passing)
        return tuple((value, weight) for value, weight in ((False, everything - success), (True, success)) if weight)


class Row(Struct, frozen=True):
    """A line of a table: totals from `low` to `high` give `value`."""

    low: int
    high: int
    value: str


class Table(Struct, frozen=True, tag="table", tag_field="reading"):
    """The sum of the dice and `plus`, looked up in ranges."""

    rows: tuple[Row, ...]
    plus: int = 0

    def read(self, *groups: Faces) -> str:
        """The value of the row; raises FieldFault when no row has the total (see `table_fits`)."""
        return self._value(sum(map(sum, groups)) + self.plus)

    def outcomes(self, *groups: Group) -> tuple[tuple[str, int], ...]:
        """Each value with the number of rolls that give it, in the order of the rows; raises NotEnumerable."""
        found = _added((self._value(total), weight) for total, weight in Total(self.plus).outcomes(*groups))
        return tuple((value, found[value]) for value in dict.fromkeys(row.value for row in self.rows) if value in found)

    def _value(self, total: int) -> str:
        for row in self.rows:
            if row.low <= total <= row.high:
                return row.value
        raise FieldFault((), message("fault.dice.table_gap", total=total))


Reading: TypeAlias = Total | AtMost | Confrontation | Single | Table
Value: TypeAlias = int | Successes | Clash | bool | str


def table_fits(table: Table, *groups: Group) -> FieldFault | None:
    """What is wrong with a table for these dice, None if each possible total has exactly one row."""
    least = sum(group.count for group in groups) + table.plus
    most = sum(group.count * group.sides for group in groups) + table.plus
    covered: int | None = None
    for at, row in sorted(enumerate(table.rows), key=lambda pair: pair[1].low):
        if row.low > row.high:
            return FieldFault((at,), message("fault.dice.table_backwards", low=row.low, high=row.high))
        if covered is not None and row.low <= covered:
            return FieldFault((at,), message("fault.dice.table_twice", total=row.low))
        gap = least if covered is None else covered + 1
        if max(gap, least) < row.low and gap <= most:
            return FieldFault((), message("fault.dice.table_gap", total=max(gap, least)))
        covered = row.high
    first_missing = least if covered is None else max(least, covered + 1)
    return FieldFault((), message("fault.dice.table_gap", total=first_missing)) if first_missing <= most else None


# Counting

_Key = TypeVar("_Key")


def _bounded(steps: int) -> None:
    if steps > STEPS_MOST:
        raise NotEnumerable


def _added(pairs: Iterable[tuple[_Key, int]]) -> dict[_Key, int]:
    weights: dict[_Key, int] = {}
    for key, weight in pairs:
        weights[key] = weights.get(key, 0) + weight
    return weights


def _sums(groups: tuple[Group, ...]) -> tuple[int, list[int]]:
    """The least sum of all dice, and the number of rolls for each sum from there on.

    One die after the other, each by a sliding window: count * width steps, not sides times as many.
    """
    width = sum(group.count * (group.sides - 1) for group in groups) + 1
    _bounded(sum(group.count for group in groups) * width)
    weights = [1]
    for group in groups:
        for _ in range(group.count):
            weights = _with_die(weights, group.sides)
    return sum(group.count for group in groups), weights


def _with_die(weights: list[int], sides: int) -> list[int]:
    summed: list[int] = []
    window = 0
    for at in range(len(weights) + sides - 1):
        if at < len(weights):
            window += weights[at]
        if at >= sides:
            window -= weights[at - sides]
        summed.append(window)
    return summed


def _marked(group: Group, critical: int, plain: int) -> dict[tuple[int, int], int]:
    """For each number of marked and of critically marked dice, how many rolls have it.

    `critical` and `plain` count faces of one die; marked dice include the critical ones.
    """
    other = group.sides - critical - plain
    weights: dict[tuple[int, int], int] = {}
    for c in range(group.count + 1 if critical else 1):
        left = group.count - c
        outer = comb(group.count, c) * critical**c
        for p in range(left + 1 if plain else 1):
            weight = outer * comb(left, p) * plain**p * other ** (left - p)
            if weight:
                weights[c + p, c] = weight
    return weights


def _criticals(group: Group, critical: int) -> list[tuple[int, int]]:
    """Each number of critical dice above 0, with the number of rolls that have it."""
    rest = group.sides - critical
    found = [(c, comb(group.count, c) * critical**c * rest ** (group.count - c)) for c in range(1, group.count + 1)]
    return [(c, weight) for c, weight in found if weight]


def _without(group: Group, critical: Faces) -> int:
    """The number of rolls without a critical."""
    return int((group.sides - len(critical)) ** group.count)


def _best(group: Group, critical: int, plain: Faces) -> list[tuple[int, int]]:
    """Each best plain success (0: none), with the number of rolls without a critical that have it."""
    failing = group.sides - critical - len(plain)
    found = [(0, failing**group.count)]
    for at, face in enumerate(plain):
        found.append((face, (failing + at + 1) ** group.count - (failing + at) ** group.count))
    return [(face, weight) for face, weight in found if weight]

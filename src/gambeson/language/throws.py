"""Readings of dice that stay apart: successes in their order, dice with targets of their own, several at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from gambeson.language.dice import SIDES_MOST, AtMost, Clash, Confrontation, Faces, Group
from gambeson.model.questions import Question

Marks: TypeAlias = tuple[bool, ...]
"""Successful dice in the order rolled; true where one is critical."""


Rest: TypeAlias = Callable[[], Hashable]
"""Tells what of a command so far still matters (see `Adjudication.roll`)."""


class Readable(Protocol):
    """What every reading can do (see `gambeson.language.dice`)."""

    def read(self, *groups: Any) -> Any:
        """What the faces mean."""
        ...

    def outcomes(self, *groups: Any) -> tuple[tuple[Any, int], ...]:
        """Each value with the number of rolls that give it."""
        ...


class Rolled(Struct, frozen=True):
    """Dice that are asked in one or several questions and read together; for `rest` see `Adjudication.roll`."""

    questions: tuple[Question, ...]
    reading: Any
    rest: Any = None

    def groups(self) -> tuple[Group, ...]:
        """The dice of all questions, in order."""
        return tuple(Group(group.count, group.sides) for question in self.questions for group in question.dice)


class Marked(Struct, frozen=True):
    """The successes of dice against one target, in the order of the dice."""

    against: AtMost

    def read(self, *groups: Faces) -> Marks:
        """A mark for each success."""
        return _marks(self.against, [face for group in groups for face in group], 0)

    def outcomes(self, *groups: Group) -> tuple[tuple[Marks, int], ...]:
        """Each number of criticals and plain successes, once for all orders of the dice: criticals first."""
        return tuple((_sorted(value.hits, value.criticals), weight) for value, weight in self.against.outcomes(*groups))


class Stood(tuple[Any, ...]):
    """What stands of side a and of side b. `tied`: an equal die has decided; that only explains, it is no value."""

    tied: bool = False


class Clashing(Struct, frozen=True):
    """What stands of two sides that roll against each other, for each side in the order of its dice.

    With `told`, then also whether each side had a success at all, though it may have been cancelled.
    """

    clash: Confrontation
    told: bool = False

    def read(self, faces_a: Faces, faces_b: Faces) -> Stood:
        """The marks of side a and of side b, and what is told."""
        a, b = self.clash.a, self.clash.b
        best_a, best_b = _best(a, faces_a), _best(b, faces_b)
        bar_a = best_b + (1 if self.clash.ties == "both_cancel" else 0)
        bar_b = best_a + 1
        if any(map(b.is_critical, faces_b)):
            bar_a = SIDES_MOST + 1
        if any(map(a.is_critical, faces_a)):
            bar_b = SIDES_MOST + 1
        told = (any(map(a.succeeds, faces_a)), any(map(b.succeeds, faces_b))) if self.told else ()
        stood = Stood((_marks(a, faces_a, bar_a), _marks(b, faces_b, bar_b), *told))
        stood.tied = (0 < best_b <= bar_a <= SIDES_MOST and best_b in faces_a) or (
            0 < best_a < bar_b <= SIDES_MOST and best_a in faces_b
        )
        return stood

    def outcomes(self, group_a: Group, group_b: Group) -> tuple[tuple[tuple[Any, ...], int], ...]:
        """Each result, once for all orders of the dice: criticals first."""
        return tuple(
            ((_sorted(value.hits_a, value.criticals_a), _sorted(value.hits_b, value.criticals_b), *told), part)
            for value, weight in self.clash.outcomes(group_a, group_b)
            for told, part in self._parts(value, weight, group_a, group_b)
        )

    def _parts(self, value: Clash, weight: int, group_a: Group, group_b: Group) -> list[tuple[tuple[bool, ...], int]]:
        """A result, by what is told: of a side with nothing left, all dice have failed or all were cancelled.

        Where one side has failed altogether, the other's successes all stand.
        """
        if not self.told:
            return [((), weight)]
        if value.hits_a and value.hits_b:
            return [((True, True), weight)]
        alone = _weight(self.clash.a, group_a, value.hits_a, value.criticals_a)
        alone *= _weight(self.clash.b, group_b, value.hits_b, value.criticals_b)
        parts = [((bool(value.hits_a), bool(value.hits_b)), alone), ((True, True), weight - alone)]
        return [(told, part) for told, part in parts if part]


class Counted(Struct, frozen=True):
    """How many dice succeed, each at or below a target of its own."""

    targets: tuple[int, ...]

    def read(self, *groups: Faces) -> int:
        """The number of successes."""
        faces = [face for group in groups for face in group]
        return sum([face <= target for face, target in zip(faces, self.targets, strict=True)])

    def outcomes(self, *groups: Group) -> tuple[tuple[int, int], ...]:
        """Each number of successes with the number of rolls that give it."""
        sides = [group.sides for group in groups for _ in range(group.count)]
        weights = [1]
        for die, target in zip(sides, self.targets, strict=True):
            good = min(max(target, 0), die)
            weights = [
                (weights[n] * (die - good) if n < len(weights) else 0) + (weights[n - 1] * good if n else 0)
                for n in range(len(weights) + 1)
            ]
        return tuple((n, weight) for n, weight in enumerate(weights) if weight)


class Share(Struct, frozen=True):
    """A reading of some of the groups, by their places."""

    reading: Any
    groups: tuple[int, ...]


class Together(Struct, frozen=True):
    """Several readings of dice that are asked at one moment; each group belongs to one of them."""

    shares: tuple[Share, ...]

    def read(self, *groups: Faces) -> tuple[Any, ...]:
        """The value of each reading."""
        return tuple([share.reading.read(*[groups[at] for at in share.groups]) for share in self.shares])

    def outcomes(self, *groups: Group) -> tuple[tuple[tuple[Any, ...], int], ...]:
        """Every combination of values, with the product of their weights."""
        combined: list[tuple[tuple[Any, ...], int]] = [((), 1)]
        for share in self.shares:
            own = share.reading.outcomes(*(groups[at] for at in share.groups))
            combined = [((*values, value), weight * more) for values, weight in combined for value, more in own]
        return tuple(combined)


def _marks(against: AtMost, faces: tuple[int, ...] | list[int], bar: int) -> Marks:
    """A mark for each critical, and for each plain success that is not below the bar."""
    return tuple(
        [
            critical
            for face in faces
            if (critical := against.is_critical(face)) or (face >= bar and against.succeeds(face))
        ]
    )


def _best(against: AtMost, faces: Faces) -> int:
    """The best plain success, 0 without one."""
    return max((face for face in faces if against.succeeds(face) and not against.is_critical(face)), default=0)


def _weight(against: AtMost, group: Group, hits: int, criticals: int) -> int:
    """The rolls of a group with just these successes."""
    return sum(
        weight for value, weight in against.outcomes(group) if (value.hits, value.criticals) == (hits, criticals)
    )


def _sorted(hits: int, criticals: int) -> Marks:
    return (True,) * criticals + (False,) * (hits - criticals)

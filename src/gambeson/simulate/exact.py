"""Exact answers: the whole distribution of a fight, from the chain of all states that it can reach."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from gambeson.simulate.chain import STATES_MOST, Chain, Half, TooManyStates, Works, outcomes_of, start_of
from gambeson.simulate.decisions import Decisions, decided
from gambeson.simulate.ends import HITS
from gambeson.simulate.fights import Fight
from gambeson.simulate.following import followed, followed_exactly
from gambeson.simulate.kernel import Kernel

__all__ = ["STATES_MOST", "Curve", "Duel", "Solver", "TooManyStates", "duel"]

ENDED, LEFT = 0, 1
"""Of the ends of one side: the end came, or the target fell before it came."""


class Curve(Struct, frozen=True):
    """A side by itself: the chance that it ends with blow n, and what each layer is expected to lose to blow n.

    Both begin with blow 1. `falls` is the chance that it fell with blow n without the end having come.
    """

    ends: tuple[Any, ...]
    falls: tuple[Any, ...]
    loses: dict[str, tuple[Any, ...]]
    states: int


class Duel(Struct, frozen=True):
    """Two sides: the chance that it is over with round n, and who fell.

    `fallen` are the chances that the first side fell, the second, and both; `loses` what each layer of each side is
    expected to lose.
    """

    ends: tuple[Any, ...]
    fallen: tuple[Any, Any, Any]
    loses: tuple[dict[str, float], dict[str, float]]
    states: int


class Solver:
    """A program made ready for exact answers: its lines as functions of many states at once."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.linked = any(side.answers for side in kernel.sides)
        """Whether what happens to one side depends on the other."""
        self._works = tuple(Works([side]) for side in kernel.sides) if not self.linked else ()
        self._both = Works(kernel.sides) if self.linked else None

    def curve(
        self,
        fight: Fight,
        at: int,
        starts: Sequence[int],
        *,
        fractions: bool = False,
        decisions: Decisions | None = None,
    ) -> Curve:
        """Follow one side from its first blow to the last. Raises TooManyStates."""
        half = Half(0, _outcomes(self.kernel, fight, at))
        decisions = decisions or decided(fight, self.kernel, starts)
        chain = Chain(
            self._works[at],
            (half,),
            start_of(self.kernel, (at,), starts),
            cycle=fight.most if at in decisions.tables and fight.until.kind == HITS else 0,
            choices=partial(decisions.takes, at),
        )
        tables = chain.tables()
        found = followed_exactly(tables, fight.most) if fractions else followed(tables, fight.most)
        ends, falls = ([row[end] for row in found.ends] for end in (ENDED, LEFT))
        loses = {layer: lost for (_, layer), lost in found.loses.items()}
        return Curve(tuple(ends), tuple(falls), loses, tables.states)

    def duel(self, fight: Fight, starts: Sequence[int], *, fractions: bool = False) -> Duel:
        """Follow both sides of a duel. Raises TooManyStates and Entangled."""
        decisions = decided(fight, self.kernel, starts)
        if self._both is None:
            one, other = (self.curve(fight, at, starts, fractions=fractions, decisions=decisions) for at in (0, 1))
            return duel(one, other, fight.order)
        first, second = (_outcomes(self.kernel, fight, at) for at in (0, 1))
        halves = (Half(0, first, fight.order == "alternate", False), Half(1, second))
        tables = Chain(self._both, halves, start_of(self.kernel, (0, 1), starts)).tables()
        found = followed_exactly(tables, fight.most) if fractions else followed(tables, fight.most)
        both, against, target, _ = (sum(column) for column in zip(*found.ends, strict=True))
        loses: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for (at, layer), lost in found.loses.items():
            loses[at][layer] = sum(lost)
        ends = tuple(sum(row[:-1]) for row in found.ends)
        return Duel(ends, (target + both, against + both, both), loses, tables.states)


def _outcomes(kernel: Kernel, fight: Fight, at: int) -> Any:
    blows = fight.hits[fight.sides[at]]
    total = sum(kind.weight for kind in blows)
    kinds = zip(kernel.sides[at].kinds, blows, strict=True)
    return tuple(outcomes_of(kind, blow.weight / total) for kind, blow in kinds)


def duel(one: Curve, other: Curve, order: str) -> Duel:
    """Put two sides together that fall independently. With `alternate` the first is struck first in each round."""
    rounds = max(len(one.ends), len(other.ends))
    stands_a: Any = 1
    stands_b: Any = 1
    ends: list[Any] = []
    fallen: list[Any] = [0, 0, 0]
    loses: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for n in range(rounds):
        (a, left_a), (b, left_b) = _at(one, n), _at(other, n)
        after_a, after_b = stands_a - a - left_a, stands_b - b - left_b
        before = after_a if order == "alternate" else stands_a
        first, second = a * stands_b, b * before
        both = 0 if order == "alternate" else a * b
        fallen = [fallen[0] + first, fallen[1] + second, fallen[2] + both]
        ends.append(first + second - both)
        _lose(loses[0], one, n, stands_b)
        _lose(loses[1], other, n, before)
        stands_a, stands_b = after_a, after_b
    return Duel(tuple(ends), (fallen[0], fallen[1], fallen[2]), loses, one.states + other.states)


def _at(side: Curve, n: int) -> tuple[Any, Any]:
    """The chances that the side ends, or is left, with this blow."""
    return (side.ends[n], side.falls[n]) if n < len(side.ends) else (0, 0)


def _lose(so_far: dict[str, float], side: Curve, n: int, chance: Any) -> None:
    for layer, lost in side.loses.items():
        so_far[layer] = so_far.get(layer, 0.0) + (lost[n] * float(chance) if n < len(lost) else 0.0)

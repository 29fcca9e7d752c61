"""Exact answers: the sparse absorbing chain of a program, over all states that a fight can reach.

Every state has the same outcomes of a blow (kinds of hit and dice) with the same weights; only where they lead
differs. So the chain is one table, states times outcomes, of where each leads, worked out for all states at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec import Struct

from gambeson.language.dice import Dice, Group, Total
from gambeson.language.lowering import Value
from gambeson.model.errors import GambesonError
from gambeson.simulate.files import Fight
from gambeson.simulate.kernel import Kernel, Kind, Side
from gambeson.simulate.source import ARRAY, Step, indented, lines, needed, said

STATES_MOST = 2_000_000
TABLE_MOST = 40_000_000
"""Entries of the table of states times outcomes."""
OUTCOMES_MOST = 20_000
GRID_MOST = 3_000_000
"""Entries up to which all states between the bounds are looked at, instead of those that are reached one by one."""
MARKED_MOST = 1 << 26
"""States between the bounds of which each can be marked in a table."""
TAIL = 1e-15
"""Chance of a fight that goes on still, below which the rest is left."""

ENDED, LEFT = 0, 1
"""States in front of all others: the end came, or the target fell before it came."""


class TooManyStates(GambesonError):
    """A fight has more states (or outcomes of one blow) than an exact answer may."""

    def __init__(self, states: int, outcomes: int) -> None:
        super().__init__(f"{states} states, {outcomes} outcomes")
        self.states = states
        self.outcomes = outcomes


class Outcome(Struct, frozen=True):
    """What one kind of hit can throw: the amounts of each of its dice, and their weights."""

    amounts: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]


class Curve(Struct, frozen=True):
    """A side by itself: the chance that it ends with blow n, and what each layer is expected to lose to blow n.

    Both begin with blow 1. `falls` is the chance that it fell with blow n without the end having come.
    """

    ends: tuple[Any, ...]
    falls: tuple[Any, ...]
    loses: dict[str, tuple[Any, ...]]
    states: int


class Solver:
    """A program made ready for exact answers: its lines as functions of many states at once."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.works = tuple(_Works(side, kernel) for side in kernel.sides)

    def curve(self, fight: Fight, at: int, starts: Sequence[int], *, fractions: bool = False) -> Curve:
        """Follow one side from its first blow to the last. Raises TooManyStates."""
        return curve(self, fight, at, starts, fractions=fractions)


def curve(solver: Solver, fight: Fight, at: int, starts: Sequence[int], *, fractions: bool = False) -> Curve:
    """Follow one side from its first blow to the last. Raises TooManyStates."""
    kernel = solver.kernel
    side = kernel.sides[at]
    blows = fight.hits[fight.sides[at]]
    total = sum(kind.weight for kind in blows)
    outcomes = [_outcomes(kind, blow.weight / total) for kind, blow in zip(side.kinds, blows, strict=True)]
    chain = _Chain(solver.works[at], outcomes, _start(kernel, at, starts), _maxima(kernel, at, starts))
    table = chain.table()
    return _followed_exactly(chain, table, fight.most) if fractions else _followed(chain, table, fight.most)


def _outcomes(kind: Kind, weight: Fraction) -> Outcome:
    """Everything that the dice of a kind of hit can show, with its chance."""
    dice = [amount for amount in kind.amounts if isinstance(amount, Dice)]
    throws = [Total(group.plus).outcomes(Group(group.count, group.sides)) for group in dice]
    if math.prod(len(throw) for throw in throws) > OUTCOMES_MOST:
        raise TooManyStates(0, math.prod(len(throw) for throw in throws))
    whole = math.prod(group.sides**group.count for group in dice)
    amounts: list[tuple[int, ...]] = []
    weights: list[Fraction] = []
    for combination in itertools.product(*throws):
        amounts.append(tuple(max(0, value) for value, _ in combination))
        weights.append(weight * Fraction(math.prod(count for _, count in combination), whole))
    return Outcome(tuple(zip(*amounts, strict=True)) if dice else (), tuple(weights))


def _start(kernel: Kernel, at: int, starts: Sequence[int]) -> dict[str, int]:
    side = kernel.sides[at]
    found = {
        side.arena.pool_name(layer): number
        for (where, layer, of), number in zip(kernel.starts, starts, strict=True)
        if where == at and of == "current"
    }
    return found | {counter.name: counter.start for counter in side.arena.counters.values()}


def _maxima(kernel: Kernel, at: int, starts: Sequence[int]) -> dict[str, int]:
    name = kernel.sides[at].arena.pool_name
    return {
        f"{name(layer)}_maximum": number
        for (where, layer, of), number in zip(kernel.starts, starts, strict=True)
        if where == at and of == "maximum"
    }


class _Table(Struct, frozen=True):
    """Where each outcome leads from each state, the expected losses of a blow in each state, and the first state."""

    leads: Any
    loses: dict[str, Any]
    first: int


class _Works:
    """What the lines of a side do, for many states at once."""

    def __init__(self, side: Side, kernel: Kernel) -> None:
        self.side = side
        self.names = side.arena.names()
        self.maxima = [f"{side.arena.pool_name(layer)}_maximum" for layer in side.arena.pools]
        self.blows = [self._function(kind.steps, kind.now, kind.lost, kind.dice) for kind in side.kinds]
        self.heal: Callable[..., Any] | None = None
        if side.healed is not None and side.healed.steps:
            self.heal = self._function(side.healed.steps, side.healed.now, {}, ())
        self.over = self._function((), {}, {"over": side.over, "down": side.down}, ())

    def _function(
        self, steps: Sequence[Step], now: dict[str, Value], more: dict[str, Value], dice: Sequence[str]
    ) -> Callable[..., Any]:
        """Lines of a program as a function of many states at once: what lasts, then the further values."""
        kept = needed(steps, (*now.values(), *more.values()))
        lasting = [said(now[name], ARRAY) if name in now else name for name in self.names]
        results = ", ".join([*lasting, *(said(value, ARRAY) for value in more.values())])
        text = [
            f"def work({', '.join((*self.names, *self.maxima, *dice))}):",
            *indented([*lines(kept, ARRAY), f"return ({results},)"], 1),
        ]
        names: dict[str, Any] = {
            "minimum": np.minimum,
            "maximum": np.maximum,
            "where": np.where,
            "logical_not": np.logical_not,
        }
        exec(compile("\n".join(text), "<chain>", "exec"), names)  # our own text: names in it are made harmless
        found: Callable[..., Any] = names["work"]
        return found


class _Met:
    """Which states were met, in a table of all where that is small enough."""

    def __init__(self, size: int) -> None:
        self.count = 0
        self._all = np.zeros(size, bool) if size <= MARKED_MOST else None
        self._sorted = np.empty(0, np.int64)

    def new(self, codes: Any) -> Any:
        """Those that were not met before, each once."""
        if self._all is not None:
            found = np.unique(codes[~self._all[codes]])
            self._all[found] = True
        else:
            found = np.setdiff1d(codes, self._sorted)
            self._sorted = np.union1d(self._sorted, found)
        self.count += int(found.size)
        return found


class _Chain:
    def __init__(self, works: _Works, outcomes: list[Outcome], start: dict[str, int], maxima: dict[str, int]) -> None:
        self.side = side = works.side
        self.arena = side.arena
        self.start = start
        self.outcomes = outcomes
        self.weights = [weight for outcome in outcomes for weight in outcome.weights]
        self.names = side.arena.names()
        most = {side.arena.pool_name(layer): bound.most for layer, bound in side.arena.pools.items()}
        most |= {counter.name: counter.most for counter in side.arena.counters.values()}
        rising = {side.arena.pool_name(layer) for layer in side.rising}
        self.every = side.healed.every if side.healed is not None and side.healed.steps else 1
        bounds = [most[name] if name in rising or name not in start else self._bound(name, most) for name in self.names]
        self.radix = [self.every, *(bound + 1 for bound in bounds)]
        self.maxima = maxima
        self._blows, self._heal, self._over = works.blows, works.heal, works.over

    def _bound(self, name: str, most: dict[str, int]) -> int:
        """Pools that only fall are never above where this fight begins."""
        pools = {self.arena.pool_name(layer) for layer in self.arena.pools}
        return self.start[name] if name in pools else most[name]

    # --- states ---------------------------------------------------------------------------------------------------

    def coded(self, columns: Sequence[Any]) -> Any:
        """The number of each state in the grid of all."""
        code: Any = 0
        for column, radix in zip(columns, self.radix, strict=True):
            code = code * radix + column
        return code

    def columns(self, codes: Any) -> list[Any]:
        """The states with these numbers."""
        found = []
        for radix in reversed(self.radix):
            codes, column = np.divmod(codes, radix)
            found.append(column)
        return found[::-1]

    def table(self) -> _Table:
        """All states that are reached, and where they lead."""
        size = math.prod(self.radix)
        outcomes = len(self.weights)
        if size * outcomes <= GRID_MOST:
            return self._grid(size)
        if size >= 1 << 62:
            raise TooManyStates(size, outcomes)
        return self._reached(size)

    def _first(self) -> int:
        return int(self.coded([0, *(self.start[name] for name in self.names)]))

    def _grid(self, size: int) -> _Table:
        codes = np.arange(size, dtype=np.int32)
        leads = self.leads(codes)
        leads += 2
        first = self._first() + 2
        reached = np.zeros(size + 2, bool)
        reached[:2] = reached[first] = True
        front = np.array([first])
        while front.size:
            met = leads[front - 2].ravel()
            new = met[~reached[met]]
            reached[new] = True
            front = np.unique(new) if new.size else new
        kept = np.flatnonzero(reached)
        number = np.zeros(size + 2, np.int64)
        number[kept] = np.arange(kept.size)
        inner = kept[2:] - 2
        return _Table(number[leads[inner]], self.loses(codes[inner]), int(number[first]))

    def _reached(self, size: int) -> _Table:
        """State by state from the first one on, many at a time."""
        outcomes = len(self.weights)
        met = _Met(size)
        front = met.new(np.array([self._first()]))
        order: list[Any] = [front]
        parts = []
        while front.size:
            leads = self.leads(front)
            parts.append(leads)
            front = met.new(leads[leads >= 0])
            if met.count > STATES_MOST or met.count * outcomes > TABLE_MOST:
                raise TooManyStates(met.count, outcomes)
            order.append(front)
        codes, leads = np.concatenate(order), np.concatenate(parts)
        sorting = np.argsort(codes)
        places = sorting[np.searchsorted(codes, leads.ravel().clip(0), sorter=sorting).clip(0, codes.size - 1)]
        numbered = np.where(leads < 0, leads + 2, places.reshape(leads.shape) + 2)
        return _Table(numbered, self.loses(codes), 2)

    def leads(self, codes: Any) -> Any:
        """Where each outcome leads from each state (-2: ended, -1: left)."""
        columns = self.columns(codes)
        phase = columns[0][:, None]
        found = np.empty((codes.size, len(self.weights)), codes.dtype)
        at = 0
        for outcome, worked in self._worked(columns[1:], codes.dtype):
            width = len(outcome.weights)
            found[:, at : at + width] = self._landed(worked[: len(self.names)], phase)
            at += width
        return found

    def loses(self, codes: Any) -> dict[str, Any]:
        """What each layer is expected to lose to a blow in each state."""
        found = {layer: np.zeros(codes.size) for layer in self.arena.pools}
        worked = self._worked(self.columns(codes)[1:], codes.dtype)
        for kind, (outcome, after) in zip(self.side.kinds, worked, strict=True):
            weights = np.array([float(weight) for weight in outcome.weights])
            for layer, lost in zip(kind.lost, after[len(self.names) :], strict=True):
                found[layer] += (lost * weights).sum(axis=1)
        return found

    def _worked(self, columns: Sequence[Any], dtype: Any) -> Iterator[tuple[Outcome, Sequence[Any]]]:
        """What the lines of each kind of hit make of these states, for each of its outcomes."""
        states = [column[:, None] for column in columns]
        for outcome, blow in zip(self.outcomes, self._blows, strict=True):
            dice = [np.array(amounts, dtype)[None, :] for amounts in outcome.amounts]
            yield outcome, blow(*states, *self.maxima.values(), *dice)

    def _landed(self, after: Sequence[Any], phase: Any) -> Any:
        maxima = tuple(self.maxima.values())
        *_, over, down = self._over(*after, *maxima)
        later = (phase + 1) % self.every
        code = self.coded([later, *after])
        if self._heal is not None:
            healed = self._heal(*after, *maxima)[: len(self.names)]
            code = np.where(later == 0, self.coded([later, *healed]), code)
        return np.where(over, ENDED - 2, np.where(down, LEFT - 2, code))


def _followed(chain: _Chain, table: _Table, most: int) -> Curve:
    """The chances blow by blow, as floats."""
    weights = np.array([float(weight) for weight in chain.weights])
    states = table.leads.shape[0]
    into = table.leads.ravel()
    chances = np.zeros(states)
    chances[table.first - 2] = 1.0
    ends, falls = [], []
    expected = np.array(list(table.loses.values())).reshape(len(table.loses), states)
    lost = []
    for _ in range(most):
        lost.append((expected * chances).sum(axis=1))
        spread = np.bincount(into, weights=np.multiply.outer(chances, weights).ravel(), minlength=states + 2)
        ends.append(float(spread[ENDED]))
        falls.append(float(spread[LEFT]))
        chances = spread[2:]
        if float(chances.sum()) <= TAIL:
            break
    loses = {
        layer: tuple(map(float, column)) for layer, column in zip(table.loses, zip(*lost, strict=True), strict=True)
    }
    return Curve(tuple(ends), tuple(falls), loses, states)


def _followed_exactly(chain: _Chain, table: _Table, most: int) -> Curve:
    """The chances blow by blow, as fractions; a fight that can come back to a state is left after as many blows."""
    common = math.lcm(*(weight.denominator for weight in chain.weights))
    weights = [int(weight * common) for weight in chain.weights]
    leads = [list(map(int, row)) for row in table.leads]
    chances = {table.first: 1}
    ends, falls = [], []
    scale = 1
    for _ in range(min(most, len(leads) + 1)):
        scale *= common
        after: dict[int, int] = {}
        for state, chance in chances.items():
            for lead, weight in zip(leads[state - 2], weights, strict=True):
                if weight:
                    after[lead] = after.get(lead, 0) + chance * weight
        ends.append(Fraction(after.pop(ENDED, 0), scale))
        falls.append(Fraction(after.pop(LEFT, 0), scale))
        chances = after
        if not chances:
            break
    return Curve(tuple(ends), tuple(falls), {}, len(leads))


class Duel(Struct, frozen=True):
    """Two sides that fall independently of each other: the chance that it is over with round n, and who fell.

    `fallen` are the chances that the first side fell, the second, and both; `loses` what each layer of each side is
    expected to lose.
    """

    ends: tuple[float, ...]
    fallen: tuple[float, float, float]
    loses: tuple[dict[str, float], dict[str, float]]


def duel(one: Curve, other: Curve, order: str) -> Duel:
    """Put two curves together. With `alternate` the first side is struck first in each round."""
    rounds = max(len(one.ends), len(other.ends))
    a, b = (list(side.ends) + [0.0] * (rounds - len(side.ends)) for side in (one, other))
    stands_a, stands_b = 1.0, 1.0
    ends: list[float] = []
    fallen = [0.0, 0.0, 0.0]
    loses: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for n in range(rounds):
        after_a, after_b = stands_a - a[n], stands_b - b[n]
        first, second = a[n] * stands_b, b[n] * (after_a if order == "alternate" else stands_a)
        both = 0.0 if order == "alternate" else a[n] * b[n]
        fallen = [fallen[0] + first, fallen[1] + second, fallen[2] + both]
        ends.append(first + second - both)
        _lose(loses[0], one, n, stands_b)
        _lose(loses[1], other, n, after_a if order == "alternate" else stands_a)
        stands_a, stands_b = after_a, after_b
    return Duel(tuple(ends), (fallen[0], fallen[1], fallen[2]), loses)


def _lose(so_far: dict[str, float], side: Curve, n: int, chance: float) -> None:
    for layer, lost in side.loses.items():
        so_far[layer] = so_far.get(layer, 0.0) + (lost[n] * chance if n < len(lost) else 0.0)

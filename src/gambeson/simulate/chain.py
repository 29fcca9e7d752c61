"""The sparse absorbing chain of a fight: every state that it can reach, and where each outcome of a blow leads.

Every state has the same outcomes of a blow (kinds of hit and dice) with the same weights; only where they lead
differs. So the chain is a table for each blow of a round, states times outcomes, worked out for all states at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec import Struct

from gambeson.language.dice import Group, Total
from gambeson.language.lowering import Value
from gambeson.model.errors import GambesonError
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


class TooManyStates(GambesonError):
    """A fight has more states (or outcomes of one blow) than an exact answer may."""

    def __init__(self, states: int, outcomes: int) -> None:
        super().__init__(f"{states} states, {outcomes} outcomes")
        self.states = states
        self.outcomes = outcomes


class Outcomes(Struct, frozen=True):
    """What one kind of hit can throw: the amounts of each of its dice, and their weights."""

    amounts: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]


def outcomes_of(kind: Kind, weight: Fraction) -> Outcomes:
    """Everything that the dice of a kind of hit can show, with its chance. Raises TooManyStates."""
    dice = [thrown.dice for thrown in kind.thrown]
    throws = [Total(group.plus).outcomes(Group(group.count, group.sides)) for group in dice]
    if math.prod(len(throw) for throw in throws) > OUTCOMES_MOST:
        raise TooManyStates(0, math.prod(len(throw) for throw in throws))
    whole = math.prod(group.sides**group.count for group in dice)
    amounts: list[tuple[int, ...]] = []
    weights: list[Fraction] = []
    for combination in itertools.product(*throws):
        amounts.append(tuple(max(0, value) for value, _ in combination))
        weights.append(weight * Fraction(math.prod(count for _, count in combination), whole))
    return Outcomes(tuple(zip(*amounts, strict=True)) if dice else (), tuple(weights))


class Works:
    """What the lines of a fight do, for many states of these sides at once."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self.sides = sides
        self.names = [name for side in sides for name in side.arena.names()]
        self.maxima = [f"{side.arena.pool_name(layer)}_maximum" for side in sides for layer in side.arena.pools]
        self.blows = [[self._blow(at, kind) for kind in side.kinds] for at, side in enumerate(sides)]
        self.takes = next((side.healed.takes for side in sides if side.healed is not None), "")
        self.heal = self._healing()
        ends = {f"{at}.{what}": getattr(side, what) for at, side in enumerate(sides) for what in ("over", "down")}
        self.over = self._function((), {}, ends, ())

    def _blow(self, at: int, kind: Kind) -> tuple[list[tuple[int, str]], Callable[..., Any]]:
        """Which layers a kind of hit on a side may take points from, and what it does."""
        lost = {(at, layer): points for layer, points in kind.lost.items()}
        lost |= {(1 - at, layer): points for layer, points in kind.back.items()}
        more = {str(key): points for key, points in lost.items()}
        return list(lost), self._function(kind.steps, kind.now, more, [thrown.name for thrown in kind.thrown])

    def _healing(self) -> Callable[..., Any] | None:
        healed = [side.healed for side in self.sides if side.healed is not None and side.healed.steps]
        if not healed:
            return None
        now = {name: value for one in healed for name, value in one.now.items()}
        return self._function([step for one in healed for step in one.steps], now, {}, [self.takes] * bool(self.takes))

    def _function(
        self, steps: Sequence[Step], now: dict[str, Value], more: dict[str, Value], read: Sequence[str]
    ) -> Callable[..., Any]:
        """Lines of a program as a function of many states at once: what lasts, then the further values."""
        kept = needed(steps, (*now.values(), *more.values()))
        lasting = [said(now[name], ARRAY) if name in now else name for name in self.names]
        results = ", ".join([*lasting, *(said(value, ARRAY) for value in more.values())])
        text = [
            f"def work({', '.join((*self.names, *self.maxima, *read))}):",
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


class Start(Struct, frozen=True):
    """Where a fight begins: its lasting numbers, and the maxima of its pools, by their names in programs."""

    lasting: dict[str, int]
    maxima: dict[str, int]


def start_of(kernel: Kernel, sides: Sequence[int], starts: Sequence[int]) -> Start:
    """Where these sides begin."""
    lasting: dict[str, int] = {}
    maxima: dict[str, int] = {}
    for (where, layer, of), number in zip(kernel.starts, starts, strict=True):
        if where in sides:
            name = kernel.sides[where].arena.pool_name(layer)
            if of == "current":
                lasting[name] = number
            else:
                maxima[f"{name}_maximum"] = number
    for at in sides:
        lasting |= {counter.name: counter.start for counter in kernel.sides[at].arena.counters.values()}
    return Start(lasting, maxima)


class Met:
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


class Half(Struct, frozen=True):
    """One blow of a round: which side of the works is struck, everything that it can throw, and what follows it.

    `checked`: the fight may be over after it. `last`: with it the round is over, and healing comes.
    """

    struck: int
    outcomes: tuple[Outcomes, ...]
    checked: bool = True
    last: bool = True

    @property
    def weights(self) -> list[Fraction]:
        """The chances of all outcomes."""
        return [weight for outcome in self.outcomes for weight in outcome.weights]


class Table(Struct, frozen=True):
    """Where each outcome of one blow leads from each state before it, and what each layer is expected to lose there.

    The first numbers are ends (see `Chain.ends`); those after them are states before the next blow, or, after the last
    one of a round, before the first.
    """

    leads: Any
    loses: dict[tuple[int, str], Any]
    weights: list[Fraction]


class Tables(Struct, frozen=True):
    """The blows of a round, and the number of the state in which the fight begins."""

    halves: tuple[Table, ...]
    first: int
    ends: int

    @property
    def states(self) -> int:
        """How many states the fight can reach."""
        return sum(int(table.leads.shape[0]) for table in self.halves)


Choices = Callable[[Sequence[Any], Any], Any]
"""Says of states after a blow (their lasting numbers, and the blow) where the new points of a healing are taken."""


class Chain:
    """A fight that is followed from its start. `ends` is the number of ends: each side over or not.

    `cycle` is after how many blows the rounds begin anew: after the healing, or never where the blow counts.
    """

    def __init__(
        self, works: Works, halves: Sequence[Half], start: Start, *, cycle: int = 0, choices: Choices | None = None
    ) -> None:
        self.works = works
        self.halves = halves
        self.start = start
        self.choices = choices
        self.ends = 1 << len(works.sides)
        most: dict[str, int] = {}
        falling: set[str] = set()
        for side in works.sides:
            most |= {side.arena.pool_name(layer): bound.most for layer, bound in side.arena.pools.items()}
            most |= {counter.name: counter.most for counter in side.arena.counters.values()}
            falling |= {side.arena.pool_name(layer) for layer in side.arena.pools if layer not in side.rising}
        healed = [side.healed.every for side in works.sides if side.healed is not None and side.healed.steps]
        self.every = healed[0] if healed else 1
        self.cycle = cycle or self.every
        # Pools that only fall are never above where this fight begins.
        bounds = [start.lasting[name] if name in falling else most[name] for name in works.names]
        self.radix = [self.cycle, *(bound + 1 for bound in bounds)]

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

    def tables(self) -> Tables:
        """All states that are reached, and where they lead. Raises TooManyStates."""
        size = math.prod(self.radix)
        outcomes = sum(len(half.weights) for half in self.halves)
        if len(self.halves) == 1 and size * outcomes <= GRID_MOST:
            return self._grid(size)
        if size >= 1 << 62:
            raise TooManyStates(size, outcomes)
        return self._reached(size)

    def first(self) -> int:
        """The state in which the fight begins."""
        return int(self.coded([0, *(self.start.lasting[name] for name in self.works.names)]))

    def _grid(self, size: int) -> Tables:
        half, ends = self.halves[0], self.ends
        codes = np.arange(size, dtype=np.int32)
        leads = self.leads(half, codes)
        leads += ends
        first = self.first() + ends
        reached = np.zeros(size + ends, bool)
        reached[:ends] = reached[first] = True
        front = np.array([first])
        while front.size:
            met = leads[front - ends].ravel()
            new = met[~reached[met]]
            reached[new] = True
            front = np.unique(new) if new.size else new
        kept = np.flatnonzero(reached)
        number = np.zeros(size + ends, np.int64)
        number[kept] = np.arange(kept.size)
        inner = kept[ends:] - ends
        table = Table(number[leads[inner]], self.loses(half, codes[inner]), half.weights)
        return Tables((table,), int(number[first]), ends)

    def _reached(self, size: int) -> Tables:
        """State by state from the first one on, many at a time."""
        count = len(self.halves)
        met = [Met(size) for _ in self.halves]
        outcomes = [len(half.weights) for half in self.halves]
        parts: list[list[Any]] = [[np.empty((0, width), np.int64)] for width in outcomes]
        orders: list[list[Any]] = [[np.empty(0, np.int64)] for _ in self.halves]
        at, front = 0, met[0].new(np.array([self.first()]))
        while front.size:
            orders[at].append(front)
            leads = self.leads(self.halves[at], front)
            parts[at].append(leads)
            at = (at + 1) % count
            front = met[at].new(leads[leads >= 0])
            states = sum(one.count for one in met)
            entries = sum(one.count * width for one, width in zip(met, outcomes, strict=True))
            if states > STATES_MOST or entries > TABLE_MOST:
                raise TooManyStates(states, sum(outcomes))
        codes = [np.concatenate(order) for order in orders]
        halves = []
        for at, half in enumerate(self.halves):
            leads = numbered(np.concatenate(parts[at]), codes[(at + 1) % count], self.ends)
            halves.append(Table(leads, self.loses(half, codes[at]), half.weights))
        return Tables(tuple(halves), self.ends, self.ends)

    def leads(self, half: Half, codes: Any, takes: Any = None) -> Any:
        """Where each outcome leads from each state; below 0: minus 1 and a bit for each side that is over.

        `takes` answers every question whether new points are taken; without it `choices` does.
        """
        return self.mapped(half, codes, lambda after, phase: self._landed(half, after, phase, takes))

    def mapped(self, half: Half, codes: Any, made: Callable[[Sequence[Any], Any], Any]) -> Any:
        """What is `made` of each state after each outcome and of the blow's place in its cycle."""
        columns = self.columns(codes)
        phase = columns[0][:, None]
        found = np.empty((codes.size, len(half.weights)), codes.dtype)
        at = 0
        for _, outcome, worked in self.worked(half, columns[1:], codes.dtype):
            width = len(outcome.weights)
            found[:, at : at + width] = made(worked[: len(self.works.names)], phase)
            at += width
        return found

    def loses(self, half: Half, codes: Any) -> dict[tuple[int, str], Any]:
        """What each layer is expected to lose to a blow in each state."""
        sides = self.works.sides
        found = {(at, layer): np.zeros(codes.size) for at, side in enumerate(sides) for layer in side.arena.pools}
        for lost, outcome, after in self.worked(half, self.columns(codes)[1:], codes.dtype):
            weights = np.array([float(weight) for weight in outcome.weights])
            for key, points in zip(lost, after[len(self.works.names) :], strict=True):
                found[key] += (points * weights).sum(axis=1)
        return found

    def worked(self, half: Half, columns: Sequence[Any], dtype: Any) -> Iterator[tuple[Any, Outcomes, Sequence[Any]]]:
        """What the lines of each kind of hit make of these states, for each of its outcomes."""
        states = [column[:, None] for column in columns]
        maxima = self.start.maxima.values()
        for outcome, (lost, blow) in zip(half.outcomes, self.works.blows[half.struck], strict=True):
            dice = [np.array(amounts, dtype)[None, :] for amounts in outcome.amounts]
            yield lost, outcome, blow(*states, *maxima, *dice)

    def _landed(self, half: Half, after: Sequence[Any], phase: Any, takes: Any) -> Any:
        maxima = tuple(self.start.maxima.values())
        names = len(self.works.names)
        code = self.coded([(phase + 1) % self.cycle if half.last else phase, *after])
        if half.last and self.works.heal is not None:
            later = (phase + 1) % self.cycle
            if self.works.takes and takes is None:
                assert self.choices is not None
                takes = self.choices(after, phase + 1)
            read = (takes,) if self.works.takes else ()
            healed = self.works.heal(*after, *maxima, *read)[:names]
            code = np.where((phase + 1) % self.every == 0, self.coded([later, *healed]), code)
        if not half.checked:
            return code
        first, *others = _pairs(self.works.over(*after, *maxima)[names:])
        if not others:
            return np.where(first[0], -2, np.where(first[1], -1, code))
        over, gone = first[0] * 1, first[0] | first[1]
        for at, (ended, down) in enumerate(others, 1):
            over = over + ended * (1 << at)
            gone = gone | ended | down
        return np.where(gone, -1 - over, code)


def numbered(leads: Any, codes: Any, ends: int) -> Any:
    """States by their place among those that were met, ends by the numbers before them."""
    if not codes.size:
        return leads + ends
    sorting = np.argsort(codes)
    places = sorting[np.searchsorted(codes, leads.ravel().clip(0), sorter=sorting).clip(0, codes.size - 1)]
    return np.where(leads < 0, leads + ends, places.reshape(leads.shape) + ends)


def _pairs(values: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(values[::2], values[1::2], strict=True)

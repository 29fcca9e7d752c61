"""Keep or take, by looking ahead: what keeps a side in the fight longest, worked out for every state beforehand.

What counts is the expected number of blows until the fight is over for that side; where the file asks who stands after
N blows, the chance to stand then, and the blow counts with the state. The answer is a table of 0 (keep) and 1 (take)
for every state after a blow, which kernels, chains and the referee read alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from gambeson.language.figures import own_conditions
from gambeson.model.errors import GambesonError
from gambeson.model.values import Entity
from gambeson.simulate.chain import Chain, Half, Met, Start, TooManyStates, Works, numbered, outcomes_of, start_of
from gambeson.simulate.ends import HITS
from gambeson.simulate.fights import Fight
from gambeson.simulate.kernel import Kernel, Side, choice_radix

AHEAD_MOST = 4_000_000
"""Entries of the table of states times outcomes that is looked ahead over, and of the table of answers."""
SAME = 1e-9
"""Two prospects that differ by no more are the same; then the old points are kept."""
SETTLED = 1e-12


class TooFarAhead(TooManyStates):
    """Looking ahead would take in more states than it may."""


class Entangled(GambesonError):
    """One side cannot look ahead alone: a blow on one may harm both."""


class Decisions(Struct, frozen=True):
    """The answers for a fight: for each side that has any, its table, one row for each healing that is told apart."""

    tables: dict[int, Any]
    kernel: Kernel
    every: int

    def block(self) -> list[int]:
        """The tables as a kernel reads them after its bounds: healing by healing, side by side."""
        if not self.tables:
            return []
        return [int(choice) for choice in np.concatenate(list(self.tables.values()), axis=1).ravel()]

    def takes(self, at: int, columns: Sequence[Any], blows: Any) -> Any:
        """Whether these states after so many blows take the new points."""
        table = self.tables[at]
        row = (blows // self.every - 1) % table.shape[0]
        return table[row, _place(self.kernel.sides[at], columns)]

    def of(self, at: int, entity: Entity, blows: int) -> bool:
        """The same for one entity as it stands."""
        return bool(self.takes(at, lasting(self.kernel.sides[at], entity), blows))


def lasting(side: Side, entity: Entity) -> list[int]:
    """The lasting numbers of a program as they stand on an entity."""
    pools = [entity.pools[layer].current if layer in entity.pools else 0 for layer in side.arena.pools]
    return [*pools, *(_counted(side, entity, name) for name in side.arena.counters)]


def _counted(side: Side, entity: Entity, name: str) -> int:
    kind, _, what = name.partition(".")
    if kind == "charges":
        effect = next((effect for effect in entity.effects if effect.serial == int(what)), None)
        return effect.protections[0].charges if effect is not None else 0
    if kind == "condition":
        return int(what in own_conditions(entity))
    if kind == "extras":
        pool, before = entity.pools.get(what), side.arena.entity.pools[what]
        return int(pool is not None and pool.extras == before.extras)
    return int(what in entity.facts.get(kind, ()))


def _place(side: Side, columns: Sequence[Any]) -> Any:
    place: Any = 0
    for column, radix in zip(columns, choice_radix(side), strict=True):
        place = place * radix + column
    return place


def decided(fight: Fight, kernel: Kernel, starts: Sequence[int]) -> Decisions:
    """The answers for every side that has something to decide. Raises TooFarAhead and Entangled."""
    deciding = [at for at, side in enumerate(kernel.sides) if side.healed is not None and side.healed.takes]
    if deciding and any(side.answers for side in kernel.sides):
        raise Entangled("best")
    every = fight.heal.every if fight.heal is not None else 1
    tables = {at: _Ahead(fight, kernel, at, start_of(kernel, (at,), starts)).table() for at in deciding}
    return Decisions(tables, kernel, every)


class _Ahead:
    """Looks ahead for one side."""

    def __init__(self, fight: Fight, kernel: Kernel, at: int, start: Start) -> None:
        self.side = kernel.sides[at]
        self.fight = fight
        self.timed = fight.until.kind == HITS
        blows = fight.hits[fight.sides[at]]
        total = sum(kind.weight for kind in blows)
        kinds = zip(self.side.kinds, blows, strict=True)
        self.half = Half(0, tuple(outcomes_of(kind, blow.weight / total) for kind, blow in kinds))
        self.chain = Chain(Works([self.side]), (self.half,), start, cycle=fight.most if self.timed else 0)

    def table(self) -> Any:
        """The table of answers: a row for each healing where the blow counts, else one; a column for each state."""
        rows = max(1, self.fight.most // self.chain.every) if self.timed else 1
        size = int(np.prod([float(radix) for radix in choice_radix(self.side)]))
        if size * rows > AHEAD_MOST:
            raise TooFarAhead(size * rows, len(self.half.weights))
        codes, keeps, takes = self._reached()
        worth = self._timed(codes, keeps, takes) if self.timed else self._lasting(keeps, takes)
        places = self.chain.mapped(self.half, codes, lambda after, phase: _place(self.side, after) + 0 * phase)
        phase = self.chain.columns(codes)[0][:, None] + 1
        row = np.broadcast_to((phase // self.chain.every - 1) % rows, places.shape)
        kept, taken = self._prospects(worth, keeps, takes, codes)
        better = (taken > kept + SAME * np.maximum(1.0, np.abs(kept))) & (phase % self.chain.every == 0)
        found = np.zeros((rows, size), np.int64)
        found[row[better], places[better]] = 1
        return found

    def _reached(self) -> tuple[Any, Any, Any]:
        """Every state that some answers lead to, and where each outcome leads from it with either answer."""
        size = int(np.prod([float(radix) for radix in self.chain.radix]))
        if size >= 1 << 62:
            raise TooFarAhead(size, len(self.half.weights))
        met = Met(size)
        front = met.new(np.array([self.chain.first()]))
        order, parts = [], []
        while front.size:
            order.append(front)
            both = [self.chain.leads(self.half, front, take) for take in (0, 1)]
            parts.append(both)
            front = met.new(np.concatenate([leads[leads >= 0] for leads in both]))
            if met.count * len(self.half.weights) > AHEAD_MOST:
                raise TooFarAhead(met.count, len(self.half.weights))
        codes = np.concatenate(order)
        keeps, takes = (numbered(np.concatenate([both[at] for both in parts]), codes, self.chain.ends) for at in (0, 1))
        return codes, keeps, takes

    def _prospects(self, worth: Any, keeps: Any, takes: Any, codes: Any) -> tuple[Any, Any]:
        """What each outcome promises with either answer."""
        kept, taken = worth[keeps], worth[takes]
        if self.timed:
            last = (self.chain.columns(codes)[0] == self.fight.most - 1)[:, None]
            kept, taken = (
                np.where(last, leads >= self.chain.ends, found) for leads, found in ((keeps, kept), (takes, taken))
            )
        return kept, taken

    def _lasting(self, keeps: Any, takes: Any) -> Any:
        """The expected number of blows that are still to come, from each state."""
        weights = np.array([float(weight) for weight in self.half.weights])
        worth = np.zeros(keeps.shape[0] + self.chain.ends)
        for _ in range(self.fight.most):
            new = 1.0 + np.maximum(worth[keeps], worth[takes]) @ weights
            change = np.abs(new - worth[self.chain.ends :]).max()
            worth[self.chain.ends :] = new
            if change <= SETTLED * max(1.0, float(new.max())):
                break
        return worth

    def _timed(self, codes: Any, keeps: Any, takes: Any) -> Any:
        """The chance to stand after the last blow, from each state; a state knows how many blows are behind it."""
        weights = np.array([float(weight) for weight in self.half.weights])
        worth = np.zeros(keeps.shape[0] + self.chain.ends)
        for _ in range(self.fight.most):
            kept, taken = self._prospects(worth, keeps, takes, codes)
            worth[self.chain.ends :] = np.maximum(kept, taken) @ weights
        return worth

"""Following a chain blow by blow: the chance of each end with each round, as floats or as fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec import Struct

from gambeson.simulate.chain import Table, Tables

TAIL = 1e-15
"""Chance of a fight that goes on still, below which the rest is left."""


class Followed(Struct, frozen=True):
    """The chances of all ends with each round from the first on, and what each layer is expected to lose in it."""

    ends: tuple[tuple[Any, ...], ...]
    loses: dict[tuple[int, str], tuple[float, ...]]


def followed(tables: Tables, most: int) -> Followed:
    """The chances round by round, as floats."""
    halves = [_Half(table, tables.ends) for table in tables.halves]
    chances = np.zeros(halves[0].states)
    chances[tables.first - tables.ends] = 1.0
    ends: list[tuple[float, ...]] = []
    lost: list[Any] = []
    for _ in range(most):
        ended, gone = np.zeros(tables.ends), 0.0
        for half, after in zip(halves, [*halves[1:], halves[0]], strict=True):
            gone = gone + (half.expected * chances).sum(axis=1)
            spread = np.bincount(
                half.into,
                weights=np.multiply.outer(chances, half.weights).ravel(),
                minlength=after.states + tables.ends,
            )
            ended = ended + spread[: tables.ends]
            chances = spread[tables.ends :]
        lost.append(gone)
        ends.append(tuple(map(float, ended)))
        if float(chances.sum()) <= TAIL:
            break
    keys = tables.halves[0].loses
    loses = {key: tuple(map(float, column)) for key, column in zip(keys, zip(*lost, strict=True), strict=True)}
    return Followed(tuple(ends), loses)


class _Half:
    """One blow of a round, made ready."""

    def __init__(self, table: Table, ends: int) -> None:
        self.states = table.leads.shape[0]
        self.into = table.leads.ravel()
        self.weights = np.array([float(weight) for weight in table.weights])
        self.expected = np.array(list(table.loses.values())).reshape(len(table.loses), self.states)


def followed_exactly(tables: Tables, most: int) -> Followed:
    """The chances round by round, as fractions; a fight that can come back to a state is left after as many rounds."""
    halves = []
    for table in tables.halves:
        common = math.lcm(*(weight.denominator for weight in table.weights))
        weights = [int(weight * common) for weight in table.weights]
        halves.append(([list(map(int, row)) for row in table.leads], weights, common))
    chances = {tables.first: 1}
    ends: list[tuple[Fraction, ...]] = []
    scale = 1
    for _ in range(min(most, tables.states + 1)):
        ended = [Fraction(0)] * tables.ends
        for leads, weights, common in halves:
            scale *= common
            after: dict[int, int] = {}
            for state, chance in chances.items():
                for lead, weight in zip(leads[state - tables.ends], weights, strict=True):
                    if weight:
                        after[lead] = after.get(lead, 0) + chance * weight
            for end in range(tables.ends):
                ended[end] += Fraction(after.pop(end, 0), scale)
            chances = after
        ends.append(tuple(ended))
        if not chances:
            break
    return Followed(tuple(ends), {})

"""Exact answers against icepool on the same question, in the same run; medians of turns.

The question: the whole distribution of blows in the 23-point battle (layers 4, 6, 3, body 10; d6; one in ten pierces).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import icepool

from gambeson.games.documents import read_text
from gambeson.simulate.exact import Solver
from gambeson.simulate.fighters import fighters, starts
from gambeson.simulate.fights import Fight
from gambeson.simulate.files import read_simulation
from gambeson.simulate.kernel import kernel

HERE = Path(__file__).parent
TURNS = 9


def battle(outer: int, middle: int, inner: int, body: int) -> Fight:
    """The battle with these layers."""
    text = (
        f"game: {HERE}/packs/battle\n"
        f"target: {{pools: {{outer: {outer}, middle: {middle}, inner: {inner}, body: {body}}}}}\n"
        "hits: [{damage: 1d6, weight: 9}, {damage: 1d6, traits: [pierce], weight: 1}]\n"
    )
    return read_simulation(read_text(text)).cells[0].fight


def icepool_by_state(blows: int) -> list[Fraction]:
    """As icepool is meant to be used: a die of states, mapped blow by blow, with the kind of hit as a second die."""
    kind, face = icepool.Die({False: 9, True: 1}), icepool.d6

    def struck(state: tuple[int, ...], pierces: bool, damage: int) -> tuple[int, ...]:
        outer, middle, inner, body = state
        if not body:
            return (0, 0, 0, 0)
        if not pierces:
            off = min(damage, outer)
            outer, damage = outer - off, damage - off
            off = min(damage, middle)
            middle, damage = middle - off, damage - off
            off = min(damage, inner)
            inner, damage = inner - off, damage - off
        body = max(0, body - damage)
        return (outer, middle, inner, body) if body else (0, 0, 0, 0)

    states: Any = icepool.Die([(4, 6, 3, 10)])
    ends, before = [], Fraction(0)
    for _ in range(blows):
        states = states.map(struck, kind, face)
        down = Fraction(states.probability((0, 0, 0, 0)))
        ends.append(down - before)
        before = down
    return ends


def icepool_by_sums(blows: int) -> list[Fraction]:
    """Faster: only sums matter here. Armour is one pool of 13, piercing blows are counted, body goes by both sums."""
    step = icepool.Die({(face, 0): 9 for face in range(1, 7)} | {(0, face): 1 for face in range(1, 7)})

    def added(state: tuple[int, int], blow: tuple[int, int]) -> tuple[int, int]:
        armour, body = state
        if body <= 0:
            return (0, 0)
        plain, through = blow
        off = min(plain, armour)
        body -= plain - off + through
        return (armour - off, body) if body > 0 else (0, 0)

    states: Any = icepool.Die([(13, 10)])
    ends, before = [], Fraction(0)
    for _ in range(blows):
        states = states.map(added, step)
        down = Fraction(states.probability((0, 0)))
        ends.append(down - before)
        before = down
    return ends


def in_turn(*runs: Callable[[], object]) -> list[float]:
    """The median seconds of each, measured in turn."""
    turns = []
    for _ in range(TURNS):
        row = []
        for run in runs:
            began = time.perf_counter()
            run()
            row.append(time.perf_counter() - began)
        turns.append(row)
    return [statistics.median(column) for column in zip(*turns, strict=True)]


def main() -> int:
    """Measure and print; 1 where a ratio is not reached."""
    fight = battle(4, 6, 3, 10)
    program = kernel(fight.pack, fighters([fight]), fight.until, fight.order)
    begins, solver = starts(fight, program), Solver(program)
    exactly = solver.curve(fight, 0, begins, fractions=True).ends
    blows = len(exactly)
    for other in (icepool_by_state(blows), icepool_by_sums(blows)):
        assert other == list(exactly), "icepool has other fractions"
    near = solver.curve(fight, 0, begins).ends
    worst = max(abs(float(a) - b) for a, b in zip(exactly, near, strict=False))
    assert worst < 1e-12
    ours, whole, by_state, by_sums = in_turn(
        lambda: solver.curve(fight, 0, begins),
        lambda: Solver(kernel(fight.pack, fighters([fight]), fight.until, fight.order)).curve(fight, 0, begins),
        lambda: icepool_by_state(blows),
        lambda: icepool_by_sums(blows),
    )
    fastest = min(by_state, by_sums)
    print(f"battle, 140 states          {ours * 1e3:8.2f} ms   (with lowering {whole * 1e3:.2f} ms)")
    print(f"icepool, state by state     {by_state * 1e3:8.2f} ms   {by_state / ours:6.1f} times ours")
    print(f"icepool, sums alone         {by_sums * 1e3:8.2f} ms   {by_sums / ours:6.1f} times ours")
    print(
        f"ours is {fastest / ours:.1f} times faster than the fastest (at least 20); floats off by {worst:.1e} at most"
    )
    large = battle(40, 60, 30, 100)
    big = kernel(large.pack, fighters([large]), large.until, large.order)
    at, ready = starts(large, big), Solver(big)
    (seconds,) = in_turn(lambda: ready.curve(large, 0, at))
    print(f"{ready.curve(large, 0, at).states} states           {seconds * 1e3:8.2f} ms   (below 1000)")
    return 0 if fastest / ours >= 20 and seconds < 1 else 1


if __name__ == "__main__":
    sys.exit(main())

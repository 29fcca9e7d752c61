"""Generated kernels against the same fights in C (gcc -O3) and in NumPy, in the same run; medians of turns.

Needs gcc and the extra `simulate`. The C plays with the same random numbers, and its counts must be the same.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gambeson.games.documents import read_text
from gambeson.simulate.compiling import compiled
from gambeson.simulate.fighters import fighters, starts, thresholds
from gambeson.simulate.files import read_simulation
from gambeson.simulate.kernel import kernel
from gambeson.simulate.sampling import sample, whole

HERE = Path(__file__).parent
TRIALS = int(os.environ.get("TRIALS", "2000000"))
TURNS = int(os.environ.get("TURNS", "7"))

BATTLE = f"""
game: {HERE}/packs/battle
target: {{pools: {{outer: 4, middle: 6, inner: 3, body: 10}}}}
hits:
  - {{damage: 1d6, weight: 9}}
  - {{damage: 1d6, traits: [pierce], weight: 1}}
"""
NOVITAS = """
game: novitas
target:
  pools: {magic_armor: 4, physical_armor: {current: 4, covers: [torso, left_arm, right_arm]}, natural_armor: 2, body: 4}
hits:
  - {damage: 1d4, location: torso, weight: 6}
  - {damage: 1d4, location: left_leg, weight: 3}
  - {damage: 1d4, traits: [pierce], location: left_arm, weight: 1}
"""
POKROVY = """
game: pokrovy
target: {pools: {wards: 20, vyn: 40}, reductions: {fire: 3}, resistant: [slashing]}
hits:
  - {damage: [{amount: 2d6, type: fire}, {amount: 1d8, type: slashing}], weight: 2}
  - {damage: [{amount: 3d6, type: cold}], weight: 1}
"""


def numpy_battle(trials: int, seed: int) -> Any:
    """The battle as one would write it with NumPy: all fights at once, those that go on blow after blow."""
    random = np.random.default_rng(seed)
    tally = np.zeros(64, np.int64)
    for begin in range(0, trials, 1 << 16):
        count = min(1 << 16, trials - begin)
        layers = [np.full(count, points, np.int32) for points in (4, 6, 3)]
        body = np.full(count, 10, np.int32)
        for blow in range(1, 64):
            damage = random.integers(1, 7, body.size, dtype=np.int32)
            through = random.random(body.size, dtype=np.float32) < 0.1
            rest = np.where(through, 0, damage)
            for layer in layers:
                off = np.minimum(rest, layer)
                layer -= off
                rest -= off
            body -= np.minimum(np.where(through, damage, rest), body)
            alive = body > 0
            tally[blow] += body.size - int(alive.sum())
            if not alive.any():
                break
            body, layers = body[alive], [layer[alive] for layer in layers]
    return tally


def in_turn(clock: Callable[[], float], *runs: Callable[[], object]) -> list[float]:
    """The median seconds of each, measured in turn so that a busy machine is busy for all."""
    turns = []
    for _ in range(TURNS):
        row = []
        for run in runs:
            began = clock()
            run()
            row.append(clock() - began)
        turns.append(row)
    return [statistics.median(column) for column in zip(*turns, strict=True)]


def built(name: str, folder: str) -> Any:
    """The C function of this name."""
    library = f"{folder}/{name}.so"
    source = HERE / f"simulate_{name}.c"
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, str(source)], check=True)
    function = getattr(ctypes.CDLL(library), name)
    function.argtypes = [ctypes.c_uint64, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 3]
    return function


def measure(name: str, text: str, needed: float, folder: str) -> bool:
    """Print the ratios of one fight."""
    fight = read_simulation(read_text(text)).cells[0].fight
    program = kernel(fight.pack, fighters([fight]), fight.until, fight.order)
    machine = compiled(program)
    begins, bounds = starts(fight, program), thresholds(fight)
    c = built(name, folder)
    tally, sums = (ctypes.c_int64 * (fight.most + 1))(), (ctypes.c_int64 * 8)()

    def ours(threads: int = 1, times: int = 1) -> Any:
        number = TRIALS * times
        return sample(program, machine.call, begins, bounds, seed=7, trials=number, most=fight.most, threads=threads)

    def theirs() -> None:
        c(7, 0, TRIALS, fight.most, whole(bounds), tally, sums)

    theirs()
    counts = ours()
    assert counts.tally == {blow: number for blow, number in enumerate(tally) if number}, "the C plays another game"
    assert list(counts.sums[: len(program.sums)]) == list(sums)[: len(program.sums)], "the C loses other points"
    runs: list[Callable[[], object]] = [ours, theirs]
    if name == "battle":
        runs.append(lambda: numpy_battle(TRIALS // 4, 7))
    # What each costs a processor, whatever else it has to do; two threads are measured by the clock on the wall.
    one, other, *arrays = in_turn(time.process_time, *runs)
    alone, two = in_turn(time.perf_counter, lambda: ours(1, 4), lambda: ours(2, 4))
    ok = other / one >= needed
    print(f"{name:8} {TRIALS / one / 1e6:6.1f} M fights/s   {other / one:5.2f} of C (at least {needed})", end="")
    print(f"   two threads {alone / two:4.2f} times one", end="")
    print(f"   {arrays[0] * 4 / one:5.1f} times NumPy (at least 2)" if arrays else "")
    return ok


def main() -> int:
    """Measure and print; 1 where a ratio is not reached."""
    with tempfile.TemporaryDirectory() as folder:
        found = [measure("battle", BATTLE, 0.8, folder), measure("novitas", NOVITAS, 0.6, folder)]
        found.append(measure("pokrovy", POKROVY, 0.6, folder))
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())

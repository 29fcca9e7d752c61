"""A simulation played: cell by cell, by the engine that was asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from gambeson.simulate.fighters import fighters, shape, starts, thresholds
from gambeson.simulate.fights import TRIALS, Cell, Fight, Simulation
from gambeson.simulate.healing import BEST
from gambeson.simulate.kernel import Kernel, kernel
from gambeson.simulate.program import Unlowered
from gambeson.simulate.results import CellResult, Difference, Outcome, Result, counted
from gambeson.simulate.sampling import Counts, rows, sample
from gambeson.version import __version__

if TYPE_CHECKING:
    from gambeson.simulate.exact import Solver
    from gambeson.simulate.referee import Referee

LOCAL, REFEREE, EXACT = "local", "referee", "exact"
Engine = Literal["local", "referee"]
PAIRS_A_BLOCK = 1 << 16

Progress = Callable[[int, int], None]
"""Is told how many fights of how many are done."""


class Plan(Struct, frozen=True):
    """The programs of a simulation: one for all fights of a shape."""

    kernels: dict[str, Kernel]

    def of(self, fight: Fight) -> Kernel:
        """The program that plays this fight."""
        return self.kernels[shape(fight)]


def planned(simulation: Simulation) -> Plan:
    """Write all programs. Raises Unlowered."""
    groups: dict[str, list[Fight]] = {}
    for fight in _fights(simulation.cells):
        groups.setdefault(shape(fight), []).append(fight)
    return Plan(
        {
            name: kernel(fights[0].pack, fighters(fights), fights[0].until, fights[0].order)
            for name, fights in groups.items()
        }
    )


def _fights(cells: Sequence[Cell]) -> list[Fight]:
    return [fight for cell in cells for fight in (cell.fight, cell.compared) if fight is not None]


class _Machine:
    """Compiled programs by shape, and how long compiling took."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seconds = 0.0
        self._calls: dict[str, Any] = {}
        self._bounds: dict[int, list[int]] = {}

    def call(self, fight: Fight) -> Any:
        """The machine code for a fight."""
        from gambeson.simulate.compiling import compiled

        name = shape(fight)
        if name not in self._calls:
            made = compiled(self.plan.kernels[name])
            self.seconds += made.seconds
            self._calls[name] = made
        return self._calls[name].call

    def bounds(self, fight: Fight) -> list[int]:
        """What chooses the kinds of hit, and what is decided in each state. Raises TooManyStates and Entangled."""
        if id(fight) not in self._bounds:
            self._bounds[id(fight)] = [*thresholds(fight), *choices(fight, self.plan.of(fight))]
        return self._bounds[id(fight)]


def simulate(
    simulation: Simulation, *, engine: Engine = "local", threads: int = 0, progress: Progress | None = None
) -> Result:
    """Play a simulation, or work it out where it has no number of trials.

    Raises Unlowered where a rule cannot be compiled (only the referee can play it then), NoPolicy, TooManyStates.
    """
    if engine == REFEREE:
        return _played(simulation, None, threads, progress)
    plan = planned(simulation)
    return _solved(simulation, plan) if simulation.trials is None else _played(simulation, plan, threads, progress)


def _played(simulation: Simulation, plan: Plan | None, threads: int, progress: Progress | None) -> Result:
    trials = simulation.trials or TRIALS
    machine = _Machine(plan) if plan is not None else None
    whole = trials * len(_fights(simulation.cells))
    cells: list[CellResult] = []
    seconds, done, partial = 0.0, 0, False
    for cell in simulation.cells:
        outcomes = []
        for fight in (cell.fight, cell.compared):
            if fight is None or partial:
                continue
            before = done
            shown = (lambda now, before=before: progress(before + now, whole)) if progress is not None else None
            counts = _counts(fight, machine, simulation.seed, trials, threads, shown)
            done, seconds, partial = done + counts.trials, seconds + counts.seconds, counts.partial
            outcomes.append(_outcome(fight, machine, counts))
        compared = outcomes[1] if len(outcomes) > 1 else None
        difference = None
        if compared is not None and cell.compared is not None:
            difference = _paired(cell.fight, cell.compared, machine, simulation.seed, compared.trials)
        if outcomes and outcomes[0].trials:
            cells.append(CellResult(cell.vary, outcomes[0], compared, difference))
        if partial:
            break
    fewest = min((cell.outcome.trials for cell in cells), default=0)
    return Result(
        __version__,
        simulation.pack.game,
        simulation.pack.hash,
        REFEREE if machine is None else LOCAL,
        fewest,
        seconds,
        machine.seconds if machine is not None else 0.0,
        partial,
        tuple(cells),
        simulation.title,
    )


def _counts(
    fight: Fight, machine: _Machine | None, seed: int, trials: int, threads: int, shown: Callable[[int], None] | None
) -> Counts:
    if machine is None:
        from gambeson.simulate.referee import play_through

        return play_through(refereed(fight, seed), trials=trials, shown=shown)
    program = machine.plan.of(fight)
    return sample(
        program,
        machine.call(fight),
        starts(fight, program),
        machine.bounds(fight),
        seed=seed,
        trials=trials,
        most=fight.most,
        threads=threads,
        shown=shown,
    )


def choices(fight: Fight, program: Kernel) -> list[int]:
    """What is decided in each state of a fight, as its program reads it. Raises TooManyStates and Entangled."""
    if all(side.healed is None or not side.healed.takes for side in program.sides):
        return []
    from gambeson.simulate.decisions import decided

    return decided(fight, program, starts(fight, program)).block()


def refereed(fight: Fight, seed: int) -> Referee:
    """Who plays a fight through `step`; where the policy is to look ahead, that is done on the program of the fight.

    Without a program nobody can look ahead, and the first decision that comes up is told as one without a policy.
    """
    from gambeson.simulate.referee import Referee

    if fight.policy.get("keep_or_take") != BEST or fight.heal is None:
        return Referee(fight, seed)
    from gambeson.simulate.decisions import decided

    try:
        program = kernel(fight.pack, fighters([fight]), fight.until, fight.order)
    except Unlowered:
        return Referee(fight, seed)
    return Referee(fight, seed, decided(fight, program, starts(fight, program)))


def _outcome(fight: Fight, machine: _Machine | None, counts: Counts) -> Outcome:
    if machine is not None:
        layers = [(fight.sides[at], layer) for at, layer in machine.plan.of(fight).sums]
    else:
        layers = [(side, layer) for side in fight.sides for layer in fight.pack.layers]
    absorbed = {
        (f"{side}.{layer}" if fight.order else layer): total / counts.trials if counts.trials else 0.0
        for (side, layer), total in zip(layers, counts.sums, strict=False)
        if layer in fight.state.entities[side].pools or total
    }
    wins = None
    if fight.order and counts.trials:
        one, other, both = (number / counts.trials for number in counts.sums[len(layers) : len(layers) + 3])
        wins = {"target": other - both, "against": one - both, "both_fall": both}
    distribution = counted(counts.tally, counts.trials)
    ended = sum(counts.tally.values()) / counts.trials if counts.trials else 0.0
    return Outcome(distribution, ended, absorbed, counts.trials, wins)


def _paired(one: Fight, other: Fight, machine: _Machine | None, seed: int, trials: int) -> Difference:
    """The difference of the blows, fight by fight; one that did not end counts with its last blow."""
    if machine is None:
        return _paired_by_referee(one, other, seed, trials)
    sides = [(machine.plan.of(fight), machine.call(fight), fight) for fight in (one, other)]
    total = squares = 0
    played = 0
    for first in range(0, min(trials, PAIRED_MOST), PAIRS_A_BLOCK):
        number = min(PAIRS_A_BLOCK, min(trials, PAIRED_MOST) - first)
        blows = [
            [
                row[0] or fight.most
                for row in rows(
                    program,
                    call,
                    starts(fight, program),
                    machine.bounds(fight),
                    seed=seed,
                    first=first,
                    trials=number,
                    most=fight.most,
                )
            ]
            for program, call, fight in sides
        ]
        differences = [b - a for a, b in zip(*blows, strict=True)]
        total += sum(differences)
        squares += sum(difference * difference for difference in differences)
        played += number
    return _difference(total, squares, played)


PAIRED_MOST = 1 << 18
"""Fights of which the difference is taken pair by pair; the means beside it are of all."""


def _difference(total: int, squares: int, played: int) -> Difference:
    mean = total / played if played else 0.0
    spread = max(0.0, squares / played - mean * mean) if played else 0.0
    return Difference(mean, math.sqrt(spread / played) if played else 0.0)


def _paired_by_referee(one: Fight, other: Fight, seed: int, trials: int) -> Difference:
    pair = [refereed(fight, seed) for fight in (one, other)]
    total = squares = 0
    for trial in range(trials):
        first, second = (referee.play(trial).blows for referee in pair)
        total += second - first
        squares += (second - first) ** 2
    return _difference(total, squares, trials)


def _solved(simulation: Simulation, plan: Plan) -> Result:
    from gambeson.simulate.exact import Solver

    began = time.perf_counter()
    solvers: dict[str, Solver] = {}

    def solver(fight: Fight) -> Solver:
        name = shape(fight)
        if name not in solvers:
            solvers[name] = Solver(plan.kernels[name])
        return solvers[name]

    cells = []
    for cell in simulation.cells:
        outcome = solved(cell.fight, solver(cell.fight))
        compared = solved(cell.compared, solver(cell.compared)) if cell.compared is not None else None
        difference = None
        if compared is not None:
            difference = Difference((compared.mean or 0.0) - (outcome.mean or 0.0), 0.0)
        cells.append(CellResult(cell.vary, outcome, compared, difference))
    seconds = time.perf_counter() - began
    pack = simulation.pack
    return Result(__version__, pack.game, pack.hash, EXACT, None, seconds, 0.0, False, tuple(cells), simulation.title)


def solved(fight: Fight, solver: Solver) -> Outcome:
    """The exact outcome of one fight. Raises TooManyStates."""
    begins = starts(fight, solver.kernel)
    if not fight.order:
        curve = solver.curve(fight, 0, begins)
        absorbed = {layer: sum(lost) for layer, lost in curve.loses.items()}
        return Outcome(_chances(curve.ends), math.fsum(curve.ends), absorbed, 0, None, curve.states)
    duel = solver.duel(fight, begins)
    absorbed = {
        f"{side}.{layer}": lost
        for side, loses in zip(fight.sides, duel.loses, strict=True)
        for layer, lost in loses.items()
    }
    one, other, both = map(float, duel.fallen)
    wins = {"target": other - both, "against": one - both, "both_fall": both}
    return Outcome(_chances(duel.ends), math.fsum(duel.ends), absorbed, 0, wins, duel.states)


def _chances(ends: Sequence[Any]) -> dict[int, float]:
    return {n: float(chance) for n, chance in enumerate(ends, 1) if chance}

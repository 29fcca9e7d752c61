"""A full ruling against the bare arithmetic of the same blow, in one run; and the same ruling at larger tables.

Bare: three frozen pool objects in a frozen entity, of the model's own types, lose 4 points in order, and one event is
made. Full: a hit of 4 on
three pools through `step`, with its fields checked, its call read, its trace of eleven rows and its events.
Each is timed in many small batches, in turn, and the best batch counts: what a busy machine adds is no part of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from gambeson.engine.setup import first_state
from gambeson.engine.step import step
from gambeson.games import load
from gambeson.model.commands import Command
from gambeson.model.events import PoolReduced
from gambeson.model.values import Entity, State

BATCHES, REPEATS = 400, 100


def bare(entity: Entity, damage: int) -> tuple[Entity, PoolReduced]:
    """The blow without rules, on the very objects that a state holds: points come off the pools in order, one event."""
    left = damage
    pools = entity.pools.copy()
    for layer, pool in entity.pools.items():
        off = min(pool.current, left)
        left -= off
        pools[layer] = msgspec.structs.replace(pool, current=pool.current - off)
    return msgspec.structs.replace(entity, pools=pools), PoolReduced(entity.id, "all", damage - left, "")


def seconds(run: Callable[[], object]) -> float:
    """Seconds of one call, as the mean over one batch."""
    began = time.perf_counter()
    for _ in range(REPEATS):
        run()
    return (time.perf_counter() - began) / REPEATS


def in_turn(*runs: Callable[[], object]) -> list[float]:
    """The best batch of each, measured in turn so that a drifting machine drifts for all."""
    batches = [[seconds(run) for run in runs] for _ in range(BATCHES)]
    return [min(column) for column in zip(*batches, strict=True)]


def table_of(entities: int) -> State:
    """A state with this many entities of three pools."""
    pools = {"magic_armor": 2, "physical_armor": {"current": 1, "covers": ["torso"]}, "body": 3}
    return first_state(load("novitas"), {f"e{index}": {"pools": pools} for index in range(entities)})


def main() -> None:
    """Measure and print."""
    pack = load("novitas")
    command = Command("hit", {"target": "e0", "call": "4", "location": "torso"})
    few, some, many = table_of(1), table_of(10), table_of(1_000)
    entity = few.entities["e0"]
    small, full, ten, thousand = in_turn(
        lambda: bare(entity, 4),
        lambda: step(pack, few, command),
        lambda: step(pack, some, command),
        lambda: step(pack, many, command),
    )
    print(f"bare arithmetic            {small * 1e6:8.2f} µs")
    print(f"full ruling                {full * 1e6:8.2f} µs   {full / small:5.2f} times bare (at most 8)")
    print(f"ruling among 10 entities   {ten * 1e6:8.2f} µs")
    print(f"ruling among 1,000         {thousand * 1e6:8.2f} µs   {thousand / ten:5.2f} times 10 entities (below 2)")


if __name__ == "__main__":
    main()

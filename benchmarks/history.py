"""Replay, memory and a great rest.

Replaying a log of 100,000 events against decoding it with msgspec, in turn in one run; the memory of a table of
10,000 entities; a rest of 60 entities of whom each is asked. Prints medians and ratios.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable

import msgspec

from gambeson import Table
from gambeson.games import load
from gambeson.model.events import Event, PoolRaised, PoolReduced, fold
from gambeson.model.values import State

ROUNDS = 7
EVENTS, ENTITIES, RESTING = 100_000, 10_000, 60


def seconds(run: Callable[[], object]) -> float:
    """Seconds of one call."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def replay() -> None:
    """Fold 100,000 events, and decode the same."""
    start = Table("novitas", entities={f"e{i}": {"pools": {"magic_armor": 4, "body": 4}} for i in range(20)}).state
    events: list[Event] = []
    for index in range(EVENTS // 2):
        who, layer = f"e{index % 20}", ("magic_armor", "body")[index % 2]
        events += [PoolReduced(who, layer, 1, "NV-10"), PoolRaised(who, layer, 1, "NV-54")]
    written = msgspec.json.encode(events)
    decoder = msgspec.json.Decoder(list[Event])
    rounds = [(seconds(lambda: decoder.decode(written)), seconds(lambda: fold(start, events))) for _ in range(ROUNDS)]
    decoding, folding = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"decoding {EVENTS:,} events  {decoding * 1e3:7.0f} ms")
    print(f"replaying them           {folding * 1e3:7.0f} ms   {folding / decoding:4.2f} times (at most 4)")


def memory() -> State:
    """What a table of 10,000 entities takes."""
    load("novitas")
    pools = {"magic_armor": 2, "physical_armor": {"current": 1, "covers": ["torso"]}, "body": 3}
    written = {f"e{i}": {"name": f"Имя {i}", "pools": pools} for i in range(ENTITIES)}
    tracemalloc.start()
    table = Table("novitas", entities=written)
    table.hit("e5", "4")
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"table of {ENTITIES:,} entities   {taken / 1e6:7.1f} MB  (under 60)")
    return table.state


def rest() -> None:
    """A rest of 60 entities with 60 choices, each answered by its own holder."""
    spent = []
    for _ in range(ROUNDS):
        people = {f"e{i}": {"pools": {"vyn": {"current": 15, "maximum": 20}, "wards": 4}} for i in range(RESTING)}
        table = Table("pokrovy", entities=people)
        began = time.perf_counter()
        ruling = table.do("rest", who=tuple(people), kind="short", heals=10)
        asked = len(ruling.questions)
        while table.waiting is not None:
            question = table.waiting.paused.questions[0]
            table.answer("take", by=question.decider)
        spent.append(time.perf_counter() - began)
        assert asked == RESTING
        assert all(entity.pools["wards"].current == 5 for entity in table.state.entities.values())
    print(f"rest of {RESTING} with {RESTING} choices   {statistics.median(spent) * 1e3:7.1f} ms  (under 50)")


def main() -> None:
    """Measure and print."""
    replay()
    memory()
    rest()


if __name__ == "__main__":
    main()

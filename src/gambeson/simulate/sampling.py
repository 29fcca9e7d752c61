"""Playing very many fights: threads take their numbers in blocks, and what they count is added up."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from gambeson.simulate.compiling import Plays
from gambeson.simulate.kernel import Kernel

FIRST_BLOCK = 1 << 12
LONGEST_BLOCK = 1 << 22
SECONDS_A_BLOCK = 0.05
LOOK = 0.05
"""Seconds between two looks at how far it is."""

Shown = Callable[[int], None]
"""Is told how many fights are done."""


class Counts(Struct, frozen=True):
    """What many fights came to: how many were played, with which blow they ended, and the kernel's sums.

    `partial`: it was interrupted, and not all that was asked for is here.
    """

    trials: int
    tally: dict[int, int]
    sums: tuple[int, ...]
    seconds: float
    partial: bool = False


class _Work:
    """Blocks of fights that are still to be played."""

    def __init__(self, trials: int, players: int) -> None:
        self.next = 0
        self.trials = trials
        self.players = players
        self.done = 0
        self.block = FIRST_BLOCK
        self.stopped = False
        self.fault: BaseException | None = None
        self._lock = threading.Lock()

    def take(self) -> tuple[int, int]:
        """The next block: its first fight and how many."""
        with self._lock:
            left = self.trials - self.next
            share = max(FIRST_BLOCK, left // (4 * self.players))
            count = 0 if self.stopped else min(self.block, share, left)
            first, self.next = self.next, self.next + count
            return first, count

    def finished(self, count: int, seconds: float) -> None:
        """A block is done; the next are as long as they should be."""
        with self._lock:
            self.done += count
            if seconds < SECONDS_A_BLOCK and self.block < LONGEST_BLOCK:
                self.block *= 2


def whole(numbers: Sequence[int]) -> Any:
    """Whole numbers as a kernel reads them; never empty."""
    return (ctypes.c_int64 * max(1, len(numbers)))(*numbers)


def sample(
    kernel: Kernel,
    call: Plays,
    starts: Sequence[int],
    bounds: Sequence[int],
    *,
    seed: int,
    trials: int,
    most: int,
    threads: int = 0,
    shown: Shown | None = None,
) -> Counts:
    """Play fights 0 to `trials` of a seed on so many threads (0: one a core); their number changes nothing."""
    count = min(threads or os.cpu_count() or 1, max(1, trials // FIRST_BLOCK))
    work = _Work(trials, count)
    tallies = [(ctypes.c_int64 * (most + 1))() for _ in range(count)]
    sums = [(ctypes.c_int64 * (len(kernel.sums) + 3))() for _ in range(count)]
    began = time.perf_counter()

    def play(at: int) -> None:
        nothing = whole(())
        arguments = (whole(starts), whole(bounds), tallies[at], sums[at], nothing)
        try:
            while True:
                first, number = work.take()
                if not number:
                    return
                start = time.perf_counter()
                call(seed, first, number, most, *arguments, 0)
                work.finished(number, time.perf_counter() - start)
        except BaseException as fault:
            work.stopped, work.fault = True, fault

    players = [threading.Thread(target=play, args=(at,), daemon=True) for at in range(count)]
    partial = _waited(players, work, shown)
    seconds = time.perf_counter() - began
    if work.fault is not None:
        raise work.fault
    tally: dict[int, int] = {}
    for own in tallies:
        for blows, number in enumerate(own):
            if number:
                tally[blows] = tally.get(blows, 0) + number
    return Counts(work.done, dict(sorted(tally.items())), tuple(map(sum, zip(*sums, strict=True))), seconds, partial)


def _waited(players: Sequence[threading.Thread], work: _Work, shown: Shown | None) -> bool:
    """Wait for all to finish; says whether somebody interrupted it."""
    interrupted = False
    for player in players:
        player.start()
    while any(player.is_alive() for player in players):
        try:
            for player in players:
                player.join(LOOK if shown is not None or player.is_alive() else None)
            if shown is not None:
                shown(work.done)
        except KeyboardInterrupt:
            interrupted = work.stopped = True
    return interrupted and work.done < work.trials


def rows(
    kernel: Kernel,
    call: Plays,
    starts: Sequence[int],
    bounds: Sequence[int],
    *,
    seed: int,
    first: int,
    trials: int,
    most: int,
) -> list[tuple[int, ...]]:
    """Each fight by itself: its blows (0: not ended) and what stood after them, in the kernel's order."""
    width = len(kernel.state) + 1
    kept = (ctypes.c_int64 * (trials * width))()
    tally, sums = (ctypes.c_int64 * (most + 1))(), (ctypes.c_int64 * (len(kernel.sums) + 3))()
    call(seed, first, trials, most, whole(starts), whole(bounds), tally, sums, kept, trials)
    return [tuple(kept[at : at + width]) for at in range(0, trials * width, width)]

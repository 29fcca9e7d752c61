"""Chances are counted beside everything else: one at a time, and what was counted just now is remembered."""

from __future__ import annotations

import asyncio
from collections import deque

from gambeson.engine.odds import Odds
from gambeson.table.foreseen import Foreseeing

REMEMBERED = 64


class Counting:
    """Counts chances for a whole server."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Semaphore(1)
        self._known: deque[tuple[Foreseeing, Odds]] = deque(maxlen=REMEMBERED)

    async def of(self, asked: Foreseeing) -> Odds:
        """The chances, in a thread of their own."""
        async with self._one_at_a_time:
            found = next((odds for other, odds in self._known if _same(other, asked)), None)
            if found is None:
                found = await asyncio.to_thread(asked.odds)
                self._known.append((asked, found))
            return found


def _same(one: Foreseeing, other: Foreseeing) -> bool:
    """Whether it is the same question of people from whom nothing is hidden: a phone each, and one answer."""
    if one.state is not other.state or one.pack is not other.pack or not (one.sight.whole and other.sight.whole):
        return False
    return one.command == other.command and one.answers == other.answers

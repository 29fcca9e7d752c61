"""The small program that stages can be written as, so that a simulator plays the very rules that referee a fight.

A stage's fourth face writes itself into a `Program`: straight-line steps over whole numbers, one after another,
without loops over portions that are not known in advance. The simulator reads the steps, generates one function
for a pack, a target and the kinds of hit, and compiles it. A kind that cannot be written so says `refuse`, and
the simulator plays such fights through `step` instead.
"""

from __future__ import annotations

from typing import Protocol


class Program(Protocol):
    """What a stage writes itself into. Names are of portions (`part.0`), pools (`pool.body`) and figures."""

    def let(self, name: str, expression: str, rule: str) -> None:
        """Give a name a value: an expression of `+ - * // min max` and comparisons over names and whole numbers."""
        ...

    def take(self, part: str, pool: str, rule: str) -> None:
        """Move min(part, pool) points from the portion onto the pool, which loses them."""
        ...

    def end(self, condition: str, name: str, rule: str) -> None:
        """The fight ends under this name where the condition holds."""
        ...

    def refuse(self, stage: str, kind: str) -> None:
        """Say that this stage cannot be lowered."""
        ...

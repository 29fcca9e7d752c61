"""Random numbers by counting: number `n` of trial `t` under a seed is always the same, whoever asks for it and when.

splitmix64, keyed by (seed, trial): the state of a trial is a mix of both, its n-th word a mix of the state plus n steps
of the golden ratio. Each word has two halves of 32 bits; the first half of a blow's words chooses the kind of hit, the
others throw dice. A half throws several dice one after another as digits in a mixed radix whose product stays below
`RADIX`, so that no outcome of a half is off its chance by more than 2^-32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from gambeson.language.dice import Dice

GOLDEN = 0x9E3779B97F4A7C15
WORD, HALF = (1 << 64) - 1, (1 << 32) - 1
RADIX = 1 << 12

FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""The factors of splitmix64."""


def mixed(z: int) -> int:
    """What splitmix64 makes of a word of state."""
    z = (z ^ (z >> 30)) * FIRST & WORD
    z = (z ^ (z >> 27)) * SECOND & WORD
    return z ^ (z >> 31)


def mixed_lines(name: str, state: str) -> list[str]:
    """The same as generated text, which runs as Python (with a `uint64` that masks) and is compiled by Numba."""
    return [
        f"{name} = {state}",
        f"{name} = uint64(({name} ^ ({name} >> uint64(30))) * uint64({FIRST:#x}))",
        f"{name} = uint64(({name} ^ ({name} >> uint64(27))) * uint64({SECOND:#x}))",
        f"{name} = {name} ^ ({name} >> uint64(31))",
    ]


def python_names() -> dict[str, Any]:
    """What the generated text uses, for plain Python."""
    return {"uint64": lambda number: number & WORD, "int64": int, "carray": lambda array, length: array}


class Draw(Struct, frozen=True):
    """One die: the half that throws it (half 0 is the upper of the first word), and whether it is the first on it."""

    half: int
    sides: int
    first: bool


def plan(dice: Sequence[Dice], used: int = 1) -> tuple[tuple[tuple[Draw, ...], ...], int]:
    """The draws of each group of dice, and how many halves they use with the `used` ones before them."""
    groups: list[tuple[Draw, ...]] = []
    half, product = used - 1, RADIX
    for group in dice:
        draws = []
        for _ in range(group.count):
            fresh = product * group.sides > RADIX
            if fresh:
                half, product = half + 1, 1
            product *= group.sides
            draws.append(Draw(half, group.sides, fresh))
        groups.append(tuple(draws))
    return tuple(groups), half + 1


class Stream:
    """The words of one trial in plain Python, for fights that are played through `step`."""

    def __init__(self, seed: int, trial: int) -> None:
        self._state = mixed(mixed(seed) + trial * GOLDEN & WORD)
        self._apart = mixed(self._state ^ WORD)
        self._more = 0

    def half(self, word: int, half: int) -> int:
        """One half of the words from number `word` on."""
        found = mixed((self._state + (word + half // 2) * GOLDEN) & WORD)
        return found & HALF if half % 2 else found >> 32

    def throw(self, word: int, groups: Sequence[Sequence[Draw]]) -> tuple[tuple[int, ...], ...]:
        """The faces of a plan's groups, with the words from number `word` on."""
        rest = 0
        thrown = []
        for draws in groups:
            faces = []
            for draw in draws:
                rest = (self.half(word, draw.half) if draw.first else rest) * draw.sides
                faces.append((rest >> 32) + 1)
                rest &= HALF
            thrown.append(tuple(faces))
        return tuple(thrown)

    def die(self, sides: int) -> int:
        """A die that the rules ask for in the middle of a blow; these have words of their own."""
        self._more += 1
        return (mixed((self._apart + self._more * GOLDEN) & WORD) >> 32) * sides // (1 << 32) + 1

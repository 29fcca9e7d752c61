"""Whole-number arithmetic of rules: division with declared rounding."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias, cast

Rounding: TypeAlias = Literal["down", "up", "later"]
LATER: Rounding = "later"


def halves(amount: int, divisor: int, rounding: Rounding) -> int:
    """The amount divided, rounded `down` or `up`; with `later` it stays a fraction until `whole` rounds it."""
    if rounding == LATER:
        return cast("int", Fraction(amount, divisor))
    return -(-amount // divisor) if rounding == "up" else amount // divisor


def whole(amount: int, rounding: Rounding = "down") -> int:
    """A whole number of what may have stayed a fraction."""
    return int(-(-amount // 1) if rounding == "up" else amount // 1)

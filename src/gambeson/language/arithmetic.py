"""Whole-number arithmetic of rules: division with declared rounding."""

from __future__ import annotations


def halves(amount: int, divisor: int, rounding: str) -> int:
    """The amount divided, rounded `down` or `up`."""
    return -(-amount // divisor) if rounding == "up" else amount // divisor

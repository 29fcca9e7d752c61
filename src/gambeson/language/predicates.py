"""Predicates and formulas as packs hold them: the written text beside the function that it compiles to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gambeson.language.dice import Dice
from gambeson.language.expressions import Names, compile_dice, compile_formula, compile_predicate, parse


class Predicate:
    """A condition on a scope; `text` is what the pack says, `holds` decides."""

    __slots__ = ("holds", "text")

    def __init__(self, text: str, holds: Callable[[Any], bool]) -> None:
        self.text = text
        self.holds = holds


class Formula:
    """A whole number computed from a scope; `text` is what the pack says."""

    __slots__ = ("text", "value")

    def __init__(self, text: str, value: Callable[[Any], int]) -> None:
        self.text = text
        self.value = value


class DiceFormula:
    """Dice whose number and sides are computed from a scope; `text` is what the pack says."""

    __slots__ = ("text", "value")

    def __init__(self, text: str, value: Callable[[Any], Dice]) -> None:
        self.text = text
        self.value = value


def predicate(text: Any, names: Names) -> Predicate:
    """Compile a predicate. Raises ExpressionFault."""
    written = "true" if text is True else "false" if text is False else str(text)
    return Predicate(written, compile_predicate(parse(written), names))


def formula(text: Any, names: Names) -> Formula:
    """Compile a formula; a bare number is one. Raises ExpressionFault."""
    return Formula(str(text), compile_formula(parse(str(text)), names))


def dice_formula(text: Any, names: Names) -> DiceFormula:
    """Compile dice such as `circle d 4`. Raises ExpressionFault."""
    return DiceFormula(str(text), compile_dice(parse(str(text)), names))

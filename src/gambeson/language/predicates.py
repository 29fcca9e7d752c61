"""Predicates and formulas as packs hold them: the written text beside the function that it compiles to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gambeson.language.dice import Dice
from gambeson.language.expressions import Names, compile_dice, compile_formula, compile_predicate, parse

AskNames: TypeAlias = Callable[[], Names]


class Predicate:
    """A condition on a scope; `text` is what the pack says, `holds` decides."""

    __slots__ = ("ask_names", "holds", "text")

    def __init__(self, text: str, holds: Callable[[Any], bool]) -> None:
        self.text = text
        self.holds = holds


class Formula:
    """A whole number computed from a scope; `text` is what the pack says."""

    __slots__ = ("ask_names", "text", "value")

    def __init__(self, text: str, value: Callable[[Any], int]) -> None:
        self.text = text
        self.value = value


class DiceFormula:
    """Dice whose number and sides are computed from a scope; `text` is what the pack says."""

    __slots__ = ("ask_names", "text", "value")

    def __init__(self, text: str, value: Callable[[Any], Dice]) -> None:
        self.text = text
        self.value = value


def predicate(text: Any, names: Names) -> Predicate:
    """Compile a predicate. Raises ExpressionFault."""
    written = _written(text)
    return Predicate(written, compile_predicate(parse(written), names))


def formula(text: Any, names: Names) -> Formula:
    """Compile a formula; a bare number is one. Raises ExpressionFault."""
    return Formula(str(text), compile_formula(parse(str(text)), names))


def dice_formula(text: Any, names: Names) -> DiceFormula:
    """Compile dice such as `circle d 4`. Raises ExpressionFault."""
    return DiceFormula(str(text), compile_dice(parse(str(text)), names))


def _written(text: Any) -> str:
    return "true" if text is True else "false" if text is False else str(text)


# Texts that are known to compile: each is compiled when it is first asked, and is then like any other


class _LaterPredicate(Predicate):
    __slots__ = ()

    def __init__(self, text: str, ask_names: AskNames) -> None:
        self.text = text
        self.ask_names = ask_names

    def __getattr__(self, name: str) -> Any:
        if name != "holds":
            raise AttributeError(name)
        self.holds = compile_predicate(parse(self.text), self.ask_names())
        self.__class__ = Predicate  # type: ignore[assignment]
        return self.holds


class _LaterFormula(Formula):
    __slots__ = ()

    def __init__(self, text: str, ask_names: AskNames) -> None:
        self.text = text
        self.ask_names = ask_names

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(name)
        self.value = compile_formula(parse(self.text), self.ask_names())
        self.__class__ = Formula  # type: ignore[assignment]
        return self.value


class _LaterDiceFormula(DiceFormula):
    __slots__ = ()

    def __init__(self, text: str, ask_names: AskNames) -> None:
        self.text = text
        self.ask_names = ask_names

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(name)
        self.value = compile_dice(parse(self.text), self.ask_names())
        self.__class__ = DiceFormula  # type: ignore[assignment]
        return self.value


def predicate_later(text: Any, ask_names: AskNames) -> Predicate:
    """A predicate that is known to compile with these names; it is compiled when it is first asked."""
    return _LaterPredicate(_written(text), ask_names)


def formula_later(text: Any, ask_names: AskNames) -> Formula:
    """A formula that is known to compile with these names; it is compiled when it is first asked."""
    return _LaterFormula(str(text), ask_names)


def dice_formula_later(text: Any, ask_names: AskNames) -> DiceFormula:
    """Dice that are known to compile with these names; they are compiled when they are first asked."""
    return _LaterDiceFormula(str(text), ask_names)

"""Predicates and formulas as packs hold them: the written text beside the function that it compiles to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from gambeson.language.dice import Dice
from gambeson.language.expressions import Names, compile_dice, compile_formula, compile_predicate, parse

AskNames: TypeAlias = Callable[[], Names]


class _Text:
    """What a pack says, and the names it is compiled with where that is done later."""

    __slots__ = ("ask_names", "text")
    text: str
    ask_names: AskNames


class Predicate(_Text):
    """A condition on a scope; `text` is what the pack says, `holds` decides."""

    __slots__ = ("holds",)

    def __init__(self, text: str, holds: Callable[[Any], bool]) -> None:
        self.text = text
        self.holds = holds


class Formula(_Text):
    """A whole number computed from a scope; `text` is what the pack says."""

    __slots__ = ("value",)

    def __init__(self, text: str, value: Callable[[Any], int]) -> None:
        self.text = text
        self.value = value


class DiceFormula(_Text):
    """Dice whose number and sides are computed from a scope; `text` is what the pack says."""

    __slots__ = ("value",)

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


class _Later(_Text):
    """A text that is known to compile: it is compiled when it is first asked, and is then like any other."""

    __slots__ = ()
    KIND: ClassVar[type]
    MADE: ClassVar[str]
    COMPILED: ClassVar[Any]

    def __init__(self, text: str, ask_names: AskNames) -> None:
        self.text = text
        self.ask_names = ask_names

    def __getattr__(self, name: str) -> Any:
        if name != self.MADE:
            raise AttributeError(name)
        made = type(self).COMPILED(parse(self.text), self.ask_names())
        setattr(self, name, made)
        self.__class__ = self.KIND
        return made


class _LaterPredicate(_Later, Predicate):
    __slots__ = ()
    KIND, MADE, COMPILED = Predicate, "holds", staticmethod(compile_predicate)


class _LaterFormula(_Later, Formula):
    __slots__ = ()
    KIND, MADE, COMPILED = Formula, "value", staticmethod(compile_formula)


class _LaterDiceFormula(_Later, DiceFormula):
    __slots__ = ()
    KIND, MADE, COMPILED = DiceFormula, "value", staticmethod(compile_dice)


def predicate_later(text: Any, ask_names: AskNames) -> Predicate:
    """A predicate that is known to compile with these names; it is compiled when it is first asked."""
    return _LaterPredicate(_written(text), ask_names)


def formula_later(text: Any, ask_names: AskNames) -> Formula:
    """A formula that is known to compile with these names; it is compiled when it is first asked."""
    return _LaterFormula(str(text), ask_names)


def dice_formula_later(text: Any, ask_names: AskNames) -> DiceFormula:
    """Dice that are known to compile with these names; they are compiled when they are first asked."""
    return _LaterDiceFormula(str(text), ask_names)

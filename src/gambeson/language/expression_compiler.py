"""Turns formulas and predicates into plain closures over one scope, and refuses what makes no sense."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from gambeson.language import expression_nodes as nodes
from gambeson.language.dice import COUNT_MOST, SIDES_MOST, Dice
from gambeson.language.expression_nodes import (
    NUMBER_MOST,
    Expression,
    ExpressionFault,
    NotComputable,
    TooLarge,
    dice_in,
    first_dice,
)
from gambeson.model.messages import Parameter, message

TypeName: TypeAlias = Literal["number", "flag", "word", "list"]
Run: TypeAlias = Callable[[Any], Any]

_NAMES_SHOWN = 8


class Name(Struct, frozen=True):
    """What a name means: its type, and how it is read from a scope.

    `get` gives an int for a number, a bool for a flag, a str for a word, a tuple of str for a list.
    """

    type: TypeName
    get: Callable[[Any], Any]


class Names(Struct, frozen=True):
    """The names that an expression may use."""

    entries: dict[str, Name]


def compile_formula(expr: Expression, names: Names) -> Callable[[Any], int]:
    """Make a function from a scope to a whole number.

    Raises ExpressionFault for unknown names, wrong types, dice and what may be fractional. The function raises
    TooLarge beyond 1,000,000,000 and NotComputable when it divides by zero.
    """
    return _bounded(_whole(expr, names))


def compile_predicate(expr: Expression, names: Names) -> Callable[[Any], bool]:
    """Make a function from a scope to true or false; raises as `compile_formula` does."""
    return _expect(_compiled(expr, names), "flag").run


def compile_dice(expr: Expression, names: Names) -> Callable[[Any], Dice]:
    """Make a function from a scope to the dice to roll, from `NdM`, `NdM + K` or `NdM - K`; N, M and K are formulas.

    Raises as `compile_formula` does, and ExpressionFault when the expression has another form. The function raises
    NotComputable for a negative number of dice or sides below 1, TooLarge above 1,000 of either.
    """
    throw, added = _dice_and_plus(expr)
    count, sides = _whole(throw.count, names).run, _whole(throw.sides, names).run
    bonus = _bounded(_whole(added, names))
    column = throw.column

    def dice(scope: Any) -> Dice:
        n, m = count(scope), sides(scope)
        if n < 0 or m < 1:
            raise NotComputable(message("fault.expression.no_such_dice", count=_small(n), sides=_small(m)), column)
        if n > COUNT_MOST or m > SIDES_MOST:
            raise TooLarge(message("fault.expression.too_many_dice", count=COUNT_MOST, sides=SIDES_MOST))
        return Dice(n, m, bonus(scope))

    return dice


class _Compiled(Struct, frozen=True):
    """A compiled part; `fixed` is its value if that is the same in every scope."""

    type: TypeName
    run: Run
    column: int
    fractional: Literal["whole", "fraction"] = "whole"
    fixed: int | Fraction | bool | str | None = None


def _fault(what: str, column: int, **params: Parameter) -> ExpressionFault:
    return ExpressionFault(message(f"fault.expression.{what}", **params), column)


def _small(value: int) -> int:
    return max(-NUMBER_MOST, min(NUMBER_MOST, value))


def _expect(part: _Compiled, expected: TypeName) -> _Compiled:
    if part.type != expected:
        sorts = {
            "expected": message(f"fault.expression.type.{expected}"),
            "found": message(f"fault.expression.type.{part.type}"),
        }
        raise _fault("type", part.column, **sorts)
    return part


def _whole(expr: Expression, names: Names) -> _Compiled:
    part = _expect(_compiled(expr, names), "number")
    if part.fractional == "fraction":
        raise _fault("fraction", part.column)
    return part


def _bounded(part: _Compiled) -> Callable[[Any], int]:
    run, most, fixed = part.run, NUMBER_MOST, part.fixed
    if isinstance(fixed, int) and abs(fixed) <= most:
        return run

    def formula(scope: Any) -> int:
        value: int = run(scope)
        if -most <= value <= most:
            return value
        raise TooLarge(message("fault.expression.too_large", limit=most))

    return formula


def _dice_and_plus(expr: Expression) -> tuple[nodes.Throw, Expression]:
    """The one dice term of a sum, and the sum of the rest."""
    match expr:
        case nodes.Throw():
            return expr, nodes.Number(0)
        case nodes.Arithmetic("+" | "-" as sign, left, right) if dice_in(left) and not dice_in(right):
            throw, plus = _dice_and_plus(left)
            return throw, _added(plus, sign, right)
        case nodes.Arithmetic("+", left, right) if dice_in(right) and not dice_in(left):
            throw, plus = _dice_and_plus(right)
            return throw, _added(plus, "+", left)
    found = first_dice(expr)
    if found is None:
        raise _fault("dice_expected", expr.column)
    raise _fault("dice_form", found.column)


def _added(plus: Expression, sign: Literal["+", "-"], more: Expression) -> Expression:
    if plus == nodes.Number(0):
        return more if sign == "+" else nodes.Negate(more, column=more.column)
    return nodes.Arithmetic(sign, plus, more, column=plus.column)


def _compiled(expr: Expression, names: Names) -> _Compiled:
    match expr:
        case nodes.Number(value) | nodes.Flag(value) | nodes.Word(value):
            return _constant(value, expr.column)
        case nodes.Reference(name):
            entry = names.entries.get(name)
            if entry is None:
                raise _unknown_name(expr, names)
            return _Compiled(entry.type, entry.get, expr.column)
        case nodes.Negate(operand):
            return _negate(_expect(_compiled(operand, names), "number"), expr.column)
        case nodes.Not(operand):
            return _not(_expect(_compiled(operand, names), "flag"), expr.column)
        case nodes.Arithmetic(sign, left, right):
            one, two = (_expect(_compiled(part, names), "number") for part in (left, right))
            return _divided(one, two) if sign == "/" else _calculated(sign, one, two)
        case nodes.Compare(order, left, right):
            return _compared(order, *_alike(left, right, names, order))
        case nodes.Contains(word, many):
            return _contained(_expect(_or_quote(word, names), "word"), _expect(_compiled(many, names), "list"))
        case nodes.Logic(sign):
            return _joined(sign, [_expect(_compiled(part, names), "flag") for part in _chain(sign, expr)])
        case nodes.Call():
            return _called(expr, names)
        case nodes.Throw():
            raise _fault("dice_not_here", expr.column)


def _constant(value: int | Fraction | bool | str, column: int) -> _Compiled:
    kind: TypeName = "flag" if isinstance(value, bool) else "word" if isinstance(value, str) else "number"
    return _Compiled(kind, lambda scope: value, column, "fraction" if isinstance(value, Fraction) else "whole", value)


def _made(kind: TypeName, run: Run, column: int, *parts: _Compiled) -> _Compiled:
    """A part that combines others: fractional if one of them is, computed now if all of them are fixed."""
    fractional: Literal["whole", "fraction"] = (
        "fraction" if any(part.fractional == "fraction" for part in parts) and kind == "number" else "whole"
    )
    if all(part.fixed is not None for part in parts):
        value = run(None)
        return _Compiled(kind, lambda scope: value, column, fractional, value)
    return _Compiled(kind, run, column, fractional)


# Names


def _unknown_name(expr: nodes.Reference, names: Names) -> ExpressionFault:
    allowed = tuple(names.entries)
    near = difflib.get_close_matches(expr.name, allowed, 3)
    shown = allowed if len(allowed) <= _NAMES_SHOWN else (*allowed[:_NAMES_SHOWN], "…")
    if near:
        return _fault("unknown_name_near", expr.column, name=expr.name, near=tuple(near), allowed=shown)
    if not allowed:
        return _fault("no_names", expr.column, name=expr.name)
    return _fault("unknown_name", expr.column, name=expr.name, allowed=shown)


def _or_quote(expr: Expression, names: Names) -> _Compiled:
    """Compile what should be a word; an unknown name there is probably a word without its quotes."""
    if isinstance(expr, nodes.Reference) and expr.name not in names.entries:
        raise _fault("quote_word", expr.column, name=expr.name)
    return _compiled(expr, names)


def _alike(left: Expression, right: Expression, names: Names, order: nodes.Order) -> tuple[_Compiled, _Compiled]:
    """Both sides of a comparison, when they can be compared."""
    if isinstance(left, nodes.Reference) and left.name not in names.entries:
        two = _compiled(right, names)
        one = _or_quote(left, names) if two.type == "word" else _compiled(left, names)
    else:
        one = _compiled(left, names)
        two = _or_quote(right, names) if one.type == "word" else _compiled(right, names)
    if order not in ("=", "!="):
        return _expect(one, "number"), _expect(two, "number")
    if one.type == "list":
        raise _fault("list_compared", one.column)
    return one, _expect(two, one.type)


# Numbers


def _negate(part: _Compiled, column: int) -> _Compiled:
    value = part.run
    return _made("number", lambda scope: -value(scope), column, part)


def _calculated(sign: Literal["+", "-", "*"], one: _Compiled, two: _Compiled) -> _Compiled:
    """A sum, difference or product; the common shapes with one number written out are spelled out for speed."""
    left, right, run = one.run, two.run, None
    a, b = one.fixed, two.fixed
    match sign:
        case "+" if isinstance(b, int):
            run = lambda scope: left(scope) + b  # noqa: E731
        case "-" if isinstance(b, int):
            run = lambda scope: left(scope) - b  # noqa: E731
        case "*" if isinstance(b, int):
            run = lambda scope: left(scope) * b  # noqa: E731
        case "*" if isinstance(a, int):
            run = lambda scope: a * right(scope)  # noqa: E731
        case "+":
            run = lambda scope: left(scope) + right(scope)  # noqa: E731
        case "-":
            run = lambda scope: left(scope) - right(scope)  # noqa: E731
        case "*":
            run = lambda scope: left(scope) * right(scope)  # noqa: E731
    return _made("number", run, one.column, one, two)


def _divisor(two: _Compiled) -> Run:
    """The right side of a division, which is never zero."""
    value, column = two.run, two.column
    if two.fixed is not None:
        if two.fixed == 0:
            raise _fault("divided_by_zero", column)
        return value

    def divisor(scope: Any) -> Any:
        number = value(scope)
        if number:
            return number
        raise NotComputable(message("fault.expression.divided_by_zero"), column)

    return divisor


def _divided(one: _Compiled, two: _Compiled) -> _Compiled:
    left, right = one.run, _divisor(two)
    exact = _made("number", lambda scope: Fraction(left(scope), right(scope)), one.column, one, two)
    return _Compiled("number", exact.run, exact.column, "fraction", exact.fixed)


def _half_up(value: int | Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


_ROUNDING: dict[str, Run] = {"ceil": math.ceil, "floor": math.floor, "half_up": _half_up}


def _called(expr: nodes.Call, names: Names) -> _Compiled:
    if (quotient := _rounded_quotient(expr, names)) is not None:
        return quotient
    parts = tuple(_expect(_compiled(argument, names), "number") for argument in expr.arguments)
    first = parts[0].run
    match expr.function:
        case "ceil" | "floor" | "half_up" as name:
            if parts[0].fractional == "whole":
                return parts[0]
            rounding = _ROUNDING[name]
            made = _made("number", lambda scope: rounding(first(scope)), expr.column, *parts)
            return _Compiled("number", made.run, made.column, "whole", made.fixed)
        case "abs":
            return _made("number", lambda scope: abs(first(scope)), expr.column, *parts)
        case "min" | "max" as name:
            return _made("number", _chosen(name, tuple(part.run for part in parts)), expr.column, *parts)


def _chosen(name: Literal["min", "max"], runs: tuple[Run, ...]) -> Run:
    """The least or greatest; of two without a call, which is twice as fast."""
    choose: Callable[..., Any] = min if name == "min" else max
    if len(runs) > 2:
        return lambda scope: choose([run(scope) for run in runs])
    first, second = runs

    def least(scope: Any) -> Any:
        one, two = first(scope), second(scope)
        return one if one <= two else two

    def greatest(scope: Any) -> Any:
        one, two = first(scope), second(scope)
        return one if one >= two else two

    return least if name == "min" else greatest


def _rounded_quotient(expr: nodes.Call, names: Names) -> _Compiled | None:
    """`ceil(a / b)` of whole numbers, the commonest call, without making a fraction."""
    match expr:
        case nodes.Call("ceil" | "floor" | "half_up" as name, (nodes.Arithmetic("/", left, right),)):
            one, two = (_expect(_compiled(part, names), "number") for part in (left, right))
            if one.fractional == two.fractional == "whole":
                return _made("number", _rounded(name, one.run, _divisor(two)), expr.column, one, two)
        case _:
            pass
    return None


def _rounded(name: Literal["ceil", "floor", "half_up"], left: Run, right: Run) -> Run:
    """A rounded quotient of whole numbers, without making a fraction."""
    match name:
        case "ceil":
            return lambda scope: -(-left(scope) // right(scope))
        case "floor":
            return lambda scope: left(scope) // right(scope)
        case "half_up":

            def half_up(scope: Any) -> Any:
                divisor = right(scope)
                return (2 * left(scope) + divisor) // (2 * divisor)

            return half_up


# Flags


def _not(part: _Compiled, column: int) -> _Compiled:
    value = part.run
    return _made("flag", lambda scope: not value(scope), column, part)


def _chain(sign: Literal["and", "or"], expr: Expression) -> list[Expression]:
    """What one sign joins, from left to right."""
    match expr:
        case nodes.Logic(operator, left, right) if operator == sign:
            return [*_chain(sign, left), *_chain(sign, right)]
    return [expr]


def _joined(sign: Literal["and", "or"], parts: list[_Compiled]) -> _Compiled:
    """Parts read from left to right until one decides; of those that are fixed only one that decides is kept."""
    deciding = sign == "or"
    kept: list[_Compiled] = []
    for part in parts:
        if part.fixed is not (not deciding):
            kept.append(part)
        if part.fixed is deciding:
            break
    if len(kept) < 2:
        return kept[0] if kept else parts[-1]
    return _made("flag", _reads(sign, [part.run for part in kept]), parts[0].column, *kept)


def _reads(sign: Literal["and", "or"], runs: list[Run]) -> Run:
    """Two or three parts are spelled out for speed."""
    first, second, *rest = runs
    if len(rest) > 1:
        return _reads(sign, [_reads(sign, runs[:3]), *runs[3:]])
    third = rest[0] if rest else None
    match sign:
        case "and" if third is not None:
            return lambda scope: first(scope) and second(scope) and third(scope)
        case "and":
            return lambda scope: first(scope) and second(scope)
        case "or" if third is not None:
            return lambda scope: first(scope) or second(scope) or third(scope)
        case "or":
            return lambda scope: first(scope) or second(scope)


def _compared(order: nodes.Order, one: _Compiled, two: _Compiled) -> _Compiled:
    return _made("flag", _comparison(order, one, two), one.column, one, two)


def _comparison(order: nodes.Order, one: _Compiled, two: _Compiled) -> Run:
    """Comparisons with what is written out are spelled out for speed."""
    left, right, b = one.run, two.run, two.fixed
    if isinstance(b, int | str):
        return _comparison_with(order, left, b)
    match order:
        case "=":
            return lambda scope: left(scope) == right(scope)
        case "!=":
            return lambda scope: left(scope) != right(scope)
        case "<":
            return lambda scope: left(scope) < right(scope)
        case "<=":
            return lambda scope: left(scope) <= right(scope)
        case ">":
            return lambda scope: left(scope) > right(scope)
        case ">=":
            return lambda scope: left(scope) >= right(scope)


def _comparison_with(order: nodes.Order, left: Run, b: Any) -> Run:
    match order:
        case "=":
            return lambda scope: left(scope) == b
        case "!=":
            return lambda scope: left(scope) != b
        case "<":
            return lambda scope: left(scope) < b
        case "<=":
            return lambda scope: left(scope) <= b
        case ">":
            return lambda scope: left(scope) > b
        case ">=":
            return lambda scope: left(scope) >= b


def _contained(word: _Compiled, many: _Compiled) -> _Compiled:
    value, members, fixed = word.run, many.run, word.fixed
    if fixed is not None:
        return _made("flag", lambda scope: fixed in members(scope), word.column, word, many)
    return _made("flag", lambda scope: value(scope) in members(scope), word.column, word, many)

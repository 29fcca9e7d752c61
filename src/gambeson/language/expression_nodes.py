"""What a formula or predicate is once it is read: a small tree, its canonical text, and what can be wrong with it."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from gambeson.model.errors import GambesonError
from gambeson.model.messages import Message

TEXT_MOST = 500
"""Characters in one expression."""
DEPTH_MOST = 32
"""Nodes from the root of an expression to its deepest leaf."""
NODES_MOST = 200
"""Nodes in one expression."""
NUMBER_MOST = 1_000_000_000
"""Upper bound of any figure, written or computed."""

Function: TypeAlias = Literal["ceil", "floor", "half_up", "min", "max", "abs"]
Order: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]


class ExpressionFault(GambesonError):
    """An expression cannot be used; `column` counts from 1 in its text."""

    def __init__(self, message: Message, column: int) -> None:
        super().__init__(f"{column}: {message.id} {message.params}")
        self.message = message
        self.column = column


class NotComputable(GambesonError):
    """A formula has no value for this scope (division by zero, a negative number of dice)."""

    def __init__(self, message: Message, column: int) -> None:
        super().__init__(f"{column}: {message.id} {message.params}")
        self.message = message
        self.column = column


class TooLarge(GambesonError):
    """A computed figure lies beyond 1,000,000,000."""

    def __init__(self, message: Message) -> None:
        super().__init__(f"{message.id} {message.params}")
        self.message = message


class Node(Struct, frozen=True, kw_only=True, tag_field="node"):
    """Any part of an expression; `column` says where it begins and does not count in comparisons."""

    column: int = 0

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field) for field in self.__struct_fields__ if field != "column")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._parts()))


class Number(Node, frozen=True, tag="number"):
    """A whole number, 0 to 1,000,000,000."""

    value: int


class Flag(Node, frozen=True, tag="flag"):
    """`true` or `false`."""

    value: bool


class Word(Node, frozen=True, tag="word"):
    """A quoted word: `'object'`."""

    value: str


class Reference(Node, frozen=True, tag="reference"):
    """A name that is looked up: `hit.slay`."""

    name: str


class Negate(Node, frozen=True, tag="negate"):
    """`-operand`."""

    operand: Expression


class Not(Node, frozen=True, tag="not"):
    """`not operand`."""

    operand: Expression


class Arithmetic(Node, frozen=True, tag="arithmetic"):
    """`left + right`; division is exact."""

    operator: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


class Compare(Node, frozen=True, tag="compare"):
    """`left < right`."""

    operator: Order
    left: Expression
    right: Expression


class Contains(Node, frozen=True, tag="contains"):
    """`word in list`."""

    word: Expression
    list: Expression


class Logic(Node, frozen=True, tag="logic"):
    """`left and right`; the right side is read only when it matters."""

    operator: Literal["and", "or"]
    left: Expression
    right: Expression


class Call(Node, frozen=True, tag="call"):
    """`ceil(points / 2)`."""

    function: Function
    arguments: tuple[Expression, ...]


class Throw(Node, frozen=True, tag="throw"):
    """`count d sides`: dice to roll."""

    count: Expression
    sides: Expression


Expression: TypeAlias = (
    Number | Flag | Word | Reference | Negate | Not | Arithmetic | Compare | Contains | Logic | Call | Throw
)

OR, AND, NOT, COMPARE, SUM, PRODUCT, NEGATE, THROW, WHOLE = 10, 20, 30, 40, 50, 60, 70, 80, 90
"""How strongly operators bind; WHOLE is what needs no parentheses anywhere."""


def children(expr: Expression) -> tuple[Expression, ...]:
    """The parts directly below a node."""
    match expr:
        case Negate() | Not():
            return (expr.operand,)
        case Arithmetic() | Compare() | Logic():
            return (expr.left, expr.right)
        case Contains():
            return (expr.word, expr.list)
        case Call():
            return expr.arguments
        case Throw():
            return (expr.count, expr.sides)
        case _:
            return ()


def first_dice(expr: Expression) -> Throw | None:
    """The leftmost dice term of an expression, if there is one."""
    if isinstance(expr, Throw):
        return expr
    found = (first_dice(child) for child in children(expr))
    return next((throw for throw in found if throw is not None), None)


def dice_in(expr: Expression) -> bool:
    """Whether an expression has dice in it."""
    return first_dice(expr) is not None


def names_in(expr: Expression) -> tuple[str, ...]:
    """The names that an expression reads, in order, each once."""
    own = (expr.name,) if isinstance(expr, Reference) else ()
    return tuple(dict.fromkeys((*own, *(name for child in children(expr) for name in names_in(child)))))


def show(expr: Expression) -> str:
    """The canonical text of an expression: `parse(show(expr)) == expr`.

    Single spaces stand around operators, unless the text would pass 500 characters; then only where they must.
    """
    pieces = _pieces(expr)
    spaced = "".join(pieces)
    return spaced if len(spaced) <= TEXT_MOST else _compact(pieces)


def _power(expr: Expression) -> int:
    match expr:
        case Logic():
            return OR if expr.operator == "or" else AND
        case Not():
            return NOT
        case Compare() | Contains():
            return COMPARE
        case Arithmetic():
            return SUM if expr.operator in "+-" else PRODUCT
        case Negate():
            return NEGATE
        case Throw():
            return THROW
        case _:
            return WHOLE


def _inside(expr: Expression, least: int) -> list[str]:
    """The pieces of an operand, in parentheses if it binds less than `least`."""
    pieces = _pieces(expr)
    return pieces if _power(expr) >= least else ["(", *pieces, ")"]


def _pieces(expr: Expression) -> list[str]:
    """Tokens, with `" "` where readers like a space."""
    power = _power(expr)
    match expr:
        case Number():
            return [str(expr.value)]
        case Flag():
            return ["true" if expr.value else "false"]
        case Word():
            quote = '"' if "'" in expr.value else "'"
            return [f"{quote}{expr.value}{quote}"]
        case Reference():
            return [expr.name]
        case Negate():
            return ["-", *_inside(expr.operand, power)]
        case Not():
            return ["not", " ", *_inside(expr.operand, power)]
        case Arithmetic() | Logic():
            return [*_inside(expr.left, power), " ", expr.operator, " ", *_inside(expr.right, power + 1)]
        case Compare():
            return [*_inside(expr.left, power + 1), " ", expr.operator, " ", *_inside(expr.right, power + 1)]
        case Contains():
            return [*_inside(expr.word, power + 1), " ", "in", " ", *_inside(expr.list, power + 1)]
        case Call():
            arguments = [piece for argument in expr.arguments for piece in (",", " ", *_pieces(argument))]
            return [expr.function, "(", *arguments[2:], ")"]
        case Throw():
            count, sides = _inside(expr.count, power + 1), _inside(expr.sides, power + 1)
            if isinstance(expr.count, Number) and isinstance(expr.sides, Number):
                return [*count, "d", *sides]
            return [*count, " ", "d", " ", *sides]


def _compact(pieces: list[str]) -> str:
    text = ""
    for piece in pieces:
        if piece != " ":
            text += f" {piece}" if _must_part(text, piece) else piece
    return text


def _must_part(text: str, piece: str) -> bool:
    """Whether a piece would be read as part of what stands before it."""
    if not (piece[0].isalnum() or piece[0] == "_"):
        return False
    found = re.search(r"[\w.]+\Z", text)
    if found is None:
        return False
    before = found[0]
    if piece[0] in "0123456789":
        return re.fullmatch(r"[0-9]*d", before) is None
    return re.fullmatch(r"[0-9]+", before) is None

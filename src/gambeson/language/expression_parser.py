"""Reads the text of formulas and predicates: one small Pratt grammar with bounds on everything."""

from __future__ import annotations

import difflib
import re
import unicodedata
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from gambeson.language import expression_nodes as nodes
from gambeson.language.expression_nodes import Expression, ExpressionFault, Function
from gambeson.model.messages import Parameter, message

FUNCTIONS: tuple[Function, ...] = get_args(Function)
RESERVED = ("true", "false", "and", "or", "not", "in")

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(
    r"(?P<number>[0-9]+)"
    r"|(?P<name>[^\W\d]\w*(?:\.\w+)*)"
    r"|(?P<word>'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<sign>==|!=|<=|>=|[=<>+\-*/(),])"
)
_DICE = re.compile(r"d[0-9]*")
_INFIX = {
    "or": nodes.OR,
    "and": nodes.AND,
    "in": nodes.COMPARE,
    **dict.fromkeys(("=", "==", "!=", "<", "<=", ">", ">="), nodes.COMPARE),
    **dict.fromkeys("+-", nodes.SUM),
    **dict.fromkeys("*/", nodes.PRODUCT),
    "d": nodes.THROW,
}
_NESTING_MOST = 2 * nodes.DEPTH_MOST + 1

_Kind: TypeAlias = Literal["number", "name", "word", "sign", "end"]
_Measured: TypeAlias = tuple[Expression, int]


class _Token(NamedTuple):
    kind: _Kind
    text: str
    column: int


def parse(text: str) -> Expression:
    """Read the text of a formula or predicate.

    Raises ExpressionFault, with the column, when it is no expression or passes a bound: 500 characters,
    200 nodes, 32 levels, numbers to 1,000,000,000.
    """
    return _Parser(_tokens(_measured(text))).whole()


def _fault(what: str, column: int, **params: Parameter) -> ExpressionFault:
    return ExpressionFault(message(f"fault.expression.{what}", **params), column)


def _measured(text: str) -> str:
    """The text with composed letters, once it is known to be short enough."""
    if len(text) <= nodes.TEXT_MOST:
        text = unicodedata.normalize("NFC", text)
    if len(text) > nodes.TEXT_MOST:
        raise _fault("too_long", nodes.TEXT_MOST + 1, limit=nodes.TEXT_MOST)
    return text


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while True:
        space = _SPACE.match(text, place)
        place = space.end() if space else place
        if place == len(text):
            return [*tokens, _Token("end", "", place + 1)]
        found = _TOKEN.match(text, place)
        if found is None:
            raise _fault("not_closed_word" if text[place] in "'\"" else "character", place + 1, character=text[place])
        token = _Token(cast("_Kind", found.lastgroup), found[0], place + 1)
        if token.kind == "name":
            _check_letters(token)
        tokens.append(token)
        place = found.end()


def _check_letters(token: _Token) -> None:
    """Superscripts and their kind pass for letters in patterns but not in names."""
    if all(f"_{part}".isidentifier() for part in token.text.split(".")):
        return
    at = next(i for i, letter in enumerate(token.text) if letter != "." and not f"_{letter}".isidentifier())
    raise _fault("character", token.column + at, character=token.text[at])


class _Parser:
    """Walks the tokens of one text once; every method gives a node and its depth."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.nodes = 0
        self.nesting = 0

    def whole(self) -> Expression:
        if len(self.tokens) == 1:
            raise _fault("empty", 1)
        expr, _ = self.expression(0)
        if self.here.kind != "end":
            raise self.unexpected()
        return expr

    @property
    def here(self) -> _Token:
        return self.tokens[self.index]

    def take(self) -> _Token:
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, sign: str) -> bool:
        return self.here.kind == "sign" and self.here.text == sign

    def unexpected(self) -> ExpressionFault:
        if self.here.kind == "end":
            return _fault("incomplete", self.here.column)
        return _fault("unexpected", self.here.column, found=self.here.text)

    def made(self, node: Expression, *below: int) -> _Measured:
        """Count a finished node and its depth against the bounds."""
        self.nodes += 1
        depth = 1 + max(below, default=0)
        if self.nodes > nodes.NODES_MOST:
            raise _fault("too_many_parts", self.here.column, limit=nodes.NODES_MOST)
        if depth > nodes.DEPTH_MOST:
            raise _fault("too_deep", self.here.column, limit=nodes.DEPTH_MOST)
        return node, depth

    def expression(self, power: int) -> _Measured:
        """Read as far as operators bind more strongly than `power`."""
        self.nesting += 1
        if self.nesting > _NESTING_MOST:
            raise _fault("too_deep", self.here.column, limit=nodes.DEPTH_MOST)
        left = self.prefix(power)
        last = 0
        while (binding := self.binding()) > power:
            if binding == last and binding in (nodes.COMPARE, nodes.THROW):
                raise _fault("chain", self.here.column, found=self.here.text)
            left = self.infix(left, binding)
            last = binding
        self.nesting -= 1
        return left

    def binding(self) -> int:
        """How strongly the operator here binds, 0 if there is none."""
        kind, text, _ = self.here
        if kind == "name":
            return nodes.THROW if _DICE.fullmatch(text) else _INFIX.get(text, 0)
        return _INFIX.get(text, 0) if kind == "sign" else 0

    def prefix(self, power: int) -> _Measured:
        token = self.here
        match token.kind:
            case "number":
                return self.number(self.take())
            case "word":
                self.take()
                return self.made(nodes.Word(token.text[1:-1], column=token.column))
            case "name":
                return self.named(power)
            case "sign" if token.text == "(":
                self.take()
                inner = self.expression(0)
                self.close(token)
                return inner
            case "sign" if token.text == "-" and power <= nodes.NEGATE:
                self.take()
                operand, depth = self.expression(nodes.NEGATE - 1)
                return self.made(nodes.Negate(operand, column=token.column), depth)
            case _:
                raise self.unexpected()

    def number(self, token: _Token) -> _Measured:
        digits = token.text.lstrip("0") or "0"
        if len(digits) > len(str(nodes.NUMBER_MOST)) or int(digits) > nodes.NUMBER_MOST:
            raise _fault("number_too_large", token.column, limit=nodes.NUMBER_MOST)
        return self.made(nodes.Number(int(digits), column=token.column))

    def named(self, power: int) -> _Measured:
        token = self.take()
        if token.text in ("true", "false"):
            return self.made(nodes.Flag(token.text == "true", column=token.column))
        if token.text == "not":
            if power > nodes.NOT:
                raise _fault("not_needs_parentheses", token.column)
            operand, depth = self.expression(nodes.NOT - 1)
            return self.made(nodes.Not(operand, column=token.column), depth)
        if token.text in RESERVED:
            self.index -= 1
            raise self.unexpected()
        if self.at("("):
            return self.call(token)
        return self.made(nodes.Reference(token.text, column=token.column))

    def call(self, name: _Token) -> _Measured:
        function = self.function(name)
        opened = self.take()
        arguments: list[Expression] = []
        depths: list[int] = []
        while not self.at(")"):
            if arguments:
                if not self.at(","):
                    self.close(opened)
                self.take()
            argument, depth = self.expression(0)
            arguments.append(argument)
            depths.append(depth)
        self.take()
        if function in ("min", "max"):
            if len(arguments) < 2:
                raise _fault("arguments_two", name.column, function=function)
        elif len(arguments) != 1:
            raise _fault("arguments_one", name.column, function=function)
        return self.made(nodes.Call(function, tuple(arguments), column=name.column), *depths)

    def function(self, name: _Token) -> Function:
        for function in FUNCTIONS:
            if function == name.text:
                return function
        near = difflib.get_close_matches(name.text, FUNCTIONS, 1)
        if near:
            raise _fault("unknown_function_near", name.column, name=name.text, near=near[0], allowed=FUNCTIONS)
        raise _fault("unknown_function", name.column, name=name.text, allowed=FUNCTIONS)

    def close(self, opened: _Token) -> None:
        if self.here.kind == "end":
            raise _fault("not_closed", opened.column)
        if not self.at(")"):
            raise self.unexpected()
        self.take()

    def infix(self, left: _Measured, binding: int) -> _Measured:
        token = self.take()
        if binding == nodes.THROW and len(token.text) > 1:
            self.index -= 1
            self.tokens[self.index] = _Token("number", token.text[1:], token.column + 1)
        one, one_depth = left
        two, two_depth = self.expression(binding)
        return self.made(_joined(token.text, one, two), one_depth, two_depth)


def _joined(operator: str, left: Expression, right: Expression) -> Expression:
    column = left.column
    match operator:
        case "and" | "or":
            return nodes.Logic(operator, left, right, column=column)
        case "+" | "-" | "*" | "/":
            return nodes.Arithmetic(operator, left, right, column=column)
        case "=" | "==":
            return nodes.Compare("=", left, right, column=column)
        case "!=" | "<" | "<=" | ">" | ">=":
            return nodes.Compare(operator, left, right, column=column)
        case "in":
            return nodes.Contains(left, right, column=column)
        case _:
            return nodes.Throw(left, right, column=column)

"""What stages are lowered to, so that a simulator plays the very rules that referee a fight.

A stage's fourth face, `lower`, says the same as `run`, but of whole numbers that are known only in the fight: it
computes with `Value`s and writes them into a `Program`. What is known beforehand (the target as it is written down,
the words of the hit) is read and decided at once, so that a program has only what can differ from blow to blow. It is
straight-line: no loops, no branches but `choose`. A stage that cannot be said so calls `program.refuse`, and such
fights are played through `step`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

from gambeson.language.arithmetic import LATER

if TYPE_CHECKING:
    from gambeson.language.dice import Dice
    from gambeson.language.pack import Pack
    from gambeson.language.predicates import Formula, Predicate
    from gambeson.model.values import Entity, Hit


class Value:
    """A whole number of the fight, between `least` and `most`: fixed, a name, or an operation on others.

    Conditions are values too, 0 or 1. Operations on fixed numbers give fixed numbers, and what the bounds decide is
    decided at once.
    """

    __slots__ = ("args", "least", "most", "op")

    def __init__(self, op: str, args: tuple[Any, ...], least: int, most: int) -> None:
        self.op = op
        self.args = args
        self.least = least
        self.most = most

    @property
    def fixed(self) -> int | None:
        """The number, where it is known."""
        return self.least if self.least == self.most else None

    def within(self, least: int, most: int) -> Value:
        """The same number, known to lie between these bounds."""
        least, most = max(least, self.least), min(most, self.most)
        return fixed(least) if least == most else Value(self.op, self.args, least, most)

    def __add__(self, other: Number) -> Value:
        other = valued(other)
        if other.fixed == 0:
            return self
        return other if self.fixed == 0 else _made("+", self, other, self.least + other.least, self.most + other.most)

    def __sub__(self, other: Number) -> Value:
        other = valued(other)
        if other.fixed == 0:
            return self
        return _made("-", self, other, self.least - other.most, self.most - other.least)

    def __mul__(self, other: Number) -> Value:
        other = valued(other)
        if other.fixed == 1:
            return self
        if self.fixed == 1:
            return other
        corners = [a * b for a in (self.least, self.most) for b in (other.least, other.most)]
        return _made("*", self, other, min(corners), max(corners))

    def __floordiv__(self, divisor: int) -> Value:
        if divisor == 1:
            return self
        return _made("//", self, fixed(divisor), self.least // divisor, self.most // divisor)

    def __lt__(self, other: Number) -> Value:
        return _compared("<", self, valued(other))

    def __le__(self, other: Number) -> Value:
        return _compared("<=", self, valued(other))

    def __gt__(self, other: Number) -> Value:
        return _compared("<", valued(other), self)

    def __ge__(self, other: Number) -> Value:
        return _compared("<=", valued(other), self)

    def equals(self, other: Number) -> Value:
        """Whether two numbers are the same."""
        other = valued(other)
        if self.most < other.least or other.most < self.least:
            return NO
        return YES if self.fixed is not None and self.fixed == other.fixed else _made("==", self, other, 0, 1)


Number: TypeAlias = Value | int


def fixed(number: int) -> Value:
    """A number that is known beforehand."""
    return Value("fixed", (), number, number)


def named(name: str, least: int, most: int) -> Value:
    """A number that has a name in the program."""
    return fixed(least) if least == most else Value("name", (name,), least, most)


def valued(number: Number) -> Value:
    """The number as a value."""
    return number if isinstance(number, Value) else fixed(int(number))


NO, YES = fixed(0), fixed(1)


def smaller(one: Number, other: Number) -> Value:
    """The smaller of two numbers."""
    one, other = valued(one), valued(other)
    if one.most <= other.least:
        return one
    if other.most <= one.least:
        return other
    return _made("min", one, other, min(one.least, other.least), min(one.most, other.most))


def larger(one: Number, other: Number) -> Value:
    """The larger of two numbers."""
    one, other = valued(one), valued(other)
    if one.least >= other.most:
        return one
    if other.least >= one.most:
        return other
    return _made("max", one, other, max(one.least, other.least), max(one.most, other.most))


def choose(when: Value, then: Number, otherwise: Number) -> Value:
    """`then` where the condition holds, else `otherwise`."""
    then, otherwise = valued(then), valued(otherwise)
    if when.fixed is not None:
        return then if when.fixed else otherwise
    if then is otherwise or (then.fixed is not None and then.fixed == otherwise.fixed):
        return then
    if then.fixed == 1 and otherwise.fixed == 0:
        return when
    if otherwise.fixed == 0 and when.op == "<" and when.args[0].fixed == 0 and when.args[1] is then:
        return then if then.least >= 0 else larger(then, 0)
    bounds = min(then.least, otherwise.least), max(then.most, otherwise.most)
    return Value("choose", (when, then, otherwise), *bounds)


def both(one: Value, other: Value) -> Value:
    """Whether both conditions hold."""
    if one.fixed is not None:
        return other if one.fixed else NO
    if other.fixed is not None:
        return one if other.fixed else NO
    return one if one is other else Value("and", (one, other), 0, 1)


def either(one: Value, other: Value) -> Value:
    """Whether one of the conditions holds."""
    if one.fixed is not None:
        return YES if one.fixed else other
    if other.fixed is not None:
        return YES if other.fixed else one
    return one if one is other else Value("or", (one, other), 0, 1)


def negated(condition: Value) -> Value:
    """Whether a condition does not hold."""
    if condition.fixed is not None:
        return NO if condition.fixed else YES
    return Value("not", (condition,), 0, 1)


def halved(amount: Value, divisor: int, rounding: str) -> Value:
    """The amount divided, rounded `down` or `up` (the counterpart of `arithmetic.halves`)."""
    return (amount + (divisor - 1)) // divisor if rounding == "up" else amount // divisor


def _made(op: str, one: Value, other: Value, least: int, most: int) -> Value:
    return fixed(least) if least == most else Value(op, (one, other), least, most)


def _compared(op: str, one: Value, other: Value) -> Value:
    surely = one.most < other.least if op == "<" else one.most <= other.least
    never = one.least >= other.most if op == "<" else one.least > other.most
    if surely or never:
        return YES if surely else NO
    return Value(op, (one, other), 0, 1)


class Share:
    """One part of a blow in a program; `changed` once its type has had its effect (see `scope.Portion`)."""

    __slots__ = ("amount", "changed", "type")

    def __init__(self, amount: Value, type: str, changed: Value = NO) -> None:
        self.amount = amount
        self.type = type
        self.changed = changed


Turns: TypeAlias = "list[tuple[Share, Value]]"
"""Shares one after another, each with whether it is its turn: where the order is only known in the fight, every share
stands at every place, and it is the turn of one of them."""

RANKED_MOST = 5
"""Shares that may be put in order in a fight; the lines grow with their square."""


def by_size(program: Program, shares: list[Share], rule: str) -> Turns:
    """The shares from the largest to the smallest; of two of a size the first listed comes first."""
    if all(share.amount.fixed is not None for share in shares):
        return [(share, YES) for share in sorted(shares, key=lambda share: -share.amount.least)]
    if len(shares) > RANKED_MOST or any(here.fixed is None for _, here in program.turns()):
        program.refuse("order: largest_first")
    ranks = []
    for at, share in enumerate(shares):
        rank = NO
        for other_at, other in enumerate(shares):
            if other is not share:
                rank += other.amount >= share.amount if other_at < at else other.amount > share.amount
        ranks.append(program.let("rank", rank, rule))
    turns: Turns = []
    for place in range(len(shares)):
        for share, rank in zip(shares, ranks, strict=True):
            here = rank.equals(place)
            turns += [(share, program.let("turn", here, rule))] if here.fixed != 0 else []
    return turns


class Program(Protocol):
    """One kind of hit on one target, being written. What stands here is what a stage reads and writes.

    `entity` is the target as it was before the fight and `hit` the blow; everything on them that no member below
    names stays as it is. `shares`, `noted`, `lost` and `stopped` are those of the `Blow`. A stage
    whose condition may or may not hold is written as if it did; the program sees to the rest.
    """

    pack: Pack
    entity: Entity
    hit: Hit
    words: tuple[str, ...]
    shares: list[Share]
    noted: dict[str, Value]
    lost: dict[str, Value]
    stopped: Value

    @property
    def amount(self) -> Value:
        """All damage that is left, over the shares."""
        ...

    def let(self, name: str, value: Value, rule: str) -> Value:
        """Give a value a name, so that it is computed once."""
        ...

    def turns(self) -> Turns:
        """The shares in the order in which they are paid for."""
        ...

    def put(self, turns: Turns) -> None:
        """From here on the shares are paid for in this order."""
        ...

    def take(self, points: Number, rule: str) -> Value:
        """Take up to so many points off the shares in order; gives how many came off."""
        ...

    def pool(self, layer: str) -> Value:
        """The points of a layer as they are now; 0 without such a pool."""
        ...

    def lose(self, layer: str, points: Value, rule: str) -> None:
        """The pool loses these points to the blow."""
        ...

    def count(self, name: str, start: int) -> Value:
        """A number that lasts from blow to blow and was `start` before the fight (charges, wounds)."""
        ...

    def keep(self, name: str, value: Value, rule: str) -> None:
        """Such a number is this from now on."""
        ...

    def untouched(self, layer: str) -> Value:
        """Whether the pool is still the one from before the fight, with its extras, as far as it has points."""
        ...

    def before(self, layer: str) -> Value:
        """The points of a layer as they were before the blow."""
        ...

    @property
    def source(self) -> Entity | None:
        """Whoever struck, where the fight follows it."""
        ...

    def source_has(self, condition: str) -> Value:
        """Whether whoever struck has a condition now."""
        ...

    def strike_back(self, key: str, points: int | Dice, type: str, when: Value, rule: str) -> None:
        """Whoever struck is struck in turn, where `when` holds; dice are thrown under `key`."""
        ...

    def answered(self, question: str, options: tuple[str, ...]) -> str:
        """What is always answered to such a question in this fight; refused where nothing is."""
        ...

    def holds(self, predicate: Predicate) -> Value:
        """Whether a predicate holds now."""
        ...

    def worth(self, formula: Formula) -> Value:
        """What a formula comes to now."""
        ...

    def holds_of_pool(self, layer: str, predicate: Predicate) -> Value:
        """Whether a predicate holds of the pool of this layer (as `pool`) while that has points."""
        ...

    def refuse(self, why: str) -> NoReturn:
        """Leave the lowering: this cannot be said as a program. `why` is a word of the stage's data."""
        ...


def later(program: Program, rounding: str) -> None:
    """Refuse fractions that are to be rounded later."""
    if rounding == LATER:
        program.refuse("rounding: later")

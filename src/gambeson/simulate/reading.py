"""Reading predicates and formulas in a program: what can change in a fight is a value, all else is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from gambeson.language import expressions as nodes
from gambeson.language.expressions import Expression, parse
from gambeson.language.figures import entries, figure, own_conditions
from gambeson.language.layers import empty
from gambeson.language.lowering import NO, YES, Value, both, choose, either, fixed, larger, negated, smaller, valued
from gambeson.language.names import names_of

if TYPE_CHECKING:
    from gambeson.language.expressions import Names
    from gambeson.language.pack import Pack
    from gambeson.simulate.program import Lowering

UNSURE = ("effects", "tags", "flags")
"""What of a target may change with effects in ways that programs do not follow."""


class Reading:
    """Works an expression out for a program."""

    def __init__(self, program: Lowering) -> None:
        self.program = program

    def of(self, text: str) -> Value:
        """The value of an expression that the pack has checked already."""
        found = self._worked(parse(text))
        return valued(found) if isinstance(found, Value) else fixed(int(found))

    def _number(self, expr: Expression) -> Value:
        return valued(self._worked(expr))

    def _worked(self, expr: Expression) -> Any:
        match expr:
            case nodes.Number(value) | nodes.Flag(value):
                return fixed(int(value))
            case nodes.Word(value):
                return value
            case nodes.Reference(name):
                return self._named(name)
            case nodes.Negate(operand):
                return fixed(0) - self._worked(operand)
            case nodes.Not(operand):
                return negated(self._worked(operand))
            case nodes.Arithmetic("/"):
                return self._refuse("/")
            case nodes.Arithmetic(sign, left, right):
                one, two = self._worked(left), self._worked(right)
                return one + two if sign == "+" else one - two if sign == "-" else one * two
            case nodes.Compare(order, left, right):
                return self._compared(order, self._worked(left), self._worked(right))
            case nodes.Contains(word, many):
                return self._contained(self._worked(word), many)
            case nodes.Logic(sign, left, right):
                one = self._worked(left)
                if one.fixed == (0 if sign == "and" else 1):
                    return one
                return both(one, self._worked(right)) if sign == "and" else either(one, self._worked(right))
            case nodes.Call():
                return self._called(expr)
            case _:
                return self._refuse("d")

    def _compared(self, order: str, one: Value | str, two: Value | str) -> Value:
        if isinstance(one, str) or isinstance(two, str):
            return YES if (one == two) is (order == "=") else NO
        match order:
            case "=":
                return one.equals(two)
            case "!=":
                return negated(one.equals(two))
            case "<":
                return one < two
            case "<=":
                return one <= two
            case ">":
                return one > two
            case _:
                return one >= two

    def _called(self, expr: nodes.Call) -> Value:
        if expr.function in ("ceil", "floor", "half_up"):
            match expr.arguments[0]:
                case nodes.Arithmetic("/", left, right):
                    one, two = self._number(left), self._number(right).fixed
                    if not two or two < 0:
                        self._refuse(expr.function)
                    if expr.function == "half_up":
                        return (one * 2 + two) // (2 * two)
                    return (one + (two - 1)) // two if expr.function == "ceil" else one // two
                case whole:
                    return self._number(whole)
        values = [self._number(argument) for argument in expr.arguments]
        if expr.function == "abs":
            return larger(values[0], fixed(0) - values[0])
        first = values[0]
        for value in values[1:]:
            first = smaller(first, value) if expr.function == "min" else larger(first, value)
        return first

    # --- names ------------------------------------------------------------------------------------------------

    def _named(self, name: str) -> Any:
        program = self.program
        head, _, rest = name.partition(".")
        if head == "noted":
            return program.noted.get(rest, NO)
        if head == "lost":
            return program.lost.get(rest, NO)
        if name == "hit.amount":
            return program.amount
        if name == "pool.current":
            return program.pool(program.pool_read) if program.pool_read else NO
        if name == "pool.maximum":
            return program.arena.maximum(program.pool_read) if program.pool_read else NO
        if head == "figure":
            return fixed(figure(program.pack, program.entity, rest, 0))
        if head == "target":
            found = self._of_target(rest)
            if found is not None:
                return found
        return self._known(name)

    def _of_target(self, rest: str) -> Value | None:
        program, pack = self.program, self.program.pack
        if rest in pack.layers:
            return program.pool(rest)
        if rest.startswith("has_") and rest[4:] in pack.layers:
            return self._there(rest[4:])
        if rest.startswith("extra_"):
            total = NO
            for layer, pool in program.entity.pools.items():
                points = sum(extra.facts.get("amount", 0) for extra in pool.extras if extra.name == rest[6:])
                there = both(program.pool(layer) > 0, program.untouched(layer)) if points else NO
                total += choose(there, points, 0)
            return total
        if rest in UNSURE and program.entity.effects:
            self._refuse(f"target.{rest}")
        if rest.endswith("_maximum") and rest.removesuffix("_maximum") in pack.layers:
            layer = rest.removesuffix("_maximum")
            maximum = program.arena.maximum(layer)
            return choose(self._there(layer), maximum, 0) if pack.layers[layer].spent == "gone" else maximum
        for layer in pack.layers:
            if pack.layers[layer].spent == "gone" and rest.startswith(f"{layer}_"):
                known = self._known(f"target.{rest}")
                if isinstance(known, Value):
                    return choose(self._there(layer), known, 0)
        return None

    def _there(self, layer: str) -> Value:
        """Whether the target has a pool of this layer now."""
        if layer not in self.program.entity.pools:
            return NO
        return self.program.pool(layer) > 0 if self.program.pack.layers[layer].spent == "gone" else YES

    def _known(self, name: str) -> Any:
        """What a name means on the target as it was before the fight, and the hit."""
        program = self.program
        entry = program.known.entries.get(name)
        if entry is None:
            self._refuse(name)
        found = entry.get(_Before(program))
        return found if isinstance(found, str | tuple | dict) else fixed(int(found))

    def _contained(self, word: str, many: Expression) -> Value:
        if not isinstance(many, nodes.Reference):
            self._refuse("in")
        program = self.program
        match many.name:
            case "target.conditions":
                return self.condition(word)
            case "target.own_conditions":
                return self._own_condition(word)
            case "pool.extras" if program.pool_read:
                pool = program.entity.pools.get(program.pool_read)
                worn = pool is not None and any(extra.name == word for extra in pool.extras)
                return program.untouched(program.pool_read) if worn else NO
            case _:
                pass
        fact = many.name.removeprefix("target.").removeprefix("own_")
        written = program.arena.counters.get(f"{fact}.{word}") if many.name.startswith("target.") else None
        if written is not None or (many.name.startswith("target.") and fact in _written(program.pack)):
            return program.count(f"{fact}.{word}", int(word in entries(program.entity, fact)))
        return YES if word in self._known(many.name) else NO

    def condition(self, word: str) -> Value:
        """Whether the target has a condition: by what it is, or its own."""
        pack = self.program.pack
        derived = pack.conditions.get(word)
        return self._number(parse(derived.text)) if derived is not None else self._own_condition(word)

    def _own_condition(self, word: str) -> Value:
        program = self.program
        own = own_conditions(program.entity)
        found = YES if word in own else NO
        for follow in program.pack.follows:
            if word in program.pack.lasting[follow.begins].conditions:
                follows = self._number(parse(follow.holds.text))
                others = [one for one in program.entity.effects if one.code != follow.begins]
                besides = word in program.entity.conditions or any(word in one.conditions for one in others)
                found = either(YES if besides else NO, follows)
        arena = program.arena
        if f"condition.{word}" in arena.counters or word in arena.marked or word in _marked(program.pack):
            return either(found, program.count(f"condition.{word}", int(word in own)))
        return found

    def _refuse(self, why: str) -> NoReturn:
        self.program.refuse(why)


class _Before:
    """The scope of what is known before the fight."""

    def __init__(self, program: Lowering) -> None:
        self.pack = program.pack
        self.entity = program.entity
        self.hit = program.hit
        self.words = program.words
        self.values = program.hit.facts
        self.pool = program.entity.pools.get(program.pool_read) or empty()
        self.amount = 0


def known_names(pack: Pack) -> Names:
    """The names that the pack's expressions may use, those aside that a program follows itself."""
    fields = pack.commands["hit"].fields if "hit" in pack.commands else {}
    return names_of(pack.facts, pack.layers, fields, ())


def _written(pack: Pack) -> tuple[str, ...]:
    """The list-valued facts that stages write."""
    return tuple(stage.writes for stage in pack.procedure if hasattr(stage, "writes"))


def _marked(pack: Pack) -> tuple[str, ...]:
    """The conditions that words leave without a clock."""
    return tuple(mark.condition for word in pack.words.known.values() for mark in word.marks if mark.lasts is None)

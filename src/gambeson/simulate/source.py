"""Programs made text: Python that a person can read, that runs as it is, and that Numba compiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gambeson.language.lowering import Value
from gambeson.simulate.program import Step

SCALAR = {
    "+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "//": "({} // {})", "min": "min({}, {})",
    "max": "max({}, {})", "<": "({} < {})", "<=": "({} <= {})", "==": "({} == {})", "and": "({} & {})", "or": "({} | {})", "not": "(not {})",
    "choose": "({1} if {0} else {2})",
}  # fmt: skip
ARRAY = SCALAR | {
    "min": "minimum({}, {})", "max": "maximum({}, {})", "not": "logical_not({})", "choose": "where({}, {}, {})",
}  # fmt: skip


def said(value: Value, forms: dict[str, str] = SCALAR) -> str:
    """A value as an expression, without parentheses around the whole."""
    text = _said(value, forms)
    return text[1:-1] if text.startswith("(") and value.op not in ("fixed", "name") and _wraps(text) else text


def _said(value: Value, forms: dict[str, str]) -> str:
    if value.op == "fixed":
        return str(value.least)
    if value.op == "name":
        return str(value.args[0])
    return forms[value.op].format(*(_said(arg, forms) for arg in value.args))


def _wraps(text: str) -> bool:
    """Whether the first parenthesis closes at the very end."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1
    return False


def names_in(value: Value) -> Iterator[str]:
    """The names that a value reads."""
    if value.op == "name":
        yield value.args[0]
    for arg in value.args if value.op not in ("name", "fixed") else ():
        yield from names_in(arg)


def needed(steps: Iterable[Step], results: Iterable[Value]) -> list[Step]:
    """The steps that something of the results depends on."""
    wanted = {name for value in results for name in names_in(value)}
    kept: list[Step] = []
    for step in reversed(list(steps)):
        if step.name in wanted:
            kept.insert(0, step)
            wanted.update(names_in(step.value))
    return kept


def lines(steps: Iterable[Step], forms: dict[str, str] = SCALAR) -> list[str]:
    """The steps as lines, each stage under its rule."""
    text: list[str] = []
    last = ("", "")
    for step in steps:
        here = (step.rule, step.stage)
        if here != last:
            text.append(f"# {' '.join(part for part in here if part)}")
            last = here
        text.append(f"{step.name} = {said(step.value, forms)}")
    return text


def indented(text: Iterable[str], by: int) -> list[str]:
    """Lines moved to the right."""
    return [" " * 4 * by + line if line else "" for line in text]

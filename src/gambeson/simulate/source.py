"""Programs made text: Python that a person can read, that runs as it is, and that Numba compiles."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from gambeson.language.lowering import Value

SCALAR = {
    "+": "({} + {})",
    "-": "({} - {})",
    "*": "({} * {})",
    "//": "({} // {})",
    "min": "min({}, {})",
    "max": "max({}, {})",
    "<": "({} < {})",
    "<=": "({} <= {})",
    "==": "({} == {})",
    "and": "({} & {})",
    "or": "({} | {})",
    "not": "(not {})",
    "choose": "({1} if {0} else {2})",
}
"""How operations are written for one fight."""

ARRAY = SCALAR | {
    "min": "minimum({}, {})",
    "max": "maximum({}, {})",
    "not": "logical_not({})",
    "choose": "where({}, {}, {})",
}
"""How they are written for many states at once, with the functions of NumPy."""

KEPT = (
    "abs", "against", "against_over", "array", "blows", "bounds", "carray", "chance", "False", "fights", "first",
    "int64", "kept", "key", "logical_not", "max", "maximum", "min", "minimum", "more", "most", "None", "range",
    "rest", "row", "rows", "seed", "starts", "sums", "tally", "target_over", "trial", "trials", "True", "uint64",
    "where", "word", "z",
)  # fmt: skip
"""Names that the generated text has for itself."""


def plain(name: str) -> str:
    """The name as part of an identifier, whatever a pack has it called."""
    letters = unicodedata.normalize("NFKC", name)
    return "".join(letter if letter.isidentifier() or letter in "0123456789" else "_" for letter in letters)


def identifier(name: str, prefix: str, taken: Iterable[str]) -> str:
    """A name for a variable that is none of those taken."""
    found = prefix + plain(name)
    if not found.isidentifier() or keyword.iskeyword(found) or found in KEPT:
        found = f"of_{found}"
    names = tuple(taken)
    return (
        found
        if found not in names
        else next(f"{found}_{n}" for n in range(2, len(names) + 3) if f"{found}_{n}" not in names)
    )


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


class Step(Struct, frozen=True):
    """One line of a program: a name gets a value, by a rule at a stage."""

    name: str
    value: Any
    stage: str
    rule: str


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
            text.append("# " + remark(" ".join(part for part in here if part)))
            last = here
        text.append(f"{step.name} = {said(step.value, forms)}")
    return text


def remark(text: str) -> str:
    """Words of a pack as they may stand in a comment: on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:80]


def indented(text: Iterable[str], by: int) -> list[str]:
    """Lines moved to the right."""
    return [" " * 4 * by + line if line else "" for line in text]

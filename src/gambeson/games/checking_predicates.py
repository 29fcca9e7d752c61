"""Lints of predicates: conditions that cannot hold, or cannot fail, whatever is on the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from gambeson.games.findings import Finding, Subject, entries, hint, wrong
from gambeson.language.expressions import (
    Compare,
    Contains,
    Expression,
    ExpressionFault,
    Flag,
    Logic,
    Not,
    Number,
    Reference,
    Word,
    children,
    parse,
    show,
)
from gambeson.language.fields import EitherField, Field, ListField, NumberField, WordField
from gambeson.model.errors import Path
from gambeson.model.messages import message

Bounds: TypeAlias = tuple[int, int | None]
Judged: TypeAlias = tuple[Expression, bool | None]

KEYS = ("when", "off", "spares", "holds", "unless", "none", "half")
"""Where predicates stand, beside the sections of conditions and flags."""
SECTIONS = ("conditions", "flags")
PLACES = ("procedure", "words", "commands", "layers", "follows", "lasting", "spells", "moments")


def constant(subject: Subject) -> Iterator[Finding]:
    """A comparison that always comes out the same."""
    for path, text in written(subject):
        try:
            tree = parse(text)
        except ExpressionFault:
            continue
        if isinstance(tree, Flag):
            continue
        known = Known(subject)
        leaves: list[Judged] = [(leaf, known.truth(leaf)) for leaf in _comparisons(tree)]
        settled: list[Judged] = [(leaf, truth) for leaf, truth in leaves if truth is not None] or [
            (tree, known.truth(tree))
        ]
        for leaf, truth in settled:
            if truth is False:
                yield wrong(path, message("fault.check.predicate_never", text=show(leaf)))
            elif truth:
                yield hint(path, message("fault.check.predicate_always", text=show(leaf)))


def written(subject: Subject) -> Iterator[tuple[Path, str]]:
    """Every predicate that is a text, with its path."""
    for section in SECTIONS:
        for name, text in subject.section(section).items():
            if isinstance(text, str):
                yield (section, name), text
    for path, value in entries({key: subject.data[key] for key in PLACES if key in subject.data}):
        if path[-1] in KEYS and isinstance(value, str) and _is_predicate(subject, path):
            yield path, value


def _is_predicate(subject: Subject, path: Path) -> bool:
    """`none` and `half` are predicates of a saving throw, and `unless` may be a word of a deed."""
    if path[-1] not in ("none", "half", "unless"):
        return True
    holder: Any = subject.data
    for step in path[:-1]:
        holder = holder[step]
    return isinstance(holder, dict) and (holder.get("kind") == "save" or path[0] == "lasting")


def _comparisons(tree: Expression) -> Iterator[Expression]:
    if isinstance(tree, Compare | Contains):
        yield tree
        return
    for child in children(tree):
        yield from _comparisons(child)


class Known:
    """What is known of names without a table: which words they may be, and between which bounds their numbers are."""

    def __init__(self, subject: Subject) -> None:
        self.words: dict[str, tuple[str, ...]] = {}
        self.least: dict[str, Bounds] = {}
        pack = subject.pack
        self.words["target.kind"] = pack.kinds
        for name, field in pack.facts.items():
            self._field(f"target.{name}", field)
        hit = pack.commands.get("hit")
        for name, field in (hit.fields if hit is not None else {}).items():
            self._field(f"hit.{name}", field)
        if pack.reader is not None:
            words = pack.words
            general = (words.plain, words.spell, words.wound)
            stated = self.words.get("hit.traits", ())
            self.words["hit.words"] = (*words.known, *words.traits, *general, *pack.traits, *stated)

    def _field(self, name: str, field: Field) -> None:
        match field:
            case WordField(of=of) if of:
                self.words[name] = of
            case ListField(of=WordField(of=of)) if of:
                self.words[name] = of
            case NumberField():
                self.least[name] = (min(0, field.least), field.most)
            case EitherField():
                self.least.setdefault(name, (0, None))
            case _:
                pass

    def truth(self, tree: Expression) -> bool | None:
        """What a predicate comes out as; None where that depends on the table."""
        match tree:
            case Flag():
                return tree.value
            case Not():
                truth = self.truth(tree.operand)
                return None if truth is None else not truth
            case Logic():
                return self._joined(tree)
            case Contains(word=Word(value=word), list=Reference(name=name)) if name in self.words:
                return None if word in self.words[name] else False
            case Compare(left=Reference(name=name), right=Word(value=word)) if name in self.words:
                return self._is_word(tree, name, word)
            case Compare(left=Word(value=word), right=Reference(name=name)) if name in self.words:
                return self._is_word(tree, name, word)
            case Compare():
                return self._compared(tree)
            case _:
                return None

    def _joined(self, tree: Logic) -> bool | None:
        truths = (self.truth(tree.left), self.truth(tree.right))
        decides = tree.operator == "or"
        if decides in truths:
            return decides
        return None if None in truths else not decides

    def _is_word(self, tree: Compare, name: str, word: str) -> bool | None:
        if word in self.words[name] or word == "":
            return None
        return tree.operator == "!="

    def _compared(self, tree: Compare) -> bool | None:
        left, right = self._bounds(tree.left), self._bounds(tree.right)
        if left is None or right is None:
            return None
        match tree.operator:
            case "<":
                return _below(left, right, strictly=True)
            case "<=":
                return _below(left, right, strictly=False)
            case ">":
                return _below(right, left, strictly=True)
            case ">=":
                return _below(right, left, strictly=False)
            case "=":
                return False if _apart(left, right) else None
            case "!=":
                return True if _apart(left, right) else None

    def _bounds(self, tree: Expression) -> Bounds | None:
        match tree:
            case Number():
                return tree.value, tree.value
            case Reference(name=name):
                return self.least.get(name, (0, None))
            case _:
                return None


def _below(left: Bounds, right: Bounds, *, strictly: bool) -> bool | None:
    """Whether everything in one range is below everything in another, or nothing is."""
    (least, most), (other_least, other_most) = left, right
    if most is not None and (most < other_least or (not strictly and most == other_least)):
        return True
    if other_most is not None and (least > other_most or (strictly and least == other_most)):
        return False
    return None


def _apart(left: Bounds, right: Bounds) -> bool:
    (least, most), (other_least, other_most) = left, right
    return (most is not None and most < other_least) or (other_most is not None and other_most < least)


LINTS = (constant,)

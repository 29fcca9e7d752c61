"""Blows said in amounts and types: `14 fire + 6 slashing melee`, in every language that the types are known in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gambeson.language.fields import nearest
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Part

if TYPE_CHECKING:
    from gambeson.language.pack import Pack

_TOKEN = re.compile(r"\+|[^\s+,]+")
_WORD = re.compile(r"[^\W\d]\w*\Z")
LONGEST_CALL = 500


def read_parts(text: str, pack: Pack, untyped: str) -> tuple[tuple[Part, ...], tuple[str, ...]] | Refusal:
    """The parts and the traits of a call `N [TYPE] {+ N [TYPE]} [TRAIT ...]`, or why it is none.

    Types and traits are known by their ids and names in every language; other single words are types of their own
    where the pack allows that (its hit takes any word as a type).
    """
    if len(text) > LONGEST_CALL:
        return _refused("refusal.call.long", most=LONGEST_CALL)
    names = {name.casefold(): id for name, id in pack.type_names.items()}
    parts: list[Part] = []
    traits: list[str] = []
    expecting = True
    amount: int | None = None
    for token in _TOKEN.findall(text):
        if token == "+":
            if expecting:
                return _refused("refusal.parts.form", got=token)
            amount, expecting = None, True
        elif token.isdigit() and token.isascii():
            if not expecting:
                return _refused("refusal.parts.form", got=token[:20])
            if len(token) > 10 or int(token) > LARGEST_FIGURE:
                return _refused("fault.field.number", least=0, most=LARGEST_FIGURE, got=token[:20])
            amount, expecting = int(token), False
            parts.append(Part(amount, untyped))
        else:
            word = names.get(token.casefold(), token.casefold())
            if word in pack.traits:
                traits.append(word)
            elif amount is None or not _WORD.match(word):
                return _refused("refusal.parts.form", got=token[:20])
            elif pack.types and word not in pack.types:
                return _refused("refusal.parts.type", got=token[:20], meant=nearest(word, names), known=pack.types)
            else:
                parts[-1] = Part(amount, word)
                amount = None
    if expecting:
        return _refused("refusal.parts.form", got=text[:20])
    return tuple(parts), tuple(dict.fromkeys(traits))


def _refused(id: str, **params: object) -> Refusal:
    return Refusal("", message(id, **params), "call")  # type: ignore[arg-type]

"""Blows said in amounts and types: `14 fire + 6 slashing melee`, in every language that the types are known in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from gambeson.language.fields import nearest
from gambeson.model.messages import Parameter, message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Part

if TYPE_CHECKING:
    from gambeson.language.pack import Pack

_NUMBER = re.compile(r"-?[0-9]+\Z")
_WORD = re.compile(r"[^\W\d]\w*\Z")
LONGEST_CALL = 500
EVERY_TYPE = "all"
NEGATIVE = "refusal.parts.negative"

Read: TypeAlias = tuple[tuple[Part, ...], tuple[str, ...]]


def read_parts(text: str, pack: Pack, untyped: str, negative_rule: str = "") -> Read | Refusal:
    """The parts and the traits of a call `N [TYPE] {+ N [TYPE]} [TRAIT ...]`, or why it is none.

    Types and traits are known by their ids and by their names in every language; where the pack allows it, another
    single word is a type of its own. `negative_rule` is cited for an amount below 0.
    """
    if len(text) > LONGEST_CALL:
        return _refused("refusal.call.long", most=LONGEST_CALL)
    names = _names(pack)
    shares = [share.split() for share in text.casefold().split("+")]
    traits = _traits(shares[-1], pack, names)
    parts = []
    for words in shares:
        part = _part(words, pack, names, untyped, negative_rule)
        if isinstance(part, Refusal):
            return part
        parts.append(part)
    return tuple(parts), traits


def _names(pack: Pack) -> dict[str, str]:
    """Every way to say a type or a trait."""
    known = (*pack.types, *pack.traits)
    return {**{name: id for name, id in pack.type_names.items() if id in known}, **{id: id for id in known}}


def _traits(words: list[str], pack: Pack, names: dict[str, str]) -> tuple[str, ...]:
    """Take the traits off the end of the last share."""
    found: list[str] = []
    at = 1
    while at < len(words):
        id = names.get(" ".join(words[at:]), "")
        if id in pack.traits:
            found.insert(0, id)
            del words[at:]
            at = 1
        else:
            at += 1
    return tuple(dict.fromkeys(found))


def _part(words: Sequence[str], pack: Pack, names: dict[str, str], untyped: str, negative_rule: str) -> Part | Refusal:
    """One share: an amount, and perhaps a type."""
    if not words or not _NUMBER.match(words[0]):
        return _refused("refusal.parts.form", got=" ".join(words)[:20] or "+")
    if words[0].startswith("-"):
        return _refused(NEGATIVE, negative_rule, got=words[0][:20])
    if len(words[0]) > 10 or int(words[0]) > LARGEST_FIGURE:
        return _refused("fault.field.number", least=0, most=LARGEST_FIGURE, got=words[0][:20])
    said = " ".join(words[1:])
    type = names.get(said, said) or untyped
    if type in pack.types or type == untyped:
        return Part(int(words[0]), type)
    if type in pack.traits or type == EVERY_TYPE or not _WORD.match(type) or len(type) > 100:
        return _refused("refusal.parts.form", got=said[:20])
    if pack.types and not pack.other_types:
        return _refused("refusal.parts.type", got=said[:20], meant=nearest(said, names), known=pack.types)
    return Part(int(words[0]), type)


def _refused(id: str, rule: str = "", **params: Parameter) -> Refusal:
    return Refusal(rule, message("refusal.field", field="call", fault=message(id, **params)), "call")


def fields_of_call(pack: Pack, text: str) -> dict[str, object]:
    """The fields of `hit` that a blow in words means: its `call`, or in a game without that field damage and traits.

    What cannot be read is left as it is, for the fields to refuse.
    """
    if "call" in pack.commands["hit"].fields:
        return {"call": text}
    names = _names(pack)
    shares = [share.split() for share in text[:LONGEST_CALL].casefold().split("+")]
    traits = _traits(shares[-1], pack, names)
    damage = []
    for words in shares:
        if not words or not _NUMBER.match(words[0]) or len(words[0]) > 20:
            return {"damage": text[:LONGEST_CALL]}
        said = " ".join(words[1:])
        damage.append({"amount": int(words[0]), **({"type": names.get(said, said)} if said else {})})
    return {"damage": tuple(damage), **({"traits": traits} if traits else {})}

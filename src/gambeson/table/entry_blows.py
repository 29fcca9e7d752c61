"""Blows in words: a call, amounts and types, or numbers with names, as each game says them, typed or said aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gambeson.language.fields import EitherField, Field, FlagField, ListField, NumberField, WordField
from gambeson.language.pack import CommandSpec, Pack
from gambeson.language.part_calls import fields_of_call
from gambeson.language.words import Call
from gambeson.model.messages import message
from gambeson.table.entry_words import LONGEST_NAME, Misunderstood, Vocabulary, folded, initials, is_number
from gambeson.table.spoken import as_typed

HIT, TARGET, CALL, DAMAGE = "hit", "target", "call", "damage"
MOST_SAID = 24
"""Words of a blow that is said in numbers with names."""


def read_blow(pack: Pack, words: Vocabulary, spec: CommandSpec, said: Sequence[str], fields: dict[str, Any]) -> bool:
    """Fill in what the words of a blow say; False where the game says its blows field by field and these are not so."""
    blow = _Blow(pack, words, spec)
    if CALL in spec.fields:
        if not said and CALL not in fields and DAMAGE not in fields:
            raise Misunderstood(message("play.entry.no_blow"))
        blow.read(list(said), fields)
        return True
    if not said:
        return False
    if _is_listed(spec.fields.get(DAMAGE)):
        found = blow.parts(list(said), fields)
    else:
        found = numbers_said(words, spec.fields, " ".join(as_typed(said, plus=False)))
    fields.update({name: value for name, value in found.items() if name not in fields})
    return bool(found)


def _is_listed(field: Field | None) -> bool:
    """Whether damage may be several parts."""
    return isinstance(field, EitherField) and any(isinstance(one, ListField) for one in field.of)


def numbers_said(words: Vocabulary, known: Mapping[str, Field], text: str) -> dict[str, Any]:
    """`power 12, 2 hits` as fields, in games where a blow is said in numbers; nothing where some part is no field."""
    if not isinstance(known.get(DAMAGE), NumberField):
        return {}
    found: dict[str, Any] = {}
    for part in text.split(","):
        split = _named_numbers(words, known, part.split()[:MOST_SAID], found)
        if not split:
            return {}
        found |= split
    return found


def _named_numbers(
    words: Vocabulary, known: Mapping[str, Field], part: Sequence[str], before: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields that some words name with a number each: as one, else the longest first one and what follows."""
    for count in range(len(part), 0, -1):
        first = _named_number(words, known, part[:count])
        if first is None or first[0] in before:
            continue
        if count == len(part):
            return {first[0]: first[1]}
        rest = _named_numbers(words, known, part[count:], {**before, first[0]: first[1]})
        if rest:
            return {first[0]: first[1], **rest}
    return {}


def _named_number(words: Vocabulary, known: Mapping[str, Field], part: Sequence[str]) -> tuple[str, int | bool] | None:
    """A field and its number, in either order; a number alone is damage, a name alone is a flag."""
    numbers = [int(word) for word in part if is_number(word)]
    text = " ".join(word for word in part if not is_number(word))
    if len(numbers) > 1 or len(part) > LONGEST_NAME:
        return None
    name = words.field(text, known) if text else DAMAGE
    if name is None:
        return None
    if numbers:
        return name, numbers[0]
    return (name, True) if isinstance(known[name], FlagField) else None


class _Blow:
    """Reads a blow of a game with calls: what is a word of another field is taken out, the rest is the call."""

    def __init__(self, pack: Pack, words: Vocabulary, spec: CommandSpec) -> None:
        self.pack = pack
        self.words = words
        self.spec = spec

    def parts(self, said: list[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Damage as parts with the traits after them, and the flags that were named."""
        found: dict[str, Any] = {}
        words = as_typed(said, plus=True)
        for name, field in self.spec.fields.items():
            if isinstance(field, FlagField) and name not in given:
                words = self._flag_out(name, words, found)
        return {**fields_of_call(self.pack, " ".join(words)), **found} if words else found

    def read(self, said: list[str], fields: dict[str, Any]) -> None:
        """Fill in the call and the fields that stand beside it."""
        if not said:
            return
        plus = self.pack.reader is None
        if plus:
            said = as_typed(said, plus=True)
        left, found = self._split(said, fields)
        if not plus and left and not self._readable(left):
            for heard in (False, True):
                again, others = self._split(as_typed(said, plus=False, heard=heard), fields)
                if again and self._readable(again):
                    left, found = again, others
                    break
        fields |= found
        if left:
            fields[CALL] = " ".join(left)

    def _split(self, words: list[str], given: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """The words of the call, and the fields that the others say."""
        found: dict[str, Any] = {}
        for name, field in self.spec.fields.items():
            if name in given or self._readable(words):
                continue
            words = self._taken_out(name, field, words, found)
        return words, found

    def _readable(self, words: Sequence[str]) -> bool:
        reader = self.pack.reader
        return reader is not None and bool(words) and isinstance(reader.read(" ".join(words)), Call)

    def _taken_out(self, name: str, field: Field, words: list[str], found: dict[str, Any]) -> list[str]:
        """The words without those that say this field; of several places the one that leaves a call counts."""
        if isinstance(field, FlagField):
            return self._flag_out(name, words, found)
        allowed = _words_of(field)
        places = [
            (at, count, id)
            for count in range(min(LONGEST_NAME, len(words)), 0, -1)
            for at in range(len(words) - count, -1, -1)
            if (id := self._word(" ".join(words[at : at + count]), allowed)) is not None
        ]
        if not places:
            return words
        rests = [(words[:at] + words[at + count :], id) for at, count, id in places]
        rest, id = next(((rest, id) for rest, id in rests if self._readable(rest)), rests[0])
        found[name] = id
        return rest

    def _word(self, text: str, allowed: tuple[str, ...]) -> str | None:
        found = self.words.exact(text, allowed)
        if found is not None or " " in text or len(text) < 2:
            return found
        short = [id for id in allowed if any(initials(name) == folded(text) for name in self.words.names(id))]
        return short[0] if len(short) == 1 else None

    def _flag_out(self, name: str, words: list[str], found: dict[str, Any]) -> list[str]:
        left = [word for word in words if folded(word) not in self.words.names(name)]
        if len(left) < len(words):
            found[name] = True
        return left


def _words_of(field: Field) -> tuple[str, ...]:
    """The words that a field may be, if it may be one of a few words."""
    if isinstance(field, EitherField):
        return tuple(word for one in field.of if isinstance(one, WordField) for word in one.of)
    return field.of if isinstance(field, WordField) else ()


__all__ = ["CALL", "DAMAGE", "HIT", "TARGET", "numbers_said", "read_blow"]

"""Words that a blow may carry: what each does to a hit, and how a shouted call is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

from gambeson.language.fields import nearest, shown
from gambeson.language.predicates import Predicate
from gambeson.language.written_deeds import WordDeed
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Part


class Mark(Struct, frozen=True, forbid_unknown_fields=True):
    """A condition that a word leaves on its target: how long (a written duration), when, and with which tags.

    `unless_immune` names a word: whoever is immune to it is spared this mark. `spell_tags` are added where the hit
    is a spell. `passes`: where the harm of the hit passes, so does this.
    """

    condition: str
    rule: str
    lasts: Any = None
    when: Predicate | None = None
    tags: tuple[str, ...] = ()
    unless_immune: str = ""
    spell_tags: tuple[str, ...] = ()
    passes: bool = False
    facts: dict[str, Any] = {}


class Word(Struct, frozen=True, forbid_unknown_fields=True):
    """One word of a call.

    `kind`: `damage`, `modifier`, `wound` or `effect`. `number`: a number beside it is `allowed` or `refused`;
    `alone`: the points that it deals without one (of several words the most, but 0 where one of them deals none).
    `meets`: lesser words whose requirement it meets; `counts_as`: words whose protections stop it. `spell`: `yes`,
    `no` or `never` (it takes a call that names it out of the spells). `lands`: what of it happens: `hit` (whenever
    the hit is not stopped), `lost` (only with lost points or a wound) or nothing. `location`: where a wound word
    wounds. `does` are its deeds, and what they begin `lasts` so long (a written duration).
    """

    kind: Literal["damage", "modifier", "wound", "effect"]
    rule: str = ""
    number: Literal["allowed", "refused"] = "allowed"
    alone: int = 1
    meets: tuple[str, ...] = ()
    counts_as: tuple[str, ...] = ()
    spell: Literal["yes", "no", "never"] = "no"
    lands: Literal["hit", "lost", ""] = ""
    location: str = ""
    marks: tuple[Mark, ...] = ()
    does: tuple[WordDeed, ...] = ()
    lasts: Any = None


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a game, and the rules that are cited where a call is refused.

    `plain` stands for every damaging call without another damage word; `spell` and `wound` are the words that a
    spell and a wound call carry besides their own; `traits` may be stated but not called. `answers` are shouts
    that are no attack; `aliases` are other ways to say a word.
    """

    known: dict[str, Word]
    rule: str
    wound_rule: str = ""
    number_rule: str = ""
    modifiers: Literal["any", "one"] = "any"
    modifiers_rule: str = ""
    plain: str = "normal"
    spell: str = "spell"
    wound: str = "wound"
    sides: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    sided: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    aliases: dict[str, str] = {}


class Call(Struct, frozen=True):
    """A call that was understood: its number, if one was called, and its words in order of the table."""

    number: int | None
    words: tuple[str, ...]


class Meaning(Struct, frozen=True):
    """What words of a hit come to together.

    `carried` are the words that later stages read, `type` the first damage word ("" if none), `alone` what they deal
    without a number, `wound` the place that they wound, `spell` whether they make it a spell. `never` are the
    refusals in any case, `numbered` those beside a number.
    """

    carried: tuple[str, ...]
    type: str
    alone: int
    wound: str
    spell: bool
    never: tuple[Refusal, ...]
    numbered: tuple[Refusal, ...]


class Struck(Struct, frozen=True):
    """What a call comes to with its number: the damage, the words that later stages read, the place that it wounds.

    `against` are the refusals of these words beside such a number.
    """

    part: Part
    words: tuple[str, ...]
    wound: str
    against: tuple[Refusal, ...]


_SEPARATORS = re.compile(r"[\s,.!]+")
_NUMBER = re.compile(r"[+-]?[0-9]+\Z")
LONGEST_CALL = 500


class CallReader:
    """Reads calls of one pack in every language that its word names are known in."""

    def __init__(self, words: Words, names: Iterable[tuple[str, str]]) -> None:
        """`names` are pairs (word id, name as it is shouted), several for one id."""
        self.words = words
        phrases: dict[tuple[str, ...], str] = {}
        for id in (*words.known, *words.answers, *words.places, *words.sides, words.wound):
            phrases[tuple(id.split("_"))] = id
        for alias, id in words.aliases.items():
            phrases[tuple(alias.split("_"))] = id
        for id, name in names:
            phrases.setdefault(tuple(_tokens(name)), id)
        self._phrases = phrases
        self._longest = max(map(len, phrases), default=1)
        self.read = functools.lru_cache(maxsize=1_000)(self._read)
        self.struck = functools.lru_cache(maxsize=1_000)(self._struck)

    def _struck(self, named: tuple[str, ...], number: int | None, unknown: bool) -> Struck:
        """What these words come to with a number, none, or unknown damage; `struck` remembers."""
        words, meaning = self.words, self.meaning(named)
        amount = 0 if unknown else meaning.alone if number is None else number
        carried = meaning.carried
        if not meaning.type and (amount or (unknown and carried)):
            carried = (*carried, words.plain)
        if meaning.wound:
            carried = (*carried, words.wound)
        if meaning.spell:
            carried = (*carried, words.spell)
        against = meaning.never + (meaning.numbered if number is not None or unknown else ())
        return Struck(Part(amount, meaning.type or words.plain), carried, meaning.wound, against)

    def meaning(self, named: tuple[str, ...]) -> Meaning:
        """What these words come to together."""
        words = self.words
        known = [(word, words.known[word]) for word in named if word in words.known]
        damaging = tuple(word for word, entry in known if entry.kind == "damage")
        spell = words.spell in named or any(entry.spell == "yes" for _, entry in known)
        return Meaning(
            carried=tuple(word for word in named if word != words.spell),
            type=damaging[0] if damaging else "",
            alone=0 if any(entry.alone == 0 for _, entry in known) else max((e.alone for _, e in known), default=1),
            wound=next((entry.location for _, entry in known if entry.kind == "wound"), ""),
            spell=spell and not any(entry.spell == "never" for _, entry in known),
            never=self._never(known),
            numbered=tuple(self._numbered(word, entry) for word, entry in known if entry.number == "refused"),
        )

    def _never(self, known: list[tuple[str, Word]]) -> tuple[Refusal, ...]:
        words = self.words
        refusals = []
        if words.modifiers == "one" and len([entry for _, entry in known if entry.kind == "modifier"]) > 1:
            allowed = tuple(word for word, entry in words.known.items() if entry.kind == "modifier")
            refusals.append(Refusal(words.modifiers_rule, message("refusal.call.modifiers", allowed=allowed), "call"))
        if len([entry for _, entry in known if entry.kind == "wound"]) > 1:
            refusals.append(Refusal(words.wound_rule, message("refusal.call.wound_place"), "call"))
        return tuple(refusals)

    def _numbered(self, word: str, entry: Word) -> Refusal:
        if entry.kind == "wound":
            return Refusal(self.words.wound_rule, message("refusal.call.wound_number"), "call")
        return Refusal(self.words.number_rule, unknown_number(word), "call")

    def _read(self, text: str) -> Call | tuple[Refusal, ...]:
        """The call, or every reason why it is none. Few calls are shouted often: `read` remembers them."""
        words = self.words
        if len(text) > LONGEST_CALL:
            return (Refusal(words.rule, message("refusal.call.long", most=LONGEST_CALL), "call"),)
        numbers: list[str] = []
        found: list[str] = []
        refusals: list[Refusal] = []
        tokens = _tokens(text)
        at = 0
        while at < len(tokens):
            if _NUMBER.match(tokens[at]):
                numbers.append(tokens[at])
                at += 1
                continue
            for length in range(min(self._longest, len(tokens) - at), 0, -1):
                id = self._phrases.get(tuple(tokens[at : at + length]))
                if id is not None:
                    found.append(id)
                    at += length
                    break
            else:
                refusals.append(self._unknown(tokens[at]))
                at += 1
        refusals += [
            Refusal(words.rule, message("refusal.call.answer", word=word), "call")
            for word in found
            if word in words.answers
        ]
        number = self._number(numbers, refusals)
        named = tuple(word for word in found if word in words.known and words.known[word].kind != "wound")
        whole = [word for word in found if word in words.known and words.known[word].kind == "wound"]
        wounds = self._wound(found, whole, number, refusals)
        if refusals:
            return tuple(refusals)
        return Call(number, tuple(dict.fromkeys((*named, *wounds))))

    def _number(self, numbers: list[str], refusals: list[Refusal]) -> int | None:
        rule = self.words.rule
        if len(numbers) > 1:
            refusals.append(
                Refusal(rule, message("refusal.call.numbers", numbers=tuple(n[:12] for n in numbers[:5])), "call")
            )
            return None
        if not numbers:
            return None
        if len(numbers[0]) > 12 or not numbers[0].isdigit() or not 1 <= int(numbers[0]) <= LARGEST_FIGURE:
            refusals.append(
                Refusal(rule, message("refusal.call.number", number=numbers[0][:12], most=LARGEST_FIGURE), "call")
            )
            return None
        return int(numbers[0])

    def _wound(
        self, found: list[str], whole: list[str], number: int | None, refusals: list[Refusal]
    ) -> tuple[str, ...]:
        words = self.words
        places = [word for word in found if word in words.places]
        sides = [word for word in found if word in words.sides]
        places, sides = list(dict.fromkeys(places)), list(dict.fromkeys(sides))
        wound = words.wound in found
        if not wound and not whole:
            if places or sides:
                refusals.append(self._wound_refusal("refusal.call.place_without_wound", word=(places + sides)[0]))
            return ()
        if number is not None:
            refusals.append(self._wound_refusal("refusal.call.wound_number"))
        named = list(dict.fromkeys(whole))
        if places or sides or not named:
            if len(places) != 1 or len(sides) > 1:
                refusals.append(self._wound_refusal("refusal.call.wound_place"))
                return ()
            if (places[0] in words.sided) != bool(sides):
                refusals.append(self._wound_refusal("refusal.call.wound_side", place=places[0]))
                return ()
            named.append("_".join((*sides, *places, words.wound)))
        if len(set(named)) > 1:
            refusals.append(self._wound_refusal("refusal.call.wound_place"))
            return ()
        return (named[0],)

    def _wound_refusal(self, id: str, **params: Any) -> Refusal:
        return Refusal(self.words.wound_rule, message(id, **params), "call")

    def _unknown(self, token: str) -> Refusal:
        known = (*self.words.known, *self.words.sides, *self.words.places)
        got = shown(token).strip("'")
        return Refusal(
            self.words.rule,
            message(
                "refusal.call.unknown", word=got, meant=nearest(token, known), known=tuple(sorted(self.words.known))
            ),
            "call",
        )


def _tokens(text: str) -> list[str]:
    return [token for token in _SEPARATORS.split(text.casefold()) if token]


def protected(known: dict[str, Word], words: tuple[str, ...], listed: tuple[str, ...]) -> str:
    """The first word of a hit that is listed, by itself or by what it counts as; "" if none is."""
    for word in words:
        if word in listed:
            return word
        entry = known.get(word)
        if entry is not None and entry.counts_as and any(other in listed for other in entry.counts_as):
            return word
    return ""


def meets(known: dict[str, Word], words: tuple[str, ...], required: tuple[str, ...]) -> bool:
    """Whether one of the words meets a requirement for one of the listed words."""
    for word in words:
        if word in required:
            return True
        entry = known.get(word)
        if entry is not None and any(lesser in required for lesser in entry.meets):
            return True
    return False


def unknown_number(what: str) -> Message:
    """The refusal of a number beside a word that never deals damage."""
    return message("refusal.call.never_damage", word=what)

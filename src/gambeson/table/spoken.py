"""What is said aloud, as it would be typed: numbers in words become digits, in every language that has words for them.

"four silver pierce" is `4 silver pierce`, "сто двадцать огнём и шесть рубящим" is `120 огнём + 6 рубящим`. The words
stand in the texts: `play.number.N`; `play.heard.N`, what a device may hear instead of the first word of a call;
`play.say.plus` and `play.say.filler`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from gambeson.games import texts
from gambeson.games.loading import LANGUAGES
from gambeson.table.entry_words import folded, words_for

HUNDRED, THOUSAND = 100, 1000
_STOPS = (",", ";", ".")


@functools.lru_cache(maxsize=2)
def _numbers(family: str) -> dict[str, int]:
    """Each word of a family of number words with its value."""
    ids = dict.fromkeys(id for lang in LANGUAGES for id in texts(None, lang).ids if id.startswith(family))
    return {word: int(id.removeprefix(family)) for id in ids for word in words_for(id)}


def _bare(word: str) -> str:
    """A word without the commas and stops of a sentence."""
    return folded(word.strip(",.;:!?"))


def number_said(words: Sequence[str]) -> tuple[int, int] | None:
    """How many of the first words are one number in words, and which; None where they are none."""
    known = _numbers("play.number.")
    thousands = below = count = 0
    room = THOUSAND
    while count < len(words):
        step = 2 if count and room in (HUNDRED, THOUSAND) and _bare(words[count]) in words_for("play.say.and") else 1
        value = _value(_bare(words[count + step - 1]), known) if count + step <= len(words) else None
        if value == THOUSAND and not thousands and (below or not count):
            thousands, below, room = (below or 1) * THOUSAND, 0, THOUSAND
        elif value == HUNDRED and 0 < below < 10:
            below, room = below * HUNDRED, HUNDRED
        elif value is not None and value < room:
            below, room = below + value, _room(value)
        else:
            break
        count += step
        if words[count - 1][-1:] in _STOPS:
            break
    return (count, thousands + below) if count else None


def _value(word: str, known: dict[str, int]) -> int | None:
    """A number word, also one with a hyphen: twenty-four."""
    if word in known:
        return known[word]
    tens, hyphen, ones = word.partition("-")
    if hyphen and tens in known and ones in known and known[tens] % 10 == 0 and known[ones] < 10:
        return known[tens] + known[ones]
    return None


def _room(value: int) -> int:
    """Below what a number word must be to follow on this one in the same number: after twenty come one to nine."""
    if value >= HUNDRED:
        return HUNDRED
    return 10 if value >= 20 else 0


def as_typed(words: Sequence[str], plus: bool, heard: bool = False) -> list[str]:
    """The words of a blow with digits for numbers and without words that only join others.

    `plus`: what joins two amounts becomes `+`. `heard`: the first word may be what a device hears for a number.
    """
    found: list[str] = []
    at = 0
    while at < len(words):
        said = number_said(words[at:])
        alike = _numbers("play.heard.").get(_bare(words[at])) if heard and at == 0 else None
        if said is not None:
            found.append(str(said[1]) + _stop(words[at + said[0] - 1]))
            at += said[0]
            continue
        if alike is not None:
            found.append(str(alike))
        elif plus and found and _joins(words, at):
            found.append("+")
        elif _bare(words[at]) not in words_for("play.say.filler"):
            found.append(words[at])
        at += 1
    return found


def _stop(word: str) -> str:
    return "," if word[-1:] in _STOPS else ""


def _joins(words: Sequence[str], at: int) -> bool:
    """Whether a word stands between two amounts: plus, or "and" before a number."""
    word, rest = _bare(words[at]), words[at + 1 :]
    if not rest or not (rest[0][:1].isdigit() or number_said(rest) is not None):
        return False
    return word in words_for("play.say.plus") or word in words_for("play.say.and")

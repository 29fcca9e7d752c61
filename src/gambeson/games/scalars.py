"""Scalars: the YAML 1.2 core schema without octal and hexadecimal numbers, with underscores between digits."""

from __future__ import annotations

import re

DIGITS_LIMIT = 100

_UNPRINTABLE = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
FORBIDDEN_ESCAPED = re.compile(f"[{_UNPRINTABLE}]")
FORBIDDEN = re.compile(rf"[{_UNPRINTABLE}\x85\u2028\u2029\ufeff]")  # YAML would count lines as no editor does

_CONSTANTS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_DIGITS = "[0-9]+(?:_[0-9]+)*"
_INTEGER = re.compile(rf"[-+]?{_DIGITS}")
_NUMBER = re.compile(rf"[-+]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?[0-9]+)?")
_NUMBER_START = frozenset("0123456789+-.")


def plain(text: str) -> str | int | float | bool | None:
    """What a scalar without quotes means; raises ValueError for an integer of absurd length."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMBER_START or not _NUMBER.fullmatch(text):
        return text
    if not _INTEGER.fullmatch(text):
        return float(text)
    if len(text) > DIGITS_LIMIT:
        raise ValueError(text)
    return int(text)


def is_other_than_text(key: str) -> bool:
    """Whether a key without quotes means a fraction, truth value or null; an integer stays the text it is."""
    if key not in _CONSTANTS and key[0] not in _NUMBER_START:
        return False
    return not _INTEGER.fullmatch(key) and not isinstance(plain(key), str)

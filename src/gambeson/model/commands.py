"""What people say to the referee: commands and answers."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.model.values import REFEREE, Facts


class Command(Struct, frozen=True, omit_defaults=True):
    """One command with its fields as they were given; `by` is an entity id or `referee`."""

    name: str
    fields: Facts = {}
    by: str = REFEREE


class Read(Struct, frozen=True):
    """What a reading made of the dice of the question with this key, in place of dice.

    Whoever lists all outcomes of a roll answers with it; it is never written to a log.
    """

    key: str
    value: Any


class Answer(Struct, frozen=True, omit_defaults=True):
    """An answer to the question with this key: the id of an option, or the faces of the dice that were rolled."""

    key: str
    value: str | tuple[int, ...]
    by: str = REFEREE

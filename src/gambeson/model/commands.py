"""What people say to the referee: commands and answers."""

from __future__ import annotations

from msgspec import Struct

from gambeson.model.values import REFEREE, Facts


class Command(Struct, frozen=True, omit_defaults=True):
    """One command with its fields as they were given; `by` is an entity id or `referee`."""

    name: str
    fields: Facts = {}
    by: str = REFEREE


class Answer(Struct, frozen=True, omit_defaults=True):
    """An answer to the question with this key: the id of an option, or the faces of the dice that were rolled."""

    key: str
    value: str | tuple[int, ...]
    by: str = REFEREE

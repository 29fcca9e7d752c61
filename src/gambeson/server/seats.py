"""Who sits at a table, what opens a seat, and for whom a seat may act."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from gambeson.engine.views import PLAYER, SCREEN, Viewer
from gambeson.model.errors import GambesonError
from gambeson.model.values import REFEREE
from gambeson.table.seeing import REFEREES_OWN
from gambeson.table.stores import SeatRecord
from gambeson.table.stores.base import unguessable

ACTORS = ("actor", "attacker", "caster", "item_holder", "model", "who")
"""Fields that say who acts."""

OWN_TARGET = ("end",)
"""Commands whose target must be the seat's own."""

LONGEST_NAME = 100


class NotYours(GambesonError):
    """A seat acts for somebody else."""


def new_token() -> str:
    """A token of 192 random bits."""
    return unguessable(24)


def hashed(token: str) -> str:
    """The form in which a token is kept."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def viewer_of(seat: SeatRecord) -> Viewer:
    """Who looks from this seat."""
    return Viewer(seat.role, seat.entities)


def role_of(name: str) -> str:
    """The role of the seat with this name."""
    return name if name in (REFEREE, SCREEN) else PLAYER


def good_name(name: str) -> bool:
    """Whether a seat, a table or a client's id may be called so: printable, not blank, not too long."""
    return 0 < len(name) <= LONGEST_NAME and bool(name.strip()) and printable(name)


def printable(text: str) -> bool:
    """Whether a text has no control characters and nothing that is no character."""
    return not any(unicodedata.category(letter) in ("Cc", "Cs", "Cn") for letter in text)


def first_seats(table: str, players: Mapping[str, Iterable[str]]) -> tuple[tuple[SeatRecord, str], ...]:
    """The seats of a new table, each with its token: the referee, the screen and the players."""
    named = {REFEREE: (), SCREEN: (), **{name: tuple(ids) for name, ids in players.items()}}
    return tuple(issued(table, name, ids) for name, ids in named.items())


def issued(table: str, name: str, entities: tuple[str, ...]) -> tuple[SeatRecord, str]:
    """A seat with a new token."""
    token = new_token()
    return SeatRecord(table, name, role_of(name), entities, hashed(token)), token


def acting(seat: SeatRecord, name: str, fields: Mapping[str, Any], by: str, known: Mapping[str, Any]) -> str:
    """For whom a seat gives a command: `by`, or whoever it must be. Raises NotYours.

    `known` are the entities that the seat sees; what else is named is no business of this check.
    """
    if seat.role == REFEREE:
        return by or REFEREE
    if seat.role == SCREEN or not seat.entities or name in REFEREES_OWN or (by and by not in seat.entities):
        raise NotYours
    actors = [id for field in ACTORS for id in _ids(fields.get(field)) if id in known or id == "all"]
    if any(actor not in seat.entities for actor in actors):
        raise NotYours
    target, source = fields.get("target"), fields.get("source")
    if name in OWN_TARGET and target in known and target not in seat.entities:
        raise NotYours
    if name == "hit" and target not in seat.entities and source in known and source not in seat.entities:
        raise NotYours
    if by:
        return by
    if actors:
        return actors[0]
    return target if target in seat.entities else seat.entities[0]


def _ids(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(id for id in value if isinstance(id, str)) if isinstance(value, list | tuple | dict) else ()


def undoing(seat: SeatRecord, able: Iterable[str]) -> str:
    """For whom a seat undoes: the first of `able` (those who may), else its first entity. Raises NotYours."""
    if seat.role == REFEREE:
        return REFEREE
    if seat.role == SCREEN or not seat.entities:
        raise NotYours
    return next(iter(able), seat.entities[0])


def command_of(written: Mapping[str, Any]) -> tuple[str, Any, str]:
    """(name, fields, by) of a command as it is sent: `{"hit": {...}}`, perhaps with `by`. Raises ValueError."""
    by = written.get("by", "")
    names = [key for key in written if key != "by"]
    if len(names) != 1 or not isinstance(by, str):
        raise ValueError("a command is one name with its fields, and perhaps `by`")
    fields = written[names[0]]
    if names[0] not in ("answer", "roll") and not isinstance(fields, dict):
        raise ValueError(f"the fields of {names[0][:50]} must be a mapping")
    return names[0], fields, by

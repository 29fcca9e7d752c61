"""Casting: a spell of the catalogue is cast, paid for and carried out deed by deed."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct


class Spell(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the catalogue."""

    level: int = 1


class Cast(Struct, frozen=True, forbid_unknown_fields=True, tag="cast"):
    """Cast a spell."""

    SPELL: ClassVar[Any] = Spell

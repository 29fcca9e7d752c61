"""The outer shape of a pack: what each section is before anything in it is looked at."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

Mapping: TypeAlias = dict[str, Any]
Words: TypeAlias = tuple[str, ...]
Readings: TypeAlias = Annotated[tuple[str, ...], Meta(min_length=1)]


class CommandShape(Struct, frozen=True, forbid_unknown_fields=True, rename={"given": "with"}):
    """A command as it is written: what does it, with which data, whom it may not touch, what is said with it."""

    does: str = ""
    given: Mapping | None = None
    bars: tuple[Mapping, ...] = ()
    fields: dict[str, Mapping] = {}
    referee: bool = False


class DeclaredVariant(Struct, frozen=True):
    """Of a variant what must be known before any reading is chosen."""

    readings: Readings


class WordsShape(Struct, frozen=True):
    """Of the words of a game what is looked at one by one."""

    known: dict[str, Mapping]


SHAPES: dict[str, Any] = {
    "game": str,
    "licence": str | Words,
    "kinds": Annotated[Words, Meta(min_length=1)],
    "life": str,
    "types": Words,
    "traits": Words,
    "extras": Words,
    "values": Words,
    "always_shown": Words,
    "open_rules": dict[str, str],
    "values_rule": str,
    "gone_rule": str,
    "ids_rule": str,
    "profile_key": str,
    "figure_rounding": str,
    "refusals": str,
    "preventions": bool,
    "other_types": bool,
    "rules": dict[str, Mapping],
    "variants": dict[str, DeclaredVariant],
    "facts": dict[str, Mapping],
    "layers": dict[str, Mapping],
    "words": WordsShape,
    "clock": dict[str, Mapping],
    "procedure": tuple[Mapping, ...],
    "follows": tuple[Mapping, ...],
    "standing": tuple[Mapping, ...],
    "commands": dict[str, CommandShape],
    "spells": dict[str, Mapping],
    "lasting": dict[str, Mapping],
    "moments": dict[str, Mapping],
    "profiles": dict[str, Mapping],
    "condition_changes": dict[str, tuple[Mapping, ...]],
    "watchers": dict[str, Words],
    "effects": Mapping,
}
"""The shape of each section; those that are not named here are looked at whole."""

REQUIRED = ("game",)
MOST_ENTRIES = 5_000
"""Entries that a section may have."""

"""What a command proposes to the list of legal commands: who gives it, what is fixed, what is left open."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.model.values import Facts


class Open(Struct, frozen=True):
    """A field that is left open and the values to try. `listed`: it takes a list of them, up to `most`.

    An `optional` field may stay away. `ordered`: what may stand first in the list differs from what may follow.
    """

    field: str
    values: tuple[Any, ...]
    listed: bool = False
    most: int = 1
    optional: bool = False
    ordered: bool = False


class Offer(Struct, frozen=True):
    """One way to give a command: the actor, the fields that are fixed, those left open, and what it costs by layer."""

    actor: str
    fields: Facts
    open: tuple[Open, ...] = ()
    costs: dict[str, int] = {}

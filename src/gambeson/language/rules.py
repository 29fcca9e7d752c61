"""Citations: each rule of a game with its status and source, and the named readings of what sources leave open."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule: what its authority is (`seed`, `source` or `reading`), where it stands, which variants touch it.

    `code` names what of it stands in Python, if anything does.
    """

    status: Literal["seed", "source", "reading"]
    source: str
    variants: tuple[str, ...] = ()
    code: str = ""


class Variant(Struct, frozen=True, forbid_unknown_fields=True):
    """A question that the sources leave open: its readings, the active one first."""

    rule: str
    readings: tuple[str, ...]

    @property
    def active(self) -> str:
        """The reading that counts unless another is chosen."""
        return self.readings[0]

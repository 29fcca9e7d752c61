"""Turns that each creature takes on its own: whose runs, and what a turn stands for in clock time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from gambeson.model.values import Until

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication

OWNER = "turn"
"""The fact of the table that names whose turn runs."""


class OwnTurns(Struct, frozen=True, forbid_unknown_fields=True):
    """Moments `start` and `end` belong to one creature each; a turn is `seconds` of the clock.

    `counts`: durations in turns also run while the clock moves, and durations in time also while turns do.
    """

    rule: str
    start: str = "turn_start"
    end: str = "turn_end"
    seconds: int = 6
    counts: bool = True


def whose_turn(turn: Adjudication) -> str:
    """The id of the creature whose turn runs, or ""."""
    owner: str = turn.state.facts.get(OWNER, "")
    return owner if owner in turn.state.entities else ""


def clocked(turn: Adjudication, end: Until | None) -> bool:
    """Whether the clock alone brings this end."""
    if end is None:
        return False
    turns = turn.pack.own_turns
    return end.kind == "clock" or (end.due > 0 and turns is not None and turns.counts)


def is_timed(end: Until) -> bool:
    """Whether an end is one in time or in turns."""
    return end.kind == "clock" or (end.kind == "moment" and bool(end.whose))

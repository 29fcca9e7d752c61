"""How long things last: a closed set of ends, each of which a pack or a person can write and a page can say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gambeson.model.messages import Message, message
from gambeson.model.values import Until

HIT = "hit"
"""The end that comes with the next hit, also with a stopped one."""

SECONDS = {"hours": 3600, "minutes": 60, "rounds": 6}


def ends(written: Any, clock: int) -> tuple[Until, ...]:
    """The ends that were written, one or a list of them; what comes first ends it."""
    if isinstance(written, list | tuple):
        return tuple(end for one in written for end in ends(one, clock))
    end = until(written, clock)
    return (end,) if end is not None else ()


def until(written: Any, clock: int) -> Until | None:
    """The end that was written, counted from `clock` (seconds); None where nothing was written."""
    if written is None:
        return None
    if isinstance(written, str):
        return Until(written) if written in ("spent", "ended", HIT) else Until("moment", moment=written)
    unit, count = next(iter(written.items()))
    if unit not in SECONDS:
        times = written.get("count", 1)
        return Until("moment", moment=unit, whose=count, count=times, due=clock + SECONDS["rounds"] * times)
    return Until("clock", due=clock + SECONDS[unit] * count)


def written(end: Until | None, clock: int) -> Any:
    """The end as results show it: the word, or the clock time that is left."""
    if end is None:
        return None
    if end.kind == "clock":
        left = max(0, end.due - clock)
        return {"minutes": left // 60} if left % 60 == 0 else {"rounds": -(-left // 6)}
    if end.whose:
        return {end.moment: end.whose, "count": end.count}
    return end.moment if end.kind == "moment" else end.kind


def said(end: Until | None, clock: int, named: Callable[[str], str] = str) -> Message:
    """The end in words; `named` gives the name of the entity whose moment it is."""
    if end is None:
        return message("duration.default")
    if end.kind == "clock":
        left = max(0, end.due - clock)
        if left % 60:
            return message("duration.rounds", rounds=-(-left // 6))
        if left % 3600 == 0 and left:
            return message("duration.hours", hours=left // 3600)
        return message("duration.minutes", minutes=left // 60)
    if end.kind == "moment" and end.whose:
        count = end.count if end.count > 1 else None
        return message("duration.turn", moment=end.moment, whose=named(end.whose), count=count)
    if end.kind == "moment":
        return message("duration.moment", moment=end.moment)
    return message(f"duration.{end.kind}")

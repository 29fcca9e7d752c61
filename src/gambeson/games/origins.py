"""From a place in a pack's data, once readings and repeats are filled in, back to the place where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gambeson.games.repeats import SAME
from gambeson.games.variants import BY, ONLY
from gambeson.model.errors import Path


def origin(data: Any, readings: Mapping[str, str], path: Path) -> Path:
    """The path in the written data of what has this path under these readings; what leads nowhere is kept as it is."""
    value, place = _chosen(data, readings, ())
    for at, step in enumerate(path):
        if isinstance(value, dict) and SAME in value and step not in value:
            value, place = _repeated(data, readings, str(value[SAME]))
        if isinstance(value, list) and isinstance(step, int):
            step = _written_index(value, readings, step)
        if not _holds(value, step):
            return (*place, *path[at:])
        value, place = _chosen(value[step], readings, (*place, step))
    return place


def _chosen(value: Any, readings: Mapping[str, str], place: Path) -> tuple[Any, Path]:
    """The value through every choice by a reading, and where it stands."""
    while isinstance(value, dict) and BY in value:
        reading = readings.get(str(value[BY]), "")
        key = reading if reading in value else "else"
        if key not in value:
            break
        value, place = value[key], (*place, key)
    return value, place


def _repeated(data: Any, readings: Mapping[str, str], named: str) -> tuple[Any, Path]:
    """What a repeat names, and where that stands."""
    value, place = _chosen(data, readings, ())
    for step in named.split("."):
        if not _holds(value, step):
            break
        value, place = _chosen(value[step], readings, (*place, step))
    return value, place


def _written_index(listed: list[Any], readings: Mapping[str, str], index: int) -> int:
    """The index in the written list of the entry that is the `index`-th under these readings."""
    kept = [at for at, entry in enumerate(listed) if not isinstance(entry, dict) or _stays(entry.get(ONLY), readings)]
    return kept[index] if 0 <= index < len(kept) else index


def _stays(only: Any, readings: Mapping[str, str]) -> bool:
    if not isinstance(only, dict):
        return True
    return all(
        readings.get(name) in (allowed if isinstance(allowed, list) else [allowed]) for name, allowed in only.items()
    )


def _holds(value: Any, step: str | int) -> bool:
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)

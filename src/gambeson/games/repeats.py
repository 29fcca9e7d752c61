"""Repeats in a pack's data: what is written once is meant again elsewhere by naming its place."""

from __future__ import annotations

from typing import Any

from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import message
from gambeson.model.values import LARGEST_FIGURE

SAME = "same_as"
LONGEST_CHAIN = 8
"""Repeats of repeats."""
DEEPEST = 60
MOST_VALUES = 300_000


def repeated(data: Any) -> Any:
    """The data, frozen, with every `{same_as: PLACE, KEY: value}` replaced by the mapping there, these keys changed.

    A place is a path of keys (`layers.wards.extras`) to a mapping, which may repeat another in turn. Raises Unusable
    where there is none, and where repeats run in a circle or make more of the data than can be worked with.
    """
    return _Filling(data).filled(data, ())


class _Filling:
    """One pass over a pack's data; counts what comes of it."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        self.values = 0

    def filled(self, value: Any, path: Path) -> Any:
        if not isinstance(value, dict | list):
            return value
        if isinstance(value, dict) and SAME in value:
            value = self.meant(value, path)
        self.values += len(value)
        if self.values > MOST_VALUES or len(path) > DEEPEST:
            raise Unusable((Fault(path, message("fault.pack.repeats", most=MOST_VALUES, deepest=DEEPEST)),))
        if isinstance(value, dict):
            return {
                key: entry if entry.__class__ is str else self.entry(entry, (*path, key))
                for key, entry in value.items()
            }
        listed = [
            entry if entry.__class__ is str else self.entry(entry, (*path, index)) for index, entry in enumerate(value)
        ]
        return tuple(listed)

    def entry(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict | list):
            return self.filled(value, path)
        if isinstance(value, int) and not -LARGEST_FIGURE <= value <= LARGEST_FIGURE:
            raise Unusable((Fault(path, message("fault.pack.too_large", most=LARGEST_FIGURE)),))
        return value

    def meant(self, value: dict[str, Any], path: Path) -> dict[str, Any]:
        """What a repeat means, its own keys over those that it names."""
        for _ in range(LONGEST_CHAIN):
            if SAME not in value:
                return value
            own = {key: entry for key, entry in value.items() if key != SAME}
            value = {**self.at(value[SAME], (*path, SAME)), **own}
        raise Unusable((Fault((*path, SAME), message("fault.pack.repeats", most=MOST_VALUES, deepest=DEEPEST)),))

    def at(self, place: Any, path: Path) -> dict[str, Any]:
        found = self.whole
        for key in str(place).split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            raise Unusable((Fault(path, message("fault.pack.same_as", place=str(place))),))
        return found

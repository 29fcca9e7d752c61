"""Repeats in a pack's data: what is written once is meant again elsewhere by naming its place."""

from __future__ import annotations

from typing import Any

from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import message

SAME = "same_as"


def repeated(data: Any) -> Any:
    """The data with every `{same_as: PLACE, KEY: value}` replaced by the mapping at that place, these keys changed.

    A place is a path of keys (`layers.wards.extras`) to a mapping that is no repeat itself. Raises Unusable.
    """
    return _filled(data, data, ())


def _filled(value: Any, whole: Any, path: Path) -> Any:
    if isinstance(value, dict):
        if SAME in value:
            own = {key: entry for key, entry in value.items() if key != SAME}
            value = {**_at(whole, value[SAME], (*path, SAME)), **own}
        return {key: _filled(entry, whole, (*path, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(entry, whole, (*path, index)) for index, entry in enumerate(value)]
    return value


def _at(whole: Any, place: Any, path: Path) -> dict[str, Any]:
    found = whole
    for key in str(place).split("."):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict) or SAME in found:
        raise Unusable((Fault(path, message("fault.pack.same_as", place=str(place))),))
    return found

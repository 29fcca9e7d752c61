"""Readings in a pack's data: a value may depend on a variant, a list entry may be there under some readings only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gambeson.language.fields import not_among
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import message

BY, ONLY = "by_variant", "only"


def resolved(data: Any, readings: Mapping[str, str], path: Path = ()) -> Any:
    """The data with every `{by_variant: NAME, READING: value, ...}` replaced by the value of the reading in force.

    In a list, a mapping with `only: {VARIANT: [READING, ...]}` stays only under one of these readings.
    Raises Unusable where a variant or reading is unknown.
    """
    if isinstance(data, dict):
        if BY in data:
            return resolved(_chosen(data, readings, path), readings, path)
        return {
            key: resolved(value, readings, (*path, key)) if isinstance(value, dict | list) else value
            for key, value in data.items()
        }
    if isinstance(data, list):
        kept = []
        for index, item in enumerate(data):
            if isinstance(item, dict) and ONLY in item:
                if not _holds(item[ONLY], readings, (*path, index, ONLY)):
                    continue
                item = {key: value for key, value in item.items() if key != ONLY}
            kept.append(resolved(item, readings, (*path, index)) if isinstance(item, dict | list) else item)
        return kept
    return data


def _chosen(data: dict[str, Any], readings: Mapping[str, str], path: Path) -> Any:
    name = data[BY]
    if not isinstance(name, str) or name not in readings:
        raise Unusable((Fault((*path, BY), not_among(str(name), tuple(readings))),))
    reading = readings[name]
    if reading in data:
        return data[reading]
    if "else" in data:
        return data["else"]
    raise Unusable((Fault(path, message("fault.pack.no_reading", variant=name, reading=reading)),))


def _holds(only: Any, readings: Mapping[str, str], path: Path) -> bool:
    if not isinstance(only, dict):
        raise Unusable((Fault(path, message("fault.pack.only")),))
    for name, allowed in only.items():
        if name not in readings:
            raise Unusable((Fault((*path, name), not_among(str(name), tuple(readings))),))
        if readings[name] not in (allowed if isinstance(allowed, list) else [allowed]):
            return False
    return True

"""What a simulation varies: the values, their combinations, and the data of one cell."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Mapping
from typing import Any

from gambeson.language.fields import shown
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import message

CELLS_MOST = 10_000
_RANGE = re.compile(r"\s*([0-9]{1,10})\s*\.\.\s*([0-9]{1,10})\s*\Z")


def read_vary(value: Any, faults: list[Fault]) -> dict[str, tuple[Any, ...]]:
    if not isinstance(value, dict):
        faults.append(Fault(("vary",), message("fault.simulation.mapping")))
        return {}
    found: dict[str, tuple[Any, ...]] = {}
    cells = 1
    for name, given in value.items():
        values, many = _values(given), _many(given)
        if many > CELLS_MOST:
            faults.append(Fault(("vary", name), message("fault.simulation.cells", cells=many, most=CELLS_MOST)))
            continue
        if not values:
            faults.append(Fault(("vary", name), message("fault.simulation.values", got=shown(given))))
            continue
        found[name] = values
        cells *= len(values)
    if cells > CELLS_MOST:
        faults.append(Fault(("vary",), message("fault.simulation.cells", cells=cells, most=CELLS_MOST)))
    return found


def _many(given: Any) -> int:
    """How many values are written, before any of them is made."""
    between = _RANGE.match(given) if isinstance(given, str) else None
    return int(between[2]) - int(between[1]) + 1 if between is not None else 0


def _values(given: Any) -> tuple[Any, ...]:
    if isinstance(given, list) and not any(isinstance(entry, list | dict) for entry in given):
        return tuple(given)
    between = _RANGE.match(given) if isinstance(given, str) else None
    if between is None:
        return ()
    first, last = int(between[1]), int(between[2])
    return tuple(range(first, last + 1)) if first <= last < first + CELLS_MOST else ()


def combinations(vary: dict[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def cell_data(data: dict[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The data of one cell. Raises Unusable where a name leads nowhere."""
    if not chosen:
        return data
    changed: dict[str, Any] = copy.deepcopy({key: value for key, value in data.items() if key != "vary"})
    for name, value in chosen.items():
        keys = name.split(".") if "." in name else ["target", "pools", name]
        at: Any = changed
        for key in keys[:-1]:
            at = _below(at, key, name)
        last = keys[-1]
        if isinstance(at, list):
            if not last.isdigit() or int(last) >= len(at):
                raise _nowhere(name)
            at[int(last)] = value
        elif not isinstance(at, dict):
            raise _nowhere(name)
        elif keys[-2:-1] == ["pools"] and isinstance(at.get(last), dict):
            pool = at[last]
            pool["current"] = value
            if type(pool.get("maximum")) is int and type(value) is int:
                pool["maximum"] = max(pool["maximum"], value)
        else:
            at[last] = value
    return changed


def _below(at: Any, key: str, name: str) -> Any:
    if isinstance(at, list) and key.isdigit() and int(key) < len(at):
        return at[int(key)]
    if isinstance(at, dict):
        return at.setdefault(key, {})
    raise _nowhere(name)


def _nowhere(name: str) -> Unusable:
    return Unusable((Fault(("vary", name), message("fault.simulation.nowhere", got=name)),))


def of_cell(fault: Fault, chosen: dict[str, Any]) -> Fault:
    """A fault that a varied value has brought stands where the value is written."""
    for name in chosen:
        keys: Path = tuple(name.split(".")) if "." in name else ("target", "pools", name)
        if tuple(map(str, fault.path[: len(keys)])) == keys:
            return Fault(("vary", name), fault.message)
    return fault

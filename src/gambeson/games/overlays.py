"""Packs that extend a game: what they choose, add, move, replace and drop, laid over the game's own data in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gambeson.games.documents import Document, Faults, placed
from gambeson.games.overlay_stages import arranged
from gambeson.games.repeats import SAME
from gambeson.games.variants import BY
from gambeson.language.fields import nearest, not_among, shown
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import Message, message

EXTENDS, CHOOSE, STAGES, DROP = "extends", "choose", "stages", "drop"
OWN = (EXTENDS, CHOOSE, STAGES, DROP)
"""Sections that only a pack which extends another has."""

MOST_CHANGES = 500
"""Stages that one pack changes, and places that it drops."""
MOST_EXTENDED = 16
"""Packs that one pack names."""
MOST_SHOWN = 30
TOLD = ("about", "sources", "licence")
"""Sections that say what a pack is; those of a pack that extends another stand beside, not in place of, the game's."""


def extended(data: Any) -> tuple[str, ...]:
    """The names of what a pack extends, in order; none for a game of its own."""
    named = data.get(EXTENDS, []) if isinstance(data, dict) else []
    return tuple(named) if isinstance(named, list) else (named,)


def extends_faults(data: Any) -> tuple[Fault, ...]:
    """What is wrong with the way in which a pack says what it extends."""
    if not isinstance(data, dict) or EXTENDS not in data:
        return ()
    named = data[EXTENDS] if isinstance(data[EXTENDS], list) else [data[EXTENDS]]
    if 0 < len(named) <= MOST_EXTENDED and all(isinstance(name, str) and name for name in named):
        return ()
    return (Fault((EXTENDS,), message("fault.overlay.extends", most=MOST_EXTENDED)),)


def laid_over(base: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """A game's data with one pack's laid over it. Raises Unusable with every fault at its place in the pack."""
    faults = Faults()
    data = document.data
    assert isinstance(data, dict)
    joined = dict(base)
    try:
        for at, place in enumerate(_listed(data, DROP, faults)):
            _dropped(joined, place, (DROP, at), faults)
        for key, value in data.items():
            if key not in OWN and key not in TOLD:
                joined[key] = _over(joined.get(key), value)
        joined["licence"] = [*_as_list(base.get("licence")), *_licence(data, faults)]
        if STAGES in data and isinstance(joined.get("procedure", []), list):
            joined["procedure"] = arranged(joined, _listed(data, STAGES, faults), faults)
        if CHOOSE in data:
            joined["variants"] = _chosen(joined.get("variants", {}), data[CHOOSE], faults)
    except Unusable:
        pass  # there are so many faults that the rest is not looked at
    if faults:
        raise Unusable(placed(tuple(faults), document))
    if not joined["licence"]:
        del joined["licence"]
    return joined


def _as_list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _licence(data: Mapping[str, Any], faults: Faults) -> list[Any]:
    """The lines that a pack says of its own terms."""
    lines = _as_list(data.get("licence"))
    if all(isinstance(line, str) for line in lines):
        return lines
    faults.append(Fault(("licence",), message("fault.overlay.licence")))
    return []


def _listed(data: Mapping[str, Any], key: str, faults: Faults) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        faults.append(Fault((key,), message("fault.pack.list")))
    elif len(value) > MOST_CHANGES:
        faults.append(Fault((key,), message("fault.pack.many", most=MOST_CHANGES)))
    else:
        return value
    return []


def _over(base: Any, more: Any) -> Any:
    """Mappings are joined key by key; everything else, and what depends on a reading, is replaced."""
    if not isinstance(base, dict) or not isinstance(more, dict) or BY in base or BY in more or SAME in more:
        return more
    joined = dict(base)
    for key, value in more.items():
        joined[key] = _over(base.get(key), value)
    return joined


def _dropped(data: dict[str, Any], place: Any, path: Path, faults: Faults) -> None:
    """Take what stands at a place (`layers.ward`) away; mappings on the way are copied, the game's own stay whole."""
    *way, last = place.split(".") if isinstance(place, str) else (place,)
    found: Any = data
    for key in way:
        inner = found.get(key)
        if not isinstance(inner, dict):
            faults.append(Fault(path, _no_place(place, key, found)))
            return
        found[key] = dict(inner)
        found = found[key]
    if not isinstance(last, str) or last not in found:
        faults.append(Fault(path, _no_place(place, last, found)))
        return
    del found[last]


def _no_place(place: Any, key: Any, found: Mapping[str, Any]) -> Message:
    allowed = tuple(found)
    meant = nearest(str(key), allowed)
    return message("fault.overlay.place", place=shown(place), key=shown(key), meant=meant, allowed=allowed[:MOST_SHOWN])


def _chosen(variants: Any, choices: Any, faults: Faults) -> Any:
    """The variants with the chosen readings first."""
    if not isinstance(variants, dict):
        return variants
    if not isinstance(choices, dict):
        faults.append(Fault((CHOOSE,), message("fault.pack.mapping")))
        return variants
    chosen = dict(variants)
    for name, reading in choices.items():
        if name not in chosen:
            faults.append(Fault((CHOOSE, name), not_among(str(name), tuple(chosen))))
            continue
        readings = _readings(chosen[name])
        if str(reading) in readings:
            first = [str(reading), *(other for other in readings if other != str(reading))]
            chosen[name] = {**chosen[name], "readings": first}
        elif readings:
            faults.append(Fault((CHOOSE, name), not_among(str(reading), tuple(readings))))
    return chosen


def _readings(variant: Any) -> list[str]:
    """The readings of a variant; none where it is written wrongly, which is said elsewhere."""
    written = variant.get("readings") if isinstance(variant, dict) else None
    return [str(reading) for reading in written] if isinstance(written, list) else []


# Places


def said_at(data: Any, path: Path, joined: Any) -> Path:
    """Where a pack says what stands at this path of the joined data; () where it does not say it."""
    if path and path[0] == "procedure" and isinstance(data, dict) and STAGES in data and len(path) > 1:
        stage = joined["procedure"][path[1]]
        for index, change in enumerate(data[STAGES]):
            for key in ("add", "with"):
                if isinstance(change, dict) and change.get(key) is stage:
                    return (STAGES, index, key, *path[2:])
        return ()
    found = data
    for depth, step in enumerate(path):
        there = step in found if isinstance(found, dict) else isinstance(found, list) and step in range(len(found))
        if not there:
            return path if depth >= 2 else ()
        found = found[step]
    return path


def touched(data: Any, fault: Fault) -> Path:
    """Where a pack most likely causes a fault in what it is laid over: what it drops, changes or says there."""
    words = set(re.findall(r"\w+", f"{fault.path} {fault.message.params}"))
    changed = list(_changed(data))
    for path, name in changed:
        if name in words:
            return path
    return changed[0][0] if len(changed) == 1 else (EXTENDS,)


def _changed(data: Any) -> Iterator[tuple[Path, str]]:
    """Each thing that a pack changes, with its name."""
    for at, place in enumerate(data.get(DROP, [])):
        yield (DROP, at), str(place).split(".")[-1]
    for at, change in enumerate(data.get(STAGES, [])):
        for verb in ("drop", "replace", "move"):
            if verb in change:
                yield (STAGES, at, verb), str(change[verb])
    for key in data:
        if key not in (*OWN, *TOLD, "format"):
            yield (key,), str(key)
    if STAGES in data:
        yield (STAGES,), "procedure"
    for name in data.get(CHOOSE, {}):
        yield (CHOOSE, name), str(name)

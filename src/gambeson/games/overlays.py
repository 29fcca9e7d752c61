"""Packs that extend a game: what they choose, add, move, replace and drop, laid over the game's own data in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gambeson.games.documents import Document, placed
from gambeson.games.repeats import SAME
from gambeson.games.variants import BY
from gambeson.language.fields import nearest, not_among
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import message

EXTENDS, CHOOSE, STAGES, DROP = "extends", "choose", "stages", "drop"
OWN = (EXTENDS, CHOOSE, STAGES, DROP)
"""Sections that only a pack which extends another has."""

VERBS = ("add", "move", "replace", "drop")
PLACES = ("before", "after")
TOLD = ("about", "sources", "licence")
"""Sections that say what a pack is; those of a pack that extends another stand beside, not in place of, the game's."""


def extended(data: Any) -> tuple[str, ...]:
    """The names of what a pack extends, in order; none for a game of its own."""
    named = data.get(EXTENDS, ()) if isinstance(data, dict) else ()
    return tuple(str(name) for name in named) if isinstance(named, list) else (str(named),) if named else ()


def laid_over(base: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """A game's data with one pack's laid over it. Raises Unusable with every fault at its place in the pack."""
    faults: list[Fault] = []
    data = document.data
    assert isinstance(data, dict)
    joined = dict(base)
    for place in _listed(data, DROP, faults):
        _dropped(joined, str(place), faults)
    for key, value in data.items():
        if key not in OWN and key not in TOLD:
            joined[key] = _over(joined.get(key), value)
    joined["licence"] = [*_as_list(base.get("licence")), *_as_list(data.get("licence"))]
    if STAGES in data:
        joined["procedure"] = _arranged(joined, _listed(data, STAGES, faults), faults)
    if CHOOSE in data:
        joined["variants"] = _chosen(joined.get("variants", {}), data[CHOOSE], faults)
    if faults:
        raise Unusable(placed(tuple(faults), document))
    if not joined["licence"]:
        del joined["licence"]
    return joined


def _as_list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _listed(data: Mapping[str, Any], key: str, faults: list[Fault]) -> list[Any]:
    value = data.get(key, [])
    if isinstance(value, list):
        return value
    faults.append(Fault((key,), message("fault.pack.list")))
    return []


def _over(base: Any, more: Any) -> Any:
    """Mappings are joined key by key; everything else, and what depends on a reading, is replaced."""
    if not isinstance(base, dict) or not isinstance(more, dict) or BY in base or BY in more or SAME in more:
        return more
    joined = dict(base)
    for key, value in more.items():
        joined[key] = _over(base.get(key), value)
    return joined


def _dropped(data: dict[str, Any], place: str, faults: list[Fault]) -> None:
    """Take what stands at a place (`layers.ward`) away; mappings on the way are copied, the game's own stay whole."""
    *way, last = place.split(".")
    found = data
    for key in way:
        inner = found.get(key)
        if not isinstance(inner, dict):
            faults.append(Fault((DROP,), message("fault.overlay.place", place=place)))
            return
        found[key] = dict(inner)
        found = found[key]
    if last not in found:
        faults.append(Fault((DROP,), message("fault.overlay.place", place=place)))
        return
    del found[last]


def _chosen(variants: Any, choices: Any, faults: list[Fault]) -> dict[str, Any]:
    """The variants with the chosen readings first."""
    chosen = dict(variants) if isinstance(variants, dict) else {}
    if not isinstance(choices, dict):
        faults.append(Fault((CHOOSE,), message("fault.pack.mapping")))
        return chosen
    for name, reading in choices.items():
        if name not in chosen:
            faults.append(Fault((CHOOSE, name), not_among(str(name), tuple(chosen))))
            continue
        readings: list[str] = list(map(str, chosen[name]["readings"]))
        if str(reading) not in readings:
            faults.append(Fault((CHOOSE, name), not_among(str(reading), tuple(readings))))
            continue
        first = [str(reading), *(other for other in readings if other != str(reading))]
        chosen[name] = {**chosen[name], "readings": first}
    return chosen


# Stages


def _arranged(data: Mapping[str, Any], changes: Sequence[Any], faults: list[Fault]) -> list[Any]:
    """The procedure after each change in order."""
    stages = list(data.get("procedure", []))
    for index, change in enumerate(changes):
        path: Path = (STAGES, index)
        verbs = [verb for verb in VERBS if isinstance(change, dict) and verb in change]
        if len(verbs) != 1:
            faults.append(Fault(path, message("fault.overlay.verb", allowed=VERBS)))
            continue
        _change(data, stages, verbs[0], change, path, faults)
    return stages


def _change(
    data: Mapping[str, Any], stages: list[Any], verb: str, change: dict[str, Any], path: Path, faults: list[Fault]
) -> None:
    known = (verb, *PLACES) if verb in ("add", "move") else (verb, "with") if verb == "replace" else (verb,)
    for key in change:
        if key not in known:
            said = message("fault.pack.unknown_key", key=str(key), meant=nearest(str(key), known))
            faults.append(Fault((*path, str(key)), said))
    if verb == "add":
        at = _where(data, stages, change, path, faults)
        if at is not None:
            stages.insert(at, change[verb])
        return
    named = [stage for stage in stages if _name(data, stage) == change[verb]]
    if not named:
        faults.append(Fault((*path, verb), not_among(str(change[verb]), _names(data, stages))))
        return
    if verb == "replace":
        stages[stages.index(named[0])] = change.get("with")
        named = named[1:]
    for stage in named:
        stages.remove(stage)
    if verb == "move":
        at = _where(data, stages, change, path, faults)
        stages[at or 0 : at or 0] = named


def _where(
    data: Mapping[str, Any], stages: list[Any], change: dict[str, Any], path: Path, faults: list[Fault]
) -> int | None:
    """The index before or after the named stage; without a place, the end."""
    given = [place for place in PLACES if place in change]
    if len(given) > 1:
        faults.append(Fault(path, message("fault.overlay.one_place")))
        return None
    if not given:
        return len(stages)
    names = [_name(data, stage) for stage in stages]
    if change[given[0]] not in names:
        faults.append(Fault((*path, given[0]), not_among(str(change[given[0]]), _names(data, stages))))
        return None
    if given[0] == "before":
        return names.index(change["before"])
    return len(names) - names[::-1].index(change["after"])


def _names(data: Mapping[str, Any], stages: list[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_name(data, stage) for stage in stages))


def _name(data: Mapping[str, Any], stage: Any) -> str:
    """The name of a stage, also of one that repeats what stands elsewhere."""
    if not isinstance(stage, dict):
        return ""
    if "stage" in stage or SAME not in stage:
        return str(stage.get("stage", ""))
    found: Any = data
    for key in str(stage[SAME]).split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return str(found.get("stage", "")) if isinstance(found, dict) else ""


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

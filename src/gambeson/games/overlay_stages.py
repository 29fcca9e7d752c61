"""What a pack that extends a game changes of its procedure: stages added, moved, replaced and dropped, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gambeson.games.documents import Faults
from gambeson.games.misfits import misfit
from gambeson.games.repeats import SAME
from gambeson.language.fields import nearest, not_among
from gambeson.model.errors import Fault, Path
from gambeson.model.messages import Message, message

SECTION = "stages"
VERBS = ("add", "move", "replace", "drop")
PLACES = ("before", "after")
KEYS = {"add": ("add", *PLACES), "move": ("move", *PLACES), "replace": ("replace", "with"), "drop": ("drop",)}


def arranged(data: Mapping[str, Any], changes: Sequence[Any], faults: Faults) -> list[Any]:
    """The procedure of a game's data after each change in order."""
    procedure = _Procedure(data, faults)
    for index, change in enumerate(changes):
        path: Path = (SECTION, index)
        verbs = [verb for verb in VERBS if isinstance(change, dict) and verb in change]
        if len(verbs) == 1:
            procedure.change(verbs[0], change, path)
        else:
            faults.append(Fault(path, message("fault.overlay.verb", allowed=VERBS)))
    return [stage for _, stage in procedure.stages]


class _Procedure:
    """The stages of a game, each with its name, while they are changed."""

    def __init__(self, data: Mapping[str, Any], faults: Faults) -> None:
        self.data = data
        self.faults = faults
        self.stages = [(_name(data, stage), stage) for stage in data.get("procedure", [])]

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.stages))

    def change(self, verb: str, change: dict[str, Any], path: Path) -> None:
        """Carry out one change, or note what is wrong with it."""
        for key in change:
            if key not in KEYS[verb]:
                said = message("fault.pack.unknown_key", key=str(key), meant=nearest(str(key), KEYS[verb]))
                self.faults.append(Fault((*path, str(key)), said))
        if verb == "add":
            at = self._where(change, path)
            if at is not None:
                self.stages.insert(at, (_name(self.data, change[verb]), change[verb]))
            return
        name = change[verb]
        named = [stage for stage in self.stages if stage[0] == name]
        if not named:
            self.faults.append(Fault((*path, verb), self._unknown(name)))
        elif verb == "replace":
            self._replace(change, path, named[0][0])
        elif verb == "drop":
            self.stages = [stage for stage in self.stages if stage[0] != name]
        else:
            self._move(change, path, named)

    def _replace(self, change: dict[str, Any], path: Path, name: str) -> None:
        """The first of that name becomes another; there may be more of it, which go."""
        if "with" not in change:
            self.faults.append(Fault(path, message("fault.field.missing", field="with")))
            return
        at = [known for known, _ in self.stages].index(name)
        self.stages = [stage for stage in self.stages if stage[0] != name]
        self.stages.insert(at, (_name(self.data, change["with"]), change["with"]))

    def _move(self, change: dict[str, Any], path: Path, named: list[tuple[str, Any]]) -> None:
        before = self.stages
        self.stages = [stage for stage in self.stages if stage[0] != named[0][0]]
        at = self._where(change, path)
        if at is None:
            self.stages = before
        else:
            self.stages[at:at] = named

    def _where(self, change: dict[str, Any], path: Path) -> int | None:
        """The index before or after the named stage; without a place, the end."""
        given = [place for place in PLACES if place in change]
        if len(given) > 1:
            self.faults.append(Fault(path, message("fault.overlay.one_place")))
            return None
        if not given:
            return len(self.stages)
        names = [name for name, _ in self.stages]
        name = change[given[0]]
        if name not in names:
            self.faults.append(Fault((*path, given[0]), self._unknown(name)))
            return None
        return names.index(name) if given[0] == "before" else len(names) - names[::-1].index(name)

    def _unknown(self, name: Any) -> Message:
        try:
            return not_among(msgspec.convert(name, str), self.names())
        except msgspec.ValidationError as error:
            return misfit(str(error), str, name, ())[1]


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

"""Lints of damage procedures: stages in an order that means nothing, that never run, or that name what is not there."""

from __future__ import annotations

from collections.abc import Iterator

from gambeson.games.findings import Finding, Subject, entries, hint, wrong
from gambeson.language.stages.absorb import Absorb
from gambeson.language.stages.base import LIVE, Stage
from gambeson.language.stages.limit import Limit
from gambeson.language.stages.wound import Wound
from gambeson.model.errors import Path
from gambeson.model.messages import message

PARTS, SUM = "parts", "sum"


def named_once(subject: Subject) -> Iterator[Finding]:
    """Two stages of one name: traces and `enters` cannot tell them apart."""
    names = [stage.stage for stage in subject.pack.procedure]
    for at, name in enumerate(names):
        if name in names[:at]:
            yield hint(("procedure", at, "stage"), message("fault.check.stage_twice", stage=name))


def in_order(subject: Subject) -> Iterator[Finding]:
    """A stage that works on typed parts after one that has added them up."""
    summed = ""
    for path, stage in _stages(subject):
        if stage.NEEDS == PARTS and summed:
            yield wrong(path, message("fault.check.stage_order", stage=stage.stage, summed=summed))
        if stage.GIVES == SUM and len(path) == 2:
            summed = stage.stage


def reached(subject: Subject) -> Iterator[Finding]:
    """A stage that needs damage after one that leaves none."""
    last = ""
    for at, stage in enumerate(subject.pack.procedure):
        if last and stage.runs == LIVE:
            yield wrong(("procedure", at), message("fault.check.stage_unreachable", stage=stage.stage, after=last))
        if stage.when is None and _takes_all(stage):
            last = last or stage.stage


def entered(subject: Subject) -> Iterator[Finding]:
    """A hit that enters at a stage that there is not."""
    names = tuple(stage.stage for stage in subject.pack.procedure)
    for path, value in entries({key: subject.data.get(key) for key in ("procedure", "commands", "spells")}):
        if path[-1] in ("enters", "enters_at") and isinstance(value, str) and value and value not in names:
            yield wrong(path, message("fault.check.stage_unknown", stage=value, allowed=names))


def noted(subject: Subject) -> Iterator[Finding]:
    """A figure that is kept for later stages, and no stage reads it."""
    read = str(subject.data.get("procedure")) + str(subject.data.get("commands"))
    for at, stage in enumerate(subject.listed("procedure")):
        name = stage.get("name") if stage.get("kind") == "note" else None
        if isinstance(name, str) and not subject.coded(name):
            mentions = read.count(f"'{name}'") + read.count(f"noted.{name}")
            if mentions < 2:
                yield hint(("procedure", at, "name"), message("fault.check.note_unread", name=name))


def _takes_all(stage: Stage) -> bool:
    match stage:
        case Wound():
            return stage.runs != "always"
        case Limit():
            return stage.to == 0
        case _:
            return False


def _stages(subject: Subject) -> Iterator[tuple[Path, Stage]]:
    """Every stage with its path, those inside a pool after the one that holds them."""
    for at, stage in enumerate(subject.pack.procedure):
        yield ("procedure", at), stage
        if isinstance(stage, Absorb):
            for below, inside in enumerate(stage.inside):
                yield ("procedure", at, "inside", below), inside


LINTS = (named_once, in_order, reached, entered)
MISSING = (noted,)
"""Lints of what no stage does."""

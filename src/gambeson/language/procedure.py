"""The damage procedure: a blow goes through the stages of its game, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.scope import Blow
from gambeson.language.stages.base import ALWAYS, GONE, LIVE, NO_DAMAGE, STOPPED, Stage
from gambeson.model.messages import Message
from gambeson.model.values import Hit

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication


def strike(turn: Adjudication, hit: Hit, enters: str = "", ends: str = "") -> Blow:
    """Send a hit through the pack's stages, or from the stage named `enters`; gives the blow as it came out.

    Unknown damage and wounds called by name stand in the hit's facts (`unknown`, `wound`) and are noted on the
    blow, so that stages may take them away like damage.
    """
    blow = Blow(turn, hit)
    if "unknown" in hit.facts:
        blow.noted["unknown"] = True
    if "wound" in hit.facts:
        blow.noted["wound"] = hit.facts["wound"]
    target, entities = blow.target, turn.state.entities
    for stage in _between(turn.pack.procedure, enters, ends) if enters or ends else turn.pack.procedure:
        runs = stage.runs
        if runs != ALWAYS:
            if blow.stopped:
                stage.skip(turn, blow, STOPPED)
                continue
            if runs == LIVE:
                portions = blow.portions
                if not (portions[0].amount if len(portions) == 1 else blow.amount):
                    stage.skip(turn, blow, NO_DAMAGE)
                    continue
        if target not in entities and not stage.OUTLIVES:
            stage.skip(turn, blow, GONE)
            continue
        if stage.when is not None and not stage.when.holds(blow):
            stage.skip(turn, blow, Message(stage.otherwise))
            continue
        stage.run(turn, blow)
    return blow


def _between(stages: tuple[Stage, ...], enters: str, ends: str) -> tuple[Stage, ...]:
    """The stages from the one named `enters` to the one named `ends`, both included; "" leaves that side open."""
    names = [stage.stage for stage in stages]
    first = names.index(enters) if enters else 0
    last = names.index(ends) + 1 if ends else len(stages)
    return stages[first:last]

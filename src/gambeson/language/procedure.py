"""The damage procedure: a blow goes through the stages of its game, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.scope import Blow
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
    waiting = bool(enters)
    for stage in turn.pack.procedure:
        if waiting and stage.stage != enters:
            continue
        waiting = False
        stage.meet(turn, blow)
        if ends and stage.stage == ends:
            break
    return blow

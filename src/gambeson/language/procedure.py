"""The damage procedure: a blow goes through the stages of its game, one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gambeson.language.scope import Blow
from gambeson.language.stages.base import ALWAYS, GONE, LIVE, NO_DAMAGE, STOPPED, ZERO, Stage
from gambeson.model.messages import Message
from gambeson.model.outcomes import TraceRow
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
    plan = turn.pack.plan
    target, entities, note = hit.target, turn.state.entities, turn.note
    for stage, runs, outlives, holds, otherwise, run in _between(plan, enters, ends) if enters or ends else plan:
        portions = blow.portions
        amount = portions[0].amount if len(portions) == 1 else blow.amount
        if runs is not ALWAYS and blow.stopped:
            why = STOPPED
        elif runs is LIVE and not amount:
            why = NO_DAMAGE
        elif target not in entities and not outlives:
            why = GONE
        elif holds is not None and not holds(blow):
            why = otherwise
        else:
            run(turn, blow)
            continue
        note(TraceRow(stage.stage, stage.rule, target, amount, amount, why, False))
    return blow


class Planned(NamedTuple):
    """A stage with what decides whether it runs, laid out once for a pack."""

    stage: Stage
    runs: str
    outlives: bool
    holds: Callable[[Blow], bool] | None
    otherwise: Message
    run: Callable[[Adjudication, Blow], None]


def planned(stages: tuple[Stage, ...]) -> tuple[Planned, ...]:
    """The stages laid out for `strike`."""
    return tuple(
        Planned(
            stage,
            next(known for known in (LIVE, ZERO, ALWAYS) if known == stage.runs),
            stage.OUTLIVES,
            stage.when.holds if stage.when is not None else None,
            Message(stage.otherwise),
            stage.run,
        )
        for stage in stages
    )


def _between(plan: tuple[Planned, ...], enters: str, ends: str) -> tuple[Planned, ...]:
    """The stages from the one named `enters` to the one named `ends`, both included; "" leaves that side open."""
    names = [planned.stage.stage for planned in plan]
    first = names.index(enters) if enters else 0
    last = names.index(ends) + 1 if ends else len(plan)
    return plan[first:last]

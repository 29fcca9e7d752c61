"""The damage procedure: a blow goes through the stages of its game, one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from gambeson.language.scope import Blow, Portion
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
    pack, target, facts, entities, note = turn.pack, hit.target, hit.facts, turn.state.entities, turn.note
    portions = [Portion(part.amount, part.type) for part in hit.parts]
    blow = Blow(pack, hit, target, hit.words, facts, entities, entities[target], portions)
    if "unknown" in facts:
        blow.noted["unknown"] = True
    if "wound" in facts:
        blow.noted["wound"] = facts["wound"]
    plan = pack.plan
    amount, stopped, gone = blow.amount, False, False
    for name, rule, runs, outlives, holds, otherwise, run in _between(plan, enters, ends) if enters or ends else plan:
        why: Message | None
        if stopped and runs is not ALWAYS:
            why = STOPPED
        elif not amount and runs is LIVE:
            why = NO_DAMAGE
        elif gone and not outlives:
            why = GONE
        elif holds is not None and not holds(blow):
            why = otherwise
        else:
            why = run(turn, blow)
            if why is None:
                stopped, gone, portions = blow.stopped, target not in entities, blow.portions
                amount = portions[0].amount if len(portions) == 1 else blow.amount
                continue
        note(TraceRow(name, rule, target, amount, amount, why, False))
    return blow


Planned: TypeAlias = tuple[
    str, str, str, bool, "Callable[[Blow], bool] | None", Message, "Callable[[Adjudication, Blow], Message | None]"
]
"""A stage laid out for `strike`: its name and rule, when it runs, whether it outlives the target, its `when` and what
is said where that does not hold, and what it does. A plain tuple, which is taken apart fastest."""


def planned(stages: tuple[Stage, ...]) -> tuple[Planned, ...]:
    """The stages laid out for `strike`."""
    return tuple(
        (
            stage.stage,
            stage.rule,
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
    names = [planned[0] for planned in plan]
    first = names.index(enters) if enters else 0
    last = names.index(ends) + 1 if ends else len(plan)
    return plan[first:last]

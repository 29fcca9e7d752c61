"""What makes a command illegal whatever it does: who gives it, the open Sequence, States, Movement."""

from __future__ import annotations

from collections.abc import Iterable

from gambeson.games.eldfall.declaring import CAST
from gambeson.games.eldfall.models import (
    SEQUENCE,
    against_fallen,
    named,
    refused,
    states_and_tags,
    tables,
)
from gambeson.language.adjudication import Adjudication
from gambeson.mechanisms.turns import active_player, phase_of, player_of, same_side
from gambeson.model.outcomes import Refusal
from gambeson.model.values import REFEREE, Facts

NORMAL = ("idle", "walk")


def first(refusals: Iterable[Refusal | None]) -> list[Refusal]:
    """The first refusal, if there is one; later checks are not even made."""
    for refusal in refusals:
        if refusal is not None:
            return [refusal]
    return []


def commanded(turn: Adjudication, actor: str, field: str, by: str) -> Refusal | None:
    """EF-19, EF-01: the model stands on the field, and whoever gives the command may."""
    return against_fallen(turn, actor, field) or owned(turn, actor, by)


def owned(turn: Adjudication, actor: str, by: str) -> Refusal | None:
    """EF-01: a player gives commands for own models."""
    if by == REFEREE or same_side(turn.state, actor, by):
        return None
    return refused(
        "EF-01", "refusal.eldfall.not_yours", "by", model=named(turn.state, actor), player=player_of(turn.state, actor)
    )


def open_sequence(turn: Adjudication) -> Facts | None:
    """The open Activation Sequence."""
    found: Facts | None = turn.state.facts.get(SEQUENCE)
    return found


def own_sequence(turn: Adjudication, actor: str, action: str) -> Refusal | None:
    """EF-04, EF-27: an Action belongs to the model's own open Sequence, and there is one only."""
    sequence = open_sequence(turn)
    if sequence is None:
        return refused("EF-04", "refusal.eldfall.no_sequence", model=named(turn.state, actor))
    if sequence["model"] != actor:
        return refused("EF-04", "refusal.eldfall.other_sequence", model=named(turn.state, sequence["model"]))
    if not sequence["action"]:
        return None
    if action == CAST and sequence["action"] == CAST:
        return refused("EF-27", "refusal.eldfall.one_spell")
    return refused("EF-04", "refusal.eldfall.second_action", model=named(turn.state, actor))


def allowed_by_states(turn: Adjudication, actor: str, action: str) -> Refusal | None:
    """EF-21: States that forbid an Action, `action` one of the words of the table `only`."""
    only = tables(turn.pack).only
    for state in states_and_tags(turn.state.entities[actor]):
        if state in only and action not in only[state].allows:
            return refused("EF-21", only[state].text, model=named(turn.state, actor))
    return None


def after_movement(turn: Adjudication) -> Refusal | None:
    """EF-05: after Special Movement only Nothing."""
    sequence = open_sequence(turn)
    movement = sequence["movement"] if sequence is not None else "idle"
    return None if movement in NORMAL else refused("EF-05", "refusal.eldfall.movement", "", movement=movement)


def own_strategic(turn: Adjudication, id: str) -> bool:
    """Whether it is the Strategic Phase of the model's player."""
    return phase_of(turn.state) == "strategic" and active_player(turn.state) == player_of(turn.state, id)

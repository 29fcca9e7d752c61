"""Concentration: the effects that a creature holds, and their common end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.deeds import effect_of, end_effect
from gambeson.language.effects import CONCENTRATION
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import Effect

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication

BROKEN = "broken"
"""Why an effect ended whose source could not hold it any longer."""


def held(turn: Adjudication, source: str) -> list[tuple[str, Effect]]:
    """What a creature concentrates on, with its bearers, in the order in which it began."""
    found = [
        (id, effect)
        for id, entity in turn.state.entities.items()
        for effect in entity.effects
        if effect.source == source and CONCENTRATION in effect.tags
    ]
    return sorted(found, key=lambda pair: pair[1].serial)


def let_go(turn: Adjudication, source: str, rule: str, cause: str = "") -> None:
    """All that a creature concentrates on ends, on every target."""
    for id, effect in held(turn, source):
        entity = turn.state.entities.get(id)
        if entity is None or effect_of(entity, effect.serial) is None:
            continue
        note = message("trace.concentration.ends", effect=effect.name, entity=entity.name)
        turn.note(TraceRow("concentration", rule, source, 0, 0, note))
        end_effect(turn, id, effect, rule, cause)

"""Who decides for an entity, and questions that let them name one thing of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.figures import conditions
from gambeson.model.messages import Message, message
from gambeson.model.questions import Option, Question
from gambeson.model.values import REFEREE, Entity

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication


def who_decides(turn: Adjudication, entity: Entity) -> tuple[str, Message | None]:
    """Who decides for an entity now, and why: itself; for the silent its controller, else the referee."""
    if not is_silent(turn, entity):
        return entity.id, None
    controller = turn.state.entities.get(entity.facts.get("controller", ""))
    if controller is not None and not is_silent(turn, controller):
        return controller.id, message("why.controller", entity=entity.name, controller=controller.name)
    return REFEREE, message("why.referee", entity=entity.name)


def is_silent(turn: Adjudication, entity: Entity) -> bool:
    """Whether the entity cannot decide for itself now."""
    silent = turn.pack.silent
    if silent is None:
        return False
    if entity.kind in silent.kinds:
        return True
    if not silent.conditions:
        return False
    return any(condition in silent.conditions for condition in conditions(turn.pack, entity))


def larger_stands(turn: Adjudication, entity: Entity) -> bool:
    """Whether nobody is asked for this entity and the larger of two pools stands."""
    silent = turn.pack.silent
    return silent is not None and silent.chooses == "greater" and is_silent(turn, entity)


def type_named(turn: Adjudication, key: str, entity: Entity, extra: str, types: tuple[str, ...], rule: str) -> str:
    """Ask for the damage type of an extra; `entity` names it, or who decides for it."""
    decider, why = who_decides(turn, entity)
    options = tuple(Option(type, message("option.type", type=type)) for type in types)
    text = message("question.type_of_extra", entity=entity.name, extra=extra)
    (named,) = turn.ask(Question(key, decider, rule, text, options, why=why))
    return named

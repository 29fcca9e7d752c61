"""Rulings and states as programs read them (section 4 of the interfaces)."""

from __future__ import annotations

from typing import Any

import msgspec

from gambeson.games import texts
from gambeson.language.durations import written
from gambeson.language.fields import ListField
from gambeson.language.figures import conditions, entries, flags, preventions, shown_effects, shown_figures
from gambeson.language.layers import empty
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.model.questions import Question
from gambeson.model.values import Entity, Pool, State
from gambeson.table.rulings import Ruling


def plain(value: Any) -> Any:
    """Frozen facts and structs as plain data: lists, mappings, texts and numbers."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return plain(msgspec.to_builtins(value)) if isinstance(value, msgspec.Struct) else value


def ruling_json(ruling: Ruling, lang: str) -> dict[str, Any]:
    """One step of a result."""
    said = texts(ruling.pack.folder, lang)
    questions = [question_json(question, said) for question in ruling.questions]
    return {
        "command": _command(ruling),
        "status": ruling.status,
        "rule": ruling.rule,
        "reason": ruling.reason(lang),
        "decision": questions[0] if questions else None,
        "decisions": questions,
        "events": [plain(event) for event in ruling.events],
        "trace": [
            {
                "stage": row.stage,
                "rule": row.rule,
                "entity": row.entity,
                "before": row.before,
                "after": row.after,
                "ran": row.ran,
                "note": said.say(row.note) if row.note is not None else None,
            }
            for row in ruling.trace
        ],
        "calls": list(ruling.calls),
        "taken": ruling.taken,
    }


def _command(ruling: Ruling) -> dict[str, Any] | None:
    if ruling.command is None:
        return None
    return {ruling.command.name: plain(ruling.command.fields), "by": ruling.command.by}


def question_json(question: Question, said: Texts) -> dict[str, Any]:
    """An open decision."""
    return {
        "id": question.key,
        "kind": question.kind,
        "decider": question.decider,
        "question": said.say(question.text),
        "why": said.say(question.why) if question.why is not None else None,
        "rule": question.rule,
        "options": [
            {"id": option.id, "label": said.say(option.label), "consequence": None} for option in question.options
        ],
        "suggested": question.suggested or None,
        "dice": [{"count": g.count, "sides": g.sides, "roller": g.roller} for g in question.dice],
    }


def pool_json(pool: Pool, clock: int, entity: Entity | None = None) -> dict[str, Any]:
    """A pool as results show it; the effect that gave it is named if it is on the given entity."""
    shown: dict[str, Any] = {
        "current": pool.current,
        "maximum": pool.maximum,
        "source": pool.source,
        "extras": [{"name": extra.name, **plain(extra.facts)} for extra in pool.extras],
        "until": written(pool.until, clock),
    }
    if entity is not None:
        effects = [effect.name for effect in shown_effects(entity) if effect.serial == pool.effect]
        shown["effect"] = effects[0] if effects else None
    shown.update(plain(pool.facts))
    return shown


def entity_json(pack: Pack, entity: Entity, clock: int) -> dict[str, Any]:
    """An entity as results show it."""
    pools = {
        name: pool_json(entity.pools.get(name) or empty(), clock, entity)
        for name, layer in pack.layers.items()
        if name in entity.pools or layer.absent == "zero"
    }
    shown: dict[str, Any] = {
        "name": entity.name,
        "kind": entity.kind,
        "pools": pools,
        "conditions": list(conditions(pack, entity)),
        "effects": [
            {
                "name": effect.name,
                "source": effect.source,
                "until": written(effect.until[0], clock) if effect.until else None,
            }
            for effect in shown_effects(entity)
        ],
        "stats": shown_figures(pack, entity),
    }
    for name in pack.facts:
        if pack.figures is not None and name == pack.figures.fact:
            continue
        is_list = isinstance(pack.facts[name], ListField)
        if name in entity.facts or name in pack.always_shown or (is_list and entries(entity, name)):
            shown[name] = plain(entries(entity, name) if is_list else entity.facts.get(name))
    if pack.flags:
        shown["flags"] = list(flags(pack, entity))
    if pack.preventions:
        charges_left: dict[str, int] = {}
        for effect, charges in preventions(entity):
            charges_left[effect.name] = charges_left.get(effect.name, 0) + charges
        shown["preventions"] = charges_left
    return shown


def state_json(pack: Pack, state: State) -> dict[str, Any]:
    """Every entity and the clock."""
    clock: dict[str, Any] = {}
    if pack.clock or state.clock:
        clock = {"minutes": state.clock // 60}
        if "time" in pack.clock:
            minutes = state.clock // 60 % (24 * 60)
            clock["time"] = f"{minutes // 60:02}:{minutes % 60:02}"
    return {
        "entities": {id: entity_json(pack, entity, state.clock) for id, entity in state.entities.items()},
        "clock": clock,
    }

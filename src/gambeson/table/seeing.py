"""A table as one seat sees it: its view, its log and its rulings, as programs read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gambeson.engine.step import step
from gambeson.engine.views import NOT_NOW, PLAYER, SCREEN, Secrets, Sight, Viewer
from gambeson.games import texts
from gambeson.language.figures import conditions, flags
from gambeson.model.commands import Answer, Command
from gambeson.model.events import Called, PoolReduced
from gambeson.model.messages import message
from gambeson.model.outcomes import Done, Outcome, Paused, Refusal, Rejected
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, State
from gambeson.table.json_view import entity_json, plain, question_json, ruling_json, state_json
from gambeson.table.log import Row
from gambeson.table.rulings import DONE, PAUSED, REJECTED, Ruling
from gambeson.table.table import Table

LOG_SHOWN = 50
"""Rows of the log that a view shows unless more are asked for."""

REFEREES_OWN = ("add", "advance", "edit", "remove", "wait")
"""Commands that change the table as a whole: only the referee gives them."""


def sight_of(table: Table, secrets: Secrets, viewer: Viewer) -> Sight:
    """What a viewer sees of a table."""
    return Sight(table.pack, secrets, viewer, table.state.entities)


def view(table: Table, sight: Sight, lang: str, log: Iterable[Row] | None = None) -> dict[str, Any]:
    """The table as the seat sees it; `log` are the rows to tell of (default: the last ones)."""
    shown = table.rows[max(0, table.version - LOG_SHOWN) :] if log is None else log
    return {
        "version": table.version,
        "game": table.pack.game,
        **entities_view(table, sight),
        **standing(table, sight, lang),
        "log": log_view(table, shown, sight),
    }


def entities_view(table: Table, sight: Sight) -> dict[str, Any]:
    """The entities and the clock."""
    if sight.whole:
        return state_json(table.pack, table.state)
    known = sight.state(table.state)
    shown = state_json(table.pack, known)
    for id in known.entities:
        if sight.hidden_layers(id):
            shown["entities"][id] = entity_view(table, sight, known, id)
    return shown


def entity_view(table: Table, sight: Sight, known: State, id: str) -> dict[str, Any]:
    """One entity of a known state: hidden numbers are null; what shows openly (conditions, flags) is as it is."""
    pack = table.pack
    shown = entity_json(pack, known.entities[id], known.clock)
    for layer in sight.hidden_layers(id):
        shown["pools"][layer] = {
            "current": None, "maximum": None, "source": None, "extras": [], "until": None, "hidden": True,
        }  # fmt: skip
    if sight.hidden_layers(id):
        real = table.state.entities[id]
        shown["conditions"] = list(conditions(pack, real))
        if pack.flags:
            shown["flags"] = list(flags(pack, real))
    return shown


def standing(table: Table, sight: Sight, lang: str) -> dict[str, Any]:
    """What is open and what may be done: the pending questions, the legal commands, whether undo is possible."""
    questions = open_questions(table, sight)
    said = texts(table.pack.folder, lang)
    pending = []
    for question in questions:
        shown = question_json(question, said)
        for option in shown["options"]:
            option["consequence"] = consequence(table, sight, question, option["id"], lang)
        pending.append(shown)
    undo = may_undo(table, sight)
    return {"pending": pending, "legal": legal(table, sight, questions, undo), "undo": undo}


def open_questions(table: Table, sight: Sight) -> tuple[Question, ...]:
    """The open questions that the seat knows of."""
    if table.waiting is None:
        return ()
    return sight.questions(table.waiting.paused.questions, table.waiting.command)


def consequence(table: Table, sight: Sight, question: Question, option: str, lang: str) -> dict[str, Any] | None:
    """What would come of this answer, as far as the seat can know: the pools that would change. None: it can't know."""
    ruling = ahead(table, sight, question, option)
    return None if ruling is None else {"pools": _changed_pools(ruling.before, ruling.after)}


def ahead(table: Table, sight: Sight, question: Question, option: str) -> Ruling | None:
    """The ruling that this answer would come to, worked out on what the seat knows. None: it can't know."""
    if table.waiting is None or question.kind == "roll":
        return None
    command = table.waiting.command
    known = sight.state(table.state)
    answers = (*sight.answers(table.waiting.answers), Answer(question.key, option))
    while True:
        outcome = step(table.pack, known, command, answers)
        if not isinstance(outcome, Paused) or any(other.kind == "roll" for other in outcome.questions):
            break
        answers += tuple(Answer(other.key, other.suggested or other.options[0].id) for other in outcome.questions)
    if not isinstance(outcome, Done) or not sight.knows_enough(command, outcome):
        return None
    return Ruling(table.pack, DONE, known, outcome.state, command, outcome.events, outcome.trace, target=outcome.target)


def _changed_pools(before: State, after: State) -> dict[str, dict[str, int]]:
    changed: dict[str, dict[str, int]] = {}
    for id, entity in after.entities.items():
        old = before.entities[id].pools if id in before.entities else {}
        for layer in dict.fromkeys((*old, *entity.pools)):
            was = old[layer].current if layer in old else 0
            now = entity.pools[layer].current if layer in entity.pools else 0
            if was != now:
                changed.setdefault(id, {})[layer] = now
    return changed


def may_undo(table: Table, sight: Sight) -> bool:
    """Whether this seat may take back the last command."""
    viewer = sight.viewer
    givers = (REFEREE,) if viewer.role == REFEREE else viewer.entities if viewer.role == PLAYER else ()
    return any(table.undo_refusal(by) is None for by in givers)


def legal(table: Table, sight: Sight, questions: Sequence[Question], undo: bool) -> list[str]:
    """The commands that this seat may give now, by name."""
    viewer = sight.viewer
    last = ["undo"] if undo else []
    if viewer.role == SCREEN:
        return []
    mine = [q for q in questions if viewer.role == REFEREE or q.decider in viewer.entities]
    if questions:
        kinds = dict.fromkeys("roll" if question.kind == "roll" else "answer" for question in mine)
        return [*kinds, *(["edit"] if viewer.role == REFEREE and "edit" in table.pack.commands else []), *last]
    known = sight.state(table.state).entities
    if viewer.role == PLAYER and not any(id in known for id in viewer.entities):
        return last
    names = [name for name in table.pack.commands if viewer.role == REFEREE or name not in REFEREES_OWN]
    return [*names, *last]


# --- the log --------------------------------------------------------------------------------------------------


def log_view(table: Table, rows: Iterable[Row], sight: Sight) -> list[dict[str, Any]]:
    """The rows as the seat hears of them, oldest first; those that tell it nothing are left out."""
    told = (entry(table, row, sight) for row in rows)
    return [shown for shown in told if shown is not None]


def entry(table: Table, row: Row, sight: Sight) -> dict[str, Any] | None:
    """One row of the log, or None where the seat learns nothing from it."""
    if row.undoes and not sight.whole and entry(table, table.rows[row.undoes - 1], sight) is None:
        return None
    command = sight.command(row.command) if row.command is not None else None
    events = sight.events((*row.events, *row.completed))
    answers = sight.answers(row.answers)
    told = command is not None or events or (answers and row.command is None)
    if not told and not row.undoes and not sight.whole:
        return None
    shown: dict[str, Any] = {
        "version": row.version,
        "kind": row.kind,
        "by": row.by if sight.sees(row.by) else None,
        "command": {command.name: plain(command.fields)} if command is not None else None,
        "answers": [{"decision": a.key, "value": plain(a.value), "by": a.by} for a in answers],
        "events": [plain(event) for event in events],
        "calls": [event.text for event in events if isinstance(event, Called)],
        "taken": _taken(command, events),
    }
    if row.at:
        shown["at"] = row.at
    if row.completes:
        shown["completes"] = row.completes
    if row.undoes:
        shown["undoes"] = row.undoes
    return shown


def _taken(command: Command | None, events: Iterable[Any]) -> dict[str, int]:
    target = command.fields.get("target") if command is not None else None
    lost: dict[str, int] = {}
    for event in events:
        if isinstance(event, PoolReduced) and event.entity == target and event.cause == "damage":
            lost[event.layer] = lost.get(event.layer, 0) + event.amount
    return lost


# --- rulings --------------------------------------------------------------------------------------------------


def ruling_view(
    ruling: Ruling, sight: Sight, lang: str, answers: tuple[Answer, ...] = (), waiting: Command | None = None
) -> dict[str, Any]:
    """A ruling as the seat may read it.

    `answers` are those that it rests on, `waiting` is the command that was waiting when it was given.
    """
    if sight.whole:
        return ruling_json(ruling, lang)
    asking = waiting or ruling.command
    seen = Ruling(
        ruling.pack,
        ruling.status,
        ruling.before,
        ruling.after,
        sight.command(ruling.command) if ruling.command is not None else None,
        sight.events(ruling.events),
        sight.trace(ruling.trace, answers),
        sight.questions(ruling.questions, asking) if asking is not None else (),
        _refusal(ruling, sight, answers, asking),
        ruling.target if sight.sees(ruling.target) else "",
    )
    return ruling_json(seen, lang)


def _refusal(ruling: Ruling, sight: Sight, answers: tuple[Answer, ...], asking: Command | None) -> Refusal | None:
    """Why a command was refused: because something is open, as an undo or an answer, or by a rule."""
    command, refusal = ruling.command, ruling.refusal
    if refusal is None or command is None or asking is None:
        return refusal
    said = Refusal(refusal.rule, sight.said(refusal.reason), refusal.field)
    if command.name in ("undo", "answer", "roll"):
        return said
    if ruling.questions:
        return said if sight.questions(ruling.questions[:1], asking) else NOT_NOW
    return sight.refusal(ruling.before, command, answers, refusal)


def preview_view(
    table: Table, sight: Sight, command: Command, answers: Sequence[Any], rolls: Sequence[Any], lang: str
) -> dict[str, Any]:
    """What a command would do, as far as the seat can know, as programs read it."""
    return ruling_json(preview_ruling(table, sight, command, answers, rolls), lang)


def preview_ruling(
    table: Table, sight: Sight, command: Command, answers: Sequence[Any] = (), rolls: Sequence[Any] = ()
) -> Ruling:
    """What a command would do, as far as the seat can know: worked out on what it sees."""
    known = Table(table.pack)
    known.resume(sight.state(table.state), ())
    ruling = known.preview(command, answers=answers, rolls=rolls)
    if not sight.whole and not sight.knows_enough(command, _outcome(ruling)):
        hidden = Refusal("", message("refusal.preview_hidden"))
        ruling = Ruling(table.pack, REJECTED, ruling.before, ruling.before, command, refusal=hidden)
    return ruling


def _outcome(ruling: Ruling) -> Outcome:
    if ruling.status == DONE:
        return Done(ruling.after, ruling.events, ruling.trace, ruling.target)
    if ruling.status == PAUSED:
        return Paused(ruling.questions, ruling.trace)
    assert ruling.refusal is not None
    return Rejected(ruling.before, ruling.refusal)

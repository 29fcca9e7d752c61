"""What seats give: commands, answers and undos, each on what its seat sees; the same for programs and for pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from litestar.exceptions import HTTPException

from gambeson.engine.views import Sight
from gambeson.model.commands import Command
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, frozen
from gambeson.server.seats import NotYours, acting, command_of, good_name, undoing
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.seeing import open_questions
from gambeson.table.stores import SeatRecord
from gambeson.table.table import Table

Give = Callable[[Table, Sight], Ruling]


def commanding(
    seat: SeatRecord,
    command: Command,
    client: str,
    by: str = "",
    answers: Sequence[str] = (),
    rolls: Sequence[int] = (),
) -> Give:
    """Gives a command for a seat; `by` is who acts, where that was said. Raises NotYours as it is given."""

    def give(table: Table, sight: Sight) -> Ruling:
        meant = meaning(table, sight, seat, command, by)
        stranger = sight.stranger(table.state, meant)
        if stranger is not None:
            return Ruling(table.pack, REJECTED, table.state, table.state, meant, refusal=stranger)
        return table.submit(meant, answers=answers, rolls=rolls, client=client)

    return give


def meaning(table: Table, sight: Sight, seat: SeatRecord, command: Command, by: str = "") -> Command:
    """A command with whoever gives it. Raises NotYours."""
    actor = acting(seat, command.name, command.fields, by, sight.state(table.state).entities)
    return Command(command.name, command.fields, actor)


def answering(seat: SeatRecord, key: str, name: str, value: Any, client: str) -> Give:
    """Answers an open question for a seat: `answer` with an option, `roll` with dice; without a key the first one."""

    def give(table: Table, sight: Sight) -> Ruling:
        questions = open_questions(table, sight)
        wanted = key or (questions[0].key if questions else "")
        return answer(table, sight, seat, wanted, name, value, client)

    return give


def undo(seat: SeatRecord, client: str) -> Give:
    """Takes back the last command for a seat."""

    def give(table: Table, _: Sight) -> Ruling:
        able = [id for id in seat.entities if table.undo_refusal(id) is None]
        return table.undo(by=undoing(seat, able), client=client)

    return give


def answer(table: Table, sight: Sight, seat: SeatRecord, key: str, name: str, value: Any, client: str) -> Ruling:
    """Answer a question that the seat knows of; one that it does not know of is not there for it. Raises NotYours."""
    questions = open_questions(table, sight)
    question = next((question for question in questions if question.key == key), None)
    if question is None:
        return no_question(table, questions, name, value)
    if seat.role != REFEREE and question.decider not in seat.entities:
        raise NotYours
    by = REFEREE if seat.role == REFEREE else question.decider
    if name == "roll":
        return table.roll(value, by=by, decision=key, client=client)
    return table.answer(value, by=by, decision=key, client=client)


def no_question(table: Table, questions: tuple[Question, ...], name: str, value: Any) -> Ruling:
    """The refusal of an answer to what is not asked, as far as the seat knows."""
    reason = message("refusal.answer.stale") if questions else message("refusal.answer.nothing_open")
    rule = questions[0].rule if questions else table.pack.open_rules.get("none", "")
    command = Command(name, {"answer": frozen(value)})
    refusal = Refusal(rule, reason, "decision")
    return Ruling(table.pack, REJECTED, table.state, table.state, command, questions=questions, refusal=refusal)


def checked_command(written: dict[str, Any]) -> tuple[str, Any, str]:
    """The parts of a command. Raises HTTPException."""
    try:
        name, fields, by = command_of(written)
    except ValueError as error:
        raise HTTPException(status_code=400, detail=str(error)) from None
    if name == "roll":
        if not isinstance(fields, list) or not all(type(face) is int for face in fields):
            raise HTTPException(status_code=400, detail="a roll is a list of faces")
        return name, tuple(fields), by
    return name, fields, by


def good_client(id: str) -> None:
    """Raises HTTPException for a client id with control characters."""
    if not good_name(id):
        raise HTTPException(status_code=400, detail="client_id: 1 to 100 printable characters")

"""One command being worked out: where rules ask, roll, change, note and refuse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

from msgspec.structs import replace

from gambeson.engine.consequences import HANDLED, entity_of, stand, watch
from gambeson.language.arithmetic import whole
from gambeson.language.pack import Pack
from gambeson.language.throws import Readable, Rest, Rolled
from gambeson.model.commands import Answer, Read
from gambeson.model.errors import Endless
from gambeson.model.events import Event, thaw
from gambeson.model.messages import Message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import Question
from gambeson.model.values import State

MOST_EVENTS = 100_000
"""Facts that one command may write."""


class Pause(BaseException):
    """Leaves a rule because these questions have no answer yet. No rule catches it."""

    def __init__(self, questions: tuple[Question, ...], rolled: Rolled | None = None) -> None:
        super().__init__()
        self.questions = questions
        self.rolled = rolled


class Refuse(BaseException):
    """Leaves a rule because the command is illegal. No rule catches it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self.refusal = refusal


class Turn:
    """The adjudication that rules are handed (see `gambeson.language.adjudication.Adjudication`)."""

    __slots__ = ("_answers", "_depth", "_events", "_trace", "note", "pack", "start", "state")

    def __init__(self, pack: Pack, start: State, answers: tuple[Answer | Read, ...]) -> None:
        self.pack = pack
        self.start = start
        self.state = thaw(start)
        self._answers: tuple[Answer | Read, ...] = answers
        self._events: list[Event] = []
        self._trace: list[TraceRow] = []
        self._depth = 0
        self.note: Callable[[TraceRow], None] = self._trace.append

    def ask(self, *questions: Question) -> tuple[str, ...]:
        """The chosen option of each question; pauses with all that are unanswered."""
        chosen: list[str] = []
        missing: list[Question] = []
        for question in questions:
            answer = self._answer(question.key)
            if answer is not None and any(option.id == answer.value for option in question.options):
                chosen.append(str(answer.value))
            else:
                missing.append(question)
        if missing:
            raise Pause(tuple(missing))
        return tuple(chosen)

    def roll(self, question: Question | tuple[Question, ...], reading: Readable, rest: Rest | None = None) -> Any:
        """What the reading makes of the dice of one or several questions; pauses while some are not thrown."""
        questions = question if isinstance(question, tuple) else (question,)
        groups: list[tuple[int, ...]] = []
        missing: list[Question] = []
        for asked in questions:
            answer = self._answer(asked.key)
            if isinstance(answer, Read):
                return answer.value
            if answer is None or not isinstance(answer.value, tuple) or not fits(asked, answer.value):
                missing.append(asked)
                continue
            at = 0
            for group in asked.dice:
                groups.append(answer.value[at : at + group.count])
                at += group.count
        if missing:
            raise Pause(tuple(missing), Rolled(questions, reading, rest() if rest is not None else None))
        return reading.read(*groups)

    def change(self, event: Event) -> None:
        """Write a fact, then settle what follows from it; of one who has left the table nothing is written."""
        pack, world, events = self.pack, self.state, self._events
        before = None
        if pack.standing or pack.watchers:
            about = entity_of(event)
            before = world.entities.get(about)
            if about and before is None:
                return
        write, followed = HANDLED[event.__class__]
        write(world, event)
        events.append(event)
        if len(events) > MOST_EVENTS:
            raise Endless(f"{self.pack.game} writes more than {MOST_EVENTS} facts for one command")
        if followed is not None:
            followed(self, event)
        if pack.watchers:
            watch(self, event)
        if pack.standing:
            stand(self, event, before)

    def trace(self) -> tuple[TraceRow, ...]:
        """The rows so far; figures that are to be rounded later are shown rounded down."""
        if not self.pack.rounds_later:
            return tuple(self._trace)
        return tuple(row if type(row.after) is int is type(row.before) else shown_whole(row) for row in self._trace)

    def refuse(self, *refusals: Refusal) -> NoReturn:
        """Leave the command: it is illegal."""
        raise Refuse(self.pack.first(list(refusals)))

    def _answer(self, key: str) -> Answer | Read | None:
        for answer in self._answers:
            if answer.key == key:
                return answer
        return None


def shown_whole(row: TraceRow) -> TraceRow:
    """A row whose fractions are written out for people."""
    return replace(row, before=whole(row.before), after=whole(row.after), note=_written_out(row.note))


def _written_out(value: Any) -> Any:
    if isinstance(value, Message):
        return Message(value.id, {name: _written_out(param) for name, param in value.params.items()})
    if isinstance(value, tuple):
        return tuple(_written_out(entry) for entry in value)
    return str(value) if isinstance(value, Fraction) else value


def fits(question: Question, faces: tuple[int, ...]) -> bool:
    """Whether these faces are a legal throw of the question's dice."""
    at = 0
    for group in question.dice:
        sides = group.sides
        for face in faces[at : at + group.count]:
            if type(face) is not int or not 1 <= face <= sides:
                return False
        at += group.count
    return at == len(faces)

"""One command being worked out: where rules ask, roll, change, note and refuse."""

from __future__ import annotations

from typing import Any, NoReturn

from gambeson.engine.consequences import FOLLOWED, watch
from gambeson.language.dice import Reading
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer
from gambeson.model.events import Event, World, apply
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import Question
from gambeson.model.values import State


class Pause(BaseException):
    """Leaves a rule because these questions have no answer yet. No rule catches it."""

    def __init__(self, questions: tuple[Question, ...]) -> None:
        super().__init__()
        self.questions = questions


class Refuse(BaseException):
    """Leaves a rule because the command is illegal. No rule catches it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self.refusal = refusal


class Turn:
    """The adjudication that rules are handed (see `gambeson.language.adjudication.Adjudication`)."""

    __slots__ = ("_answers", "_depth", "_events", "_trace", "pack", "start", "state")

    def __init__(self, pack: Pack, start: State, answers: tuple[Answer, ...]) -> None:
        self.pack = pack
        self.start = start
        self.state = World(start)
        self._answers = answers
        self._events: list[Event] = []
        self._trace: list[TraceRow] = []
        self._depth = 0

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

    def roll(self, question: Question, reading: Reading) -> Any:
        """What the reading makes of the dice; pauses while they are not thrown."""
        answer = self._answer(question.key)
        if answer is None or not isinstance(answer.value, tuple) or not fits(question, answer.value):
            raise Pause((question,))
        groups: list[tuple[int, ...]] = []
        at = 0
        for group in question.dice:
            groups.append(answer.value[at : at + group.count])
            at += group.count
        return reading.read(*groups)

    def change(self, event: Event) -> None:
        """Write a fact, then settle what follows from it."""
        apply(self.state, event)
        self._events.append(event)
        followed = FOLLOWED.get(event.__class__)
        if followed is not None:
            followed(self, event)
        if self.pack.watchers:
            watch(self, event)

    def note(self, row: TraceRow) -> None:
        """Add a row to the trace."""
        self._trace.append(row)

    def refuse(self, *refusals: Refusal) -> NoReturn:
        """Leave the command: it is illegal."""
        raise Refuse(self.pack.first(list(refusals)))

    def _answer(self, key: str) -> Answer | None:
        for answer in self._answers:
            if answer.key == key:
                return answer
        return None


def fits(question: Question, faces: tuple[int, ...]) -> bool:
    """Whether these faces are a legal throw of the question's dice."""
    sides = [group.sides for group in question.dice for _ in range(group.count)]
    return len(sides) == len(faces) and all(
        type(face) is int and 1 <= face <= most for face, most in zip(faces, sides, strict=True)
    )

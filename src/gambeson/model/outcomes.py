"""What comes of a command: done, paused or rejected, with the trace that explains it."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from gambeson.model.events import Event
from gambeson.model.messages import Message
from gambeson.model.questions import Question
from gambeson.model.values import State


class TraceRow(Struct, frozen=True, gc=False):
    """One step of a ruling in ids and numbers: the damage (or other figure) before and after, and what to say of it.

    `ran` is false when the step had nothing to do; `note` then says why.
    """

    stage: str
    rule: str
    entity: str
    before: int
    after: int
    note: Message | None = None
    ran: bool = True


class Refusal(Struct, frozen=True):
    """Why a command is illegal. `rule` is empty when only a value is bad; `field` is the dotted field at fault."""

    rule: str
    reason: Message
    field: str = ""


class Done(Struct, frozen=True, gc=False):
    """The command was carried out. `events` are the facts that changed the state, `target` is who was struck."""

    state: State
    events: tuple[Event, ...]
    trace: tuple[TraceRow, ...]
    target: str = ""


class Paused(Struct, frozen=True):
    """Nothing has changed yet: these questions must be answered first. The trace shows how far the rules came.

    `rolled`, where dice are asked, says how they will be read (see `gambeson.language.throws`).
    """

    questions: tuple[Question, ...]
    trace: tuple[TraceRow, ...]
    rolled: Any = None


class Rejected(Struct, frozen=True):
    """Nothing has changed: the rules do not allow it. `state` is the very object that was given."""

    state: State
    refusal: Refusal


Outcome: TypeAlias = Done | Paused | Rejected

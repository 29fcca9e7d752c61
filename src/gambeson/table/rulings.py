"""What came of one input: the answer that people and programs are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gambeson.games import texts
from gambeson.language.pack import Pack
from gambeson.model.events import Called, Event, PoolReduced
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.questions import Question
from gambeson.model.values import State

if TYPE_CHECKING:
    from gambeson.model.commands import Command

DONE, PAUSED, REJECTED = "done", "paused", "rejected"


class Ruling(Struct, frozen=True):
    """What came of a command: its events, its trace, the calls to shout, or what is asked, or why it is refused.

    `before` and `after` are the states around it (the same object where nothing changed).
    """

    pack: Pack
    status: str
    before: State
    after: State
    command: Command | None = None
    events: tuple[Event, ...] = ()
    trace: tuple[TraceRow, ...] = ()
    questions: tuple[Question, ...] = ()
    refusal: Refusal | None = None
    target: str = ""

    def __repr__(self) -> str:
        """What came of which command, short enough to be read where it is printed."""
        name = self.command.name if self.command is not None else ""
        said = {"taken": self.taken, "calls": self.calls, "rule": self.rule, "reason": self.reason()}
        return f"<Ruling {name}: {self.status}{''.join(f', {key}={value!r}' for key, value in said.items() if value)}>"

    @property
    def rule(self) -> str | None:
        """The rule of the refusal or of the first open question."""
        if self.refusal is not None:
            return self.refusal.rule or None
        return self.questions[0].rule if self.questions else None

    @property
    def calls(self) -> tuple[str, ...]:
        """What must be shouted, in order."""
        return tuple(event.text for event in self.events if isinstance(event, Called))

    @property
    def taken(self) -> dict[str, int]:
        """Damage that the target of the hit lost, by layer; a layer left out lost nothing.

        So it is for an attack or a casting with a single target; of several see `taken_by`.
        """
        return self.taken_by(self.target or self._only_target())

    def _only_target(self) -> str:
        fields = self.command.fields if self.command is not None else {}
        given = fields.get("targets")
        if isinstance(given, tuple | dict) and len(given) == 1:
            given = next(iter(given))
        return given if isinstance(given, str) else ""

    def taken_by(self, entity: str) -> dict[str, int]:
        """Damage that an entity lost, by layer."""
        lost: dict[str, int] = {}
        for event in self.events:
            if isinstance(event, PoolReduced) and event.entity == entity and event.cause == "damage":
                lost[event.layer] = lost.get(event.layer, 0) + event.amount
        return lost

    def reason(self, lang: str = "en") -> str | None:
        """Why it is refused, in words."""
        return None if self.refusal is None else texts(self.pack.folder, lang).say(self.refusal.reason)

    def explain(self, lang: str = "en") -> str:
        """The ruling in words: what came in, what each step did and why, what is left, what to shout."""
        from gambeson.table.explaining import explained

        return explained(self, lang)

    def as_json(self, lang: str = "en") -> dict[str, Any]:
        """The ruling as interfaces give it to programs."""
        from gambeson.table.json_view import ruling_json

        return ruling_json(self, lang)

"""Legal commands as people read them: what each is called, what it costs, what is still to choose, or why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from gambeson.engine.legal import Choice, Entry
from gambeson.language.figures import pool_of
from gambeson.language.pack import Pack
from gambeson.model.values import State
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.words import Speaker

MANY = 3
"""Reasons of one kind that are told one by one; of more one stands for all."""
NAMES = 5
"""Commands refused alike that are named."""


class Whose(Struct, frozen=True):
    """What one entity may do and may not; the one with no id is the table itself."""

    id: str
    name: str
    may: tuple[Entry, ...]
    may_not: tuple[Entry, ...]


class Refused(Struct, frozen=True):
    """Ways of one command that are refused alike: some of them by name, how many others, the rule, and why.

    With `example` the reason is that of the first, and the others have the like.
    """

    command: str
    what: tuple[str, ...]
    others: int
    rule: str
    reason: str
    example: bool = False
    entries: tuple[Entry, ...] = ()


class Offered:
    """Says entries of one state in one language."""

    def __init__(self, pack: Pack, state: State, lang: str) -> None:
        self.state = state
        self.speaker = Speaker(Ruling(pack, DONE, state, state), lang)
        self.said = self.speaker.said

    def whose(self, entries: Iterable[Entry]) -> tuple[Whose, ...]:
        """The entries of each entity together, in their order."""
        grouped: dict[str, list[Entry]] = {}
        for entry in entries:
            grouped.setdefault(entry.actor, []).append(entry)
        return tuple(
            Whose(
                id,
                self.speaker.name(id) if id else self.said.say("legal.table"),
                tuple(entry for entry in own if entry.legal),
                tuple(entry for entry in own if not entry.legal),
            )
            for id, own in grouped.items()
        )

    def line(self, entry: Entry) -> str:
        """A legal entry in one line: what it is, what is open, what it costs."""
        return " · ".join((self.title(entry), *map(self._open_of(entry), entry.open), *self._costs(entry)))

    def title(self, entry: Entry) -> str:
        """What a command is called and what it is done with."""
        return self.said.say("legal.title", command=self._command(entry), what=self._what(entry) or None)

    def _command(self, entry: Entry) -> str:
        command = self.said.term(entry.command)
        return command[:1].upper() + command[1:]

    def _what(self, entry: Entry) -> str:
        said = [self._fixed(entry, name, value) for name, value in entry.fields.items() if value != entry.actor]
        first, *rest = [*filter(None, said), ""]
        return self.said.say("legal.what", first=first, rest=tuple(filter(None, rest))) if first else ""

    def _fixed(self, entry: Entry, name: str, value: Any) -> str:
        if value is None or value == "":
            return ""
        text = self.speaker.filled(entry.command, name, value)
        return f"{self.said.term(name)} {text}" if isinstance(value, int) else text

    def _open_of(self, entry: Entry) -> Any:
        return lambda choice: self.choice(entry, choice)

    def choice(self, entry: Entry, choice: Choice) -> str:
        """A field that is still open and its values."""
        return self.said.say(
            "legal.open",
            field=self.said.term(choice.field),
            values=self.values(entry, choice, choice.values),
            first=self.values(entry, choice, choice.first) if set(choice.first) < set(choice.values) else None,
            most=choice.most if choice.listed and choice.most > 1 else 0,
            optional=int(choice.optional),
        )

    def values(self, entry: Entry, choice: Choice, values: tuple[Any, ...]) -> tuple[str, ...]:
        """The values of a field by their names."""
        if len(values) > 2 and all(isinstance(value, int) for value in values):
            return (f"{min(values)}–{max(values)}",)
        return tuple(self.speaker.filled(entry.command, choice.field, value) for value in values)

    def _costs(self, entry: Entry) -> Iterable[str]:
        entity = self.state.entities.get(entry.actor)
        for layer, points in entry.costs.items():
            before = pool_of(entity, layer).current if entity is not None else 0
            after = before - points
            yield self.said.say("legal.cost", layer=self.said.term(layer), before=before, after=after)

    def refused(self, entries: Iterable[Entry], *, whole: bool) -> tuple[Refused, ...]:
        """What is not legal and why, those that are refused alike together; `whole`: nothing is left out."""
        alike: dict[tuple[str, str, str], list[Entry]] = {}
        for entry in entries:
            if entry.refusal is not None:
                key = (entry.command, entry.refusal.rule, entry.refusal.reason.id)
                alike.setdefault(key, []).append(entry)
        return tuple(group for own in alike.values() for group in self._groups(own, whole))

    def _groups(self, entries: list[Entry], whole: bool) -> Iterable[Refused]:
        reasons: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.refusal is not None:
                reasons.setdefault(self.said.say(entry.refusal.reason), []).append(entry)
        if whole or len(reasons) <= MANY:
            return tuple(self._group(own, reason, whole) for reason, own in reasons.items())
        return (self._group(entries, next(iter(reasons)), whole, example=True),)

    def _group(self, entries: list[Entry], reason: str, whole: bool, *, example: bool = False) -> Refused:
        names = tuple(dict.fromkeys(filter(None, map(self._what, entries))))
        shown = names if whole else names[:NAMES]
        rule = entries[0].refusal.rule if entries[0].refusal is not None else ""
        return Refused(self._command(entries[0]), shown, len(names) - len(shown), rule, reason, example, tuple(entries))

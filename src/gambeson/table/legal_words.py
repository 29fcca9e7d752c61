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
"""Commands refused alike that are told one by one; of more one reason stands for all."""


class Whose(Struct, frozen=True):
    """What one entity may do and may not; the one with no id is the table itself."""

    id: str
    name: str
    may: tuple[Entry, ...]
    may_not: tuple[Entry, ...]


class Refused(Struct, frozen=True):
    """Commands that are refused alike: what they are called, the rule, and why; with `others` for one of them."""

    titles: tuple[str, ...]
    rule: str
    reason: str
    others: int = 0


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
        command = self.said.term(entry.command)
        what = [self._fixed(entry, name, value) for name, value in entry.fields.items() if value != entry.actor]
        title = self.said.say("legal.title", command=command, what=tuple(filter(None, what)))
        return title[:1].upper() + title[1:]

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

    def refused(self, entries: Iterable[Entry], many: int = MANY) -> tuple[Refused, ...]:
        """What is not legal and why, those that are refused alike together."""
        alike: dict[tuple[str, str, str], list[Entry]] = {}
        for entry in entries:
            if entry.refusal is not None:
                key = (entry.command, entry.refusal.rule, entry.refusal.reason.id)
                alike.setdefault(key, []).append(entry)
        return tuple(group for own in alike.values() for group in self._groups(own, many))

    def _groups(self, entries: list[Entry], many: int) -> Iterable[Refused]:
        reasons: dict[str, list[str]] = {}
        rule = ""
        for entry in entries:
            if entry.refusal is not None:
                rule = entry.refusal.rule
                titles = reasons.setdefault(self.said.say(entry.refusal.reason), [])
                if self.title(entry) not in titles:
                    titles.append(self.title(entry))
        if len(reasons) <= many:
            return tuple(Refused(tuple(titles), rule, reason) for reason, titles in reasons.items())
        reason, titles = next(iter(reasons.items()))
        others = sum(len(own) for own in reasons.values()) - len(titles)
        return (Refused(tuple(titles), rule, reason, others),)

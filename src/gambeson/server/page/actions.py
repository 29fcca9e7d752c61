"""What may be done now with what it costs, and what may not with the reason and the one step that would help."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.legal import Choice, Entry, legal
from gambeson.engine.views import PLAYER, Sight
from gambeson.language.figures import pool_of
from gambeson.model.commands import Command
from gambeson.model.values import REFEREE, frozen
from gambeson.server.page.drawing import Words
from gambeson.server.page.strike import Chip
from gambeson.table.json_view import plain
from gambeson.table.legal_words import Offered, Refused, Whose
from gambeson.table.remedies import key_of, remedies
from gambeson.table.table import Table

MOST_SHOWN = 60
"""Actions of one entity that are shown; past that the form finds them."""

NAMED = 3
"""Choices that an action is told by, where others are called the same."""

KEYS = 6
"""Values that have a button each, so that one touch acts."""


class Cost(Struct, frozen=True):
    """What an action takes from a layer: before and after."""

    name: str
    before: int
    after: int


class Open(Struct, frozen=True):
    """What is still to be chosen for an action."""

    field: str
    label: str
    options: tuple[Chip, ...]
    listed: bool
    optional: bool
    most: int
    has_usual: bool = False


class Act(Struct, frozen=True):
    """One action: what it is called and costs; `keys`: a touch of one of the values acts."""

    command: str
    fields: str
    title: str
    costs: tuple[Cost, ...]
    opens: tuple[Open, ...]

    @property
    def keys(self) -> bool:
        """Whether everything that is left to choose is one of a few values."""
        if len(self.opens) != 1:
            return False
        return len(self.opens[0].options) <= KEYS and (not self.opens[0].listed or self.opens[0].most == 1)


class Not(Struct, frozen=True):
    """What may not be done, why, and the command that would make it legal."""

    title: str
    reason: str
    rule: str
    first: Act | None


class Actor(Struct, frozen=True):
    """Everything that one entity may do now, and what it may not."""

    id: str
    name: str
    may: tuple[Act, ...]
    may_not: tuple[Not, ...]


def actors(table: Table, sight: Sight, t: Words, active: str = "") -> list[Actor]:
    """What the entities of this seat may do, as far as the game proposes it; whoever is active comes first."""
    known = sight.state(table.state)
    viewer = sight.viewer
    if table.waiting is not None or (viewer.role == PLAYER and not viewer.entities):
        return []
    found = legal(table.pack, known, viewer.entities if viewer.role == PLAYER else None)
    telling = _Telling(table, sight, t)
    ready = [entry for entry in found if entry.legal]
    made = [telling.actor(whose, ready) for whose in telling.offered.whose(found)]
    return sorted(made, key=lambda actor: (actor.id != active, not actor.may))


class _Telling:
    def __init__(self, table: Table, sight: Sight, t: Words) -> None:
        self.pack = table.pack
        self.state = sight.state(table.state)
        self.by = REFEREE if sight.viewer.role == REFEREE else next(iter(sight.viewer.entities), "")
        self.t = t
        self.offered = Offered(self.pack, self.state, t.said.lang)

    def actor(self, whose: Whose, ready: list[Entry]) -> Actor:
        refused = self.offered.refused(whose.may_not, whole=False)
        own = sorted(ready, key=lambda entry: entry.actor != whose.id)
        helped = remedies(self.pack, self.state, own, [one.entries[0] for one in refused], self.by) if refused else {}
        may_not = tuple(self._not(one, helped) for one in refused)
        may = _together(map(self.act, whose.may[:MOST_SHOWN]))
        return Actor(whose.id, whose.name, may, tuple(sorted(may_not, key=lambda one: one.first is None)))

    def _not(self, refused: Refused, helped: Mapping[Any, Entry]) -> Not:
        entry = refused.entries[0]
        first = helped.get(key_of(entry.command, entry.actor, entry.fields))
        said = self.t.said.say(
            "legal.refused", command=refused.command, what=refused.what, others=refused.others, example=0, reason="",
            rule=None,
        )  # fmt: skip
        title = said.rstrip(" —")
        return Not(title, refused.reason, refused.rule, self.act(first) if first is not None else None)

    def act(self, entry: Entry) -> Act:
        fields = json.dumps(plain(dict(entry.fields)), ensure_ascii=False)
        opens = tuple(self._open(entry, choice) for choice in entry.open)
        return Act(entry.command, fields, self.offered.title(entry), tuple(self._costs(entry)), opens)

    def _costs(self, entry: Entry) -> list[Cost]:
        actor = self.state.entities.get(entry.actor)
        points = {layer: pool_of(actor, layer).current for layer in entry.costs} if actor is not None else {}
        return [
            Cost(self.t.term(layer), points.get(layer, 0), points.get(layer, 0) - cost)
            for layer, cost in entry.costs.items()
        ]

    def _open(self, entry: Entry, choice: Choice) -> Open:
        options = tuple(
            Chip(json.dumps(plain(value)), self.offered.speaker.filled(entry.command, choice.field, value), "")
            for value in choice.values
        )
        label, usual = self.t.term(choice.field), self.offered.speaker.usual(entry.command, choice.field)
        has_usual = usual is not None and usual in choice.values
        return Open(choice.field, label, options, choice.listed, choice.optional, choice.most, has_usual)


def _together(acts: Iterable[Act]) -> tuple[Act, ...]:
    """The actions; those that differ only in whom they may be done to, enemies or friends, are told apart by that.

    Where one touch chooses, they are one action with the choices of both.
    """
    alike: dict[tuple[str, ...], list[Act]] = {}
    for act in acts:
        found = alike.setdefault((act.command, act.fields, act.title), [])
        both = _both(found[-1], act) if found else None
        if both is not None:
            found[-1] = both
        else:
            found.append(act)
    return tuple(one if len(own) == 1 else _named(one) for own in alike.values() for one in own)


def _both(one: Act, other: Act) -> Act | None:
    """Two actions as one, where a touch of one of a few values acts in either."""
    if not (one.keys and other.keys) or one.opens[0].field != other.opens[0].field:
        return None
    both = replace(one, opens=(replace(one.opens[0], options=one.opens[0].options + other.opens[0].options),))
    return both if both.keys else None


def _named(act: Act) -> Act:
    """An action with the first of its choices in its name."""
    names = [option.label for one in act.opens for option in one.options]
    return replace(act, title=f"{act.title} ({', '.join(names[:NAMED])}{', …' if len(names) > NAMED else ''})")


def act_of(given: Mapping[str, Any], by: str) -> Command | None:
    """The command of an action that was touched, with what was chosen for it."""
    try:
        fields = json.loads(str(given.get("fields", "{}")))
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    for key, value in given.items():
        if not key.startswith("o."):
            continue
        values = [value] if isinstance(value, str) else list(value)
        try:
            chosen = [json.loads(one) for one in values if one != ""]
        except ValueError:
            return None
        if chosen:
            fields[key[2:]] = chosen if given.get("l." + key[2:]) else chosen[0]
    return Command(str(given.get("command", "")), frozen(fields), by)

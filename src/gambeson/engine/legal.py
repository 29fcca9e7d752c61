"""Which commands are legal now, found by trying what they propose against their own checks: never a second rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from gambeson.engine.adjudication import Turn
from gambeson.engine.step import refusal_of
from gambeson.language.offers import Offer, Open
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, Facts, State


class Choice(Struct, frozen=True):
    """An open field of a legal command: one of `values`, or a list of `least` to `most` different ones.

    With `first` only these may stand first in the list. An `optional` field may stay away.
    """

    field: str
    values: tuple[Any, ...]
    listed: bool = False
    least: int = 1
    most: int = 1
    optional: bool = False
    first: tuple[Any, ...] = ()


class Entry(Struct, frozen=True):
    """A command that somebody may give, or may not: then `refusal` says the rule, the reason and the remedy."""

    command: str
    actor: str
    fields: Facts
    open: tuple[Choice, ...] = ()
    costs: dict[str, int] = {}
    refusal: Refusal | None = None

    @property
    def legal(self) -> bool:
        """Whether it may be given."""
        return self.refusal is None


Against = Callable[[Facts], Refusal | None]


def legal(pack: Pack, state: State, seat: Iterable[str] | None = None) -> tuple[Entry, ...]:
    """What the entities of a seat may do (None: all of them, by the referee), and what they may not with the reason."""
    ids = tuple(state.entities) if seat is None else tuple(id for id in seat if id in state.entities)
    by = REFEREE if seat is None else ids[0] if ids else ""
    return tuple(tried(pack, state, name, offer, by) for name, offer in proposed(pack, state, ids, by)) if by else ()


def proposed(pack: Pack, state: State, ids: tuple[str, ...], by: str = REFEREE) -> Iterator[tuple[str, Offer]]:
    """Every command that may come into question for these entities, before its checks are asked."""
    return ((name, offer) for name in pack.commands for offer in offers(pack, state, name, ids, by))


def offers(pack: Pack, state: State, name: str, ids: tuple[str, ...], by: str = REFEREE) -> Iterable[Offer]:
    """What one command of the pack proposes for these entities."""
    spec = pack.commands[name]
    proposes: Callable[..., Iterable[Offer]] | None = getattr(spec.does, "offers", None)
    if proposes is None or (spec.referee and by != REFEREE):
        return ()
    return proposes(Turn(pack, state, ()), ids)


def tried(pack: Pack, state: State, name: str, offer: Offer, by: str = REFEREE) -> Entry:
    """A proposal with what its checks allow."""

    def against(fields: Facts) -> Refusal | None:
        return refusal_of(pack, state, Command(name, fields, by))

    fields = dict(offer.fields)
    choices: list[Choice] = []
    for field in sorted(offer.open, key=lambda candidate: candidate.optional):
        choice, refusal = _choice(fields, field, against)
        if choice is None:
            if field.optional:
                continue
            return Entry(name, offer.actor, offer.fields, (), offer.costs, refusal)
        choices.append(choice)
        if not field.optional:
            value = (choice.first or choice.values)[0]
            fields[field.field] = (value,) if field.listed else value
    refusal = against(fields)
    return Entry(name, offer.actor, offer.fields, tuple(choices) if refusal is None else (), offer.costs, refusal)


def _choice(fields: Facts, field: Open, against: Against) -> tuple[Choice | None, Refusal | None]:
    """The values of a field that are allowed, or the first refusal."""
    allowed: list[Any] = []
    refusal: Refusal | None = None
    for value in field.values:
        found = against({**fields, field.field: (value,) if field.listed else value})
        if found is None:
            allowed.append(value)
        refusal = refusal or found
    if not allowed:
        return None, refusal or Refusal("", message("refusal.legal.nothing", field=field.field), field.field)
    if not field.listed:
        return Choice(field.field, tuple(allowed), optional=field.optional), None
    return _listed(fields, field, allowed, against), None


def _listed(fields: Facts, field: Open, allowed: list[Any], against: Against) -> Choice:
    """How many of the allowed values, and which of them first, a list may have."""
    first: tuple[Any, ...] = ()
    values = allowed
    if field.ordered:
        first = tuple(allowed)
        head = allowed[0]
        values = [head, *(v for v in field.values if v != head and against({**fields, field.field: (head, v)}) is None)]
        values = [value for value in field.values if value in values]
    ordered = [*allowed[:1], *(value for value in values if value != allowed[0])]
    most = 1
    while most < min(field.most, len(ordered)) and against({**fields, field.field: tuple(ordered[: most + 1])}) is None:
        most += 1
    return Choice(field.field, tuple(values), True, 1, most, field.optional, first)


def answers(questions: Iterable[Question], seat: Iterable[str] | None = None) -> tuple[Entry, ...]:
    """What may be done while questions are open: their options or their dice, for whoever is asked."""
    ids = None if seat is None else tuple(seat)
    found = []
    for question in questions:
        if ids is not None and question.decider not in ids:
            continue
        if question.kind == "roll":
            sides = tuple(group.sides for group in question.dice for _ in range(group.count))
            found.append(Entry("roll", question.decider, {"decision": question.key, "dice": sides}))
        else:
            options = Choice("option", tuple(option.id for option in question.options))
            found.append(Entry("answer", question.decider, {"decision": question.key}, (options,)))
    return tuple(found)

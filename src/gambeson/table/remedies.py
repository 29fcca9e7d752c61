"""One step that makes something legal: a command that may be given now, after which what is refused may be given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from gambeson.engine.legal import Choice, Entry, proposed, tried
from gambeson.engine.step import step
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.outcomes import Done
from gambeson.model.values import REFEREE, State, frozen

MOST_STEPS = 8
"""Commands that are tried as a first step."""

Key: TypeAlias = tuple[str, str, Any]


def key_of(command: str, actor: str, fields: Any) -> Key:
    """By what a proposal is known again after another command."""
    return command, actor, tuple(sorted((name, repr(value)) for name, value in fields.items()))


def remedies(
    pack: Pack, state: State, legal: Sequence[Entry], refused: Iterable[Entry], by: str = REFEREE
) -> dict[Key, Entry]:
    """For what is refused the one command, filled in, that makes it legal; what no single step helps is left out.

    Only what is done at once is tried: no dice, nobody to decide, nobody to aim at.
    """
    missing = {key_of(entry.command, entry.actor, entry.fields): entry.actor for entry in refused}
    found: dict[Key, Entry] = {}
    steps = [whole for whole in (_filled(state, entry) for entry in legal) if whole is not None]
    for first in sorted(steps, key=lambda entry: len(entry.costs))[:MOST_STEPS]:
        outcome = step(pack, state, Command(first.command, frozen(first.fields), by), ())
        if not isinstance(outcome, Done) or not missing:
            continue
        for name, offer in proposed(pack, outcome.state, tuple(outcome.state.entities), by):
            key = key_of(name, offer.actor, offer.fields)
            if key in missing and tried(pack, outcome.state, name, offer, by).legal:
                found[key] = first
                del missing[key]
    return found


def _filled(state: State, entry: Entry) -> Entry | None:
    """An entry with the least that must be chosen; None where somebody must be aimed at."""
    fields = dict(entry.fields)
    for choice in entry.open:
        if choice.optional:
            continue
        if any(isinstance(value, str) and value in state.entities for value in choice.values):
            return None
        fields[choice.field] = _least(choice)
    return replace(entry, fields=fields, open=())


def _least(choice: Choice) -> Any:
    value = (choice.first or choice.values)[0]
    return (value,) if choice.listed else value

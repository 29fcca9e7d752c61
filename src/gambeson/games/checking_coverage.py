"""Lints of coverage: what of a pack no scenario of the given folders exercises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gambeson.games.checking_layers import filled
from gambeson.games.documents import Document
from gambeson.games.findings import Finding, Subject, entries, hint
from gambeson.model.messages import message

_WORDS = re.compile(r"[A-Za-z0-9]+-[0-9]+")


def uncovered(subject: Subject, scenarios: tuple[Document, ...]) -> Iterator[Finding]:
    """Rules that no scenario cites, readings that none plays, layers that neither a rule nor a scenario fills."""
    cited, played, layers = _cited(scenarios), _played(subject, scenarios), _layers(scenarios)
    for id in subject.pack.rules:
        if id not in cited:
            yield hint(("rules", id), message("fault.check.rule_unplayed", rule=id))
    for name, variant in subject.pack.variants.items():
        for at, reading in enumerate(variant.readings):
            if reading not in played[name]:
                said = message("fault.check.reading_unplayed", variant=name, reading=reading)
                yield hint(("variants", name, "readings", at), said)
    yield from filled(subject, layers)


def _cited(scenarios: tuple[Document, ...]) -> tuple[str, ...]:
    """The rule ids that stand in values of scenarios, in notes and titles too."""
    found: dict[str, None] = {}
    for document in scenarios:
        for _, value in entries(document.data):
            if isinstance(value, str):
                found |= dict.fromkeys(_WORDS.findall(value))
    return tuple(found)


def _played(subject: Subject, scenarios: tuple[Document, ...]) -> dict[str, list[str]]:
    played = {name: [subject.readings[name]] for name in subject.pack.variants}
    for document in scenarios:
        for name in _mapping(document.data, "variants"):
            reading = document.text_at(("variants", name))
            if name in played and reading is not None:
                played[name].append(reading)
    return played


def _layers(scenarios: tuple[Document, ...]) -> tuple[str, ...]:
    """The layers in which scenarios give points to somebody."""
    found: dict[str, None] = {}
    for document in scenarios:
        for path, value in entries(document.data):
            if path[-1] == "pools" and isinstance(value, dict) and "expect" not in path:
                found |= dict.fromkeys(value)
    return tuple(found)


def _mapping(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}

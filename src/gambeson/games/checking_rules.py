"""Lints of citations: rules without a source, rules that are cited but not there, readings that nothing depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gambeson.games.findings import Finding, Subject, entries, hint, wrong
from gambeson.games.variants import BY, ONLY
from gambeson.language.fields import nearest
from gambeson.model.errors import Path
from gambeson.model.messages import message

ELSE = "else"
READING = "reading"


def sources(subject: Subject) -> Iterator[Finding]:
    """Rules without a source; readings without a variant that holds the question open."""
    for id, rule in subject.pack.rules.items():
        if not rule.source.strip():
            yield wrong(("rules", id, "source"), message("fault.check.rule_source", rule=id))
        if rule.status == READING and not rule.variants:
            yield hint(("rules", id, "status"), message("fault.check.rule_reading", rule=id))
        for at, name in enumerate(rule.variants):
            if name not in subject.pack.variants:
                meant = nearest(name, subject.pack.variants)
                yield wrong(
                    ("rules", id, "variants", at), message("fault.check.variant_unknown", name=name, meant=meant)
                )


def citations(subject: Subject) -> Iterator[Finding]:
    """Rules that are cited and not declared."""
    for path, id in cited(subject.data):
        if id not in subject.pack.rules:
            said = message("fault.check.rule_unknown", rule=id, meant=nearest(id, subject.pack.rules))
            yield wrong(path, said)


def cited(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every rule that the data cites, with its place."""
    for path, value in entries(data):
        if not isinstance(value, str) or not value:
            continue
        key = str(path[-1])
        if key == "rule" or key.endswith("_rule") or path[0] == "open_rules":
            yield path, value


def variants(subject: Subject) -> Iterator[Finding]:
    """Variants with fewer than two readings; values for readings that there are not."""
    for name, variant in subject.pack.variants.items():
        if len(set(variant.readings)) < 2:
            yield wrong(("variants", name, "readings"), message("fault.check.variant_single", variant=name))


def unread(subject: Subject) -> Iterator[Finding]:
    """Variants on which nothing depends. Its places are those of the written data."""
    read = [str(value) for path, value in entries(subject.document.data) if path[-1] == BY]
    for path, value in entries(subject.document.data):
        if path[-1] == ONLY and isinstance(value, dict):
            read += value
    for name in subject.pack.variants:
        if name not in read and not subject.coded(name):
            yield wrong(("variants", name), message("fault.check.variant_unread", variant=name))


def dead(subject: Subject) -> Iterator[Finding]:
    """Values for a reading that its variant does not have. Its places are those of the written data."""
    for path, value in entries(subject.document.data):
        if not isinstance(value, dict) or BY not in value:
            continue
        variant = subject.pack.variants.get(str(value[BY]))
        for key in value if variant is not None else ():
            if variant is not None and key not in (BY, ELSE, *variant.readings):
                said = message(
                    "fault.check.reading_unknown", name=key, variant=str(value[BY]), allowed=variant.readings
                )
                yield wrong((*path, key), said)


LINTS = (sources, citations, variants)
WRITTEN = (unread, dead)
"""Lints of the data as it is written, whatever the readings."""

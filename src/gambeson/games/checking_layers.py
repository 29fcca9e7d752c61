"""Lints of layers: pools that nothing fills, or nothing empties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gambeson.games.findings import Finding, Subject, entries, wrong
from gambeson.model.messages import message

GIVING = ("grant", "heal", "mend")
"""What commands do that give points of a layer."""


def emptied(subject: Subject) -> Iterator[Finding]:
    """A layer from which nothing takes points: no stage, cost, moment, deed or code."""
    taken = set(_named(subject, "procedure")) | set(_named(subject, "spells", "pools"))
    for command in subject.section("commands").values():
        taken |= {name for path, name in _strings(command.get("with")) if path[-1] in ("layer", "layers", "from")}
    ends = [end for moment in subject.pack.moments.values() for end in moment.ends]
    for name, layer in subject.pack.layers.items():
        over = layer.until is not None and any(end in ("any", "default", *layer.until.of) for end in ends)
        if name not in taken and not over and not subject.coded(name) and not _read(subject, name):
            yield wrong(("layers", name), message("fault.check.layer_unspent", layer=name))


def filled(subject: Subject, written: tuple[str, ...]) -> Iterator[Finding]:
    """A layer that neither a rule nor any scenario gives points of; `written` are those that scenarios mention."""
    given = {layer.excess.layer for layer in subject.pack.layers.values() if layer.excess is not None}
    given |= {name for moment in subject.pack.moments.values() for name in moment.fills}
    given |= set(_named(subject, "spells"))
    for name, command in subject.section("commands").items():
        if command.get("does", name) in GIVING:
            field = (command.get("fields") or {}).get("layer", {})
            given |= set(field.get("of") or subject.pack.layers)
    for name, layer in subject.pack.layers.items():
        mentioned = name in given or name in written or layer.starts or subject.coded(name)
        if not mentioned and name not in str(subject.data.get("profiles", "")):
            yield wrong(("layers", name), message("fault.check.layer_unfilled", layer=name))


def _named(subject: Subject, section: str, *keys: str) -> Iterator[str]:
    """The layers that a section names."""
    for path, name in _strings(subject.data.get(section)):
        wanted = keys or ("layer", "layers")
        if path[-1] in wanted or (len(path) > 1 and path[-2] in wanted):
            yield name


def _strings(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for path, entry in entries(value):
        if isinstance(entry, str):
            yield path, entry


def _read(subject: Subject, layer: str) -> bool:
    """Whether some predicate or formula reads the layer, so that its points mean something by being there."""
    return any(f"target.{layer}" in text or f"target.has_{layer}" in text for _, text in _strings(subject.data))


LINTS = (emptied,)

"""Lints of names: facts, words, kinds, spells, fields and texts that a pack names but does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gambeson.games.findings import Finding, Subject, entries, wrong
from gambeson.language.fields import nearest, shown
from gambeson.language.names import NOTED_FLAGS
from gambeson.mechanisms.casting import Spell
from gambeson.model.errors import Path
from gambeson.model.messages import message

EVERY_WORD = "all"
FACTS_OF_STAGES = {
    "immunity": ("reads",),
    "requirement": ("reads",),
    "mark": ("immune",),
    "wound": ("writes",),
    "scale": ("zero", "halve", "double"),
    "reduce": ("reads",),
}
"""The keys of stage kinds that name facts of the target."""
KEYS_OF_POOLS = ("covers", "filter")
UNKNOWN = {
    "fact": "fault.check.fact_unknown",
    "key": "fault.check.key_unknown",
    "field": "fault.check.field_unknown",
    "note": "fault.check.note_unknown",
    "word": "fault.check.word_unknown",
    "kind": "fault.check.kind_unknown",
    "flag": "fault.check.flag_unknown",
}
MOST_NAMED = 30
KINDS = ("silent", "procedure")


def facts(subject: Subject) -> Iterator[Finding]:
    """Facts that stages and castings read or write, and keys of pools that absorbing stages read."""
    there = subject.pack.facts
    for path, stage in _stages(subject):
        for key in FACTS_OF_STAGES.get(str(stage.get("kind")), ()):
            yield from _among((*path, key), stage.get(key), there, "fact")
        layer = subject.pack.layers.get(str(stage.get("layer")))
        if layer is not None and stage.get("kind") == "absorb":
            for key in KEYS_OF_POOLS:
                yield from _among((*path, key), stage.get(key), layer.keys, "key")
        if stage.get("kind") == "adjust" and "hit" in subject.pack.commands:
            yield from _among((*path, "reads"), stage.get("reads"), subject.pack.commands["hit"].fields, "field")
        if stage.get("kind") == "retaliate":
            names = (*_noted(subject), *NOTED_FLAGS)
            yield from _among((*path, "left"), stage.get("left"), names, "note")
    for at, name in enumerate(subject.pack.always_shown):
        yield from _among(("always_shown", at), name, there, "fact")
    for path, value in entries({key: subject.section(key) for key in ("spells", "lasting", "words")}):
        if path[-1] == "lists" and isinstance(value, dict):
            for name in value:
                if not subject.coded(name):
                    yield from _among((*path, name), name, there, "fact")
        elif path[-1] == "fact":
            yield from _among(path, value, there, "fact")


def words(subject: Subject) -> Iterator[Finding]:
    """Words of blows that stages, other words and deeds name."""
    pack = subject.pack
    if pack.reader is None:
        return
    said = pack.words
    there = (*said.known, *said.traits, *pack.traits, said.plain, said.spell, said.wound, EVERY_WORD)
    for path, stage in _stages(subject):
        yield from _each_among((*path, "bypassed_by"), stage.get("bypassed_by"), there, "word")
    written = subject.section("words")
    for name, word in written.get("known", {}).items():
        for key in ("meets", "counts_as"):
            yield from _each_among(("words", "known", name, key), word.get(key), there, "word")
        for at, mark in enumerate(word.get("marks", [])):
            path = ("words", "known", name, "marks", at, "unless_immune")
            yield from _among(path, mark.get("unless_immune"), there, "word")
    yield from _each_among(("words", "sided"), written.get("sided"), said.places, "word")
    for alias, word in said.aliases.items():
        yield from _among(("words", "aliases", alias), word, (*there, *said.answers), "word")
    for path, value in entries({"spells": subject.section("spells"), "words": written}):
        if path[-1] in ("stops", "but"):
            yield from _each_among(path, value, there, "word")


def kinds(subject: Subject) -> Iterator[Finding]:
    """Kinds of entity that are named."""
    there = subject.pack.kinds
    for path, value in entries({key: subject.data.get(key) for key in KINDS}):
        if path[-1] == "kinds" and isinstance(value, list | tuple):
            yield from _each_among(path, value, there, "kind")
    for name, layer in subject.pack.layers.items():
        for kind in layer.starts:
            yield from _among(("layers", name, "starts", kind), kind, there, "kind")
    if subject.pack.figures is not None:
        for kind in subject.pack.figures.defaults:
            yield from _among(("figures", "defaults", kind), kind, there, "kind")


def fields(subject: Subject) -> Iterator[Finding]:
    """Fields of commands that bars look at, and commands that others stand for."""
    for name, command in subject.section("commands").items():
        there = command.get("fields") or {}
        for at, bar in enumerate(command.get("bars", [])):
            for key in ("field", "unless_field"):
                yield from _among(("commands", name, "bars", at, key), bar.get(key), there, "field")
        if command.get("does") == "in_other_words":
            given = command.get("with") or {}
            path: Path = ("commands", name, "with")
            yield from _among((*path, "reads"), given.get("reads"), there, "field")


def spells(subject: Subject) -> Iterator[Finding]:
    """Flags that are worn; a spell that does nothing."""
    for name, spell in subject.section("spells").items():
        if not isinstance(spell, dict):
            continue
        if subject.pack.flags:
            yield from _among(("spells", name, "flag"), spell.get("flag"), subject.pack.flags, "flag")
        kind = subject.pack.spells.get(name)
        if isinstance(kind, Spell) and not (kind.does or kind.casts or kind.calls):
            yield wrong(("spells", name), message("fault.check.spell_idle", spell=name))


def follows(subject: Subject) -> Iterator[Finding]:
    """Facts that standing rules watch."""
    watched = (*subject.pack.facts, *subject.pack.layers, "conditions", "effects", "pools", "kind")
    for at, follow in enumerate(subject.listed("follows")):
        yield from _each_among(("follows", at, "watches"), follow.get("watches"), watched, "fact")


def conditions(subject: Subject) -> Iterator[Finding]:
    """A condition that stands at one place only, and no text names it: a misspelt one."""
    mentions: dict[str, list[Path]] = {}
    for path, value in entries(subject.data):
        if path[-1] == "condition" and isinstance(value, str):
            mentions.setdefault(value, []).append(path)
        elif path[-1] in ("conditions", "then") and isinstance(value, list | tuple):
            for at, name in enumerate(value):
                if isinstance(name, str):
                    mentions.setdefault(name, []).append((*path, at))
        elif isinstance(value, str) and "conditions" in value:
            for name in re.findall(r"'(\w+)' in target\.(?:own_)?conditions", value):
                mentions.setdefault(name, []).append(path)
    for name in (*subject.pack.conditions, *subject.pack.condition_changes):
        mentions.setdefault(name, []).append(("conditions", name))
    several = tuple(name for name, paths in mentions.items() if len(paths) > 1)
    for name, paths in mentions.items():
        if name not in several and name not in subject.terms and not subject.coded(name):
            meant = nearest(name, (*several, *subject.terms))
            yield wrong(paths[0], message("fault.check.condition_unknown", condition=name, meant=meant))


def _stages(subject: Subject) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every stage as it is written, those inside a pool too."""
    for at, stage in enumerate(subject.listed("procedure")):
        yield ("procedure", at), stage
        for below, inside in enumerate(stage.get("inside", [])):
            yield ("procedure", at, "inside", below), inside


def _noted(subject: Subject) -> tuple[str, ...]:
    return tuple(str(stage["name"]) for stage in subject.listed("procedure") if "name" in stage)


def _without(data: dict[str, Any], *sections: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in sections}


def _among(path: Path, name: Any, there: Iterable[str], what: str) -> Iterator[Finding]:
    """A fault where a name is none of those that there are; nothing named is no fault."""
    names = tuple(there)
    if isinstance(name, str) and name and name not in names:
        said = message(UNKNOWN[what], name=shown(name), meant=nearest(name, names), allowed=names[:MOST_NAMED])
        yield wrong(path, said)


def _each_among(path: Path, named: Any, there: Iterable[str], what: str) -> Iterator[Finding]:
    for at, name in enumerate(named if isinstance(named, list | tuple) else ()):
        yield from _among((*path, at), name, there, what)


LINTS = (facts, words, kinds, fields, spells, follows, conditions)

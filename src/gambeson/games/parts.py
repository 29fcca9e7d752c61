"""The parts of a pack, each made from the sections of its data that it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from gambeson.engine.commands import COMMANDS
from gambeson.games.converting import Converter
from gambeson.language.arithmetic import LATER
from gambeson.language.effects import EffectRules, Entry
from gambeson.language.fields import Context, Field, check_fields, needed_of, not_among
from gambeson.language.functions import Function
from gambeson.language.lastings import StartEffects
from gambeson.language.layers import Layer
from gambeson.language.names import given_names
from gambeson.language.pack import Bar, CommandSpec, Figures, Follow, Lasting, Moment, Silent
from gambeson.language.predicates import Predicate
from gambeson.language.procedure import planned
from gambeson.language.rules import Rule, Variant
from gambeson.language.stages import StageKind
from gambeson.language.turns import OwnTurns
from gambeson.language.words import CallReader, Word, Words
from gambeson.mechanisms import MECHANISMS
from gambeson.mechanisms.casting import Cast
from gambeson.mechanisms.standing import StandingKind
from gambeson.model.errors import FieldFault, Path
from gambeson.model.values import Change

Part: TypeAlias = Callable[[Converter], Any]


def _section(name: str, default: Any) -> Part:
    """A section as it stands."""
    return lambda converter: converter.data.get(name, default)


def _each(section: str, type: Any) -> Part:
    return lambda converter: converter.each(section, type)


def _listed(section: str, type: Any) -> Part:
    return lambda converter: converter.listed((section,), type)


def _kinds(section: str, union: Any) -> Part:
    return lambda converter: converter.kinds((section,), union)


def _whole(section: str, type: Any) -> Part:
    return lambda converter: converter.whole(section, type)


def _licence(converter: Converter) -> tuple[str, ...]:
    """The lines that a pack says of its terms: one, or a list of them."""
    written = converter.data.get("licence")
    lines = written if isinstance(written, tuple) else () if written is None else (written,)
    return tuple(map(str, lines))


def _tables(converter: Converter) -> Any:
    """The data of the game's own code, in the shape that the code declares as `Tables`."""
    shape = getattr(converter.code, "Tables", None)
    return converter.whole("tables", shape) if shape is not None else None


def _words(converter: Converter) -> Words:
    if "words" not in converter.data:
        return Words({}, "")
    found: Words | None = converter.fits(converter.data["words"], Words)
    if found is None:
        before = len(converter.faults)
        converter.mapped(("words", "known"), converter.data["words"]["known"], Word)
        if len(converter.faults) == before:
            converter.whole("words", Words)
    return found or Words({}, "")


def _reader(converter: Converter) -> CallReader | None:
    words: Words = part(converter, "words")
    if not words.known:
        return None
    known = dict.fromkeys((*words.known, *words.answers, *words.places, *words.sides, words.wound))
    return CallReader(words, [(id, name) for id, name in converter.named if id in known])


def _commands(converter: Converter) -> dict[str, CommandSpec]:
    doers = {**COMMANDS, **MECHANISMS, **getattr(converter.code, "COMMANDS", {})}
    found = {}
    for name, raw in converter.mapping("commands").items():
        does = raw.get("does", name)
        if does in doers:
            command = _command(converter, ("commands", name), raw, doers[does])
            if command is not None:
                found[name] = command
        else:
            converter.fault(("commands", name, "does"), not_among(str(does), tuple(doers)))
    return found


def _command(converter: Converter, path: Path, raw: dict[str, Any], kind: Any) -> CommandSpec | None:
    fields = converter.fields((*path, "fields"))

    def doing() -> tuple[Any, tuple[Bar, ...]]:
        return converter.convert((*path, "with"), kind, raw.get("with") or {}), _bars(converter, path, fields)

    writes = bool(getattr(kind, "WRITES_ENTITIES", False))
    return converter.command(fields, needed_of(fields), doing, writes, raw.get("referee") is True)


def _bars(converter: Converter, path: Path, fields: dict[str, Field]) -> tuple[Bar, ...]:
    """Whom a command may not touch; its predicates may use the command's own fields too."""
    return converter.listed((*path, "bars"), Bar, lambda: given_names(converter.names(), fields))


def _spells(converter: Converter) -> dict[str, Any]:
    """The catalogue; entries that give fields of effects with these checked and their defaults filled in."""
    kind = getattr(converter.code, "Spell", None) or _kind_of_spell(converter)
    spells = converter.each("spells", kind)
    effects: EffectRules | None = part(converter, "effects")
    for name, entry in spells.items() if effects is not None else ():
        if isinstance(entry, Entry) and effects is not None:
            try:
                gives = check_fields(effects.fields, entry.gives, Context())
                spells[name] = msgspec.structs.replace(entry, gives=gives)
            except FieldFault as fault:
                converter.fault(("spells", name, "gives", *fault.path), fault.message)
    return spells


def _kind_of_spell(converter: Converter) -> Any:
    """What an entry of the catalogue is: as the command that reads it says."""
    doing = [raw.get("does", name) for name, raw in converter.mapping("commands").items()]
    kinds = [getattr(MECHANISMS.get(does), "SPELL", None) for does in doing]
    return next((kind for kind in kinds if kind is not None), Cast.SPELL)


def _spell_names(converter: Converter) -> dict[str, str]:
    """Every name by which a spell may be meant."""
    spells = converter.mapping("spells")
    names = {spell.casefold(): spell for spell in spells}
    meant = dict(converter.named)
    for id, name in converter.named:
        spell = id.removeprefix("spell.")
        if spell in spells and (id.startswith("spell.") or f"spell.{id}" not in meant):
            names.setdefault(name.casefold(), spell)
    return names


def _watchers(converter: Converter) -> dict[str, tuple[Callable[..., None], ...]]:
    watchers = {}
    for event in converter.mapping("watchers"):
        found: tuple[Function, ...] = converter.listed(("watchers", event), Function)
        watchers[event] = tuple(function.call for function in found)
    return watchers


PARTS: dict[str, Part] = {
    "game": _section("game", ""),
    "kinds": _section("kinds", ("creature",)),
    "life": _section("life", ""),
    "open_rules": _section("open_rules", {}),
    "types": _section("types", ()),
    "traits": _section("traits", ()),
    "values_rule": _section("values_rule", ""),
    "always_shown": _section("always_shown", ()),
    "figure_rounding": _section("figure_rounding", "down"),
    "ids_rule": _section("ids_rule", ""),
    "profile_key": _section("profile_key", ""),
    "profiles": _section("profiles", {}),
    "gone_rule": _section("gone_rule", ""),
    "lowest": lambda converter: converter.data.get("refusals", "lowest") == "lowest",
    "other_types": lambda converter: bool(converter.data.get("other_types", False)),
    "preventions": lambda converter: bool(converter.data.get("preventions", False)),
    "licence": _licence,
    "facts": lambda converter: converter.fields(("facts",)),
    "clock": lambda converter: converter.fields(("clock",)),
    "layers": _each("layers", Layer),
    "reserves": lambda converter: tuple(id for id, layer in part(converter, "layers").items() if layer.reserve),
    "effects": _whole("effects", EffectRules),
    "words": _words,
    "reader": _reader,
    "procedure": _kinds("procedure", StageKind),
    "plan": lambda converter: planned(part(converter, "procedure")),
    "rounds_later": lambda converter: any(
        getattr(stage, "rounding", "") == LATER for stage in part(converter, "procedure")
    ),
    "commands": _commands,
    "silent": _whole("silent", Silent),
    "spells": _spells,
    "spell_names": _spell_names,
    "type_names": lambda converter: {name.casefold(): id for id, name in converter.named},
    "conditions": _each("conditions", Predicate),
    "flags": _each("flags", Predicate),
    "lasting": _each("lasting", Lasting),
    "moments": _each("moments", Moment),
    "rules": _each("rules", Rule),
    "variants": _each("variants", Variant),
    "follows": _listed("follows", Follow),
    "watchers": _watchers,
    "condition_changes": _each("condition_changes", tuple[Change, ...]),
    "standing": _kinds("standing", StandingKind),
    "own_turns": _whole("own_turns", OwnTurns),
    "figures": _whole("figures", Figures),
    "start_effects": _whole("start_effects", StartEffects),
    "tables": _tables,
}
"""What makes each part of a pack, but for its hash, its folder and the readings that it was made under."""


def part(converter: Converter, name: str) -> Any:
    """A part of a pack, made once."""
    if name not in converter.parts:
        converter.parts[name] = PARTS[name](converter)
    return converter.parts[name]

"""A pack's data made into the types of the language, with every fault at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, get_args, get_origin

import msgspec
from msgspec.structs import replace

from gambeson.engine.commands import COMMANDS
from gambeson.games.declared import undeclared
from gambeson.games.documents import Document, Faults, placed
from gambeson.games.misfits import misfit
from gambeson.games.origins import origin
from gambeson.games.repeats import repeated
from gambeson.games.shapes import MOST_ENTRIES, REQUIRED, SHAPES, CommandShape
from gambeson.games.variants import resolved
from gambeson.language.arithmetic import LATER
from gambeson.language.effects import EffectRules, Entry
from gambeson.language.expressions import ExpressionFault, Names
from gambeson.language.fields import Context, Field, check_fields, nearest, needed_of, not_among
from gambeson.language.functions import Function
from gambeson.language.lastings import StartEffects
from gambeson.language.layers import Layer
from gambeson.language.names import given_names, names_of
from gambeson.language.pack import Bar, CommandSpec, Figures, Follow, Lasting, Moment, Pack, Silent
from gambeson.language.predicates import DiceFormula, Formula, Predicate, dice_formula, formula, predicate
from gambeson.language.procedure import planned
from gambeson.language.rules import Rule, Variant
from gambeson.language.stages import StageKind
from gambeson.language.turns import OwnTurns
from gambeson.language.words import CallReader, Word, Words
from gambeson.mechanisms import MECHANISMS
from gambeson.mechanisms.casting import Cast
from gambeson.mechanisms.standing import StandingKind
from gambeson.model.errors import Fault, FieldFault, Path, Unusable
from gambeson.model.messages import message
from gambeson.model.values import Change, frozen

FORMAT = 1
KEYS = (
    "format", "game", "about", "sources", "licence", "rules", "variants", "kinds", "facts", "layers", "life",
    "conditions", "flags", "words", "types", "traits", "silent", "lasting", "follows", "moments", "clock", "extras",
    "values", "procedure", "commands", "spells", "open_rules", "values_rule", "refusals", "preventions",
    "always_shown", "watchers", "condition_changes", "figure_rounding", "effects", "standing", "own_turns",
    "ids_rule", "templates", "figures", "profile_key", "profiles", "start_effects", "tables", "gone_rule",
    "other_types",
)  # fmt: skip


class _Wrong(ValueError):
    """Something that a converted value names is wrong; msgspec adds the path."""

    def __init__(self, message: Any) -> None:
        super().__init__("wrong")
        self.message = message


class Builder:
    """Collects the faults of one pack while its definitions are converted one by one."""

    def __init__(self, document: Document, data: dict[str, Any], code: ModuleType | None) -> None:
        self.document = document
        self.data = data
        self.code = code
        self.faults = Faults()
        self.names = Names({})
        self._wrong: Any = None

    def convert(self, path: Path, type: Any, value: Any = None) -> Any:
        """The value at this path (or the given one) as the type (a class or a union), or None with a fault noted."""
        if value is None:
            value = self.at(path)
        self._wrong = None
        try:
            return msgspec.convert(frozen(value), type, dec_hook=self._hook)
        except msgspec.ValidationError as error:
            below, said = misfit(str(error), type, value, _EVERY_KEY)
            self.fault((*path, *below), self._wrong or said)
        return None

    def each(self, section: str, type: Any) -> dict[str, Any]:
        """Every definition of a section that could be converted."""
        found = {}
        for name in self.mapping(section):
            converted = self.convert((section, name), type)
            if converted is not None:
                found[name] = converted
        return found

    def mapping(self, section: str) -> dict[str, Any]:
        """A section that must be a mapping."""
        value = self.data.get(section, {})
        if not isinstance(value, dict):
            self.fault((section,), message("fault.pack.mapping"))
            return {}
        return value

    def at(self, path: Path) -> Any:
        """The data at a path."""
        value: Any = self.data
        for step in path:
            value = value[step]
        return value

    def fault(self, path: Path, said: Any) -> None:
        """Note a fault."""
        self.faults.append(Fault(path, said))

    def _hook(self, type: Any, value: Any) -> Any:
        try:
            if type is Predicate:
                return predicate(value, self.names)
            if type is Formula:
                return formula(value, self.names)
            if type is DiceFormula:
                return dice_formula(value, self.names)
            if type is Function:
                return Function(str(value), self.function(str(value)))
        except ExpressionFault as fault:
            self._wrong = fault.message
            raise _Wrong(fault.message) from fault
        return value

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the game's own rules.py. Raises _Wrong where there is none of that name."""
        known: Mapping[str, Any] = getattr(self.code, "CODE", {})
        if name not in known:
            self._wrong = not_among(name, tuple(known))
            raise _Wrong(self._wrong)
        found: Callable[..., Any] = known[name]
        return found


def _keys_of(*types: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for type in types for key in type.__struct_encode_fields__))


_EVERY_KEY = _keys_of(
    Layer, Rule, Variant, Silent, Lasting, Follow, Moment, Bar, Words, *get_args(StageKind), *get_args(Field),
    *COMMANDS.values(), *MECHANISMS.values(), CommandShape,
)  # fmt: skip


def build(
    document: Document,
    readings: dict[str, str],
    code: ModuleType | None,
    named: tuple[tuple[str, str], ...],
    hash: str,
    folder: str,
) -> Pack:
    """The pack. Raises Unusable with all of its faults."""
    try:
        data = repeated(resolved(document.data, readings))
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, document)) from None
    builder = Builder(document, data, code)
    try:
        pack = _pack(builder, readings, named, hash, folder) if _shaped(builder) else None
    except Unusable:
        pack = None  # there are so many faults that the rest was not looked at
    if builder.faults or pack is None:
        written = (replace(fault, path=origin(document.data, readings, fault.path)) for fault in builder.faults)
        raise Unusable(placed(written, document))
    return pack


def _shaped(builder: Builder) -> bool:
    """Whether every section is what it must be before anything in it can be looked at."""
    data = builder.data
    if not isinstance(data, dict):
        builder.fault((), message("fault.pack.mapping"))
        return False
    for key in REQUIRED:
        if key not in data:
            builder.fault((key,), message("fault.field.missing", field=key))
    for key in data:
        if key not in KEYS:
            builder.fault((key,), message("fault.pack.unknown_key", key=key, meant=nearest(key, KEYS)))
    if data.get("format") != FORMAT:
        builder.fault(("format",), message("fault.pack.format", format=FORMAT))
    shaped = [_has_shape(builder, key, SHAPES[key]) for key in data if key in SHAPES]
    return all(shaped)


def _has_shape(builder: Builder, section: str, shape: Any) -> bool:
    """Whether a section is of its shape; of a mapping every entry is looked at, so that each fault has its place."""
    before = len(builder.faults)
    if isinstance(builder.data[section], dict | list) and len(builder.data[section]) > MOST_ENTRIES:
        builder.fault((section,), message("fault.pack.many", most=MOST_ENTRIES))
    elif get_origin(shape) is dict:
        for name in builder.mapping(section):
            builder.convert((section, name), get_args(shape)[1])
    else:
        builder.convert((section,), shape)
    return len(builder.faults) == before


def _pack(
    builder: Builder, readings: dict[str, str], named: tuple[tuple[str, str], ...], hash: str, folder: str
) -> Pack | None:
    data = builder.data
    facts = builder.each("facts", Field)
    hit_fields = _fields(builder, ("commands", "hit", "fields"))
    extras: list[str] = data.get("extras", [])
    bare = builder.each("layers", _LayerKeys)
    figures = _changed_figures(data)
    builder.names = names_of(facts, bare, hit_fields, extras, data.get("values", []), _noted(data), figures)
    layers = builder.each("layers", Layer)
    effects = builder.convert(("effects",), EffectRules) if "effects" in data else None
    words = _words(builder)
    procedure = [builder.convert(("procedure", i), StageKind) for i in range(len(data.get("procedure", [])))]
    commands = _commands(builder)
    silent = builder.convert(("silent",), Silent) if "silent" in data else None
    clock = _fields(builder, ("clock",))
    spells, spell_names = _spells(builder, named)
    spells = _with_fields(builder, spells, effects)
    parts: dict[str, Any] = {
        "conditions": builder.each("conditions", Predicate),
        "flags": builder.each("flags", Predicate),
        "lasting": builder.each("lasting", Lasting),
        "moments": builder.each("moments", Moment),
        "rules": builder.each("rules", Rule),
        "variants": builder.each("variants", Variant),
    }
    follows = [builder.convert(("follows", i), Follow) for i in range(len(data.get("follows", [])))]
    watchers = _watchers(builder)
    if builder.faults or words is None:
        return None
    standing = _standing(builder)
    acting = {"layers": layers, "lasting": parts["lasting"], "moments": parts["moments"], "procedure": procedure,
              "words": words, "spells": spells, "commands": commands, "follows": follows, "effects": effects,
              "standing": standing}  # fmt: skip
    builder.faults.extend(undeclared(acting, data.get("life", "")))
    stages = tuple(stage for stage in procedure if stage is not None)
    types = tuple(data.get("types", ()))
    return Pack(
        game=data["game"],
        hash=hash,
        folder=folder,
        readings=readings,
        kinds=tuple(data.get("kinds", ["creature"])),
        facts=facts,
        layers=layers,
        life=data.get("life", ""),
        procedure=stages,
        plan=planned(stages),
        reserves=tuple(name for name, layer in layers.items() if layer.reserve is not None),
        rounds_later=any(getattr(stage, "rounding", "") == LATER for stage in stages),
        words=words,
        reader=CallReader(words, _word_names(words, named)) if words.known else None,
        commands=commands,
        silent=silent,
        follows=tuple(follows),
        spells=spells,
        spell_names=spell_names,
        open_rules=data.get("open_rules", {}),
        clock=clock,
        types=types,
        type_names={name.casefold(): id for id, name in named},
        other_types=bool(data.get("other_types", False)),
        traits=tuple(data.get("traits", ())),
        values_rule=data.get("values_rule", ""),
        lowest=data.get("refusals", "lowest") == "lowest",
        preventions=bool(data.get("preventions", False)),
        always_shown=tuple(data.get("always_shown", ())),
        condition_changes=builder.each("condition_changes", tuple[Change, ...]),
        figure_rounding=data.get("figure_rounding", "down"),
        watchers=watchers,
        effects=effects,
        standing=standing,
        own_turns=builder.convert(("own_turns",), OwnTurns) if "own_turns" in data else None,
        ids_rule=data.get("ids_rule", ""),
        licence=_licence(data.get("licence")),
        figures=builder.convert(("figures",), Figures) if "figures" in data else None,
        profile_key=data.get("profile_key", ""),
        profiles=frozen(builder.mapping("profiles")),
        start_effects=builder.convert(("start_effects",), StartEffects) if "start_effects" in data else None,
        tables=_tables(builder),
        gone_rule=data.get("gone_rule", ""),
        **parts,
    )


def _licence(written: Any) -> tuple[str, ...]:
    """The lines that a pack says of its terms: one, or a list of them."""
    lines = written if isinstance(written, list) else [] if written is None else [written]
    return tuple(map(str, lines))


def _noted(data: dict[str, Any]) -> list[str]:
    """The names under which stages keep figures of a blow."""
    stages = data.get("procedure", [])
    noting = [stage for stage in stages if isinstance(stage, dict) and stage.get("kind") == "note"]
    return [str(stage["name"]) for stage in noting if "name" in stage]


def _changed_figures(data: dict[str, Any]) -> list[str]:
    """The figures that effects may change by name."""
    changes = data.get("effects", {}).get("changes", {}) if isinstance(data.get("effects"), dict) else {}
    meant = [meant for meant in changes.values() if isinstance(meant, dict)] if isinstance(changes, dict) else []
    return [str(change["of"]) for change in meant if change.get("kind") == "figure" and "of" in change]


def _standing(builder: Builder) -> tuple[Any, ...]:
    """The standing mechanisms, in the order in which they look at each fact."""
    listed = builder.data.get("standing", [])
    found = [builder.convert(("standing", index), StandingKind) for index in range(len(listed))]
    return tuple(standing for standing in found if standing is not None)


def _tables(builder: Builder) -> Any:
    """The data of the game's own code, in the shape that the code declares as `Tables`."""
    shape = getattr(builder.code, "Tables", None)
    return builder.convert(("tables",), shape) if shape is not None and "tables" in builder.data else None


class _LayerKeys(msgspec.Struct, frozen=True):
    """Of a layer only what names need; the rest is converted once the names are known."""

    keys: dict[str, Field] = {}


def _words(builder: Builder) -> Words | None:
    if "words" not in builder.data:
        return Words({}, "")
    for word in builder.mapping("words").get("known", {}):
        builder.convert(("words", "known", word), Word)
    words: Words | None = None if builder.faults else builder.convert(("words",), Words)
    return words


def _fields(builder: Builder, path: Path) -> dict[str, Field]:
    try:
        names = builder.at(path)
    except (KeyError, TypeError):
        return {}
    found: dict[str, Field] = {}
    for name in names:
        field = builder.convert((*path, name), Field)
        if field is not None:
            found[name] = field
    return found


def _commands(builder: Builder) -> dict[str, CommandSpec]:
    doers = {**COMMANDS, **MECHANISMS, **getattr(builder.code, "COMMANDS", {})}
    commands = {}
    for name, raw in builder.mapping("commands").items():
        path: Path = ("commands", name)
        does = raw.get("does", name)
        if does not in doers:
            builder.fault((*path, "does"), not_among(str(does), tuple(doers)))
            continue
        doer = builder.convert((*path, "with"), doers[does], raw.get("with") or {})
        fields = _fields(builder, (*path, "fields"))
        known, builder.names = builder.names, given_names(builder.names, fields)
        bars = [builder.convert((*path, "bars", i), Bar) for i in range(len(raw.get("bars", [])))]
        builder.names = known
        if doer is not None and None not in bars:
            writes = bool(getattr(doers[does], "WRITES_ENTITIES", False))
            kept = tuple(bar for bar in bars if bar is not None)
            referee = raw.get("referee") is True
            commands[name] = CommandSpec(fields, needed_of(fields), doer, kept, writes, referee)
    return commands


def _spells(builder: Builder, named: tuple[tuple[str, str], ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """The catalogue, and every name by which a spell may be meant."""
    kind = getattr(builder.code, "Spell", None) or _kind_of_spell(builder)
    spells = builder.each("spells", kind)
    names = {spell.casefold(): spell for spell in spells}
    for id, name in named:
        spell = id.removeprefix("spell.")
        if spell in spells and (id.startswith("spell.") or f"spell.{id}" not in dict(named)):
            names.setdefault(name.casefold(), spell)
    return spells, names


def _with_fields(builder: Builder, spells: dict[str, Any], effects: EffectRules | None) -> dict[str, Any]:
    """The catalogue of a game whose entries give fields of effects, with these checked and their defaults filled in."""
    found = dict(spells)
    for name, entry in spells.items():
        if isinstance(entry, Entry) and effects is not None:
            try:
                gives = check_fields(effects.fields, entry.gives, Context())
                found[name] = msgspec.structs.replace(entry, gives=gives)
            except FieldFault as fault:
                builder.fault(("spells", name, "gives", *fault.path), fault.message)
    return found


def _kind_of_spell(builder: Builder) -> Any:
    """What an entry of the catalogue is: as the command that reads it says."""
    doing = [raw.get("does", name) for name, raw in builder.mapping("commands").items() if isinstance(raw, dict)]
    kinds = [getattr(MECHANISMS.get(does), "SPELL", None) for does in doing]
    return next((kind for kind in kinds if kind is not None), Cast.SPELL)


def _word_names(words: Words, named: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    known = (*words.known, *words.answers, *words.places, *words.sides, words.wound)
    return [(id, name) for id, name in named if id in known]


def _watchers(builder: Builder) -> dict[str, tuple[Callable[..., None], ...]]:
    watchers = {}
    for event, functions in builder.mapping("watchers").items():
        found = [builder.convert(("watchers", event, i), Function, name) for i, name in enumerate(functions)]
        watchers[event] = tuple(function.call for function in found if function is not None)
    return watchers

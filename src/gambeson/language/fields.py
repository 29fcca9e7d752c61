"""Types of the values that people and packs write: checked, normalised, and printed as JSON Schema."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from gambeson.language.dice import parse_dice
from gambeson.model.errors import FieldFault, Path
from gambeson.model.messages import Message, message
from gambeson.model.values import LARGEST_FIGURE

_TIME = re.compile(r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z")
_FIGURE = re.compile(r" *([a-z_]+)( *[+-] *[0-9]{1,9})? *\Z")
_WORD = re.compile(r"\w[\w'-]*\Z")
_PLAIN_WORD = re.compile(r"\w+\Z")
LONGEST_TEXT = 2_000
LONGEST_LIST = 10_000


class Context(Struct, gc=False):
    """What a check may look at: the ids on the table (None: any id is accepted, as in a file not yet played)."""

    entities: Mapping[str, Any] | None = None


class _Field(Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    required: bool = False
    default: Any = None
    rule: str = ""
    about: str = ""


class NumberField(_Field, frozen=True, kw_only=True, tag="number", rename={"least": "from", "most": "to"}):
    """A whole number from `from` to `to`."""

    least: int = 0
    most: int = LARGEST_FIGURE
    refusal: str = ""

    def check(self, value: Any, context: Context, path: Path) -> int:
        """The number, or FieldFault."""
        if type(value) is not int or not self.least <= value <= self.most:
            if self.refusal and type(value) is int and value < self.least:
                raise FieldFault(path, message(self.refusal, got=value), self.rule)
            raise FieldFault(path, message("fault.field.number", least=self.least, most=self.most, got=shown(value)))
        return value

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class FlagField(_Field, frozen=True, kw_only=True, tag="flag"):
    """true or false."""

    def check(self, value: Any, context: Context, path: Path) -> bool:
        """The flag, or FieldFault."""
        if type(value) is not bool:
            raise FieldFault(path, message("fault.field.flag", got=shown(value)))
        return value

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "boolean"}


class WordField(_Field, frozen=True, kw_only=True, tag="word"):
    """One of the words `of`; without `of` any word (letters, digits, `_`, and unless it is `plain` `'` and `-`).

    `folded`: letter case is ignored. `refusal` is said, under the field's rule, of a word that is none of them.
    """

    of: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    folded: bool = False
    plain: bool = False
    refusal: str = ""

    def check(self, value: Any, context: Context, path: Path) -> str:
        """The word, or FieldFault that names the allowed ones and the nearest."""
        if type(value) is not str:
            raise FieldFault(path, message("fault.field.word_type", allowed=self.of or ("…",), got=shown(value)))
        word = value.lower() if self.folded else value
        if self.of:
            if word not in self.of:
                if self.refusal:
                    raise FieldFault(path, message(self.refusal, got=value[:60], allowed=self.of), self.rule)
                raise FieldFault(path, not_among(value, self.of), self.rule)
        elif not (_PLAIN_WORD if self.plain else _WORD).match(word) or len(word) > 100:
            raise FieldFault(path, message("fault.field.word", got=shown(value)))
        if word in self.never:
            raise FieldFault(path, message("fault.field.never", got=word, never=self.never))
        return word

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "string", "enum": list(self.of)} if self.of else {"type": "string"}


class TextField(_Field, frozen=True, kw_only=True, tag="text"):
    """Any Unicode text up to 2,000 characters."""

    null: bool = False

    def check(self, value: Any, context: Context, path: Path) -> str | None:
        """The text, or FieldFault."""
        if value is None and self.null:
            return None
        if type(value) is not str or len(value) > LONGEST_TEXT:
            raise FieldFault(path, message("fault.field.text", got=shown(value), most=LONGEST_TEXT))
        return value

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": ["string", "null"] if self.null else "string"}


class EntityField(_Field, frozen=True, kw_only=True, tag="entity"):
    """The id of an entity on the table; `free`: any text is accepted, only an id has a meaning for rules."""

    free: bool = False

    def check(self, value: Any, context: Context, path: Path) -> str:
        """The id, or FieldFault with the nearest id."""
        if type(value) is not str or len(value) > LONGEST_TEXT:
            raise FieldFault(path, message("fault.field.entity", got=shown(value)), self.rule)
        if not self.free and context.entities is not None and value not in context.entities:
            raise FieldFault(path, unknown_entity(value, context.entities), self.rule)
        return value

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "string"}


class DiceField(_Field, frozen=True, kw_only=True, tag="dice"):
    """Dice such as `2d6+1`; with `sides` at least one die, of that many sides, and nothing added."""

    sides: int = 0

    def check(self, value: Any, context: Context, path: Path) -> str:
        """The dice as written without blanks, or FieldFault."""
        if type(value) is not str:
            raise FieldFault(path, message("fault.field.dice", got=shown(value)))
        dice = parse_dice(value)
        if self.sides and (dice.sides != self.sides or not dice.count or dice.plus):
            raise FieldFault(path, message("fault.field.dice_of", sides=self.sides, got=shown(value)))
        return str(dice)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        if self.sides:
            return {"type": "string", "pattern": rf"^\s*0*[1-9][0-9]*\s*d\s*{self.sides}\s*$"}
        return {"type": "string", "pattern": r"^\s*[0-9]+\s*[dD]\s*[0-9]+\s*([+-]\s*[0-9]+)?\s*$"}


class UntilField(_Field, frozen=True, kw_only=True, tag="until"):
    """A duration: a word `of`, `{UNIT: N}` for the listed clock units, or `{MOMENT: ID, count: N}` for `turns`."""

    of: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    ids_rule: str = ""
    null: bool = False

    def check(self, value: Any, context: Context, path: Path) -> Any:
        """The duration as it was written, or FieldFault."""
        if value is None and self.null:
            return None
        if isinstance(value, str):
            if value not in self.of:
                raise FieldFault(path, not_among(value, self._allowed()))
            return value
        if isinstance(value, dict) and len(value) == 1:
            unit, count = next(iter(value.items()))
            if unit in self.units:
                if type(count) is not int or not 1 <= count <= LARGEST_FIGURE:
                    raise FieldFault(
                        (*path, unit), message("fault.field.number", least=1, most=LARGEST_FIGURE, got=shown(count))
                    )
                return {unit: count}
        if isinstance(value, dict) and any(turn in value for turn in self.turns):
            return self._turn(value, context, path)
        raise FieldFault(path, message("fault.field.not_among", got=shown(value), meant="", allowed=self._allowed()))

    def _turn(self, value: dict[str, Any], context: Context, path: Path) -> dict[str, Any]:
        """A moment of somebody's turns, and which of them; the moment stands first in what it gives."""
        moment = next(turn for turn in self.turns if turn in value)
        fields: Fields = {moment: EntityField(required=True, rule=self.ids_rule), "count": NumberField(least=1)}
        checked = check_fields(fields, value, context, path)
        return {moment: checked[moment], **checked}

    def _allowed(self) -> tuple[str, ...]:
        turns = (f"{{{turn}: ID, count: N}}" for turn in self.turns)
        return (*self.of, *(f"{{{unit}: N}}" for unit in self.units), *turns)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        choices: list[dict[str, Any]] = [{"enum": list(self.of)}] if self.of else []
        for unit in self.units:
            choices.append(
                {
                    "type": "object",
                    "properties": {unit: {"type": "integer", "minimum": 1}},
                    "required": [unit],
                    "additionalProperties": False,
                }
            )
        for turn in self.turns:
            fields: Fields = {turn: EntityField(required=True), "count": NumberField(least=1)}
            choices.append(record_schema(fields))
        return {"anyOf": choices}


class TimeField(_Field, frozen=True, kw_only=True, tag="time_of_day"):
    """A time of day such as `17:55`."""

    def check(self, value: Any, context: Context, path: Path) -> str:
        """The time, or FieldFault."""
        if type(value) is not str or not _TIME.match(value):
            raise FieldFault(path, message("fault.field.time", got=shown(value)))
        return value

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "string", "pattern": _TIME.pattern.replace(r"\Z", "$")}


class FigureField(_Field, frozen=True, kw_only=True, tag="figure"):
    """The name of a figure, one of the words `of`, perhaps with a plus or minus: `toughness`, `intellect+2`."""

    of: tuple[str, ...]

    def check(self, value: Any, context: Context, path: Path) -> str:
        """The figure without blanks, or FieldFault."""
        found = _FIGURE.match(value) if type(value) is str else None
        if found is None or found[1] not in self.of:
            raise FieldFault(path, not_among(shown(value) if type(value) is not str else value, self.of))
        return found[0].replace(" ", "")

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "string", "pattern": rf"^ *({'|'.join(self.of)})( *[+-] *[0-9]{{1,9}})? *$"}


class ListField(_Field, frozen=True, kw_only=True, tag="list"):
    """A list; `least` entries at least, `unique`: a repeat counts once, `no_repeats`: it is a fault.

    `distinct`: the key of the entries that no two may have the same of. `single`: a value alone is a list of it;
    `every`: this word alone means every word that an entry may be.
    """

    of: Field
    every: str = ""
    least: int = 0
    unique: bool = False
    no_repeats: bool = False
    distinct: str = ""
    single: bool = False

    def check(self, value: Any, context: Context, path: Path) -> tuple[Any, ...]:
        """The entries as a tuple, or FieldFault."""
        if self.every and value == self.every and isinstance(self.of, WordField):
            return self.of.of
        if self.single and not isinstance(value, list | tuple):
            value = [value]
        if not isinstance(value, list | tuple):
            raise FieldFault(path, message("fault.field.list", got=shown(value)))
        if not self.least <= len(value) <= LONGEST_LIST:
            length = message("fault.field.list_length", least=self.least, most=LONGEST_LIST, got=len(value))
            raise FieldFault(path, length)
        entries: tuple[Any, ...] = tuple(self.of.check(entry, context, (*path, i)) for i, entry in enumerate(value))
        if self.distinct:
            named = [entry[self.distinct] for entry in entries]
            for i, name in enumerate(named):
                if name in named[:i]:
                    raise FieldFault((*path, i), message("fault.field.repeated", got=shown(name)))
        if self.unique or self.no_repeats:
            once: list[Any] = []
            for i, entry in enumerate(entries):
                if entry not in once:
                    once.append(entry)
                elif self.no_repeats:
                    raise FieldFault((*path, i), message("fault.field.repeated", got=shown(entry)))
            return tuple(once)
        return entries

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        inner = self.of.schema()
        listed: dict[str, Any] = {"type": "array", "items": inner, "minItems": self.least}
        if self.every:
            return {"anyOf": [listed, {"const": self.every}]}
        return {"anyOf": [listed, inner]} if self.single else listed


class MapField(_Field, frozen=True, kw_only=True, tag="map"):
    """A mapping from words to values of one type."""

    keys: Field
    values: Field

    def check(self, value: Any, context: Context, path: Path) -> dict[str, Any]:
        """The mapping, or FieldFault."""
        if not isinstance(value, dict):
            raise FieldFault(path, message("fault.field.map", got=shown(value)))
        checked: dict[str, Any] = {}
        for key, entry in value.items():
            below = (*path, key)
            checked[str(self.keys.check(key, context, below))] = self.values.check(entry, context, below)
        return checked

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"type": "object", "additionalProperties": self.values.schema()}


class RecordField(_Field, frozen=True, kw_only=True, tag="record"):
    """A mapping with these keys and no others; missing ones take their defaults, or stay away without one."""

    fields: dict[str, Field]
    bare: str = ""
    """The key that a text alone stands for: with `bare: name` the text `glow` means `{name: glow}`."""

    def check(self, value: Any, context: Context, path: Path) -> dict[str, Any]:
        """The mapping with defaults filled in, or FieldFault."""
        if self.bare and type(value) is str:
            value = {self.bare: value}
        if not isinstance(value, dict):
            raise FieldFault(path, message("fault.field.record", allowed=tuple(self.fields), got=shown(value)))
        return check_fields(self.fields, value, context, path)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        record = record_schema(self.fields)
        return {"anyOf": [{"type": "string"}, record]} if self.bare else record


class CasesField(_Field, frozen=True, kw_only=True, tag="cases"):
    """A mapping with `key` naming which of several records it is; other names are free if `others` is given."""

    key: str
    cases: dict[str, dict[str, Field]]
    others: bool = False

    def check(self, value: Any, context: Context, path: Path) -> dict[str, Any]:
        """The mapping, or FieldFault."""
        given = {self.key: value} if type(value) is str else value
        if not isinstance(given, dict) or type(given.get(self.key)) is not str:
            raise FieldFault(path, message("fault.field.record", allowed=(self.key, "…"), got=shown(value)))
        name = given[self.key]
        if name not in self.cases:
            if not self.others:
                raise FieldFault((*path, self.key), not_among(name, tuple(self.cases)))
            if not name or len(name) > 100:
                raise FieldFault((*path, self.key), message("fault.field.word", got=shown(name)))
        fields: dict[str, Field] = {self.key: TextField(required=True), **self.cases.get(name, {})}
        return check_fields(fields, given, context, path)

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        records = [
            record_schema({self.key: WordField(of=(name,), required=True), **fields})
            for name, fields in self.cases.items()
        ]
        return {"anyOf": [{"type": "string"}, *records, *([{"type": "object"}] if self.others else [])]}


class EitherField(_Field, frozen=True, kw_only=True, tag="either"):
    """A value of the first type that accepts it."""

    of: tuple[Field, ...]

    def check(self, value: Any, context: Context, path: Path) -> Any:
        """What the first accepting type makes of it, or the FieldFault that came nearest."""
        for field in self.of:
            if _other_shape(field, value):
                continue
            try:
                return field.check(value, context, path)
            except FieldFault:
                continue
        raise self._nearest(value, context, path)

    def _nearest(self, value: Any, context: Context, path: Path) -> FieldFault:
        """The fault that lies deepest in a value that no type accepts, rather of a type that is of its shape."""
        faults: list[FieldFault] = []
        for field in sorted(self.of, key=lambda field: _other_shape(field, value)):
            try:
                field.check(value, context, path)
            except FieldFault as fault:
                faults.append(fault)
        return max(faults, key=lambda fault: len(fault.path))

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        return {"anyOf": [field.schema() for field in self.of]}


def _other_shape(field: Field, value: Any) -> bool:
    """Whether a value is surely none for this field, so that nobody need work out what is wrong with it."""
    match field:
        case MapField():
            return not isinstance(value, dict)
        case ListField(single=False, every=""):
            return not isinstance(value, list | tuple)
        case _:
            return False


Field: TypeAlias = (
    NumberField
    | FlagField
    | WordField
    | TextField
    | EntityField
    | DiceField
    | UntilField
    | TimeField
    | FigureField
    | ListField
    | MapField
    | RecordField
    | CasesField
    | EitherField
)
Fields: TypeAlias = dict[str, Field]


def needed_of(fields: Fields) -> Fields:
    """The fields that a mapping without them lacks: those that are required and those with a default."""
    return {name: field for name, field in fields.items() if field.required or field.default is not None}


def check_fields(
    fields: Mapping[str, Field],
    given: Mapping[str, Any],
    context: Context,
    path: Path = (),
    needed: Fields | None = None,
) -> dict[str, Any]:
    """The given mapping checked field by field, defaults filled in; a default of None leaves the key out.

    `needed` is `needed_of(fields)`, where that is known already.
    """
    checked: dict[str, Any] = {}
    for key, value in given.items():
        field = fields.get(key)
        if field is None:
            raise FieldFault((*path, key), unknown_key(key, fields))
        try:
            checked[key] = field.check(value, context, ())
        except FieldFault as fault:
            raise FieldFault((*path, key, *fault.path), fault.message, fault.rule) from None
    for name, field in (fields if needed is None else needed).items():
        if name not in checked and (field.required or field.default is not None):
            if field.required:
                raise FieldFault((*path, name), message("fault.field.missing", field=name))
            checked[name] = field.default
    return checked


def faults_of(fields: Mapping[str, Field], given: Mapping[str, Any], context: Context) -> tuple[FieldFault, ...]:
    """Every fault of a mapping: of each key one at the most."""
    faults: list[FieldFault] = []
    for name in dict.fromkeys((*given, *fields)):
        try:
            own = {name: fields[name]} if name in fields else {}
            check_fields(own, {name: given[name]} if name in given else {}, context)
        except FieldFault as fault:
            unknown = name not in fields
            faults.append(FieldFault((name,), unknown_key(name, fields)) if unknown else fault)
    return tuple(faults)


def record_schema(fields: Mapping[str, Field]) -> dict[str, Any]:
    """A mapping with these fields as JSON Schema, each with its description."""
    properties: dict[str, Any] = {}
    for name, field in fields.items():
        schema = field.schema()
        if field.about:
            schema = {**schema, "description": field.about}
        properties[name] = schema
    required = [name for name, field in fields.items() if field.required]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def shown(value: Any) -> str:
    """A value as it is shown in a fault: short, with texts in quotes."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) > 10**30:
        return f"{'-' if value < 0 else ''}10^{value.bit_length() * 30103 // 100_000}"
    if isinstance(value, tuple):
        value = list(value)
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def nearest(word: str, allowed: Iterable[str]) -> str:
    """The allowed word that was probably meant, or ""."""
    found = difflib.get_close_matches(word[:60].lower(), list(allowed)[:300], n=1, cutoff=0.6)
    return found[0] if found else ""


def not_among(got: str, allowed: tuple[str, ...]) -> Message:
    """The fault of a word that is none of the allowed ones."""
    return message("fault.field.not_among", got=shown(got), meant=nearest(got, allowed), allowed=allowed)


def unknown_key(key: Any, allowed: Iterable[str]) -> Message:
    """The fault of a key that is not known here."""
    names = tuple(allowed)
    return message("fault.field.unknown_key", got=shown(key), meant=nearest(str(key), names), allowed=names)


def unknown_entity(id: str, entities: Iterable[str]) -> Message:
    """The fault of an id that nobody on the table has."""
    names = tuple(entities)
    return message("fault.field.unknown_entity", got=shown(id), meant=nearest(id, names), allowed=names[:20])

"""Commands and values as people say them: names for ids, terms for words, durations in words."""

from __future__ import annotations

from typing import Any

from gambeson.games import texts
from gambeson.language.durations import said as said_until
from gambeson.language.durations import until
from gambeson.language.fields import (
    Context,
    EitherField,
    EntityField,
    Field,
    Fields,
    FlagField,
    ListField,
    MapField,
    NumberField,
    RecordField,
    TextField,
    UntilField,
    WordField,
)
from gambeson.language.texts import NOTHING
from gambeson.model.commands import Command
from gambeson.model.errors import FieldFault
from gambeson.model.messages import Parameter, message
from gambeson.model.values import REFEREE, State
from gambeson.table.rulings import Ruling

ANYONE = Context()


class Speaker:
    """Says what is in one ruling, in one language."""

    __slots__ = ("pack", "said", "states")

    def __init__(self, ruling: Ruling, lang: str) -> None:
        self.pack = ruling.pack
        self.said = texts(ruling.pack.folder, lang)
        self.states: tuple[State, ...] = (ruling.after, ruling.before)

    def name(self, id: str) -> str:
        """The label of an entity; the id itself where there is none. What nobody does the referee does."""
        for state in self.states:
            if id in state.entities:
                return self.said.named(state.entities[id].name)
        return self.said.say(message("who.referee")) if id in (REFEREE, "") else id

    def command(self, command: Command) -> str:
        """The command in one sentence; what the sentence has no place for follows it, so that nothing stays unsaid."""
        spec = self.pack.commands.get(command.name)
        fields: Fields = spec.fields if spec is not None else {}
        given = {name: field.default for name, field in fields.items() if field.default} | command.fields
        values = {name: self._given(name, fields.get(name), value) for name, value in given.items()}
        if isinstance(given.get("id"), str):
            values["id"] = self.name(given["id"])
        id = f"explain.command.{command.name}"
        if self.said.has(id):
            places = self.said.parameters(id)
            params: dict[str, Parameter] = {name: _place(values.get(name)) for name in sorted(places)}
            sentence = self.said.say(id, **params)
        else:
            places = frozenset(("target",))
            sentence = self.said.term(command.name)
            if "target" in values:
                sentence = f"{values['target']}: {sentence}"
        if "id" in places and "name" in values:
            places |= {"name"}
        rest = [self._field(name, values[name]) for name in command.fields if name not in places]
        sentence = ": ".join((sentence, "; ".join(rest))) if rest else sentence
        acting = (name for name, field in fields.items() if isinstance(field, EntityField) and name != "target")
        if command.by != REFEREE and command.by not in [given.get(name) for name in acting]:
            sentence += " " + self.said.say("explain.by", by=self.name(command.by))
        return sentence

    def _given(self, name: str, field: Field | None, value: Any) -> str | int:
        """A value of the field with this name, by which some words are called differently."""
        if name == "call":
            return str(value)  # what was shouted stays as it was shouted
        if name == "spell" and str(value).casefold() in self.pack.spell_names:
            return self.spell(self.pack.spell_names[str(value).casefold()])
        if isinstance(value, str) and self.said.has(f"term.{name}.{value}"):
            return self.said.term(f"{name}.{value}")
        if isinstance(field, TextField) and isinstance(value, str) and self.name(value) != value:
            return self.name(value)
        return self.value(field, value)

    def usual(self, command: str, name: str) -> Any:
        """What a field of a command is where nothing is said of it; None: it stays away."""
        spec = self.pack.commands.get(command)
        field = spec.fields.get(name) if spec is not None else None
        return field.default if field is not None else None

    def spell(self, code: str) -> str:
        """What a spell of the catalogue is called."""
        return self.said.term(f"spell.{code}" if self.said.has(f"term.spell.{code}") else code)

    def filled(self, command: str, name: str, value: Any) -> str:
        """A value of a command's field; of a list its entries."""
        spec = self.pack.commands.get(command)
        field = spec.fields.get(name) if spec is not None else None
        if isinstance(value, list | tuple):
            return ", ".join(self.filled(command, name, entry) for entry in value)
        if isinstance(value, str) and self.name(value) != value:
            return self.name(value)
        said = str(self._given(name, field, value))
        return self.said.term(said) if said == value and self.said.has(f"term.{said}") else said

    def _field(self, name: str, value: str | int) -> str:
        return self.said.say("explain.field", name=self.said.term(name), value=NOTHING if value == "" else value)

    def value(self, field: Field | None, value: Any) -> str | int:
        """A value as its field means it; numbers stay numbers, so that texts can count them."""
        match field:
            case NumberField() if isinstance(value, int):
                return value
            case EntityField() if isinstance(value, str):
                return self.name(value)
            case TextField() if isinstance(value, str):
                return self.said.term(value) if self.said.has(f"term.{value}") else value
            case UntilField() if _fits(field, value):
                return self.said.say(said_until(until(value, 0), 0))
            case ListField() if isinstance(value, list | tuple):
                return ", ".join(str(self.value(field.of, entry)) for entry in value)
            case ListField() if isinstance(value, str) and field.single:
                return self.value(field.of, value)
            case MapField() if isinstance(value, dict):
                return ", ".join(self._entry(key, self.value(field.values, entry)) for key, entry in value.items())
            case RecordField() if isinstance(value, dict):
                return self._record(field, value)
            case EitherField():
                return self.value(_accepting(field, value), value)
            case _ if type(value) is int:
                return value
            case WordField() | FlagField() | None | _:
                return self.plain(value)

    def _record(self, field: RecordField, value: dict[str, Any]) -> str:
        if _is_part(value):
            return self._part(value)
        told = {key: entry for key, entry in value.items() if entry not in ((), [], {}, None)}
        shown = {key: self._entered(key, field.fields.get(key), entry) for key, entry in told.items()}
        return ", ".join(self._entry(key, entry) for key, entry in shown.items())

    def _part(self, value: dict[str, Any]) -> str:
        """A part of the damage: an amount, and its type where one is named."""
        if "type" not in value:
            return str(value["amount"])
        return self.said.say(message("trace.part", amount=value["amount"], type=str(value["type"])))

    def _entered(self, key: str, field: Field | None, value: Any) -> str | int:
        """A value under a key, by which some words are called differently."""
        if isinstance(value, str) and self.said.has(f"term.{key}.{value}"):
            return self.said.term(f"{key}.{value}")
        return self.value(field, value)

    def _entry(self, key: Any, value: str | int) -> str:
        name = self.name(str(key)) if self.name(str(key)) != key else self.said.term(str(key))
        return self.said.say("explain.entry", name=name, value=value)

    def plain(self, value: Any) -> str:
        """A value without a field: words are terms, mappings list their entries."""
        match value:
            case None:
                return NOTHING
            case bool():
                return self.said.say("explain.yes") if value else self.said.say("explain.no")
            case str():
                return self.said.term(value)
            case dict() if _is_part(value):
                return self._part(value)
            case dict():
                return ", ".join(self._entry(key, self.plain(entry)) for key, entry in value.items())
            case list() | tuple():
                return ", ".join(map(self.plain, value))
            case _:
                return str(value)


def _is_part(value: dict[str, Any]) -> bool:
    """Whether a mapping says a part of the damage: a whole number, and maybe a type."""
    return type(value.get("amount")) is int and set(value) <= {"amount", "type"}


def _place(value: str | int | None) -> str | int | None:
    """What fills a place of a sentence: nothing where it would be empty."""
    return None if value == "" else value


def _fits(field: Field, value: Any) -> bool:
    """Whether a field takes a value; what a refused command was given need not fit."""
    try:
        field.check(value, ANYONE, ())
    except FieldFault:
        return False
    return True


def _accepting(field: EitherField, value: Any) -> Field | None:
    """The first of several types that accepts a value."""
    return next((one for one in field.of if _fits(one, value)), None)

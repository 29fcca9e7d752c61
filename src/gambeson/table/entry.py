"""Quick entry: one typed line becomes a command of the game, by the fields that its pack declares.

| typed | means |
|---|---|
| `anna 4 pierce poison left arm` | a hit on anna: the call, and where it lands |
| `anna 14 fire + 6 slashing parry=3` | a hit in amounts and types, with a field |
| `rest all long` | a command; its fields in the declared order, or by name as `kind=long` |
| `add bob body=3 armor=1/2` | an entity with pools (current, or current/maximum) and keys |

Commands, fields, entities and words are known by their ids and by their names in every language; letter case does not
matter, and a beginning is enough where only one thing begins so. Values may be in YAML's flow style.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from gambeson.engine.entities import entity_fields
from gambeson.language.fields import (
    CasesField,
    EitherField,
    EntityField,
    Field,
    Fields,
    FlagField,
    ListField,
    NumberField,
    TextField,
    UntilField,
    WordField,
    nearest,
    shown,
)
from gambeson.language.layers import pool_fields
from gambeson.language.pack import CommandSpec, Pack
from gambeson.model.commands import Command
from gambeson.model.errors import FieldFault
from gambeson.model.messages import Message, message
from gambeson.model.values import REFEREE, State, frozen
from gambeson.table.entry_blows import HIT, TARGET, read_blow
from gambeson.table.entry_words import (
    LONGEST_NAME,
    Misunderstood,
    Vocabulary,
    flow,
    folded,
    is_number,
    scalar,
    words_for,
)
from gambeson.table.spoken import number_said

LONGEST_ENTRY = 2_000
ID, POOLS, NAME, BY = "id", "pools", "name", "by"
SPELL, EFFECT = "spell", "effect"

_KEY = re.compile(r"[\w.-]+(?==)")
_QUOTES = {'"': '"', "'": "'", "«": "»", "“": "”"}
_BRACKETS = {"[": "]", "{": "}"}
_POOL = re.compile(r"([0-9]{1,30})/([0-9]{1,30})\Z")


class Token(Struct, frozen=True):
    """One word or value; with a `key` it was written `key=text`."""

    text: str
    key: str = ""
    quoted: bool = False


class Misread(Struct, frozen=True):
    """A line that is no command; `said` tells why and what was probably meant."""

    said: Message


Entry: TypeAlias = Command | Misread


def read_entry(pack: Pack, state: State, text: str, also: Iterable[str] = ()) -> Entry:
    """The command that a line means at this table, or why it is none; never raises.

    `also` are words that the caller knows beside the commands of the game, for "did you mean".
    """
    if len(text) > LONGEST_ENTRY:
        return Misread(message("play.entry.long", most=LONGEST_ENTRY))
    try:
        return _Reader(pack, state, tuple(also)).read(tokens(text))
    except Misunderstood as misunderstood:
        return Misread(misunderstood.said)


# Tokens


def tokens(text: str) -> list[Token]:
    """The words of a line: quotes and brackets hold blanks together. Raises Misunderstood."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        key = _KEY.match(text, at)
        start = key.end() + 1 if key is not None else at
        value, at, quoted = _value(text, start)
        found.append(Token(value, key.group() if key is not None else "", quoted))
    return found


def _value(text: str, at: int) -> tuple[str, int, bool]:
    opening = text[at : at + 1]
    if opening in _QUOTES and opening:
        end = text.find(_QUOTES[opening], at + 1)
        if end < 0:
            raise Misunderstood(message("play.entry.quote", got=text[at : at + 40]))
        return text[at + 1 : end], end + 1, True
    if opening in _BRACKETS and opening:
        end = _closing(text, at)
        return text[at:end], end, False
    end = at
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[at:end], end, False


def _closing(text: str, at: int) -> int:
    """Where what opens at `at` is closed."""
    open_now: list[str] = []
    quote = ""
    for place in range(at, len(text)):
        sign = text[place]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _BRACKETS:
            open_now.append(_BRACKETS[sign])
        elif open_now and sign == open_now[-1]:
            open_now.pop()
            if not open_now:
                return place + 1
    raise Misunderstood(message("play.entry.bracket", got=text[at : at + 40]))


# Commands


class _Reader:
    """Reads one line."""

    def __init__(self, pack: Pack, state: State, also: tuple[str, ...]) -> None:
        self.pack = pack
        self.words = Vocabulary(pack, state)
        self.also = also

    def read(self, line: list[Token]) -> Command:
        """The command of a line."""
        if not line:
            raise Misunderstood(message("play.entry.nothing"))
        count, name = self._command(line)
        if name is None:
            count, target = self._entity(line)
            if target is not None and HIT in self.pack.commands:
                return self._command_of(HIT, line[count:], {TARGET: target})
            count, name = 1, self._begun(line[0])
        if name is None:
            raise Misunderstood(self._unknown(line[0]))
        return self._command_of(name, line[count:], {})

    def _command(self, line: Sequence[Token]) -> tuple[int, str | None]:
        """A command by its whole name."""
        plain = [token.text for token in line[:LONGEST_NAME] if not token.key]
        count, name = self.words.longest(plain, self.pack.commands)
        if name is not None:
            return count, name
        first = folded(plain[0]) if plain else ""
        return 1, next((name for name in self.pack.commands if first in words_for(f"play.verb.{name}")), None)

    def _begun(self, token: Token) -> str | None:
        return self.words.meant(token.text, self.pack.commands) if not token.key else None

    def _entity(self, line: Sequence[Token]) -> tuple[int, str | None]:
        """Whoever the line begins with: a whole name of several words, or one word."""
        plain = [token.text for token in line[:LONGEST_NAME] if not token.key]
        if not plain or (is_number(plain[0]) and plain[0] not in self.words.state.entities):
            return 0, None
        for count in range(len(plain), 1, -1):
            wanted = folded(" ".join(plain[:count]))
            for id, entity in self.words.state.entities.items():
                if wanted in (folded(id), folded(entity.name)):
                    return count, id
        return 1, self.words.entity(plain[0])

    def _unknown(self, token: Token) -> Message:
        got = f"{token.key}={token.text}" if token.key else token.text
        names = [name for id in self.pack.commands for name in (*self.words.names(id), *words_for(f"play.verb.{id}"))]
        meant = self.words.nearest_entity(got) or nearest(folded(got), (*names, *map(folded, self.also)))
        return message("play.entry.unknown", got=got[:60], meant=meant)

    def _command_of(self, name: str, line: Sequence[Token], fields: dict[str, Any]) -> Command:
        spec = self.pack.commands[name]
        by = REFEREE
        bare: list[Token] = []
        entry = _Fields(self, name, spec, fields)
        for token in line:
            if not token.key:
                bare.append(token)
            elif token.key == BY and BY not in spec.fields:
                by = self._by(token.text)
            else:
                entry.named(token)
        if name == HIT:
            bare = entry.first(TARGET, bare)
        if not (name == HIT and read_blow(self.pack, self.words, spec, [token.text for token in bare], fields)):
            entry.positional(bare)
        if spec.writes_entities:
            _name_of_its_own(fields)
        return Command(name, frozen(fields), by)

    def _by(self, text: str) -> str:
        if folded(text) in (REFEREE, *words_for("play.say.referee")):
            return REFEREE
        id = self.words.entity(text)
        if id is None:
            raise Misunderstood(message("play.entry.nobody", got=text[:60], meant=self.words.nearest_entity(text)))
        return id


def _name_of_its_own(fields: dict[str, Any]) -> None:
    """Whoever is written with capitals or blanks has that for a name, and an id without them."""
    written = fields.get(ID)
    if not isinstance(written, str) or NAME in fields:
        return
    plain = "_".join(written.casefold().split())
    if plain and plain != written:
        fields[ID] = plain
        fields[NAME] = written


# Fields


class _Fields:
    """Fills the fields of one command."""

    def __init__(self, reader: _Reader, command: str, spec: CommandSpec, fields: dict[str, Any]) -> None:
        self.reader = reader
        self.words = reader.words
        self.command = command
        self.spec = spec
        self.fields = fields
        self.keys: Fields = entity_fields(reader.pack) if spec.writes_entities else {}

    # --- key=value --------------------------------------------------------------------------------------------

    def named(self, token: Token) -> None:
        """A field, or a pool or key of an entity, by its name."""
        above, dot, below = token.key.partition(".")
        layer = self.words.exact(above, self.reader.pack.layers) if self.spec.writes_entities else None
        name = self.words.field(token.key, self.spec.fields)
        if name is None and layer is not None:
            self._pool(layer, below if dot else "", token)
            return
        known: Fields = {**self.keys, **self.spec.fields}
        name = name or self.words.field(token.key, known) or (POOLS if token.key == POOLS else None)
        if name is None:
            raise Misunderstood(self._no_field(token.key))
        if name in self.fields:
            raise Misunderstood(message("play.entry.twice", field=name))
        field = known.get(name)
        self.fields[name] = token.text if token.quoted else self._understood(name, field, token.text)

    def _understood(self, name: str, field: Field | None, text: str) -> Any:
        if isinstance(field, TextField) or (name == SPELL and _may_be_text(field) and "," not in text):
            return self._text(name, text) if text[:1] not in ("[", "{") else flow(text)
        return self.words.value(field, text)

    def _text(self, name: str, text: str) -> str:
        """A text as the rules know it: of a spell and an effect the beginning is enough."""
        if name == SPELL:
            return self.words.spell(text) or text
        if name == EFFECT:
            return self.words.lasting(text, self.fields.get(TARGET)) or text
        return text

    def _pool(self, layer: str, key: str, token: Token) -> None:
        pools: dict[str, Any] = self.fields.setdefault(POOLS, {})
        if not isinstance(pools, dict):
            raise Misunderstood(message("play.entry.twice", field=POOLS))
        fields = pool_fields(self.reader.pack.layers[layer])
        if not key:
            if layer in pools:
                raise Misunderstood(message("play.entry.twice", field=layer))
            pools[layer] = self._points(fields, token.text)
            return
        name = self.words.field(key, fields) or key
        pool = pools.setdefault(layer, {})
        if not isinstance(pool, dict):
            pool = pools[layer] = {"current": pool}
        pool[name] = self.words.value(fields.get(name), token.text)

    def _points(self, fields: Fields, text: str) -> Any:
        both = _POOL.match(text)
        if both is not None:
            return {"current": int(both.group(1)), "maximum": int(both.group(2))}
        written = flow(text) if text[:1] == "{" else scalar(text)
        return self.words.record(fields, written) if isinstance(written, dict) else written

    def _no_field(self, key: str) -> Message:
        allowed = (*self.spec.fields, *self.keys, *(self.reader.pack.layers if self.spec.writes_entities else ()))
        every = {name: id for id in allowed for name in reversed(self.words.names(id))}
        return message(
            "play.entry.no_field",
            command=self.command,
            got=shown(key),
            meant=nearest(folded(key), every),
            allowed=allowed,
        )

    # --- by position ------------------------------------------------------------------------------------------

    def first(self, name: str, line: list[Token]) -> list[Token]:
        """Fill one field with what comes first, if it is still open."""
        if name in self.fields or name not in self.spec.fields:
            return line
        if not line:
            raise Misunderstood(self._missing(name))
        count, value = self._take(name, line)
        if not count:
            raise Misunderstood(self._missing(name, line[0]))
        self.fields[name] = value
        return line[count:]

    def positional(self, line: list[Token]) -> None:
        """Fill the fields in their order; one that may be left out and does not take the next word is passed over."""
        while line:
            count = self._next(line)
            if not count:
                required = next((n for n, f in self.spec.fields.items() if f.required and n not in self.fields), None)
                if required is not None:
                    raise Misunderstood(self._missing(required, line[0]))
                raise Misunderstood(
                    message(
                        "play.entry.left_over",
                        command=self.command,
                        got=line[0].text[:60],
                        allowed=tuple(self.spec.fields),
                    )
                )
            line = line[count:]

    def _next(self, line: list[Token]) -> int:
        texts: list[str] = []
        for name, field in self.spec.fields.items():
            if name in self.fields:
                continue
            if _takes_anything(field):
                if field.required:
                    return self._filled(name, line)
                texts.append(name)
            elif count := self._filled(name, line):
                return count
        missing = any(field.required and name not in self.fields for name, field in self.spec.fields.items())
        return 0 if missing or not texts else self._filled(texts[0], line)

    def _filled(self, name: str, line: list[Token]) -> int:
        count, value = self._take(name, line)
        if count:
            self.fields[name] = value
        return count

    def _take(self, name: str, line: Sequence[Token]) -> tuple[int, Any]:
        """How many of the next words are a value of the field, and the value."""
        return self._taken(name, self.spec.fields[name], line)

    def _taken(self, name: str, field: Field, line: Sequence[Token]) -> tuple[int, Any]:
        words = [token.text for token in line[:LONGEST_NAME]]
        if name == SPELL and _may_be_text(field) and words[0][:1] not in ("[", "{") and "," not in words[0]:
            return self._some_text(name, line)
        match field:
            case EitherField(of=of):
                taken = (self._taken(name, one, line) for one in of)
                return next(((count, value) for count, value in taken if count), (0, None))
            case FlagField():
                return (1, True) if folded(words[0]) in self.words.names(name) else (0, None)
            case NumberField() if (said := number_said(words)) is not None and self.words.accepts(field, said[1]):
                return said
            case WordField(of=of) if of:
                count, id = self.words.longest(words, of)
                return (count, id) if id is not None else self._single(field, line[0])
            case UntilField(of=of):
                count, id = self.words.longest(words, of)
                if id is not None:
                    return count, id
                together = self.words.value(field, " ".join(words[:2]))
                if len(words) > 1 and isinstance(together, dict):
                    return 2, together
                return self._single(field, line[0])
            case EntityField():
                return self._somebody(field, line)
            case TextField():
                return self._some_text(name, line)
            case CasesField(cases=cases) if words[0][:1] not in ("[", "{"):
                id = self.words.meant(words[0], cases)
                return (1, id) if id is not None else (0, None)
            case ListField(of=inner) if words[0][:1] not in ("[", "{"):
                return self._some(name, field, inner, line)
            case _:
                return self._single(field, line[0])

    def _single(self, field: Field, token: Token) -> tuple[int, Any]:
        value = self.words.value(field, token.text)
        return (1, value) if self.words.accepts(field, value) else (0, None)

    def _somebody(self, field: EntityField, line: Sequence[Token]) -> tuple[int, Any]:
        count, id = self.reader._entity(line)
        if id is not None:
            return count, id
        return (1, line[0].text) if field.free else (0, None)

    def _some_text(self, name: str, line: Sequence[Token]) -> tuple[int, Any]:
        if not line[0].quoted:
            for count in range(min(LONGEST_NAME, len(line)), 1, -1):
                together = " ".join(token.text for token in line[:count])
                if self._text_known(name, together):
                    return count, self._text(name, together)
        return 1, self._text(name, line[0].text)

    def _text_known(self, name: str, text: str) -> bool:
        if name == SPELL:
            return any(folded(text) == folded(known) for known in self.reader.pack.spell_names)
        return name == EFFECT and self.words.lasting(text, self.fields.get(TARGET)) is not None

    def _some(self, name: str, field: ListField, inner: Field, line: Sequence[Token]) -> tuple[int, Any]:
        """As many of the next words as are entries of a list."""
        entries: list[Any] = []
        at = 0
        while at < len(line):
            if _takes_anything(inner) and is_number(line[at].text):
                break
            count, value = self._taken(name, inner, line[at:])
            if not count:
                break
            entries.append(value)
            at += count
        if entries:
            return at, entries
        return self._single(field, line[0]) if "," in line[0].text else (0, None)

    def _missing(self, name: str, token: Token | None = None) -> Message:
        """Why a field that must be there is not."""
        field = self.spec.fields[name]
        if token is None:
            return message("play.entry.missing", command=self.command, field=name)
        if isinstance(field, EntityField):
            meant = self.words.nearest_entity(token.text)
            return message("play.entry.nobody", got=token.text[:60], meant=meant)
        try:
            field.check(self.words.value(field, token.text), self.words.context, ())
        except FieldFault as fault:
            return message("refusal.field", field=name, fault=fault.message)
        return message("play.entry.missing", command=self.command, field=name)


def _may_be_text(field: Field | None) -> bool:
    """Whether a text by itself is a value of the field."""
    return isinstance(field, TextField) or (isinstance(field, EitherField) and any(map(_may_be_text, field.of)))


def _takes_anything(field: Field) -> bool:
    """Whether any word is a value of the field."""
    return isinstance(field, TextField) or (isinstance(field, EntityField) and field.free)


__all__ = ["Entry", "Misread", "Token", "read_entry", "tokens"]

"""What people type, understood as values of a pack's fields: ids and names in every language that they have."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any

from gambeson.games import texts
from gambeson.games.documents import read_text
from gambeson.games.folders import folder_of
from gambeson.games.loading import LANGUAGES, names
from gambeson.language.durations import SECONDS
from gambeson.language.fields import (
    CasesField,
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
    UntilField,
    WordField,
    nearest,
)
from gambeson.language.pack import Pack
from gambeson.model.errors import FieldFault, GambesonError, Unusable
from gambeson.model.messages import Message, message
from gambeson.model.values import State

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}\Z")
_DURATION = re.compile(r"([0-9]{1,12})\s*([^\W\d_]+)\.?\Z")
_TERM = "term."
LONGEST_NAME = 6
"""Words that a name is looked for in at the most."""
SHORTEST_BEGINNING = 2
"""Letters by which a name may be meant at the least."""


class Misunderstood(GambesonError):
    """Something typed that means nothing here; `said` tells why."""

    def __init__(self, said: Message) -> None:
        super().__init__(said.id)
        self.said = said


def folded(text: str) -> str:
    """A text for comparing: letter case, ё, underscores and the number of blanks do not matter."""
    return " ".join(text.casefold().replace("ё", "е").replace("_", " ").split())


_LATIN = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфхцыэ", "abvgdezijklmnoprstufhcye", strict=True))
    | {"ж": "zh", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"}
)


def latin(text: str) -> str:
    """A folded text in Latin letters, so that a name is found from either keyboard."""
    return folded(text).translate(_LATIN).replace("nn", "n").replace("ss", "s")


def initials(name: str) -> str:
    """The first letters of a name of several words, "" for one of a single word."""
    words = folded(name).split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""


@functools.lru_cache(maxsize=32)
def terms(folder: str) -> dict[str, tuple[str, ...]]:
    """Every name of each id, in every language."""
    found: dict[str, tuple[str, ...]] = {}
    for lang in LANGUAGES:
        said = texts(folder, lang)
        for id in said.ids:
            if id.startswith(_TERM):
                term = id.removeprefix(_TERM)
                found[term] = (*found.get(term, ()), said.say(id))
    for id, name in names(folder_of(folder)):
        if name not in found.get(id, ()):
            found[id] = (*found.get(id, ()), name)
    return found


@functools.lru_cache(maxsize=64)
def words_for(id: str) -> tuple[str, ...]:
    """The words that a text lists, separated by commas, in every language."""
    listed = [texts(None, lang).say(id) for lang in LANGUAGES if texts(None, lang).has(id)]
    return tuple(dict.fromkeys(folded(word) for entry in listed for word in entry.split(",") if word.strip()))


def is_number(text: str) -> bool:
    """Whether a text is a whole number."""
    return _NUMBER.match(text) is not None


class Vocabulary:
    """The words that mean something at one table."""

    def __init__(self, pack: Pack, state: State) -> None:
        self.pack = pack
        self.state = state
        self.context = Context(state.entities)

    # --- names ------------------------------------------------------------------------------------------------

    def names(self, id: str) -> tuple[str, ...]:
        """The id itself and its names, folded."""
        return (folded(id), *map(folded, terms(self.pack.folder).get(id, ())), *words_for(f"play.value.{id}"))

    def exact(self, word: str, allowed: Iterable[str]) -> str | None:
        """The allowed id that is called so."""
        wanted = folded(word)
        ids = tuple(allowed)
        if word in ids:
            return word
        return next((id for id in ids if wanted in self.names(id)), None) if wanted else None

    def field(self, word: str, fields: Iterable[str]) -> str | None:
        """The field that is called so: by its own names, else by other words for it."""
        ids = tuple(fields)
        found = self.exact(word, ids)
        wanted = folded(word)
        return found or next((id for id in ids if wanted in words_for(f"play.field.{id}")), None)

    def meant(self, word: str, allowed: Iterable[str]) -> str | None:
        """The allowed id that is called so, or the only one whose name begins so."""
        ids = tuple(allowed)
        found = self.exact(word, ids)
        if found is not None:
            return found
        wanted = folded(word)
        if len(wanted) < SHORTEST_BEGINNING:
            return None
        begun = [id for id in ids if any(name.startswith(wanted) for name in self.names(id))]
        begun = begun or [id for id in ids if any(initials(name) == wanted for name in self.names(id))]
        return begun[0] if len(begun) == 1 else None

    def entity(self, word: str) -> str | None:
        """The id of the entity that is meant: by id or name, or the only one with a word that begins so."""
        entities = self.state.entities
        if word in entities:
            return word
        wanted = folded(word)
        if not wanted:
            return None
        called = [id for id, entity in entities.items() if wanted in (folded(id), folded(entity.name))]
        if not called:
            called = [
                id
                for id, entity in entities.items()
                if any(name.startswith(wanted) or f" {wanted}" in name for name in (folded(id), folded(entity.name)))
            ]
        if not called:
            called = [id for id, entity in entities.items() if latin(word) in (latin(id), latin(entity.name))]
        if len(called) > 1:
            several = tuple(entities[id].name if entities[id].name != id else id for id in called[:10])
            raise Misunderstood(message("play.entry.several", got=word[:60], several=several))
        return called[0] if called else None

    def nearest_entity(self, word: str) -> str:
        """The name on the table that was probably meant, or ""."""
        names = [name for id, entity in self.state.entities.items() for name in (folded(id), folded(entity.name))]
        return nearest(folded(word), names)

    def spell(self, word: str) -> str | None:
        """A spell as the catalogue calls it: by its whole name or the only one that begins so."""
        wanted = folded(word)
        if any(wanted == folded(name) for name in self.pack.spell_names):
            return word
        if len(wanted) < SHORTEST_BEGINNING:
            return None
        names = self.pack.spell_names.items()
        for fits in (str.startswith, str.__contains__):
            found = {code: name for name, code in names if fits(folded(name), wanted)}
            if len(found) == 1:
                return self._as_written(next(iter(found.values())))
        return None

    def _as_written(self, name: str) -> str:
        """A name with the capitals that it has in the texts."""
        return next(
            (term for names in terms(self.pack.folder).values() for term in names if term.casefold() == name), name
        )

    def lasting(self, word: str, target: str | None) -> str | None:
        """The effect, condition or source on an entity that is meant."""
        entity = self.state.entities.get(target or "")
        if entity is None:
            return None
        there = [effect.name for effect in entity.effects]
        there += [condition for effect in entity.effects for condition in effect.conditions]
        there += [*entity.conditions, *(pool.source for pool in entity.pools.values() if pool.source)]
        return self.meant(word, dict.fromkeys(there))

    # --- values -----------------------------------------------------------------------------------------------

    def accepts(self, field: Field, value: Any) -> bool:
        """Whether a field takes the value."""
        try:
            field.check(value, self.context, ())
        except FieldFault:
            return False
        return True

    def value(self, field: Field | None, written: Any) -> Any:
        """What was written, as the field means it; what it cannot mean stays, so that the field says what is wrong."""
        if isinstance(written, str):
            return self.text(field, written)
        if isinstance(written, list):
            inner = field.of if isinstance(field, ListField) else self._inside(field, ListField)
            return [self.value(inner, entry) for entry in written]
        if isinstance(written, dict):
            return self._mapping(field, written)
        return written

    def _inside(self, field: Field | None, kind: type[ListField]) -> Field | None:
        if isinstance(field, EitherField):
            return next((one.of for one in field.of if isinstance(one, kind)), None)
        return None

    def _mapping(self, field: Field | None, written: dict[str, Any]) -> Any:
        match field:
            case EitherField(of=of):
                values = [self._mapping(one, written) for one in of]
                fitting = [value for one, value in zip(of, values, strict=True) if self.accepts(one, value)]
                return (fitting or values)[0]
            case ListField(of=inner):
                return self._mapping(inner, written)
            case MapField(keys=keys, values=of):
                return {self.value(keys, key): self.value(of, value) for key, value in written.items()}
            case RecordField(fields=fields):
                return self.record(fields, written)
            case CasesField(key=key, cases=cases):
                named = self.exact(str(written.get(key, "")), cases)
                fields = cases.get(named or str(written.get(key, "")), {})
                given = self.record({key: WordField(), **fields}, written)
                return {**given, key: named} if named is not None else given
            case UntilField(units=units):
                return {self.meant(key, units) or key: value for key, value in written.items()}
            case _:
                return written

    def record(self, fields: Fields, written: dict[str, Any]) -> dict[str, Any]:
        """A mapping whose keys are the names of fields."""
        given: dict[str, Any] = {}
        for key, value in written.items():
            name = self.field(key, fields) or key
            given[name] = self.value(fields.get(name), value)
        return given

    def text(self, field: Field | None, text: str) -> Any:
        """A text as the field means it."""
        if text[:1] in ("[", "{"):
            return self.value(field, flow(text))
        match field:
            case NumberField() | None if is_number(text):
                return int(text)
            case FlagField():
                return self._flag(text)
            case WordField(of=of):
                return self.meant(text, of or (*self.pack.types, *self.pack.traits)) or text
            case EntityField():
                return self.entity(text) or text
            case UntilField():
                return self._until(field, text)
            case ListField():
                return self._list(field, text)
            case MapField() | RecordField() | CasesField():
                return self._pairs(field, text)
            case EitherField(of=of):
                values = [self.text(one, text) for one in of]
                fitting = [value for one, value in zip(of, values, strict=True) if self.accepts(one, value)]
                return (fitting or values)[0]
            case _:
                return text

    def _flag(self, text: str) -> Any:
        word = folded(text)
        if word in words_for("play.say.yes"):
            return True
        return False if word in words_for("play.say.no") else text

    def _until(self, field: UntilField, text: str) -> Any:
        duration = _DURATION.match(text.strip())
        if duration is None:
            return self.meant(text, field.of) or text
        count, unit = duration.groups()
        found = self.unit(unit, field.units)
        if found is not None:
            return {found: int(count)}
        longer = self.unit(unit, SECONDS)
        for known in field.units:
            if longer is not None and known in SECONDS and SECONDS[longer] % SECONDS[known] == 0:
                return {known: int(count) * (SECONDS[longer] // SECONDS[known])}
        return text

    def unit(self, word: str, units: Iterable[str]) -> str | None:
        """The unit of time that is meant."""
        wanted = folded(word)
        for unit in units:
            if unit in SECONDS and wanted in words_for(f"play.unit.{unit}"):
                return unit
        return self.meant(word, units)

    def _list(self, field: ListField, text: str) -> Any:
        if field.every and folded(text) in self.names(field.every):
            return field.every
        return [self.value(field.of, part.strip()) for part in text.split(",") if part.strip()]

    def _pairs(self, field: MapField | RecordField | CasesField, text: str) -> Any:
        if ":" not in text:
            named = self.exact(text, field.cases) if isinstance(field, CasesField) else None
            return named or text
        pairs = [part.partition(":") for part in text.split(",") if part.strip()]
        return self._mapping(field, {key.strip(): scalar(value.strip()) for key, _, value in pairs})

    # --- several words ----------------------------------------------------------------------------------------

    def longest(self, words: Sequence[str], allowed: Iterable[str]) -> tuple[int, str | None]:
        """How many of the first words are the name of an allowed id, and which."""
        ids = tuple(allowed)
        for count in range(min(LONGEST_NAME, len(words)), 0, -1):
            found = self.exact(" ".join(words[:count]), ids)
            if found is not None:
                return count, found
        return 0, None


def scalar(text: str) -> Any:
    """A whole number where the text is one."""
    return int(text) if is_number(text) else text


def flow(text: str) -> Any:
    """A value in YAML's flow style. Raises Misunderstood."""
    try:
        return read_text(text).data
    except Unusable as unusable:
        raise Misunderstood(message("play.entry.flow", got=text[:60], fault=unusable.faults[0].message)) from None

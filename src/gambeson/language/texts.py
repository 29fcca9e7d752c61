"""What people read, in one language: templates with blanks, plural forms, terms and simple conditions.

| template | says |
|---|---|
| `{x}` | the value: a text, a number in digits, a message in words, a tuple joined by ", ", None as "—" |
| `{@x}` | the term of the id x, or the terms of a tuple of ids |
| `{n|form|forms}` | the plural form for the number n (en: one, other; ru: one, few, many), without n itself |
| `{x?text|otherwise}` | `text` if x is given and neither 0 nor empty, else `otherwise`, which may be left out |
| `{{`, `}}` | a brace |

Forms and conditional texts may hold blanks, but no literal braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from gambeson.model.errors import Fault, FieldFault, GambesonError
from gambeson.model.messages import Message, Parameter, message

NOTHING: Final = "—"
MAXIMUM_DEPTH: Final = 8


# Plural forms


def _english(n: int) -> int:
    return 0 if n == 1 else 1


def _russian(n: int) -> int:
    if n % 10 == 1 and n % 100 != 11:
        return 0
    if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14:
        return 1
    return 2


PLURAL_FORMS: Final[Mapping[str, tuple[str, ...]]] = {"en": ("one", "other"), "ru": ("one", "few", "many")}
_PLURAL_RULES: Final[Mapping[str, Callable[[int], int]]] = {"en": _english, "ru": _russian}


def plural(lang: str, n: int) -> int:
    """The index in `PLURAL_FORMS[lang]` of the form that goes with the whole number n, by CLDR.

    Raises `GambesonError` for a language without a plural rule.
    """
    return _plural_rule(lang)(abs(n))


def _plural_rule(lang: str) -> Callable[[int], int]:
    rule = _PLURAL_RULES.get(lang)
    if rule is None:
        raise GambesonError(f"no plural rule for language {lang!r}; known: {', '.join(_PLURAL_RULES)}")
    return rule


# Templates


class _Value(Struct, frozen=True):
    name: str


class _Term(Struct, frozen=True):
    name: str


class _Plural(Struct, frozen=True):
    name: str
    forms: tuple[tuple[_Part, ...], ...]


class _Conditional(Struct, frozen=True):
    name: str
    branches: tuple[tuple[_Part, ...], ...]


_Part: TypeAlias = str | _Value | _Term | _Plural | _Conditional
_Template: TypeAlias = tuple[_Part, ...]

_LITERAL: Final = re.compile(r"(?:[^{}]|\{\{|\}\})+")
_LITERAL_INSIDE: Final = re.compile(r"[^{}|]+")
_OPENING: Final = re.compile(r"\{(@?)([A-Za-z_][A-Za-z0-9_]*)([}|?])")


def _parse(text: str) -> _Template:
    """The parts of a template; raises `FieldFault` at the first thing that is no template."""
    parts: list[_Part] = []
    at = 0
    while at < len(text):
        if literal := _LITERAL.match(text, at):
            parts.append(literal[0].replace("{{", "{").replace("}}", "}"))
            at = literal.end()
        elif text[at] == "}":
            raise _syntax_fault("stray_brace", text, at)
        else:
            part, at = _parse_blank(text, at, 1)
            parts.append(part)
    return tuple(parts)


def _parse_blank(text: str, at: int, depth: int) -> tuple[_Part, int]:
    """The blank that opens at `at`, and where the text goes on after it."""
    if depth > MAXIMUM_DEPTH:
        raise _syntax_fault("too_deep", text, at)
    opening = _OPENING.match(text, at)
    if opening is None:
        raise _syntax_fault("syntax", text, at)
    sign, name, follows = opening.groups()
    if follows == "}":
        return _Term(name) if sign else _Value(name), opening.end()
    if sign:
        raise _syntax_fault("syntax", text, at)
    choices, end = _parse_choices(text, opening.end(), at, depth)
    if follows == "|":
        return _Plural(name, choices), end
    if len(choices) > 2:
        raise _syntax_fault("branches", text, at)
    return _Conditional(name, choices), end


def _parse_choices(text: str, at: int, opened: int, depth: int) -> tuple[tuple[_Template, ...], int]:
    """The texts between bars, up to the closing brace, and where the text goes on after it."""
    choices: list[list[_Part]] = [[]]
    while at < len(text):
        if literal := _LITERAL_INSIDE.match(text, at):
            choices[-1].append(literal[0])
            at = literal.end()
        elif text[at] == "}":
            return tuple(map(tuple, choices)), at + 1
        elif text[at] == "|":
            choices.append([])
            at += 1
        else:
            part, at = _parse_blank(text, at, depth + 1)
            choices[-1].append(part)
    raise _syntax_fault("unclosed", text, opened)


def _syntax_fault(kind: str, text: str, at: int) -> FieldFault:
    return FieldFault((), message(f"fault.text.{kind}", found=text[at : at + 40], at=at + 1))


def _blanks(template: _Template) -> Iterator[_Value | _Term | _Plural | _Conditional]:
    """Every blank of a template, those inside choices too."""
    for part in template:
        match part:
            case str():
                continue
            case _Value() | _Term():
                yield part
            case _Plural(forms=choices) | _Conditional(branches=choices):
                yield part
                for choice in choices:
                    yield from _blanks(choice)


# Texts

_Parameters: TypeAlias = Mapping[str, Parameter]
_Filling: TypeAlias = Callable[[_Parameters], str]
_Ready: TypeAlias = tuple[str, tuple[tuple[_Filling, str], ...]]
"""A template made ready to be said: how it begins, then what fills each blank and the text after it."""


def _fill_in(ready: _Ready, params: _Parameters) -> str:
    said, blanks = ready
    for filling, after in blanks:
        said += filling(params) + after
    return said


class Texts:
    """The texts of one language by id; a template is read when it is first said, and kept.

    `entries`: ids to templates, flat or nested (nested keys are joined by dots), as read from a file.
    Raises `GambesonError` for a language without a plural rule; every fault in the entries waits for `check`.
    """

    __slots__ = ("_entries", "_misplaced", "_plural", "_ready", "lang")

    def __init__(self, lang: str, entries: Mapping[str, object]) -> None:
        self.lang: Final = lang
        self._plural: Final = _plural_rule(lang)
        self._misplaced: list[Fault] = []
        self._entries: dict[str, str] = {}
        self._ready: dict[str, _Ready] = {}
        self._enter(entries, ())

    def _enter(self, entries: Mapping[str, object], above: tuple[str, ...]) -> None:
        for key, value in entries.items():
            path = (*above, str(key))
            id = ".".join(path)
            if isinstance(value, Mapping):
                self._enter(value, path)
            elif not isinstance(value, str):
                self._misplaced.append(Fault(path, message("fault.text.not_text", found=str(value))))
            elif id in self._entries:
                self._misplaced.append(Fault(path, message("fault.text.twice", found=id)))
            else:
                self._entries[id] = value

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id, in the order of the entries."""
        return tuple(self._entries)

    def has(self, id: str) -> bool:
        """Whether there is a text for the id."""
        return id in self._entries

    def say(self, message: Message | str, /, **params: Parameter) -> str:
        """The words of a message or an id; never raises.

        An unknown id, or a text that is no template, is said as the id with its parameters; a parameter that is
        not given keeps its braces.
        """
        if isinstance(message, str):
            return self._say(message, params)
        return self._say(message.id, {**message.params, **params} if params else message.params)

    def term(self, id: str) -> str:
        """The name of an id, `term.<id>`; without one the id itself (see `named`), underscores as blanks."""
        key = f"term.{id}"
        return self._say(key, {}) if key in self._entries else self.named(id).replace("_", " ")

    def named(self, name: str) -> str:
        """A name as people read it: what was numbered by the program (`golem_1`) by its term, with the number."""
        stem, _, number = name.rpartition("_")
        if number.isdecimal() and f"term.{stem}" in self._entries:
            return f"{self.term(stem)} {number}"
        return name

    def merged(self, *others: Texts) -> Texts:
        """These texts and the others as one; of several with one id the last counts. All must be of one language."""
        if any(other.lang != self.lang for other in others):
            raise GambesonError(f"texts of several languages: {self.lang}, {', '.join(o.lang for o in others)}")
        entries = dict(self._entries)
        misplaced = list(self._misplaced)
        for other in others:
            entries |= other._entries
            misplaced += other._misplaced
        whole = Texts(self.lang, entries)
        whole._misplaced = misplaced
        return whole

    def parameters(self, id: str) -> frozenset[str]:
        """The parameters that the text of the id reads; empty for an unknown id or a text that is no template."""
        try:
            return frozenset(blank.name for blank in _blanks(_parse(self._entries.get(id, ""))))
        except FieldFault:
            return frozenset()

    def check(self) -> tuple[Fault, ...]:
        """Everything wrong with the texts: what is no text or no template, and wrong numbers of plural forms."""
        faults = list(self._misplaced)
        for id, text in self._entries.items():
            path = tuple(id.split("."))
            try:
                template = _parse(text)
            except FieldFault as fault:
                faults.append(Fault(path, fault.message))
            else:
                faults += (Fault(path, words) for words in self._wrong_plurals(template))
        return tuple(faults)

    def _wrong_plurals(self, template: _Template) -> Iterator[Message]:
        needed = PLURAL_FORMS[self.lang]
        for blank in _blanks(template):
            if isinstance(blank, _Plural) and len(blank.forms) != len(needed):
                yield message("fault.text.plural_forms", name=blank.name, found=len(blank.forms), allowed=needed)

    def _say(self, id: str, params: _Parameters) -> str:
        return _fill_in(self._ready.get(id) or self._read(id), params)

    def _read(self, id: str) -> _Ready:
        text = self._entries.get(id)
        if text is None:
            return self._unreadable(id)
        try:
            template = _parse(text)
        except FieldFault:
            ready = self._unreadable(id)
        else:
            ready = self._compile(template)
        self._ready[id] = ready
        return ready

    def _unreadable(self, id: str) -> _Ready:
        def listed(params: _Parameters) -> str:
            said = ", ".join(f"{name}: {self._words(value)}" for name, value in params.items())
            return f" ({said})" if said else ""

        return id, ((listed, ""),)

    def _compile(self, template: _Template) -> _Ready:
        begins = ""
        blanks: list[tuple[_Filling, str]] = []
        for part in template:
            if not isinstance(part, str):
                blanks.append((self._fill(part), ""))
            elif blanks:
                blanks[-1] = (blanks[-1][0], part)
            else:
                begins = part
        return begins, tuple(blanks)

    def _fill(self, part: _Value | _Term | _Plural | _Conditional) -> _Filling:
        match part:
            case _Value(name):
                return self._fill_value(name)
            case _Term(name):
                return self._fill_term(name)
            case _Plural(name, forms):
                return self._fill_plural(name, [self._compile(form) for form in forms])
            case _Conditional(name, branches):
                return self._fill_conditional(name, [self._compile(branch) for branch in branches])

    def _fill_value(self, name: str) -> _Filling:
        words = self._words
        absent = f"{{{name}}}"

        def value(params: _Parameters) -> str:
            given = params.get(name, absent)
            if isinstance(given, str):
                return words(given)
            return str(given) if isinstance(given, int) else words(given)

        return value

    def _fill_term(self, name: str) -> _Filling:
        def term(params: _Parameters) -> str:
            return self._terms(params[name]) if name in params else f"{{@{name}}}"

        return term

    def _fill_plural(self, name: str, forms: Sequence[_Ready]) -> _Filling:
        rule = self._plural
        last = len(forms) - 1

        def form(params: _Parameters) -> str:
            n = params.get(name)
            return _fill_in(forms[min(rule(abs(n)), last) if isinstance(n, int) else last], params)

        return form

    def _fill_conditional(self, name: str, branches: Sequence[_Ready]) -> _Filling:
        when, otherwise = (*branches, ("", ()))[:2]

        def conditional(params: _Parameters) -> str:
            return _fill_in(when if params.get(name) else otherwise, params)

        return conditional

    def _words(self, value: Parameter) -> str:
        if isinstance(value, str):
            return self.named(value) if "_" in value else value
        if value is None:
            return NOTHING
        if isinstance(value, Message):
            return self._say(value.id, value.params)
        if isinstance(value, (tuple, list)):
            return ", ".join(map(self._words, value))
        return str(value)

    def _terms(self, value: Parameter) -> str:
        if isinstance(value, str):
            return self.term(value)
        if isinstance(value, (tuple, list)):
            return ", ".join(map(self._terms, value))
        return self._words(value)


def missing(a: Texts, b: Texts) -> tuple[str, ...]:
    """The ids of a that b lacks, in a's order."""
    return tuple(id for id in a.ids if not b.has(id))


def differing(a: Texts, b: Texts) -> tuple[str, ...]:
    """The ids of both whose texts read different parameters, in a's order."""
    return tuple(id for id in a.ids if b.has(id) and a.parameters(id) != b.parameters(id))

"""spells: the catalogue of a game, as its pack declares it: level, duration, deeds, modifications."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import fields as struct_fields

from gambeson.cli.entry import DONE, UNUSABLE
from gambeson.cli.output import BOLD, CYAN, DIM, RED, Output, diagnose, diagnose_faults
from gambeson.games import load, texts
from gambeson.games.loading import LANGUAGES, rule_texts
from gambeson.language.durations import said as said_until
from gambeson.language.durations import until
from gambeson.language.fields import nearest
from gambeson.language.pack import Pack
from gambeson.language.predicates import DiceFormula, Formula, Predicate
from gambeson.language.texts import Texts
from gambeson.model.errors import Unusable
from gambeson.table.entry_words import folded

SHOWN_APART = ("rule", "name", "level", "lasts", "does", "casts", "modifications", "points", "reach", "needs")
LEFT_OUT = ("modifications_rule", "reach_rule", "tags")
PERMANENT = "permanent"
UNTIL = "until"


def spells(game: str, name: str | None, *, lang: str) -> int:
    """Print the catalogue of a game or one entry of it; gives the exit status."""
    try:
        pack = load(game)
    except Unusable as unusable:
        diagnose_faults(unusable.faults, texts(None, lang))
        return UNUSABLE
    out = Output(lang)
    if name is not None and not found_spells(pack, name):
        diagnose(f"NAME: {_unknown(pack, name, texts(pack.folder, lang))}")
        return UNUSABLE
    show_spells(out, pack, name, command=f"gambeson spells {game}")
    return DONE


def show_spells(out: Output, pack: Pack, name: str | None = None, *, command: str = "") -> None:
    """Print every spell in a line, or those that a name means in full; `command` is how more is asked for."""
    page = _Page(out, pack)
    if not pack.spells:
        out.say("play.spells.none", DIM, game=pack.game)
    elif name is None:
        page.all(command or out.said.say("play.word.spells"))
    else:
        found = found_spells(pack, name)
        if not found:
            out.print(_unknown(pack, name, page.said), RED)
        for code in found:
            page.one(code)


def found_spells(pack: Pack, name: str) -> tuple[str, ...]:
    """The spells that a name means: by code or name in any language, or all that have the words in them."""
    wanted = folded(name)
    exact = [code for known, code in pack.spell_names.items() if wanted and wanted == folded(known)]
    if exact:
        return tuple(dict.fromkeys(exact))
    return tuple(dict.fromkeys(code for known, code in pack.spell_names.items() if wanted and wanted in folded(known)))


def _unknown(pack: Pack, name: str, said: Texts) -> str:
    return said.say("play.spells.unknown", got=name[:60], meant=nearest(folded(name), map(folded, pack.spell_names)))


class _Page:
    """Prints spells of one pack."""

    def __init__(self, out: Output, pack: Pack) -> None:
        self.out = out
        self.pack = pack
        self.said = texts(pack.folder, out.lang)
        self.points: Formula | None = None
        """What the deeds of the spell that is told call points."""

    def all(self, command: str) -> None:
        """One line for each spell; `command` shows one of them."""
        names = {code: self.name(code, self.said) for code in self.pack.spells}
        width = max(map(len, names.values()))
        for code, spell in self.pack.spells.items():
            does = tuple(self._does(spell)) or tuple(self._other(spell))
            parts = [*self._head(spell, code), *does] or [self.said.say("play.spells.given")]
            lead = f"{names[code]:{width}}  "
            wrapped = self._wrap(f"{lead}{'; '.join(parts)}", " " * (width + 2))
            self.out.print(wrapped.replace(names[code], self.out.painted(names[code], BOLD), 1))
        self.out.say("play.spells.hint", DIM, command=command, name=next(iter(self.pack.spells), ""))

    def one(self, code: str) -> None:
        """One spell in full."""
        spell = self.pack.spells[code]
        self.points = None
        own = self.name(code, self.said)
        others = [self.name(code, texts(self.pack.folder, lang)) for lang in LANGUAGES if lang != self.out.lang]
        known = [name for name in dict.fromkeys((*others, code)) if name != own]
        self.out.print(f"{own} ({', '.join(known)})" if known else own, BOLD)
        rule = getattr(spell, "rule", "")
        if rule:
            title = rule_texts(self.pack.folder, self.out.lang).get(rule, {}).get("title", "")
            self.out.print(f"{self.out.painted(rule, CYAN)} {title}", "", "  ")
        lines = (*self._head(spell, code), *self._does(spell), *self._other(spell))
        for line in lines or (self.said.say("play.spells.given"),):
            self.out.print(self._wrap(f"  {line}", "    "))
        for name, modification in getattr(spell, "modifications", {}).items():
            self.out.print(self._wrap(f"  + {self.said.term(name)}: {self._modification(modification)}", "      "))

    def _wrap(self, text: str, after: str) -> str:
        return textwrap.fill(
            text,
            self.out.width,
            subsequent_indent=after,
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )

    def name(self, code: str, said: Texts) -> str:
        """What a spell is called."""
        own = f"term.spell.{code}"
        return said.say(own) if said.has(own) else said.term(code)

    # --- words ------------------------------------------------------------------------------------------------

    def _label(self, id: str) -> str:
        """What a key or a word of a catalogue is called."""
        own = f"play.spells.word.{id}"
        return self.said.say(own) if self.said.has(own) and not self.said.has(f"term.{id}") else self.said.term(id)

    def _head(self, spell: Any, code: str) -> Iterator[str]:
        level = getattr(spell, "level", 0)
        if level:
            yield self.said.say("play.spells.level", level=level)
        lasts = getattr(spell, "lasts", None) or getattr(self.pack.lasting.get(code), "lasts", None)
        if lasts == PERMANENT:
            yield self.said.say("play.spells.permanent")
        elif lasts:
            yield self.said.say("play.spells.lasts", until=said_until(until(lasts, 0), 0))
        reach = getattr(spell, "reach", "any")
        if reach in ("self", "other"):
            yield self.said.say(f"play.spells.reach.{reach}")

    def _does(self, spell: Any) -> Iterator[str]:
        self.points = getattr(spell, "points", None)
        for deed in getattr(spell, "does", ()):
            yield self._deed(deed)
        casts = getattr(spell, "casts", ())
        if casts:
            yield self.said.say("play.spells.casts", spells=tuple(self.name(code, self.said) for code in casts))

    def _other(self, spell: Struct) -> Iterator[str]:
        """What this game's spells say besides."""
        for field in struct_fields(spell):
            value = getattr(spell, field.name)
            if field.name in (*SHOWN_APART, *LEFT_OUT) or value == field.default or value in ((), {}, "", None):
                continue
            yield self._entry(field.name, value)

    def _deed(self, deed: Struct) -> str:
        """A deed in words: its own sentence, or its parts by their names."""
        tag = deed.__struct_config__.tag
        id = f"play.deed.{tag}"
        if not self.said.has(id):
            return f"{self.said.term(str(tag))}: {self._parts(deed)}"
        params = {name: self._param(getattr(deed, name, None)) for name in sorted(self.said.parameters(id))}
        sentence = self.said.say(id, **params)
        rest = self._parts(deed, left_out=tuple(params))
        return f"{sentence} ({rest})" if rest else sentence

    def _param(self, value: Any) -> Any:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, str | int) or value is None:
            return value
        if value in ((), {}):
            return None
        if isinstance(value, tuple) and all(isinstance(entry, str) for entry in value):
            return value
        return self._value(value)

    def _parts(self, struct: Struct, left_out: tuple[str, ...] = ()) -> str:
        parts = []
        for field in struct_fields(struct):
            value = getattr(struct, field.name)
            if field.name.endswith("rule") or field.name in left_out or value in ((), {}, "", None, False):
                continue
            if value == field.default:
                continue
            parts.append(self._entry(field.name, value))
        return "; ".join(parts)

    def _entry(self, key: str, value: Any) -> str:
        """A key with its value: what is merely there stands alone, a duration is said as one."""
        label = self._label(key.rpartition(".")[2])
        if value is True or (value == 0 and value is not False):
            return label
        if key == UNTIL and isinstance(value, str | dict):
            return self.said.say("play.spells.lasts", until=said_until(until(value, 0), 0))
        return f"{label}: {self._value(value)}"

    def _value(self, value: Any) -> str:
        match value:
            case Formula() | DiceFormula() | Predicate():
                return self._formula(value)
            case str():
                return self._label(value)
            case bool():
                return self.said.say("explain.yes") if value else self.said.say("explain.no")
            case tuple() | list():
                return ", ".join(map(self._value, value))
            case dict():
                return "; ".join(self._entry(str(key), entry) for key, entry in value.items() if entry is not False)
            case Struct():
                return self._parts(value)
            case _:
                return str(value)

    def _formula(self, formula: Any) -> str:
        """A formula with its names in the reader's language."""
        text: str = getattr(formula, "text", str(formula))
        if text == "points" and self.points is not None:
            text = self.points.text
        for name in ("points", "circle"):
            text = text.replace(name, self.said.term(name))
        return text

    def _modification(self, modification: Any) -> str:
        parts = []
        self.points = None
        points = getattr(modification, "points", None)
        if points is not None:
            parts.append(self.said.say("play.spells.points", points=self._formula(points)))
        extra = getattr(modification, "extra", None)
        if extra is not None:
            parts.append(self.said.say("play.spells.extra", extra=self._extra(extra)))
        rule = getattr(modification, "rule", "")
        return f"{'; '.join(parts)} [{rule}]" if rule else "; ".join(parts)

    def _extra(self, extra: Any) -> str:
        words = [self.said.term(extra.name)]
        if extra.dice is not None:
            words.append(self._formula(extra.dice))
        words += [self._value(value) for value in extra.facts.values()]
        for key, choice in extra.choices.items():
            words.append(self.said.say("play.spells.choice", what=self.said.term(key), of=tuple(choice.of)))
        return ", ".join(words)

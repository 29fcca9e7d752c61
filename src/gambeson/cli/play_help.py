"""Help at the table: what may be typed, and the fields of each command of the game."""

from __future__ import annotations

import textwrap

from gambeson.cli.output import BOLD, CYAN, DIM, Output
from gambeson.engine.entities import entity_fields
from gambeson.games import texts
from gambeson.games.loading import rule_texts, variant_texts
from gambeson.language.fields import (
    CasesField,
    EitherField,
    Field,
    FlagField,
    ListField,
    NumberField,
    UntilField,
    WordField,
)
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.table.entry_words import words_for

ABOUT = (
    "undo", "what_if", "state", "overview", "why", "log", "rules", "spells", "save", "load", "lang", "demo",
    "legal", "odds",
    "help", "quit",
)  # fmt: skip
MANY = 12


def show_help(out: Output, pack: Pack) -> None:
    """Everything that may be typed."""
    said = texts(pack.folder, out.lang)
    out.print(said.say("play.help.blow"), BOLD)
    id = "play.help.calls" if pack.reader is not None else "play.help.parts"
    _wrapped(out, said.say(id), "  ")
    out.print(said.say("play.help.commands"), BOLD)
    for name in pack.commands:
        _wrapped(out, usage(pack, name, said), "  ")
    out.print(said.say("play.help.words"), BOLD)
    for word in ABOUT:
        aliases = words_for(f"play.word.{word}")[:4]
        _wrapped(out, f"{', '.join(aliases)} — {said.say(f'play.about.{word}')}", "  ")
    out.print(said.say("play.help.more"), DIM)


def usage(pack: Pack, command: str, said: Texts) -> str:
    """A command with its fields in the order in which they may be typed."""
    spec = pack.commands.get(command)
    if spec is None:
        return ""
    fields = [name.upper() if field.required else f"[{name}]" for name, field in spec.fields.items()]
    if spec.writes_entities:
        layer = next(iter(pack.layers), "")
        fields.append(f"[{layer}=N/N] [{said.say('play.help.keys')}=…]")
    return f"{' '.join((command, *fields))}  ({said.term(command)})"


def show_command(out: Output, pack: Pack, command: str) -> None:
    """One command: how it is typed and what each field may be."""
    said = texts(pack.folder, out.lang)
    spec = pack.commands[command]
    out.print(usage(pack, command, said), BOLD)
    aliases = words_for(f"play.verb.{command}")
    if aliases:
        out.print(said.say("play.help.also", words=aliases), DIM, "  ")
    fields = dict(spec.fields)
    if spec.writes_entities:
        fields |= {layer: NumberField() for layer in pack.layers} | entity_fields(pack)
    for name, field in fields.items():
        about = f" — {field.about}" if field.about and out.lang == "en" else ""
        need = said.say("play.help.required") if field.required else ""
        values = ", ".join(part for part in (need, allowed(field, said)) if part)
        term = said.term(name)
        label = name if term == name.replace("_", " ") else f"{name} ({term})"
        _wrapped(out, f"{label}: {values}{about}", "  ")


def allowed(field: Field, said: Texts) -> str:
    """What a field may be, in a few words."""
    match field:
        case WordField(of=of) if of:
            words = [_named(word, said) for word in of[:MANY]]
            return ", ".join((*words, "…") if len(of) > MANY else words)
        case FlagField():
            return said.say("play.help.flag")
        case NumberField():
            return said.say("play.help.number")
        case UntilField(of=of, units=units):
            return ", ".join((*(_named(word, said) for word in of), *(f"10 {said.term(unit)}" for unit in units)))
        case ListField(of=inner):
            return said.say("play.help.list", of=allowed(inner, said))
        case EitherField(of=of):
            return " / ".join(allowed(one, said) for one in of)
        case CasesField(cases=cases):
            return ", ".join(_named(case, said) for case in cases)
        case _:
            return said.say(f"play.help.type.{field.__struct_config__.tag}")


def show_rules(out: Output, pack: Pack, ids: tuple[str, ...]) -> None:
    """The titles of several rules; one rule whole, with the readings of this table."""
    told = rule_texts(pack.folder, out.lang)
    width = max(map(len, ids), default=0)
    for id in ids:
        out.print(f"{out.painted(f'{id:{width}}', CYAN)}  {told.get(id, {}).get('title', '')}")
    if len(ids) != 1:
        return
    said = told.get(ids[0], {})
    _wrapped(out, said.get("text", ""), "  ")
    for part in ("example", "refusal"):
        if part in said:
            _wrapped(out, f"{out.said.say(f'cli.rules.{part}')} {said[part]}", "  ")
    for name in pack.variants:
        if pack.variants[name].rule == ids[0] or name in pack.rules[ids[0]].variants:
            _variant(out, pack, name)


def _variant(out: Output, pack: Pack, name: str) -> None:
    told = variant_texts(pack.folder, out.lang).get(name, {})
    _wrapped(out, f"{name}: {told.get('question', '')}", "  ")
    for reading in pack.variants[name].readings:
        sign = "*" if pack.readings.get(name) == reading else " "
        _wrapped(out, f"{sign} {reading}: {told.get('readings', {}).get(reading, '')}", "    ")


def _named(word: str, said: Texts) -> str:
    term = said.term(word)
    return word if term.casefold() == word.replace("_", " ") else f"{word} ({term})"


def _wrapped(out: Output, text: str, indent: str) -> None:
    for line in textwrap.wrap(text, out.width, initial_indent=indent, subsequent_indent=indent + "    "):
        out.print(line)

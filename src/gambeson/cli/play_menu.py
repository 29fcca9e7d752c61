"""What may be done now: the short list after a run, and the menu at the table whose numbers fill in commands."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from gambeson.cli.output import BOLD, CYAN, DIM, YELLOW, Output
from gambeson.engine.legal import Choice, Entry
from gambeson.model.commands import Command
from gambeson.model.messages import Message, message
from gambeson.model.values import frozen
from gambeson.table import Table
from gambeson.table.entry_words import LONGEST_NAME, Misunderstood, Vocabulary, folded, is_number
from gambeson.table.legal_words import Offered, Refused, Whose
from gambeson.table.seats import active_seat, seats_of

# The short list


def show_legal(out: Output, offered: Offered, entries: Sequence[Entry]) -> None:
    """Print what may be done, a line each, and how much is not legal."""
    for whose in offered.whose(entries):
        if whose.may:
            out.print(whose.name, "", "    ")
        for entry in whose.may:
            _wrapped(out, offered.line(entry), "      ")
    if not any(entry.legal for entry in entries):
        out.print(offered.said.say("legal.none"), DIM, "    ")
    count = sum(not entry.legal for entry in entries)
    if count:
        out.print(offered.said.say("legal.left_out", count=count), DIM, "    ")


# The menu


class Menu(Struct, frozen=True):
    """What was offered at one version of a table, by its numbers."""

    version: int
    entries: tuple[Entry, ...]

    def entry(self, table: Table, number: str) -> Entry | None:
        """The entry with this number, as long as nothing has happened since."""
        if table.version != self.version or not number.isdecimal() or len(number) > 6:
            return None
        at = int(number)
        return self.entries[at - 1] if 1 <= at <= len(self.entries) else None

    def stale(self, table: Table, number: str) -> bool:
        """Whether a number is meant for a menu that has been overtaken."""
        return table.version != self.version and number.isdecimal()


def menu_of(table: Table, who: str = "") -> tuple[list[Whose], Menu]:
    """What the active seat may do and not, and what the others may; of one player or entity everything, if named."""
    seats = seats_of(table.state)
    offered = Offered(table.pack, table.state, "en")
    found: list[Whose] = []
    if who in table.state.entities:
        found += offered.whose(table.legal((who,)))
    elif who:
        found += offered.whose(table.legal(seats[who]))
    else:
        active = active_seat(table.state)
        for whose in offered.whose(table.legal(None)):
            if seats[active] is None or not whose.id or whose.id in (seats[active] or ()):
                found.append(whose)
            elif whose.may:
                found.append(Whose(whose.id, whose.name, whose.may, ()))
    found.sort(key=lambda whose: not whose.id)
    return found, Menu(table.version, tuple(entry for whose in found for entry in whose.may))


def show_menu(out: Output, table: Table, found: list[Whose], *, whole: bool) -> None:
    """Print the menu: what is legal with its numbers, below it what is not, with reason and remedy."""
    offered = Offered(table.pack, table.state, out.lang)
    number = 0
    width = len(str(sum(len(whose.may) for whose in found)))
    for whose in found:
        out.print(offered.speaker.name(whose.id) if whose.id else offered.said.say("legal.table"), BOLD)
        for entry in whose.may:
            number += 1
            lead = f"  {number:{width}}  "
            text = textwrap.fill(f"{lead}{offered.line(entry)}", out.width, subsequent_indent=" " * (width + 6))
            out.print(text.replace(lead, out.painted(lead, BOLD), 1))
        if whose.may_not:
            out.print(offered.said.say("legal.not_now"), DIM, "  ")
        groups = offered.refused(whose.may_not, whole=whole)
        for refused in groups if whole or whose.may else groups[:1]:
            _refused(out, offered, refused)


def _refused(out: Output, offered: Offered, refused: Refused) -> None:
    said = offered.said.say(
        "legal.refused",
        command=refused.command,
        what=refused.what,
        others=refused.others,
        example=int(refused.example),
        reason=refused.reason,
        rule=refused.rule or None,
    )
    lines = textwrap.wrap(said, out.width, initial_indent="    - ", subsequent_indent="      ", break_on_hyphens=False)
    for line in lines:
        out.print(line.replace(refused.rule, out.painted(refused.rule, CYAN), 1) if refused.rule else line)


def _wrapped(out: Output, text: str, indent: str) -> None:
    print(textwrap.fill(text, out.width, initial_indent=indent, subsequent_indent=indent + "  "))


# Filling in


def show_choice(out: Output, table: Table, filling: Filling) -> None:
    """Print what is to choose next, with numbers."""
    choice = filling.open()
    if choice is None:
        return
    offered = Offered(table.pack, table.state, out.lang)
    said = offered.said
    title = said.say("legal.choose", title=offered.title(filling.entry), field=said.term(choice.field))
    out.print(title, f"{BOLD};{YELLOW}")
    if _plain_numbers(choice):
        out.print(", ".join(map(str, choice.values)), "", "  ")
        return
    for at, value in enumerate(choice.values, 1):
        name = offered.speaker.filled(filling.entry.command, choice.field, value)
        out.print(f"{out.painted(str(at), BOLD)}  {name}", "", "  ")
    out.print(said.say("legal.choose_hint", most=choice.most if choice.listed and choice.most > 1 else 0), DIM)


class Filling(Struct, frozen=True):
    """An entry that was chosen, with what has been filled in so far."""

    entry: Entry
    given: dict[str, Any] = {}

    def open(self) -> Choice | None:
        """The next field that must be chosen; one with a single value is no choice."""
        return next((c for c in self.entry.open if not c.optional and c.field not in self.given), None)

    def command(self) -> Command:
        """The command, once nothing is open."""
        return Command(self.entry.command, frozen({**self.entry.fields, **self.given}))


def filled(table: Table, entry: Entry, rest: str) -> Filling | Message:
    """The entry with what was typed behind its number; what is left that means nothing is told."""
    words = rest.replace(",", " ").split()
    given: dict[str, Any] = {c.field: _only(c) for c in entry.open if not c.optional and len(c.values) == 1}
    while words:
        for choice in entry.open:
            if choice.field in given and len(choice.values) > 1:
                continue
            count, value = _taken(table, entry, choice, words)
            if count:
                given[choice.field] = value
                words = words[count:]
                break
        else:
            return message("legal.no_choice", got=" ".join(words)[:60])
    return Filling(entry, given)


def chosen(table: Table, filling: Filling, text: str) -> Filling | None:
    """The filling with the next field filled in by numbers or names; None where the text says neither."""
    choice = filling.open()
    words = text.replace(",", " ").split()
    if choice is None or not words:
        return None
    count, value = _numbered(choice, words) if not _plain_numbers(choice) else (0, None)
    if not count:
        count, value = _taken(table, filling.entry, choice, words)
    return Filling(filling.entry, {**filling.given, choice.field: value}) if count == len(words) else None


def _only(choice: Choice) -> Any:
    return (choice.values[0],) if choice.listed else choice.values[0]


def _plain_numbers(choice: Choice) -> bool:
    return all(isinstance(value, int) for value in choice.values)


def _numbered(choice: Choice, words: list[str]) -> tuple[int, Any]:
    """Values by their places in the list."""
    most = choice.most if choice.listed else 1
    if len(words) > most or not all(w.isdecimal() and len(w) < 6 and 1 <= int(w) <= len(choice.values) for w in words):
        return 0, None
    values = tuple(dict.fromkeys(choice.values[int(word) - 1] for word in words))
    return len(words), values if choice.listed else values[0]


def _taken(table: Table, entry: Entry, choice: Choice, words: list[str]) -> tuple[int, Any]:
    """How many of the words are values of the field by their names, and the values."""
    values: list[Any] = []
    at = 0
    while at < len(words) and len(values) < (choice.most if choice.listed else 1):
        count, value = _named(table, choice, words[at:])
        if not count or value in values:
            break
        values.append(value)
        at += count
    if not values:
        return 0, None
    return at, tuple(values) if choice.listed else values[0]


def _named(table: Table, choice: Choice, words: list[str]) -> tuple[int, Any]:
    if is_number(words[0]):
        return (1, int(words[0])) if int(words[0]) in choice.values else (0, None)
    vocabulary = Vocabulary(table.pack, table.state)
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        text = " ".join(words[:count])
        value = _meant(vocabulary, table, choice, text)
        if value in choice.values:
            return count, value
    return 0, None


def _meant(vocabulary: Vocabulary, table: Table, choice: Choice, text: str) -> Any:
    whole = [id for id, e in table.state.entities.items() if folded(text) in (folded(id), folded(e.name))]
    if whole:
        return whole[0]
    words = tuple(value for value in choice.values if isinstance(value, str) and value not in table.state.entities)
    found = vocabulary.meant(text, words)
    if found is not None:
        return found
    try:
        return vocabulary.entity(text)
    except Misunderstood:
        return None


def whom(table: Table, text: str) -> str | None:
    """The player or entity that is meant."""
    wanted = folded(text)
    player = next(
        (name for name, ids in seats_of(table.state).items() if ids is not None and folded(name) == wanted), None
    )
    if player is not None:
        return player
    try:
        return Vocabulary(table.pack, table.state).entity(text)
    except Misunderstood:
        return None

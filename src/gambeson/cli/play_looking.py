"""Looking at the table and into the rules: nothing here changes anything but the language that is spoken."""

from __future__ import annotations

from gambeson.cli.choosing import LANGUAGES
from gambeson.cli.output import DIM, GREEN, RED
from gambeson.cli.play_cards import show_cards, show_overview, time_shown
from gambeson.cli.play_desk import Desk
from gambeson.cli.play_help import show_command, show_help, show_rules
from gambeson.cli.play_lines import WORDS, word_of
from gambeson.language.fields import nearest
from gambeson.table.entry_words import Vocabulary, folded, words_for

LOGGED = 20


class Looking:
    """What a line that only asks is answered with."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def state(self, rest: str) -> None:
        """The cards of everybody, or of somebody."""
        ids = tuple(self.desk.table.state.entities)
        if rest:
            found = self.desk.who(rest)
            if found is None:
                return
            ids = (found,)
        show_cards(self.desk.out, self.desk.table.pack, self.desk.table.state, ids)
        if not ids:
            self.desk.say("play.nobody", DIM)

    def overview(self, rest: str) -> None:
        """Everybody in a line each, and the time."""
        clock = time_shown(self.desk.table.pack, self.desk.table.state, self.desk.out.lang)
        if clock:
            self.desk.out.print(clock, DIM)
        show_overview(self.desk.out, self.desk.table.pack, self.desk.table.state)

    def log(self, rest: str) -> None:
        """The last inputs, or as many as are asked for."""
        self.desk.teller.log(self.desk.table, int(rest) if rest.isdecimal() and len(rest) < 6 else LOGGED)

    def why(self, rest: str) -> None:
        """The last ruling in full."""
        if self.desk.last is None:
            self.desk.say("play.nothing_yet", DIM)
        else:
            self.desk.teller.whole(self.desk.last)

    def spells(self, rest: str) -> None:
        """The catalogue, or a spell of it."""
        from gambeson.cli.spells import show_spells

        show_spells(self.desk.out, self.desk.table.pack, rest or None)

    def rules(self, rest: str) -> None:
        """The rules, or the one with this number."""
        pack = self.desk.table.pack
        ids = tuple(pack.rules)
        number = rest.rpartition("-")[2].lstrip("0")
        found = next((id for id in ids if id.rpartition("-")[2].lstrip("0") == number), None)
        if rest and found is None:
            self.desk.say("cli.rules.unknown", RED, got=rest[:40], meant="", game=pack.game, first=ids[0], last=ids[-1])
            return
        show_rules(self.desk.out, pack, ids if found is None else (found,))

    def lang(self, rest: str) -> None:
        """Speak another language."""
        if rest.casefold() in LANGUAGES:
            self.desk.out.lang = rest.casefold()
            self.desk.say("play.lang", GREEN)
        else:
            self.desk.say("play.lang_which", RED, got=rest[:40], allowed=LANGUAGES)

    def help(self, rest: str) -> None:
        """What can be typed, or one command or word of it."""
        pack = self.desk.table.pack
        if not rest:
            show_help(self.desk.out, pack)
            return
        command = Vocabulary(pack, self.desk.table.state).meant(rest, pack.commands)
        if command is None:
            wanted = folded(rest)
            command = next((name for name in pack.commands if wanted in words_for(f"play.verb.{name}")), None)
        word, _ = word_of(rest)
        if command is not None:
            show_command(self.desk.out, pack, command)
        elif word:
            self.desk.say(f"play.about.{word}")
        else:
            self.desk.say("play.help.unknown", RED, got=rest[:60], meant=nearest(rest, (*pack.commands, *WORDS)))

"""The desk of an evening: the table, the last ruling, the file it is kept in, and what is printed on."""

from __future__ import annotations

from gambeson.cli.output import GREEN, RED, Output
from gambeson.cli.play_opening import Opened, save_table
from gambeson.cli.play_telling import Teller
from gambeson.games import texts
from gambeson.language.texts import Texts
from gambeson.model.errors import Unusable
from gambeson.model.messages import Message
from gambeson.table import Ruling, Table
from gambeson.table.entry_words import Misunderstood, Vocabulary


class Desk:
    """What every part of a session has before it."""

    def __init__(self, opened: Opened, file: str, lang: str) -> None:
        self.file = file
        self.out = Output(lang)
        self.seat(opened)

    def seat(self, opened: Opened) -> None:
        """Take a table up; nothing of it is kept yet."""
        self.opened = opened
        self.table: Table = opened.table
        self.title = opened.title
        self.last: Ruling | None = None
        self.kept = -1

    @property
    def said(self) -> Texts:
        """The texts of the game in the language that is spoken now."""
        return texts(self.table.pack.folder, self.out.lang)

    @property
    def teller(self) -> Teller:
        """Who tells what came of a command."""
        return Teller(self.out)

    def say(self, id: str, style: str = "", **params: Message | str | int | tuple[str, ...] | None) -> None:
        """Print a message."""
        self.out.print(self.said.say(id, **params), style)

    def who(self, text: str) -> str | None:
        """The id of somebody who is named; where nobody is, that is told."""
        words = Vocabulary(self.table.pack, self.table.state)
        try:
            found = words.entity(text)
        except Misunderstood as misunderstood:
            self.out.print(self.said.say(misunderstood.said), RED)
            return None
        if found is None:
            self.say("play.entry.nobody", RED, got=text[:60], meant=words.nearest_entity(text))
        return found

    def save(self, rest: str) -> None:
        """Write the evening into the file that is named, or into its own."""
        path = rest or self.file
        if not path:
            self.say("play.file.which", RED)
        elif self._written(path):
            self.say("play.saved", GREEN, file=path)

    def keep(self) -> None:
        """Write the evening down after each input that was accepted."""
        if self.file and self.kept != self.table.version and self._written(self.file):
            self.kept = self.table.version

    def _written(self, path: str) -> bool:
        try:
            save_table(self.table, path, self.title)
        except Unusable as unusable:
            self.faults(unusable)
            return False
        return True

    def faults(self, unusable: Unusable) -> None:
        """Say what is wrong with a file."""
        for fault in unusable.faults[:5]:
            self.out.print(self.said.say(fault.message), RED)

"""play: a table at the terminal; one line goes in, a ruling comes out, and every decision and roll is asked."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import NoReturn

from gambeson.cli.blow import BadOption
from gambeson.cli.entry import DONE, INTERRUPTED, UNUSABLE
from gambeson.cli.odds import show_odds
from gambeson.cli.output import BOLD, DIM, GREEN, RED, YELLOW, diagnose, diagnose_faults
from gambeson.cli.play_asking import MANY, prompt_for, read_answer, show_questions
from gambeson.cli.play_cards import show_cards, time_shown
from gambeson.cli.play_desk import Desk
from gambeson.cli.play_help import usage
from gambeson.cli.play_lines import ALWAYS, WORDS, Lines, word_of
from gambeson.cli.play_looking import Looking
from gambeson.cli.play_menu import Filling, Menu, chosen, filled, menu_of, show_choice, show_menu, whom
from gambeson.cli.play_opening import Asked, Opened, demo_party, load_table, open_table
from gambeson.cli.play_telling import print_wrapped
from gambeson.games import texts
from gambeson.language.dice import NotEnumerable
from gambeson.model.commands import Command
from gambeson.model.errors import Unusable
from gambeson.model.messages import Message
from gambeson.model.questions import Question
from gambeson.model.values import frozen
from gambeson.table import Ruling
from gambeson.table.dice import seeded
from gambeson.table.entry import Misread, read_entry
from gambeson.table.entry_words import Misunderstood, Vocabulary, folded, words_for
from gambeson.table.rulings import DONE as RULED
from gambeson.table.rulings import PAUSED, REJECTED
from gambeson.testing.scenarios import Step


class Quit(Exception):
    """The evening is over."""


def play(asked: Asked, *, lang: str, seed: int | None) -> int:
    """Open a table and play at it until the input ends; gives the exit status."""
    said = texts(None, lang)
    try:
        opened = open_table(asked)
    except BadOption as bad:
        diagnose(f"{bad.place}: {said.say(bad.said)}")
        return UNUSABLE
    except Unusable as unusable:
        diagnose_faults(unusable.faults, said)
        return UNUSABLE
    thrower = seeded(seed if seed is not None else secrets.randbits(64))
    session = Session(opened, asked.save, lang, thrower)
    try:
        session.begin()
        while True:
            session.take(session.lines.next(session.prompt()))
    except (EOFError, Quit):
        session.end()
        return DONE
    except KeyboardInterrupt:
        print()
        session.end()
        return INTERRUPTED


class Session(Desk):
    """One evening at one table."""

    def __init__(self, opened: Opened, save: str, lang: str, thrower: Callable[..., tuple[int, ...] | None]) -> None:
        super().__init__(opened, save, lang)
        self.thrower = thrower
        self.menu: Menu | None = None
        self.filling: Filling | None = None
        self.lines = Lines(self._completions)
        self.looking = Looking(self)

    def _completions(self) -> list[str]:
        words = [word for name in WORDS for word in words_for(f"play.word.{name}")]
        return [*self.table.state.entities, *self.table.pack.commands, *words, *self.table.pack.words.known]

    # --- beginning and end ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Say where we are and what can be done."""
        pack = self.table.pack
        title = self.title or (self.said.say("about") if self.said.has("about") else "")
        self.out.print(": ".join(part for part in (pack.game, title) if part), BOLD)
        if self.opened.resumed:
            self.say("play.open.resumed", GREEN, file=self.opened.resumed, inputs=self.table.version)
        if self.opened.other_rules:
            self.say("play.open.other_rules", YELLOW)
        if self.table.state.entities:
            self.looking.state("")
        else:
            self.say("play.open.empty", has_demo=int(bool(demo_party(pack.folder, self.out.lang))))
        self.say("play.open.hint", DIM)
        for step in self.opened.steps:
            self._step(step)
        if self.table.waiting is not None:
            show_questions(self.out, self.table)
        if self.table.version == 0 or not self.opened.resumed:
            self.keep()

    def end(self) -> None:
        """Say goodbye, and what was kept."""
        self.keep()
        self.say("play.bye", DIM, file=self.file if self.file and self.kept >= 0 else None)

    def prompt(self) -> str:
        """What stands before the line."""
        if self.table.waiting is not None:
            return prompt_for(self.out, self.table) + " "
        choice = self.filling.open() if self.filling is not None else None
        if choice is not None:
            return self.said.say("legal.prompt", field=self.said.term(choice.field), values=len(choice.values)) + " "
        clock = time_shown(self.table.pack, self.table.state, self.out.lang)
        return f"{self.table.pack.game}{' ' if clock else ''}{clock}> "

    def _step(self, step: Step) -> None:
        """A step of the scenario is played before people play on."""
        match step.command:
            case "answer":
                ruling = self.table.answer(step.fields, by=step.by)
            case "roll":
                ruling = self.table.roll(step.fields, by=step.by)
            case _:
                command = Command(step.command, frozen(step.fields), step.by)
                ruling = self.table.submit(command, answers=step.answers, rolls=step.rolls)
        self.last = ruling
        self.teller.tell(ruling, self.table)

    # --- one line ---------------------------------------------------------------------------------------------

    def take(self, line: str) -> None:
        """Do what a line says."""
        text = line.strip()
        if text.startswith("#"):
            return
        if not text:
            self._nothing()
            return
        word, rest = word_of(text)
        if word == "quit" and not rest:
            raise Quit
        if self.filling is not None and self._fill(text):
            return
        if self.table.waiting is not None and not (word in ALWAYS and self._answers(text) is None):
            self._open(text)
        elif word:
            self._does()[word](rest)
        else:
            self._command(text)

    def _does(self) -> dict[str, Callable[[str], None]]:
        return {
            "undo": self._undo,
            "save": self.save,
            "load": self._load,
            "state": self.looking.state,
            "overview": self.looking.overview,
            "log": self.looking.log,
            "why": self.looking.why,
            "what_if": self._what_if,
            "spells": self.looking.spells,
            "rules": self.looking.rules,
            "lang": self.looking.lang,
            "help": self.looking.help,
            "quit": self._quit,
            "answer": self._open,
            "roll": self._open,
            "demo": self._demo,
            "legal": self._legal,
            "odds": self._odds,
        }

    def _nothing(self) -> None:
        """An empty line lets the dice of an open roll fall; else it does nothing."""
        question = self._asked()
        if question is None or question.kind != "roll":
            return
        faces = self.thrower(question) or ()
        self.say("play.rolled", BOLD, faces=tuple(map(str, faces)))
        self._came(self.table.roll(faces, by=question.decider, decision=question.key))

    # --- commands ---------------------------------------------------------------------------------------------

    def _command(self, text: str) -> None:
        filling = self._picked(text)
        if filling is not None:
            self._go_on(filling)
            return
        if self.menu is not None and self.menu.stale(self.table, text.partition(" ")[0]):
            self.say("legal.stale", RED)
            return
        who = self._alone(text)
        if who is not None:
            show_cards(self.out, self.table.pack, self.table.state, (who,))
            return
        entry = self._read(text)
        if entry is not None:
            self._came(self.table.submit(entry))

    def _commanded(self, text: str) -> Command | None:
        """The command that is meant, by its number in the menu or in words; what it lacks is told."""
        filling = self._picked(text)
        if filling is None:
            return self._read(text)
        if filling.open() is None:
            return filling.command()
        show_choice(self.out, self.table, filling)
        return None

    def _alone(self, text: str) -> str | None:
        """Somebody whose name is all that the line says."""
        entities = self.table.state.entities
        wanted = folded(text)
        called = (id for id, entity in entities.items() if wanted in (folded(id), folded(entity.name)))
        found = next(called, None)
        if found is not None or " " in text or text.casefold() in self.table.pack.commands:
            return found
        try:
            return Vocabulary(self.table.pack, self.table.state).entity(text)
        except Misunderstood:
            return None

    def _read(self, text: str) -> Command | None:
        also = [word for name in WORDS for word in words_for(f"play.word.{name}")]
        entry = read_entry(self.table.pack, self.table.state, text, also)
        if isinstance(entry, Misread):
            print_wrapped(self.out, self.said.say(entry.said), RED)
            command = entry.said.params.get("command")
            if isinstance(command, str):
                self.out.print(usage(self.table.pack, command, self.said), DIM)
            return None
        return entry

    def _came(self, ruling: Ruling) -> None:
        """Keep the evening, tell what came of an input, and ask what is open."""
        self.keep()
        answered = self.table.version > 0 and self.table.rows[-1].kind == "answer"
        still_open = ruling.status == PAUSED and answered
        if not still_open:
            self.teller.tell(ruling, self.table)
        if ruling.status != REJECTED:
            self.last = ruling
        else:
            self._usage_after(ruling)
        if ruling.status == PAUSED:
            show_questions(self.out, self.table, 1 if still_open else MANY)

    def _usage_after(self, ruling: Ruling) -> None:
        """After a value that is no good: how the command is typed."""
        command, refusal = ruling.command, ruling.refusal
        if command is None or refusal is None or refusal.rule or command.name not in self.table.pack.commands:
            return
        if "call" not in command.fields:
            self.out.print(usage(self.table.pack, command.name, self.said), DIM)

    def _undo(self, rest: str) -> None:
        if rest:
            self._command(f"undo {rest}")
            return
        ruling = self.table.undo()
        if ruling.status == RULED:
            undone = self.table.rows[self.table.rows[-1].undoes - 1]
            if undone.command is not None:
                self.say("play.undone", GREEN, what=self.teller.sentence(self.table, undone.command))
        self._came(ruling)

    def _what_if(self, rest: str) -> None:
        entry = self._commanded(rest)
        if entry is None:
            return
        self.say("play.what_if", f"{BOLD};{YELLOW}")
        ruling = self.table.preview(entry)
        self.teller.tell(ruling, self.table)
        for question in ruling.questions:
            self.out.print(self.said.say(question.text), YELLOW, "  ")
            for option in question.options:
                self.out.print(f"- {self.said.say(option.label)}", "", "    ")

    # --- the menu ---------------------------------------------------------------------------------------------

    def _legal(self, rest: str) -> None:
        """What may be done now, with numbers; while something is open, what is asked."""
        if self.table.waiting is not None:
            show_questions(self.out, self.table)
            return
        who = whom(self.table, rest) if rest else ""
        if who is None:
            self.who(rest)
            return
        found, menu = menu_of(self.table, who)
        if not found:
            self.say("legal.nothing_listed", DIM, game=self.table.pack.game)
            return
        self.menu = menu
        show_menu(self.out, self.table, found, whole=bool(who))
        if menu.entries:
            print_wrapped(self.out, self.said.say("legal.hint"), DIM)

    def _picked(self, text: str) -> Filling | None:
        """The entry of the menu whose number the line begins with, filled in with what follows."""
        number, _, rest = text.partition(" ")
        entry = self.menu.entry(self.table, number) if self.menu is not None else None
        if entry is None:
            return None
        filling = filled(self.table, entry, rest)
        if isinstance(filling, Message):
            self.out.print(self.said.say(filling), RED)
            return Filling(entry)
        return filling

    def _go_on(self, filling: Filling) -> None:
        """Ask for the next field that is open, or give the command."""
        if filling.open() is None:
            self.filling = None
            self._came(self.table.submit(filling.command()))
            return
        self.filling = filling
        show_choice(self.out, self.table, filling)

    def _fill(self, text: str) -> bool:
        """Fill the open field in with what was typed; whether the line is dealt with by that."""
        assert self.filling is not None
        found = chosen(self.table, self.filling, text)
        if found is not None:
            self._go_on(found)
            return True
        word, _ = word_of(text)
        if word and word not in ("undo", "load", "demo"):
            return False
        entry = read_entry(self.table.pack, self.table.state, text)
        if word or isinstance(entry, Command) or self._picked_number(text):
            self.filling = None
            return word == "undo"
        self.say("legal.no_choice", RED, got=text[:60])
        return True

    def _picked_number(self, text: str) -> bool:
        return self.menu is not None and self.menu.entry(self.table, text.partition(" ")[0]) is not None

    def _odds(self, rest: str) -> None:
        """The exact chances of what is open, or of a command."""
        command = self._commanded(rest) if rest and self.table.waiting is None else None
        if self.table.waiting is None and command is None:
            if not rest:
                self.say("odds.none_open", DIM)
            return
        try:
            found = self.table.odds(command)
        except NotEnumerable:
            show_odds(self.out, self.table.pack, self.table.state, None, self.said.say("odds.too_many"))
            return
        told = command or (self.table.waiting.command if self.table.waiting is not None else None)
        if told is not None:
            self.out.print(self.teller.sentence(self.table, told), BOLD)
        reason = self.said.say(found.refusal.reason) if found.refusal is not None else ""
        show_odds(self.out, self.table.pack, self.table.state, found, reason)

    # --- what is open -----------------------------------------------------------------------------------------

    def _answers(self, text: str) -> object:
        return read_answer(self.table, text) if self.table.waiting is not None else None

    def _open(self, text: str) -> None:
        """A line while something is open (or an answer while nothing is)."""
        if self.table.waiting is None:
            self._came(self.table.answer(text))
            return
        word, rest = word_of(text)
        answered = read_answer(self.table, rest if word in ("answer", "roll") else text)
        if answered is not None:
            question, answer = answered
            give = self.table.roll if isinstance(answer, tuple) else self.table.answer
            self._came(give(answer, by=question.decider, decision=question.key))
            return
        if word in ("answer", "roll") and not rest:
            self._nothing()
            return
        entry = read_entry(self.table.pack, self.table.state, text)
        if isinstance(entry, Command):
            self._came(self.table.submit(entry))
        still = self._asked()
        if still is not None and not (isinstance(entry, Command) and entry.name == "edit"):
            if isinstance(entry, Misread):
                self.say("play.ask.no_answer", RED, got=text[:60])
            kind = "play.ask.dice_hint" if still.kind == "roll" else "play.ask.choice_hint"
            self.say(kind, DIM, count=len(still.options))

    def _asked(self) -> Question | None:
        """The first question that is open."""
        return self.table.waiting.paused.questions[0] if self.table.waiting is not None else None

    def _quit(self, rest: str) -> NoReturn:
        raise Quit

    def _load(self, rest: str) -> None:
        if not rest:
            self.say("play.file.which", RED)
            return
        try:
            opened = load_table(rest)
        except Unusable as unusable:
            self.faults(unusable)
            return
        self.seat(opened)
        self.begin()
        self.keep()

    def _demo(self, rest: str) -> None:
        party = demo_party(self.table.pack.folder, self.out.lang)
        if not party:
            self.say("play.no_demo", DIM)
            return
        for id, keys in party.items():
            if id not in self.table.state.entities and id not in self.table.state.used:
                self.table.submit(Command("add", frozen({"id": id, **keys})))
        self.keep()
        self.looking.state("")

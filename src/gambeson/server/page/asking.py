"""Open questions: who must decide what, what would come of each option, which dice are asked."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.views import PLAYER, SCREEN, Sight
from gambeson.model.questions import Option, Question
from gambeson.model.values import REFEREE
from gambeson.server.page.cards import Drawer
from gambeson.server.page.drawing import Words
from gambeson.server.page.dyes import dye
from gambeson.server.page.telling import RuleText, rule_text
from gambeson.server.page.throws import fell
from gambeson.table.consequences import told
from gambeson.table.rulings import Ruling
from gambeson.table.seeing import ahead, open_questions
from gambeson.table.table import Table, Waiting
from gambeson.table.words import Speaker

KEYPAD = 20
"""Dice with at most so many faces have a key for each."""


class Choice(Struct, frozen=True):
    """One option: the figure that it leads to, and what comes of it."""

    id: str
    label: str
    figure: str
    dye: str
    points: tuple[str, ...]


class Die(Struct, frozen=True):
    """One die to be thrown: by whom, and against whom where the dice of one throw go at several."""

    number: int
    sides: int
    roller: str
    at: str = ""


class Ask(Struct, frozen=True):
    """An open question as somebody sees it."""

    key: str
    decider: str
    question: str
    why: str
    rule: RuleText | None
    mine: bool
    roll: bool
    choices: tuple[Choice, ...]
    dice: tuple[Die, ...]
    command: str
    theirs: bool
    keypad: int = 0
    fell: tuple[str, ...] = ()


class Asker:
    """Shows the open questions of a table to one viewer."""

    def __init__(self, table: Table, sight: Sight, t: Words) -> None:
        self.table = table
        self.sight = sight
        self.t = t

    def asks(self, whole: bool = False) -> list[Ask]:
        """The open questions that the seat knows of, its own first; `whole`: with what would come of each option."""
        if self.table.waiting is None:
            return []
        asks = [self._ask(question, whole) for question in open_questions(self.table, self.sight)]
        return sorted(asks, key=lambda ask: (not ask.mine, ask.theirs))

    def _ask(self, question: Question, whole: bool) -> Ask:
        waiting = self.table.waiting
        assert waiting is not None
        shown = Ruling(
            self.table.pack, "paused", self.sight.state(self.table.state), self.sight.state(self.table.state)
        )
        speaker = Speaker(shown, self.t.said.lang)
        viewer = self.sight.viewer
        own = viewer.role == PLAYER and question.decider in viewer.entities
        said = self.t.said
        command = self.sight.command(waiting.command)
        dice = tuple(
            Die(number, group.sides, speaker.name(group.roller), speaker.name(group.at) if group.at else "")
            for number, group in enumerate((g for g in question.dice for _ in range(g.count)), start=1)
        )
        sides = {die.sides for die in dice}
        return Ask(
            key=question.key,
            decider=speaker.name(question.decider),
            question=said.say(question.text),
            why=said.say(question.why) if question.why is not None else "",
            rule=rule_text(self.table.pack, question.rule, said.lang),
            mine=own or (viewer.role == REFEREE and question.decider == REFEREE),
            roll=question.kind == "roll",
            choices=self._choices(question) if whole else (),
            dice=dice,
            command=speaker.command(command) if command is not None else "",
            theirs=viewer.role == REFEREE and question.decider != REFEREE,
            fell=self._fell(waiting) if whole else (),
            keypad=next(iter(sides)) if len(sides) == 1 and next(iter(sides)) <= KEYPAD else 0,
        )

    def _fell(self, waiting: Waiting) -> tuple[str, ...]:
        """The dice that fell before for the command that waits, and what they came to."""
        state = self.sight.state(self.table.state)
        trace = self.sight.trace(waiting.paused.trace, waiting.answers)
        ruling = Ruling(self.table.pack, "paused", state, state, trace=trace)
        return fell(ruling, self.sight.answers(waiting.answers), self.t)

    def _choices(self, question: Question) -> tuple[Choice, ...]:
        rulings = [ahead(self.table, self.sight, question, option.id) for option in question.options]
        known = [ruling for ruling in rulings if ruling is not None]
        lines: tuple[str, ...] = told(tuple(known), self.t.said.lang) if len(known) == len(rulings) else ()
        return tuple(
            self._choice(question, option, rulings[at], lines[at] if lines else "")
            for at, option in enumerate(question.options)
        )

    def _choice(self, question: Question, option: Option, ruling: Ruling | None, line: str) -> Choice:
        entity, layer = self._pool(question)
        figure = color = ""
        points = [text for text in line.split("; ") if text]
        if ruling is not None and entity in ruling.after.entities and layer:
            pool = ruling.after.entities[entity].pools.get(layer)
            figure, color = str(pool.current if pool is not None else 0), dye(self.table.pack, layer)
            if pool is not None and pool.current:
                drawer = Drawer(self.table, self.sight, self.t, ruling.after)
                points += drawer.of_pool(pool)
        return Choice(option.id, self.t.said.say(option.label), figure, color, tuple(points))

    def _pool(self, question: Question) -> tuple[str, str]:
        """The pool that a question is about, as far as its key names one."""
        parts = question.key.split(":")
        entity = next((part for part in parts if part in self.table.state.entities), "")
        layer = next((part for part in parts if part in self.table.pack.layers), "")
        return (entity, layer) if entity and layer and layer not in self.sight.hidden_layers(entity) else ("", "")


def may_act(sight: Sight) -> bool:
    """Whether this seat gives any input."""
    viewer = sight.viewer
    return viewer.role != SCREEN and (viewer.role == REFEREE or bool(viewer.entities))


def may_strike(table: Table, sight: Sight) -> bool:
    """Whether this seat may give a blow by itself: in some games only the referee tells one."""
    spec = table.pack.commands.get("hit")
    return spec is not None and may_act(sight) and (sight.viewer.role == REFEREE or not spec.referee)

"""Rulings and the log in words: what to shout, what came of it, and the steps, each with its rule."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.views import Sight
from gambeson.games.loading import rule_texts, texts
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer
from gambeson.model.events import Called, ClockMoved
from gambeson.model.values import REFEREE
from gambeson.server.page.clocks import time_of
from gambeson.server.page.drawing import Words
from gambeson.server.page.past import answers_of, finished, rulings, seen
from gambeson.server.page.throws import fell
from gambeson.table.explaining import LEFT, explanation
from gambeson.table.log import Row
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.table import Table
from gambeson.table.words import Speaker

PAST = ("trace.absorb.bypassed", "trace.absorb.not_covered")
"""What is said of a layer that a blow went past."""

CODED = re.compile(r"`([^`]+)`")
"""An id in the text of a rule."""

JOINED = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""An id of several words that stands there bare."""


class RuleText(Struct, frozen=True):
    """A rule as it can be opened."""

    id: str
    title: str
    text: str
    example: str
    status: str
    source: str


class Step(Struct, frozen=True):
    """One row of a ruling: what was left of the blow before it, what it did, the rule behind it."""

    left: str
    title: str
    text: str
    ran: bool
    thread: bool
    rule: RuleText | None
    who: str = ""
    last: bool = False


class Told(Struct, frozen=True):
    """A ruling in words."""

    version: int
    head: str
    who: str
    shouts: tuple[str, ...]
    silent: bool
    outcome: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    rules: tuple[str, ...] = ()
    undone_by: str = ""
    undone_at: int = 0
    undoes: int = 0
    waiting: bool = False
    at: int = 0
    fell: tuple[str, ...] = ()
    time: str = ""

    @property
    def shout(self) -> str:
        """Everything that must be shouted."""
        return ", ".join(self.shouts)


def rule_text(pack: Pack, id: str, lang: str) -> RuleText | None:
    """What a rule says; None where there is no such rule."""
    rule = pack.rules.get(id)
    if rule is None:
        return None
    said, words = rule_texts(pack.folder, lang).get(id, {}), texts(pack.folder, lang)

    def plainly(text: str) -> str:
        """Ids that stand in backticks, and those of several words, by their names."""
        text = CODED.sub(lambda found: words.term(found[1]), text.strip())
        return JOINED.sub(lambda found: words.term(found[0]), text)

    return RuleText(
        id,
        plainly(said.get("title", "")),
        plainly(said.get("text", "")),
        plainly(said.get("example", "")),
        rule.status,
        "; ".join(dict.fromkeys(part.strip() for part in rule.source.split(";"))),
    )


def steps_of(ruling: Ruling, t: Words) -> tuple[Step, ...]:
    """The trace as rows."""
    pack, said = ruling.pack, t.said
    speaker = Speaker(ruling, said.lang)
    stages = [stage.stage for stage in pack.procedure]
    whose = ruling.target
    rows = []
    damaged = [at for at, row in enumerate(ruling.trace) if row.stage in stages and (row.before or row.after)]
    last = max(damaged, default=-1)
    for at, row in enumerate(ruling.trace):
        entity = row.entity or whose
        note = said.say(row.note) if row.note is not None else ""
        who = speaker.name(entity) if entity != whose else ""
        whose = entity
        thread = row.stage in stages and bool(row.before or row.after) and at <= last
        shown = str(row.before) if thread else ""
        if row.ran and row.before != row.after and thread:
            note = t("step.left", note=note, before=row.before, after=row.after)
        title = said.term(row.stage)
        rows.append(
            Step(
                shown,
                title,
                "" if note == title else note,
                row.ran,
                thread,
                rule_text(pack, row.rule, said.lang),
                who,
                at == last,
            )
        )
    return tuple(rows)


def told(
    ruling: Ruling, t: Words, version: int = 0, by: str = "", steps: bool = False, answers: tuple[Answer, ...] = ()
) -> Told:
    """A ruling in words; with `steps` every row of its trace; `answers` with the dice that fell for it."""
    speaker = Speaker(ruling, t.said.lang)
    lines = explanation(ruling, t.said.lang, kept=False)
    shouted = tuple(event.text for event in ruling.events if isinstance(event, Called))
    head = speaker.command(ruling.command) if ruling.command is not None else t("log.unseen")
    rules = dict.fromkeys(row.rule for row in ruling.trace if row.ran and row.rule)
    return Told(
        version=version,
        head=head,
        who=_who(ruling, by or (ruling.command.by if ruling.command is not None else ""), t),
        shouts=shouted,
        silent=not shouted and bool(ruling.target) and any(line.kind == LEFT for line in lines),
        outcome=tuple(line.text for line in lines if line.kind == LEFT) + _past(ruling, speaker),
        steps=steps_of(ruling, t) if steps else (),
        rules=tuple(rules)[:4],
        fell=fell(ruling, answers, t),
    )


def _past(ruling: Ruling, speaker: Speaker) -> tuple[str, ...]:
    """Which layers with points left a blow went past, and why."""
    told = []
    for row in ruling.trace:
        if not row.ran and row.note is not None and row.note.id in PAST:
            text = speaker.said.say("explain.step", stage=speaker.said.term(row.stage), note=speaker.said.say(row.note))
            other = row.entity if row.entity not in ("", ruling.target) else ""
            told.append(speaker.said.say("explain.after", entity=speaker.name(other), what=text) if other else text)
    return tuple(told)


def _who(ruling: Ruling, by: str, t: Words) -> str:
    return t("referee") if by in ("", REFEREE) else Speaker(ruling, t.said.lang).name(by)


class Teller:
    """Tells the log of one table to one viewer."""

    def __init__(self, table: Table, sight: Sight, t: Words) -> None:
        self.table = table
        self.sight = sight
        self.t = t

    def one(self, version: int) -> Told | None:
        """The ruling of one row with all its steps; None where the seat may not read it."""
        found = rulings(self.table, (version,)).get(version)
        if found is None:
            return None
        answers = answers_of(self.table, version)
        known = seen(found, self.sight, answers)
        if known.command is None and not known.events:
            return None
        return told(known, self.t, version, self._by(self.table.rows[version - 1]), True, self.sight.answers(answers))

    def log(self, most: int) -> list[Told]:
        """The newest rows, newest first."""
        rows = self.table.rows[max(0, self.table.version - most) :]
        worked_out = rulings(self.table, (row.version for row in rows if finished(row)))
        undone = {row.undoes: row for row in rows if row.undoes}
        times = self._times() if "time" in self.table.pack.clock else {}
        shown = []
        for row in reversed(rows):
            one = self._row(row, worked_out, undone)
            if one is not None:
                shown.append(replace(one, at=row.at, time=times.get(row.version, "")))
        return shown

    def _times(self) -> dict[int, str]:
        """What the clock of the game showed after each row; what was taken back moved nothing."""
        undone = {row.undoes for row in self.table.rows if row.undoes}
        clock, found = self.table.start.clock, {}
        for row in self.table.rows:
            for event in (*row.events, *row.completed):
                if isinstance(event, ClockMoved) and not undone & {row.version, row.completes}:
                    clock = event.to
            found[row.version] = time_of(clock)
        return found

    def newest(self) -> Told | None:
        """The newest command that stands."""
        undone: dict[int, bool] = {}
        for row in reversed(self.table.rows[max(0, self.table.version - 20) :]):
            if row.undoes:
                undone[row.undoes] = True
            elif finished(row) and (row.completes or row.version) not in undone:
                found = rulings(self.table, (row.version,)).get(row.version)
                if found is None:
                    return None
                answers = answers_of(self.table, row.version)
                known = seen(found, self.sight, answers)
                if known.command is not None or known.events:
                    return told(known, self.t, row.version, self._by(row), False, self.sight.answers(answers))
        return None

    def undone(self) -> str:
        """What the newest row took back, "" where it took nothing back or the seat may not read it."""
        newest = self.table.rows[-1] if self.table.version else None
        command = self.table.rows[newest.undoes - 1].command if newest is not None and newest.undoes else None
        known = self.sight.command(command) if command is not None else None
        if known is None:
            return ""
        state = self.sight.state(self.table.state)
        return Speaker(Ruling(self.table.pack, DONE, state, state, known), self.t.said.lang).command(known)

    def _row(self, row: Row, worked_out: dict[int, Ruling], undone: dict[int, Row]) -> Told | None:
        t = self.t
        by = self._by(row)
        if row.undoes:
            return Told(row.version, t("log.undo"), self._named(by), (), False, (), undoes=row.undoes)
        ruling = worked_out.get(row.version)
        if ruling is not None:
            known = seen(ruling, self.sight, answers_of(self.table, row.version))
            if known.command is None and not known.events:
                return None
            one = told(known, t, row.version, by)
            taken_back = undone.get(row.completes or row.version)
        else:
            command = self.sight.command(row.command) if row.command is not None else None
            if command is None or not row.waits:
                return None
            shown = Ruling(self.table.pack, "paused", self.table.state, self.table.state, command)
            one = told(seen(shown, self.sight), t, row.version, by)
            taken_back = undone.get(row.version)
            if taken_back is None and not (self.table.waiting and self.table.waiting.version == row.version):
                return None
        if taken_back is None:
            return _with(one, waiting=ruling is None)
        return _with(one, undone_by=self._named(self._by(taken_back)), undone_at=taken_back.version)

    def _by(self, row: Row) -> str:
        if row.completes:
            row = self.table.rows[row.completes - 1]
        return row.by if self.sight.sees(row.by) else REFEREE

    def _named(self, by: str) -> str:
        if by == REFEREE:
            return self.t("referee")
        return self.t.person(self.table.state.entities.get(by), by)


def _with(one: Told, undone_by: str = "", undone_at: int = 0, waiting: bool = False) -> Told:
    return replace(one, undone_by=undone_by, undone_at=undone_at, waiting=waiting)

"""One table: its state, its log, and the command that waits for answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.legal import Entry, legal
from gambeson.engine.legal import answers as open_answers
from gambeson.engine.odds import Odds, odds
from gambeson.engine.setup import first_state
from gambeson.engine.step import step
from gambeson.games import load
from gambeson.language.pack import Pack
from gambeson.language.part_calls import fields_of_call
from gambeson.model.commands import Answer, Command
from gambeson.model.errors import GambesonError
from gambeson.model.events import Event, fold
from gambeson.model.messages import message
from gambeson.model.outcomes import Done, Paused, Refusal
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, State, frozen
from gambeson.table.log import Row, Rows, Snapshot, fold_rows, runs
from gambeson.table.rulings import DONE, PAUSED, REJECTED, Ruling
from gambeson.table.working import Dice, Given, blocked, checked, poured, ruled, work_out


class Waiting(Struct, frozen=True):
    """A command that waits: row `version` of the log, the answers given so far and what is still asked."""

    version: int
    command: Command
    answers: tuple[Answer, ...]
    paused: Paused


class Moment(Struct, frozen=True):
    """A row that can be undone and the state before it (None: the log is folded anew when it is asked for)."""

    version: int
    before: State | None


class Mark(Struct, frozen=True):
    """Where a table stood, to go back there when what came since could not be kept."""

    version: int
    state: State
    waiting: Waiting | None
    undoable: tuple[Moment, ...]


def timeless() -> int:
    """The time of rows where nobody looks at a clock."""
    return 0


REMEMBERED = 30
"""States before past commands that are kept at hand for undo; older ones are folded from the log."""

AT_HAND = 10
"""Of these, those that a snapshot keeps."""


def _still_open(questions: tuple[Question, ...], answers: tuple[Answer, ...]) -> tuple[Question, ...]:
    """What was asked at one moment and is not answered yet; only the last answer has the rules run on."""
    answered = {answer.key: answer for answer in answers}
    return tuple(question for question in questions if question.key not in answered)


class Table:
    """A table in memory: commands go in, rulings come out, the log remembers.

    `game` is a game's name or a folder with a pack; `variants` choose readings; `entities` are on the table from the
    start, `clock` is its time in seconds; `dice` throws dice that nobody entered (without it a roll waits for people).
    Where `stamp` is set it says, in seconds since 1970, when an input is accepted.
    Raises Unusable where the pack, a reading or an entity is wrong.
    """

    def __init__(
        self,
        game: str | os.PathLike[str] | Pack,
        *,
        variants: Mapping[str, Any] | None = None,
        entities: Mapping[str, Any] | None = None,
        clock: int = 0,
        dice: Dice | None = None,
    ) -> None:
        self.pack = game if isinstance(game, Pack) else load(game, variants)
        self.written: Mapping[str, Any] = dict(entities or {})
        self.start = first_state(self.pack, self.written, clock)
        self.state = self.start
        self.rows = Rows()
        self.waiting: Waiting | None = None
        self.dice = dice
        self.stamp: Callable[[], int] = timeless
        self._undoable: list[Moment] = []

    @property
    def version(self) -> int:
        """The number of inputs accepted so far."""
        return len(self.rows)

    @classmethod
    def open(cls, url: str, game: str = "", **options: Any) -> Table:
        """A table that is kept in a database: see `gambeson.table.opening.open_table` for the options."""
        from gambeson.table.opening import open_table

        return open_table(url, game, **options)

    # --- commands by name -------------------------------------------------------------------------------------

    def add(self, id: str, /, **keys: Any) -> Ruling:
        """An entity joins: `table.add("anna", pools={"body": 3})`."""
        return self.do("add", id=id, **keys)

    def hit(self, target: str, call: str | int | Sequence[Mapping[str, Any]] | None = None, /, **fields: Any) -> Ruling:
        """A blow: a text is a call, a number or a list of parts is damage."""
        if isinstance(call, str):
            fields = {**fields_of_call(self.pack, call), **fields}
        elif call is not None:
            fields["damage"] = call
        return self.do("hit", target=target, **fields)

    def do(
        self,
        name: str,
        /,
        *,
        by: str = REFEREE,
        answers: Sequence[str] = (),
        rolls: Sequence[int] = (),
        client: str = "",
        **fields: Any,
    ) -> Ruling:
        """Give a command; `answers` and `rolls` are used in the order in which the rules ask."""
        return self.submit(Command(name, frozen(fields), by), answers=answers, rolls=rolls, client=client)

    # --- the ways in ------------------------------------------------------------------------------------------

    def submit(
        self, command: Command, *, answers: Sequence[str] = (), rolls: Sequence[int] = (), client: str = ""
    ) -> Ruling:
        """Give a command, an answer (`answer`, `roll`) or an `undo`."""
        match command.name:
            case "answer":
                return self.answer(command.fields.get("option"), by=command.by, client=client)
            case "roll":
                return self.roll(command.fields.get("faces", ()), by=command.by, client=client)
            case "undo":
                return self.undo(by=command.by, client=client)
            case _:
                pass
        if self.waiting is not None:
            if command.name == "edit":
                return self._edit_while_waiting(command, client)
            return self._refused(command, blocked(self.pack, self.state, self.waiting.paused.questions[0]))
        return self._first_time(command, (), list(answers), list(rolls), client)

    def answer(self, option: Any, *, by: str = REFEREE, decision: str = "", client: str = "") -> Ruling:
        """Answer the first open choice, or the one with the key `decision`."""
        return self._given(option, by, decision, client, "answer")

    def roll(self, faces: Any, *, by: str = REFEREE, decision: str = "", client: str = "") -> Ruling:
        """Enter dice for the first open roll, or the one with the key `decision`."""
        return self._given(frozen(faces), by, decision, client, "roll")

    def undo(self, *, by: str = REFEREE, client: str = "") -> Ruling:
        """Take back the last command that stands, or withdraw the one that waits."""
        command = Command("undo", by=by)
        against = self.undo_refusal(by)
        if against is not None:
            return self._refused(command, against)
        version = self.version + 1
        before = self.state
        if self.waiting is not None:
            undone = self.waiting.version
            self.waiting = None
        else:
            undone = self._take_back()
        self._append(Row(version, "undo", by, undoes=undone, client=client))
        return Ruling(self.pack, DONE, before, self.state, command)

    def preview(self, command: Command, *, answers: Sequence[str] = (), rolls: Sequence[int] = ()) -> Ruling:
        """What a command would do, by the same code; nothing is committed."""
        given = Given(command.by, list(answers), list(rolls), self.dice)
        return work_out(self.pack, self.state, command, (), given)[0]

    def legal(self, seat: Sequence[str] | None = None) -> tuple[Entry, ...]:
        """What the entities of a seat may do now, and what they may not with the reason (None: all, by the referee)."""
        if self.waiting is not None:
            return open_answers(self.waiting.paused.questions, seat)
        return legal(self.pack, self.state, seat)

    def odds(self, command: Command | None = None) -> Odds:
        """The exact chances of everything that may come of a command, or of the one that waits.

        Other open choices are taken as suggested. Raises NotEnumerable where the ways are too many to list.
        """
        if command is not None:
            return odds(self.pack, self.state, command)
        if self.waiting is None:
            raise GambesonError("no command waits; name one")
        return odds(self.pack, self.state, self.waiting.command, self.waiting.answers)

    def consequence(self, question: Question, option: str) -> Ruling:
        """What would come of the waiting command if this option were chosen, other open choices as suggested."""
        assert self.waiting is not None
        answers = self.waiting.answers
        chosen: tuple[Answer, ...] = (Answer(question.key, option),)
        while True:
            outcome = step(self.pack, self.state, self.waiting.command, (*answers, *chosen))
            if not isinstance(outcome, Paused) or any(q.kind == "roll" for q in outcome.questions):
                return ruled(self.pack, self.state, self.waiting.command, outcome)
            chosen += tuple(Answer(q.key, q.suggested or q.options[0].id) for q in outcome.questions)

    # --- undo policy ------------------------------------------------------------------------------------------

    def undo_refusal(self, by: str) -> Refusal | None:
        """Why this person may not undo now, or None.

        The referee always may, others their own last command as long as no dice were entered.
        """
        if self.waiting is None and not self._undoable:
            return Refusal(self.pack.open_rules.get("undo", ""), message("refusal.undo.nothing"))
        if by == REFEREE:
            return None
        version = self.waiting.version if self.waiting is not None else self._undoable[-1].version
        since = self.rows[version - 1 :]
        if any(row.by != by for row in since if not row.undoes):
            return Refusal(self.pack.open_rules.get("undo", ""), message("refusal.undo.others"), "by")
        if any(row.dice() for row in since):
            return Refusal(self.pack.open_rules.get("undo", ""), message("refusal.undo.dice"), "by")
        return None

    def moments(self) -> tuple[Moment, ...]:
        """What can be undone, oldest first, each with the state before it where that is at hand."""
        return tuple(self._undoable)

    # --- inside -----------------------------------------------------------------------------------------------

    def _first_time(
        self, command: Command, given: tuple[Answer, ...], answers: list[str], rolls: list[int], client: str
    ) -> Ruling:
        """A command while nothing waits: it is done, waits, or is refused."""
        ruling, given = work_out(self.pack, self.state, command, given, Given(command.by, answers, rolls, self.dice))
        if ruling.status == REJECTED:
            return ruling
        version = self.version + 1
        kind = "edit" if command.name == "edit" else "command"
        if ruling.status == PAUSED:
            self.waiting = Waiting(version, command, given, Paused(ruling.questions, ruling.trace))
            self._append(Row(version, kind, command.by, command, given, waits=True, client=client))
        else:
            self._append(Row(version, kind, command.by, command, given, ruling.events, client=client))
            self._stand(version, ruling.after)
        return ruling

    def _given(self, value: Any, by: str, decision: str, client: str, name: str) -> Ruling:
        command = Command(name, {"answer": value}, by)
        if self.waiting is None:
            rule = self.pack.open_rules.get("none", "")
            return self._refused(command, Refusal(rule, message("refusal.answer.nothing_open"), name))
        waiting = self.waiting
        open_now = waiting.paused.questions
        question = next((q for q in open_now if q.key == decision), None) if decision else open_now[0]
        if question is None:
            return self._refused(command, Refusal(open_now[0].rule, message("refusal.answer.stale"), "decision"))
        if (question.kind == "roll") != (name == "roll"):
            return self._refused(command, blocked(self.pack, self.state, question))
        if name == "roll":
            answers = poured(self.pack, self.state, waiting.command, waiting.answers, question, value, by)
        else:
            answers = (checked(self.pack, self.state, question, value, by),)
        kept = tuple(answer for answer in answers if isinstance(answer, Answer))
        refused = next((answer for answer in answers if isinstance(answer, Refusal)), None)
        if refused is not None:
            return self._refused(command, refused)
        return self._go_on((*waiting.answers, *kept), Row(0, "answer", by, answers=kept, client=client))

    def _go_on(self, answers: tuple[Answer, ...], row: Row, ready: tuple[Event, ...] = ()) -> Ruling:
        """Work the waiting command out anew with these answers; `row` is the input that brought it on."""
        waiting = self.waiting
        assert waiting is not None
        if row.kind == "answer" and (left := _still_open(waiting.paused.questions, row.answers)):
            paused = Paused(left, waiting.paused.trace, waiting.paused.rolled)
            self.waiting = Waiting(waiting.version, waiting.command, answers, paused)
            self._append(replace(row, version=self.version + 1))
            return ruled(self.pack, self.state, waiting.command, paused)
        nothing = Given(waiting.command.by, [], [], self.dice)
        ruling, given = work_out(self.pack, self.state, waiting.command, answers, nothing)
        version = self.version + 1
        thrown = given[len(answers) :]
        row = Row(version, row.kind, row.by, row.command, (*row.answers, *thrown), ready, client=row.client)
        if ruling.status == PAUSED:
            self.waiting = Waiting(waiting.version, waiting.command, given, Paused(ruling.questions, ruling.trace))
            self._append(row)
            return ruling
        self.waiting = None
        if ruling.status == REJECTED:
            self._append(row)
            self._append(Row(version + 1, "undo", REFEREE, undoes=waiting.version))
            return ruling
        self._append(
            Row(
                version,
                row.kind,
                row.by,
                row.command,
                row.answers,
                ready,
                waiting.version,
                ruling.events,
                client=row.client,
            )
        )
        self._stand(waiting.version, ruling.after)
        return ruling

    def _edit_while_waiting(self, command: Command, client: str, answers: tuple[Answer, ...] = ()) -> Ruling:
        """The referee sets something under the waiting command, which is then worked out anew."""
        waiting = self.waiting
        assert waiting is not None
        outcome = step(self.pack, self.state, command)
        if not isinstance(outcome, Done):
            return ruled(self.pack, self.state, command, outcome)
        self._stand(self.version + 1, outcome.state)
        row = Row(0, "edit", command.by, command, answers, client=client)
        return self._go_on((*waiting.answers, *answers), row, outcome.events)

    def _refused(self, command: Command, refusal: Refusal) -> Ruling:
        questions = self.waiting.paused.questions if self.waiting is not None else ()
        return Ruling(self.pack, REJECTED, self.state, self.state, command, questions=questions, refusal=refusal)

    def _stand(self, version: int, after: State) -> None:
        """A command stands: it can be undone to the state before it."""
        self._undoable.append(Moment(version, self.state))
        if len(self._undoable) > REMEMBERED:
            forgotten = self._undoable[-REMEMBERED - 1]
            self._undoable[-REMEMBERED - 1] = Moment(forgotten.version, None)
        self.state = after

    def _take_back(self) -> int:
        """Go back to the state before the last command that stands; says which row that was."""
        if self._undoable[-1].before is None:
            self._recall()
        moment = self._undoable.pop()
        assert moment.before is not None
        self.state = moment.before
        return moment.version

    def _recall(self) -> None:
        """Fold the log anew for the states before the last commands that can be undone."""
        wanted = {moment.version: True for moment in self._undoable[-REMEMBERED:]}
        undone = {row.undoes: True for row in self.rows if row.undoes}
        before: dict[int, State] = {}
        state = self.start
        for row in self.rows:
            if row.version in wanted:
                before[row.version] = state
            if row.version not in undone:
                state = fold(state, row.events)
            if row.completes in wanted:
                before[row.completes] = state
            if row.completes not in undone:
                state = fold(state, row.completed)
        self._undoable[-REMEMBERED:] = [Moment(version, before[version]) for version in wanted]

    def _append(self, row: Row) -> None:
        at = self.stamp()
        self.rows.append(replace(row, at=at) if at else row)

    # --- saved tables -----------------------------------------------------------------------------------------

    def resume(self, start: State, rows: Sequence[Row], snapshot: Snapshot | None = None) -> None:
        """Take up a log that was written before: its state, what can be undone, and the command that waits.

        With a snapshot only the rows after it are looked at.
        """
        log = rows if isinstance(rows, Rows) else Rows(rows)
        known = snapshot if snapshot is not None else Snapshot(0, start)
        self.start = start
        self.state = known.state
        self.rows = log.up_to(known.version)
        self._undoable = [Moment(version, None) for first, last in known.undoable for version in range(first, last + 1)]
        for at, before in enumerate(reversed(known.before), 1):
            self._undoable[-at] = Moment(self._undoable[-at].version, before)
        self.waiting = None
        if known.command is not None:
            self._reopen(known.open_row, known.command, known.answers)
        self.follow(log[known.version :])

    def snapshot(self) -> Snapshot:
        """Where the table stands now."""
        undoable = runs(moment.version for moment in self._undoable)
        states = [moment.before for moment in self._undoable[-AT_HAND:]]
        before = tuple(state for state in states if state is not None)
        if self.waiting is None:
            return Snapshot(self.version, self.state, undoable, before)
        waiting = self.waiting
        return Snapshot(self.version, self.state, undoable, before, waiting.version, waiting.command, waiting.answers)

    def follow(self, rows: Sequence[Row]) -> None:
        """Take in rows that were accepted before or elsewhere, by their facts; no rule is asked."""
        undone = {row.undoes: True for row in rows if row.undoes}
        opened = self.waiting
        open_row = opened.version if opened is not None else 0
        command = opened.command if opened is not None else None
        answers = opened.answers if opened is not None else ()
        for row in rows:
            self.rows.append(row)
            if row.undoes:
                if row.undoes == open_row:
                    open_row, command = 0, None
                elif self._undoable and self._undoable[-1].version == row.undoes:
                    self._take_back()
                continue
            if row.waits:
                open_row, command, answers = row.version, row.command, row.answers
                continue
            if open_row:
                answers = (*answers, *row.answers)
            if row.kind != "answer" and row.version not in undone:
                self._stand(row.version, fold(self.state, row.events))
            if row.completes:
                open_row, command = 0, None
                if row.completes not in undone:
                    self._stand(row.completes, fold(self.state, row.completed))
        self.waiting = None
        if command is not None:
            self._reopen(open_row, command, answers)

    def _reopen(self, version: int, command: Command, answers: tuple[Answer, ...]) -> None:
        outcome = step(self.pack, self.state, command, answers)
        if isinstance(outcome, Paused):
            self.waiting = Waiting(version, command, answers, outcome)

    def mark(self) -> Mark:
        """Where the table stands, for `revert`."""
        return Mark(self.version, self.state, self.waiting, tuple(self._undoable))

    def revert(self, mark: Mark) -> None:
        """Go back to where the table stood, as if nothing had come since."""
        self.rows.cut(mark.version)
        self.state, self.waiting, self._undoable = mark.state, mark.waiting, list(mark.undoable)

    def take_up(self, command: Command, answers: tuple[Answer, ...], client: str = "") -> Ruling:
        """Give a command with answers that are keyed already, as a log holds them."""
        if self.waiting is not None:
            return self._edit_while_waiting(command, client, answers)
        return self._first_time(command, answers, [], [], client)

    def take_answers(self, answers: tuple[Answer, ...], by: str, client: str = "") -> Ruling:
        """Give the waiting command answers that are keyed already."""
        assert self.waiting is not None
        return self._go_on((*self.waiting.answers, *answers), Row(0, "answer", by, answers=answers, client=client))

    def replayed(self) -> State:
        """The state that the log makes, by folding events alone."""
        return fold_rows(self.start, self.rows)


def preview(
    table: Table,
    name: str,
    /,
    *,
    by: str = REFEREE,
    answers: Sequence[str] = (),
    rolls: Sequence[int] = (),
    **fields: Any,
) -> Ruling:
    """What a command would do at a table; nothing is committed."""
    return table.preview(Command(name, frozen(fields), by), answers=answers, rolls=rolls)

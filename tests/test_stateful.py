"""An evening at the table: commands, answers, edits, undo, saving and replay in any order, for every game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from gambeson import Table
from gambeson.engine.setup import first_state
from gambeson.games import available, load
from gambeson.model.errors import Unusable
from gambeson.model.values import State
from gambeson.table.log import fold_rows
from gambeson.table.replaying import EXACT, replay
from gambeson.table.saving import decode, restore, save
from gambeson.testing.strategies import command, commands, entities

IDS = ("anna", "boris", "орк")


class Evening(RuleBasedStateMachine):
    """The table under test beside a plain account of the states that undo must bring back."""

    game = ""

    @initialize(data=st.data())
    def open(self, data: st.DataObject) -> None:
        pack = load(self.game)
        written: dict[str, Any] = {}
        for id in IDS:
            drawn = data.draw(entities(pack, IDS))
            try:
                first_state(pack, {**written, id: drawn})
            except Unusable:
                continue
            written[id] = drawn
        try:
            self.table = Table(pack, entities=written)
        except Unusable:
            self.table = Table(pack)
        self.stood: list[State] = []

    @precondition(lambda self: self.table.waiting is None)
    @rule(data=st.data())
    def give(self, data: st.DataObject) -> None:
        before = self.table.state
        ruling = self.table.submit(data.draw(commands(self.table.pack, IDS, wild=True)))
        if ruling.status == "done":
            self.stood.append(before)
        else:
            assert self.table.state is before

    @precondition(lambda self: self.table.waiting is not None)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        assert self.table.waiting is not None
        questions = self.table.waiting.paused.questions
        question = data.draw(st.sampled_from(questions))
        before = self.table.state
        if question.kind == "roll":
            faces = [data.draw(st.integers(1, g.sides)) for g in question.dice for _ in range(g.count)]
            ruling = self.table.roll(faces, decision=question.key)
        else:
            option = data.draw(st.sampled_from([option.id for option in question.options]))
            ruling = self.table.answer(option, decision=question.key, by=question.decider)
        assert ruling.status in ("done", "paused"), ruling.reason()
        if ruling.status == "done":
            self.stood.append(before)

    @precondition(lambda self: self.table.waiting is not None)
    @rule(data=st.data())
    def answer_wrongly(self, data: st.DataObject) -> None:
        assert self.table.waiting is not None
        question = self.table.waiting.paused.questions[0]
        before, version = self.table.state, self.table.version
        outsider = next((id for id in self.table.state.entities if id != question.decider), None)
        given = [
            self.table.answer("none of these"),
            self.table.roll(["x"]),
            self.table.answer("keep", decision="stale"),
        ]
        if outsider is not None and question.options:
            given.append(self.table.answer(question.options[0].id, by=outsider))
        assert ["rejected"] * len(given) == [ruling.status for ruling in given]
        assert (before, version) == (self.table.state, self.table.version)

    @precondition(lambda self: self.table.waiting is not None)
    @rule(data=st.data())
    def anything_else_is_refused(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from([name for name in self.table.pack.commands if name != "edit"]))
        before, version = self.table.state, self.table.version
        ruling = self.table.submit(data.draw(command(self.table.pack, name, IDS)))
        assert ("rejected", before, version) == (ruling.status, self.table.state, self.table.version)

    @precondition(lambda self: self.table.waiting is not None)
    @rule(data=st.data())
    def edit_under_the_question(self, data: st.DataObject) -> None:
        version, before = self.table.version, self.table.state
        edited = self.table.submit(data.draw(command(self.table.pack, "edit", IDS)))
        if self.table.version == version:
            assert "rejected" == edited.status
            return
        self.stood.append(before)
        if edited.status == "done":
            last = self.table.rows[-1]
            self.stood.append(
                fold_rows(self.table.start, (*self.table.rows[:-1], replace(last, completed=(), completes=0)))
            )

    @rule()
    def undo(self) -> None:
        waiting = self.table.waiting is not None
        before = self.table.state
        ruling = self.table.undo()
        if waiting:
            assert ("done", before) == (ruling.status, self.table.state)
        elif self.stood:
            assert ("done", self.stood.pop()) == (ruling.status, self.table.state)
        else:
            assert "rejected" == ruling.status

    @rule()
    def save_and_load(self) -> None:
        written = save(self.table)
        again = restore(written)
        assert (self.table.state, self.table.rows) == (again.state, again.rows)
        assert (self.table.waiting is None) == (again.waiting is None)
        assert written == save(again)
        self.table = again

    @rule()
    def replay(self) -> None:
        assert EXACT == replay(decode(save(self.table))).outcome

    @invariant()
    def state_is_what_the_log_makes(self) -> None:
        if hasattr(self, "table"):
            assert self.table.state == self.table.replayed()


@pytest.mark.parametrize("game", available())
def test_an_evening_in_any_order(game: str) -> None:
    machine = type(f"Evening_{game}", (Evening,), {"game": game})
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=25))

"""Laws that hold for every game, whatever is played."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from gambeson import Table
from gambeson.engine.setup import first_state
from gambeson.games import available, load
from gambeson.language.layers import bounded
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.errors import Unusable
from gambeson.model.events import PoolReduced
from gambeson.model.outcomes import Rejected
from gambeson.model.values import State
from gambeson.table import Ruling
from gambeson.table.replaying import EXACT, replay
from gambeson.table.saving import decode, restore, save
from gambeson.testing.strategies import commands, entities

IDS = ("anna", "boris", "орк")
PACKS = {game: load(game) for game in available()}


def started(data: st.DataObject, pack: Pack) -> Table:
    """A table with three entities that the pack accepts."""
    written: dict[str, Any] = {}
    for id in IDS:
        drawn = data.draw(entities(pack, IDS), label=id)
        try:
            first_state(pack, {**written, id: drawn})
        except Unusable:
            drawn = {"pools": {pack.life: 3}} if pack.life else {}
            drawn.update({"player": "red"} if "player" in pack.facts else {})
        written[id] = drawn
    try:
        return Table(pack, entities=written)
    except Unusable:
        return Table(pack, entities={id: {"pools": {pack.life: 3}} for id in IDS})


def check_state(state: State) -> None:
    for entity in state.entities.values():
        for layer, pool in entity.pools.items():
            assert bounded(pool), (entity.id, layer, pool)
        serials = [effect.serial for effect in entity.effects]
        assert sorted(set(serials)) == serials
        assert all(serial <= state.serial for serial in serials)


def check_trace(ruling: Ruling) -> None:
    """Rows of one blow add up: each starts from what the last one left."""
    stages = [stage.stage for stage in ruling.pack.procedure if stage.stage]
    rows = [row for row in ruling.trace if row.stage in stages]
    for earlier, later in itertools.pairwise(rows):
        if stages.index(later.stage) > stages.index(earlier.stage) and earlier.entity == later.entity:
            assert earlier.after == later.before, (earlier, later)
    for row in rows:
        assert row.ran or row.before == row.after


def check_ruling(table: Table, before: State, ruling: Ruling) -> None:
    if ruling.status != "done":
        edited = ruling.command is not None and ruling.command.name == "edit"
        assert edited or table.state is before
    assert table.state == table.replayed()
    check_state(table.state)
    check_trace(ruling)
    dealt = sum(event.amount for event in ruling.events if isinstance(event, PoolReduced))
    assert dealt >= sum(ruling.taken.values()) >= 0
    for lang in ("en", "ru"):
        assert ruling.explain(lang)


def answered(data: st.DataObject, table: Table) -> None:
    """Answer what is open: every option is accepted, anything else is refused."""
    for _ in range(12):
        if table.waiting is None:
            return
        question = table.waiting.paused.questions[0]
        before, version = table.state, table.version
        if question.kind == "roll":
            refused = table.roll([0] * sum(group.count for group in question.dice))
            assert ("rejected", before, version) == (refused.status, table.state, table.version)
            faces = [
                data.draw(st.integers(1, group.sides), label="die")
                for group in question.dice
                for _ in range(group.count)
            ]
            ruling = table.roll(faces)
        else:
            refused = table.answer("no such option")
            assert ("rejected", before, version) == (refused.status, table.state, table.version)
            ruling = table.answer(
                data.draw(st.sampled_from([option.id for option in question.options]), label="answer")
            )
        assert ruling.status in ("done", "paused"), ruling.reason()
        check_ruling(table, before, ruling)


@pytest.mark.parametrize("game", available())
@given(data=st.data())
@settings(max_examples=60)
def test_whatever_is_played_the_laws_hold(game: str, data: st.DataObject) -> None:
    table = started(data, PACKS[game])
    for _ in range(data.draw(st.integers(1, 8), label="commands")):
        given = data.draw(commands(table.pack, IDS, wild=True), label="command")
        before = table.state
        ruling = table.submit(given)
        note(f"{ruling.status}: {ruling.reason()}")
        check_ruling(table, before, ruling)
        answered(data, table)
    check_saved(table)
    check_undone(table)


def check_saved(table: Table) -> None:
    """Saved and restored it is the same table; worked out anew it is the same log."""
    data = save(table)
    again = restore(data)
    assert (table.state, table.rows) == (again.state, again.rows)
    assert save(again) == data
    assert replay(decode(data)).outcome == EXACT


def check_undone(table: Table) -> None:
    """Undone to the end it is as it was at the start."""
    again = restore(save(table))
    for _ in range(len(table.rows) + 1):
        if table.undo().status == "rejected":
            break
        again.undo()
        assert table.state == table.replayed() == again.state
    assert table.start == table.state


@pytest.mark.parametrize("game", available())
@given(data=st.data())
@settings(max_examples=60)
def test_a_refusal_gives_back_the_very_same_state(game: str, data: st.DataObject) -> None:
    from gambeson.engine.step import step

    table = started(data, PACKS[game])
    outcome = step(table.pack, table.state, data.draw(commands(table.pack, IDS, wild=True), label="command"))
    if isinstance(outcome, Rejected):
        assert outcome.state is table.state
        assert outcome.refusal.reason.id


@pytest.mark.parametrize("game", available())
def test_an_unknown_command_is_refused_with_the_known_ones(game: str) -> None:
    ruling = Table(PACKS[game]).submit(Command("hitt", {}))
    assert "rejected" == ruling.status
    assert "hit" in (ruling.reason() or "")

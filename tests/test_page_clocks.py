"""Clocks that run between commands: from when each runs, and which flags have just become needless."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2", reason="the page is not installed (extra: table)")

from gambeson.engine.views import EVERYTHING, Secrets, Sight
from gambeson.model.values import Effect
from gambeson.server.page.cards import Card, Drawer
from gambeson.server.page.clocks import REMINDED, due_of, running, taken_off
from gambeson.server.page.drawing import words
from gambeson.server.page.telling import Teller
from gambeson.table import Table


class Game:
    """A table whose rows are stamped by a watch that the test sets."""

    def __init__(self, game: str = "novitas") -> None:
        people = {name: {"pools": {"body": 3, "magic_armor": 1}} for name in ("anna", "boris")}
        self.table = Table(game, entities=people if game == "novitas" else {"anna": {"pools": {"vyn": 9}}})
        self.now = 1_000
        self.table.stamp = lambda: self.now

    def wound(self, name: str) -> None:
        self.table.do("hit", target=name, call="9", location="torso")
        self.table.do("hit", target=name, call="1", location="torso")

    def bleeding(self, name: str) -> Effect:
        return next(effect for effect in self.table.state.entities[name].effects if due_of(effect))

    def left(self, name: str) -> int:
        return running(self.table).ends(self.bleeding(name), self.table.state.clock) - self.now


def test_a_clock_runs_from_when_it_began() -> None:
    game = Game()
    game.wound("anna")
    game.now += 61
    assert game.left("anna") == 600 - 61


def test_each_clock_has_its_own_beginning() -> None:
    game = Game()
    game.wound("anna")
    game.now += 120
    game.wound("boris")
    game.now += 10
    assert (470, 590) == (game.left("anna"), game.left("boris"))


def test_whoever_moves_the_clock_says_how_late_it_is() -> None:
    game = Game()
    game.wound("anna")
    game.now += 200
    game.table.do("wait", minutes=4)
    assert game.left("anna") == 360
    game.now += 5
    assert game.left("anna") == 355


def test_a_clock_that_was_not_moved_after_all_runs_as_before() -> None:
    game = Game()
    game.wound("anna")
    game.now += 100
    assert game.left("anna") == 500
    game.table.do("wait", minutes=4)
    assert game.left("anna") == 360
    game.table.undo()
    assert game.left("anna") == 500


def test_rows_without_a_time_make_no_clock_run() -> None:
    game = Game()
    game.now = 0
    game.wound("anna")
    assert running(game.table).ends(game.bleeding("anna"), game.table.state.clock) == 0


def test_a_table_that_is_taken_up_again_runs_as_it_did() -> None:
    game, other = Game(), Game()
    game.wound("anna")
    game.now += 30
    game.table.do("hit", target="boris", call="1")
    other.table.resume(game.table.start, game.table.rows)
    other.now = game.now
    assert game.left("anna") == other.left("anna") == 570


def test_games_at_a_table_have_no_such_clock() -> None:
    table = Game("pokrovy").table
    table.do("grant", target="anna", layer="wards", points=3, source="oath", until={"minutes": 5})
    effects = table.state.entities["anna"].effects
    assert all(running(table).ends(effect, table.state.clock) == 0 for effect in effects)


def test_a_flag_that_is_needless_now_is_told_of_for_a_while() -> None:
    game = Game()
    assert taken_off(game.table, game.now) == {}
    game.table.do("hit", target="anna", call="1", location="torso")
    game.now += 4
    assert taken_off(game.table, game.now) == {"anna": {"person": 1_000 + REMINDED}}
    assert taken_off(game.table, 1_000 + REMINDED) == {}
    game.table.undo()
    assert taken_off(game.table, game.now) == {}


def test_a_flag_that_is_needed_again_is_not_taken_off() -> None:
    game = Game()
    game.table.do("hit", target="anna", call="1", location="torso")
    game.table.do("grant", target="anna", layer="magic_armor", points=1, source="potion")
    assert taken_off(game.table, game.now) == {}


def all_of(table: Table) -> Sight:
    """Everything of a table."""
    return Sight(table.pack, Secrets(), EVERYTHING, table.state.entities)


def drawn(table: Table) -> list[Card]:
    """The cards of a table."""
    return Drawer(table, all_of(table), words("novitas", "en")).cards()


def test_a_condition_says_until_when_and_names_its_rule() -> None:
    table = Table("novitas", entities={"anna": {"pools": {"body": 3}}, "boris": {"pools": {"body": 1}}})
    table.do("hit", target="anna", call="1 Poison", location="torso")
    table.do("hit", target="anna", call="Curse", location="torso")
    table.do("hit", target="boris", call="1", location="left_arm")
    cards = {card.id: card for card in drawn(table)}
    chips = {chip.text: chip.rule for chip in cards["anna"].chips if chip.kind == "bad"}
    assert chips["poisoned, until lifted"] == "NV-42"
    assert any(text.startswith("cursed, ") and "until lifted" not in text for text in chips)
    assert [chip.rule for chip in cards["boris"].chips if chip.text.startswith("body 0: still standing")] == ["NV-21"]
    table.do("hit", target="boris", call="1", location="torso")
    assert not any("still standing" in chip.text for card in drawn(table) if card.id == "boris" for chip in card.chips)


def test_the_log_tells_the_time_of_the_game() -> None:
    table = Table("novitas", entities={"anna": {"pools": {"body": 3}}})
    table.do("wait", minutes=5)
    table.do("hit", target="anna", call="1", location="torso")
    table.undo()
    table.do("wait", minutes=10)
    table.undo()
    told = Teller(table, all_of(table), words("novitas", "en")).log(10)
    start = table.start.clock // 60
    times = {row.version: row.time for row in told}
    assert {times[version] for version in (2, 3, 4, 5)} == {f"{(start + 5) // 60:02}:{(start + 5) % 60:02}"}

"""The chances that the API tells: exact, and never resting on what a seat may not see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")

from gambeson.client import Client, ClientError, Refused, begin
from gambeson.engine.odds import odds
from gambeson.engine.views import EVERYTHING, Secrets
from gambeson.model.commands import Command
from gambeson.model.values import frozen
from gambeson.table.foreseen import MANY, Foreseeing, of_command
from gambeson.table.seeing import sight_of
from gambeson.testing import play_text
from tests.databases import free_port
from tests.server.serving import Process, nursery


def skirmish(life: int = 2, toughness: int = 12) -> dict[str, Any]:
    """A knight and an orc in reach of each other."""
    stats = {"stamina": 2, "offense": 13, "defense": 12, "agility": 8, "toughness": 13, "armor": 2}
    orc = {**stats, "toughness": toughness}
    return {
        "game": "eldfall",
        "entities": {
            "knight": {
                "player": "blue",
                "stats": stats,
                "weapons": {"sword": {"power": 12, "strike": 2}},
                "pools": {"hit_points": 2},
            },
            "orc": {
                "player": "red",
                "stats": orc,
                "weapons": {"axe": {"power": 11, "strike": 2}},
                "pools": {"hit_points": life},
            },
        },
        "steps": [{"advance": {"to": "tactical", "player": "blue"}}, {"activate": {"model": "knight"}}],
    }


ATTACK: dict[str, Any] = {"attacker": "knight", "weapon": "sword", "targets": {"orc": 2}}
SEATS = {"blue": ("knight",), "red": ("orc",)}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder: Path = tmp_path_factory.mktemp("odds")
    with nursery(folder / "log") as made:
        yield made.start(f"sqlite:///{folder / 'tables.db'}", free_port())


class Table:
    """A table with a client for each seat."""

    def __init__(self, server: Process, scenario: dict[str, Any]) -> None:
        begun = begin(server.address, scenario=scenario)
        referee = Client(server.address, begun["id"], begun["tokens"]["referee"])
        self.referee = referee
        self.screen = Client(server.address, begun["id"], begun["tokens"]["screen"])
        self.blue, self.red = (
            Client(server.address, begun["id"], referee.seat(name, ids)) for name, ids in SEATS.items()
        )

    def hide(self, **secrets: Any) -> None:
        self.referee._ask("PUT", "/secrets", secrets)


def refused(call: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as raised:
        call()
    return raised.value.status, str(raised.value.document.get("reason") or raised.value.document.get("detail"))


def test_a_command_is_told_every_way_with_its_exact_chance(server: Process) -> None:
    told = Table(server, skirmish()).blue.odds("attack", **ATTACK)
    played = play_text(json.dumps(skirmish())).table
    assert played is not None
    expected = odds(played.pack, played.state, Command("attack", frozen(ATTACK), "knight"))
    assert [str(way.chance) for way in expected.chances] == [way["chance"] for way in told["chances"]]
    assert sum(Fraction(way["chance"]) for way in told["chances"]) == 1
    lost = {str(points): str(chance) for points, chance in expected.lost("orc", "hit_points").items()}
    assert lost == {n: entry["chance"] for n, entry in told["totals"]["orc"]["lost"]["hit_points"].items()}


def test_nothing_is_committed(server: Process) -> None:
    table = Table(server, skirmish())
    before = table.referee.view()
    table.blue.odds("attack", **ATTACK)
    assert before == table.referee.view()


def test_dice_that_lie_on_the_table_count_as_they_are(server: Process) -> None:
    table = Table(server, skirmish())
    fresh = table.blue.odds("attack", **ATTACK)
    pending = table.blue.command("attack", **ATTACK)["pending"]
    assert fresh["chances"] == table.blue.odds()["chances"] == table.red.odds()["chances"]
    count = sum(group["count"] for group in pending[0]["dice"])
    table.blue.answer(pending[0]["id"], rolls=[1] * count)
    assert fresh["chances"] != table.blue.odds()["chances"]


def test_given_dice_leave_what_is_still_open(server: Process) -> None:
    table = Table(server, skirmish())
    pending = table.blue.preview("attack", **ATTACK)["decisions"]
    count = sum(group["count"] for group in pending[0]["dice"])
    told = table.blue.odds("attack", rolls=[20] * count, **ATTACK)
    assert told["chances"] != table.blue.odds("attack", **ATTACK)["chances"]


@pytest.mark.parametrize("secrets", [{"numbers": {"orc": ["hit_points"]}}, {"numbers": {"orc": []}}])
def test_hidden_numbers_are_not_told_by_chances(server: Process, secrets: dict[str, Any]) -> None:
    answers = []
    for life, toughness in ((1, 12), (2, 12), (2, 3)):
        table = Table(server, skirmish(life, toughness))
        table.hide(**secrets)
        answers.append(refused(lambda table=table: table.blue.odds("attack", **ATTACK)))
        table.blue.command("attack", **ATTACK)
        answers.append(refused(table.blue.odds))
        assert table.referee.odds()["chances"]
    assert {(422, "What this comes to depends on what this seat does not see")} == set(answers)


def test_a_hidden_entity_has_no_chances(server: Process) -> None:
    table = Table(server, skirmish())
    nobody = refused(lambda: table.blue.odds("attack", **{**ATTACK, "targets": {"ogre": 2}}))
    table.hide(entities=["orc"])
    hidden = refused(lambda: table.blue.odds("attack", **ATTACK))
    assert nobody[1].replace(", orc", "").replace("ogre", "orc") == hidden[1]


def test_what_waits_unseen_does_not_wait_for_this_seat(server: Process) -> None:
    table = Table(server, skirmish())
    nothing = refused(table.red.odds)
    table.hide(rolls=["knight"])
    table.blue.command("attack", **ATTACK)
    assert nothing == refused(table.red.odds)
    assert table.blue.odds()["chances"]


def test_nothing_waits(server: Process) -> None:
    table = Table(server, skirmish())
    assert (422, "nothing waits; name a command") == refused(table.blue.odds)


def test_a_refused_command_says_why(server: Process) -> None:
    table = Table(server, skirmish())
    with pytest.raises(Refused) as raised:
        table.blue.odds("attack", **{**ATTACK, "weapon": "club"})
    assert raised.value.reason


def test_only_who_may_act_asks_for_a_command(server: Process) -> None:
    table = Table(server, skirmish())
    assert 403 == refused(lambda: table.red.odds("attack", **ATTACK))[0]
    assert 403 == refused(lambda: table.screen.odds("attack", **ATTACK))[0]


def test_an_undo_has_no_odds(server: Process) -> None:
    assert (400, "undo has no odds") == refused(lambda: Table(server, skirmish()).blue.odds("undo"))


def test_too_many_ways_are_not_listed() -> None:
    table = play_text(json.dumps(skirmish())).table
    assert table is not None
    asked = of_command(table, sight_of(table, Secrets(), EVERYTHING), Command("attack", frozen(ATTACK)))
    assert isinstance(asked, Foreseeing)
    assert asked.odds().refusal is None
    assert asked.odds(most=3).refusal == MANY

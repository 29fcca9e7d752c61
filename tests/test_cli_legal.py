"""run --legal: what each seat may do at the end of a scenario, for programs and for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gambeson.games import texts
from gambeson.model.commands import Command
from gambeson.model.values import frozen
from gambeson.table.legal_words import Offered
from gambeson.table.seats import active_seat, seats_of
from gambeson.testing.running import play_file
from tests.terminal import ROOT, call

SKIRMISH = ROOT / "examples" / "eldfall-skirmish.yaml"
DEMO = ROOT / "examples" / "demo-fight.yaml"
CASES = sorted((ROOT / "tests" / "cases" / "eldfall").glob("*.yaml"))

Terminal = pytest.CaptureFixture[str]


def test_every_seat_is_listed_with_what_it_may_do(capsys: Terminal) -> None:
    answer = call(capsys, "run", SKIRMISH, "--json", "--legal")
    legal = json.loads(answer.out)["legal"]

    assert 0 == answer.status
    assert ["red", "blue", "referee"] == list(legal)
    may = [(entry["command"], entry["actor"]) for entry in legal["red"] if entry["legal"]]
    assert [("finish", "knight"), ("convert", "vizier")] == sorted(may, key=lambda each: each[1])
    assert all(entry["actor"] in ("orc", "witch", None) for entry in legal["blue"])


def test_what_is_not_legal_says_rule_and_reason_in_the_language(capsys: Terminal) -> None:
    listed = {
        lang: json.loads(call(capsys, "run", SKIRMISH, "--json", "--legal", "--lang", lang).out)["legal"]["blue"]
        for lang in ("en", "ru")
    }
    refused = {lang: next(e for e in own if e["command"] == "activate") for lang, own in listed.items()}

    assert ("EF-01", "blue is Reactive in this Turn; use react") == (refused["en"]["rule"], refused["en"]["reason"])
    assert "blue в этом ходу в реактивной роли; отдайте команду «отреагировать» (react)" == refused["ru"]["reason"]


def test_without_the_option_nothing_is_added(capsys: Terminal) -> None:
    assert "legal" not in json.loads(call(capsys, "run", SKIRMISH, "--json").out)


def test_a_game_without_players_has_the_referee_alone(capsys: Terminal) -> None:
    assert ["referee"] == list(json.loads(call(capsys, "run", DEMO, "--json", "--legal").out)["legal"])


def test_for_people_it_is_a_line_for_each_command(capsys: Terminal) -> None:
    text = call(capsys, "run", SKIRMISH, "--legal", "--lang", "en").out.partition("What may be done now\n")[2]

    assert "  red (whose Turn it is)\n    Vizier\n" in text
    assert "  blue\n    nothing may be done now\n" in text


def test_an_open_roll_is_offered_to_whom_it_is_asked_of(tmp_path: Path, capsys: Terminal) -> None:
    waiting = (
        SKIRMISH.read_text("utf-8").replace("    rolls: [11, 15, 14, 5]\n", "").partition("    expect:\n      orc")
    )
    path = tmp_path / "waiting.yaml"
    path.write_text(waiting[0] + "    expect: {status: paused}\n", "utf-8")
    legal = json.loads(call(capsys, "run", path, "--json", "--legal").out)["legal"]

    assert [("roll", "knight", [20, 20])] == [(e["command"], e["actor"], e["fields"]["dice"]) for e in legal["red"]]
    assert [] == legal["blue"]


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("path", CASES[::7], ids=lambda path: path.stem)
def test_every_entry_can_be_said(path: Path, lang: str) -> None:
    table = play_file(path).table
    if table is None:
        return
    offered = Offered(table.pack, table.state, lang)
    for entry in table.legal():
        line = offered.line(entry)
        assert line
        assert "{" not in line


def test_the_active_seat_is_that_of_the_player_whose_turn_it_is() -> None:
    table = play_file(SKIRMISH).table
    assert table is not None
    assert "red" == active_seat(table.state)
    assert ("orc", "witch") == seats_of(table.state)["blue"]
    for entry in table.legal(("knight",)):
        if entry.legal:
            assert table.preview(Command(entry.command, frozen(dict(entry.fields)))).status == "done"
    assert texts("eldfall", "en").has("legal.title")

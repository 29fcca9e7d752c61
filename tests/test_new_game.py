"""A new game is a folder and nothing else: `tests/garden`, copied elsewhere, is played, told, checked and drawn."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from gambeson import Table
from gambeson.cli import main
from gambeson.cli.play_opening import demo_party
from gambeson.games import load, texts
from gambeson.games.loading import rule_texts
from gambeson.server.beginning import begin_table
from gambeson.server.demo import demo_of, games_with_demos
from gambeson.server.page.dyes import arms, dye, name, short
from gambeson.table.stores import open_store
from tests.small_packs import points, start_anew

GARDEN = Path(__file__).parent / "garden"


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the game, in a folder of packs."""
    start_anew()
    shutil.copytree(GARDEN, tmp_path / "packs" / "garden")
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path / "packs"))
    return tmp_path / "packs" / "garden"


def said(capsys: pytest.CaptureFixture[str], *args: str, status: int = 0) -> str:
    """What a command prints, once it has left as it should."""
    with pytest.raises(SystemExit) as left:
        main(args)
    printed = capsys.readouterr()
    assert status == left.value.code, printed.err
    return printed.out


def table(lang: str = "en") -> Table:
    return Table("garden", entities=demo_party("garden", lang))


def test_its_layers_and_the_order_of_its_stages_are_its_own(garden: Path) -> None:
    played = table()
    ruling = played.hit("ivy", 9)
    assert ["gate", "total", "dug", "hedge", "health"] == [row.stage for row in ruling.trace]
    assert (0, 9) == (points(played, "ivy", "hedge"), points(played, "ivy", "health"))
    played.hit("rose", 3, traits=["dig"])
    assert 7 == points(played, "rose", "health")


def test_its_spell_lasts_till_its_own_moment(garden: Path) -> None:
    played = table()
    played.do("cast", caster="ivy", spell="Рост", targets="rose")
    assert 6 == points(played, "rose", "hedge")
    played.do("wait", hours=6)
    assert 0 == points(played, "rose", "hedge")


def test_its_decision_is_asked_of_who_holds_the_old_hedge(garden: Path) -> None:
    played = table()
    ruling = played.do("cast", caster="rose", spell="grow", targets="ivy")
    assert ("paused", "GA-02", "ivy") == (ruling.status, ruling.questions[0].rule, ruling.questions[0].decider)
    played.answer("keep")
    assert 3 == points(played, "ivy", "hedge")
    assert played.state == played.replayed()


def test_its_refusal_is_said_in_its_own_words(garden: Path) -> None:
    played = table("ru")
    played.do("edit", target="ivy", shed=True)
    ruling = played.hit("ivy", 1)
    assert ("GA-06", "Плющ sleeps in the shed") == (ruling.rule, ruling.reason())
    assert "Плющ спит в сарае" in ruling.explain("ru")


def test_its_scenarios_hold(garden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(map(str, (garden / "cases").glob("*.yaml")))
    assert "2 files: 2 as expected" in said(capsys, "run", *files, "--lang", "en")
    shown = json.loads(said(capsys, "run", files[0], "--json", "--legal"))
    assert ("garden", True) == (shown["game"], shown["ok"])


def test_nothing_is_found_in_it(garden: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", "")
    assert "Nothing found in 3" in said(capsys, "check", "--strict", "--lang", "en", str(garden))


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_it_is_told_in_both_languages(garden: Path, capsys: pytest.CaptureFixture[str], lang: str) -> None:
    gate, hedge, grow = {"en": ("The gate", "hedge", "Grow"), "ru": ("Калитка", "изгородь", "Рост")}[lang]
    assert gate in said(capsys, "rules", "garden", "--lang", lang)
    assert gate in said(capsys, "rules", "garden", "GA-03", "--lang", lang)
    assert grow in said(capsys, "spells", "garden", "--lang", lang)
    blow = said(capsys, "hit", "garden", "9", "--pools", "hedge=3,здоровье=10", "--lang", lang)
    assert f"{hedge} 3 → 0" in blow
    assert rule_texts("garden", lang)["GA-06"]["refusal"]
    assert grow == texts("garden", lang).say("term.grow")


def test_it_is_played_at_the_terminal(
    garden: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("demo\nivy 9\nquit\n"))
    assert "Ivy: hedge 3 → 0, health 10 → 9" in said(capsys, "play", "garden", "--lang", "en")


def test_it_has_a_schema_and_is_simulated(garden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "gate" in json.dumps(json.loads(said(capsys, "check", "--schema", "garden")))
    file = tmp_path / "blows.yaml"
    file.write_text(
        "game: garden\ntarget: {gate: open, pools: {hedge: 3, health: 5}}\nhits: [{damage: 2, weight: 1}]\n"
        "until: down\ntrials: exact\n",
        "utf-8",
    )
    (cell,) = json.loads(said(capsys, "simulate", str(file), "--json"))["cells"]
    assert 4 == cell["mean"]


def test_the_page_draws_it_as_it_says(garden: Path) -> None:
    pack = load("garden")
    assert ("natural", "life") == (dye(pack, "hedge"), dye(pack, "health"))
    assert ("fern", "bars") == arms(pack.folder)
    assert ("Сад", "дуэль садовников") == name(pack.folder, "ru")
    assert "Hedge" == short(pack, "hedge", "en")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_table_is_begun_with_its_fight(garden: Path, lang: str) -> None:
    demo_of.cache_clear()
    assert "garden" in games_with_demos()
    store = open_store("memory:")
    begun = begin_table(store, "garden", scenario=demo_of("garden", lang))
    record = store.record(begun.id)
    assert record is not None
    assert ("garden", {"en": "A quarrel at the gate", "ru": "Ссора у калитки"}[lang]) == (
        Path(record.game).name,
        record.title,
    )
    assert ["ivy", "rose"] == sorted(name for name in begun.tokens if name not in ("referee", "screen"))
    store.close()


@pytest.mark.parametrize("name", ["nowhere", "/etc", "../srd5", "..", ""])
def test_a_fight_of_what_is_no_game_is_not_looked_for(name: str) -> None:
    assert demo_of(name, "en") is None


def test_house_rules_stand_over_it(garden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house = garden.parent / "house"
    house.mkdir()
    text = "format: 1\nextends: garden\nchoose: {gate: two}\nstages: [{move: gate, after: hedge}]\n"
    (house / "pack.yaml").write_text(text, "utf-8")
    played = Table("house", entities=demo_party("garden", "en"))
    played.hit("ivy", 9)
    assert (0, 8) == (points(played, "ivy", "hedge"), points(played, "ivy", "health"))
    assert "Nothing found" in said(capsys, "check", "--lang", "en", "--strict", str(house))


def test_nothing_outside_its_folder_knows_it() -> None:
    source = Path(__file__).parent.parent / "src"
    named = [
        path
        for folder, _, files in os.walk(source)
        for path in files
        if path.endswith((".py", ".yaml", ".html")) and "GA-01" in (Path(folder) / path).read_text("utf-8")
    ]
    assert [] == named

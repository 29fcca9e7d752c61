"""gambeson rules: a stranger finds a rule, its data and its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gambeson.games import available, load
from tests.terminal import ROOT, call

Terminal = pytest.CaptureFixture[str]


def test_without_a_game_the_games_are_listed(capsys: Terminal) -> None:
    answer = call(capsys, "rules", "--lang", "en")

    assert 0 == answer.status
    assert all(game in answer.out for game in available())


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_game_lists_every_rule_command_and_reading(lang: str, capsys: Terminal) -> None:
    pack = load("novitas")
    answer = call(capsys, "rules", "novitas", "--lang", lang)

    assert 0 == answer.status
    readings = [reading for variant in pack.variants.values() for reading in variant.readings]
    for name in (*pack.rules, *pack.commands, *pack.variants, *readings):
        assert name in answer.out


def test_a_rule_is_shown_whole(capsys: Terminal) -> None:
    answer = call(capsys, "rules", "novitas", "NV-18", "--lang", "en")

    for part in ("NV-18 · What is cut off is gone", "Example:", "monstrous_armor_cut", "carries:", "Data", "Scenarios"):
        assert part in answer.out


def spots(out: str) -> list[tuple[Path, int]]:
    """Every `path:line` that stands alone in a line."""
    found = []
    for line in out.splitlines():
        path, colon, number = line.strip().rpartition(":")
        if colon and number.isdecimal() and "." in path:
            found.append((Path(path), int(number)))
    return found


def test_data_code_and_scenarios_of_a_rule_are_where_it_says(capsys: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    places = spots(call(capsys, "rules", "novitas", "NV-17", "--lang", "en").out)
    lines = {path: path.read_text("utf-8").splitlines() for path, _ in places}

    assert {"rules.en.yaml", "pack.yaml", "limit.py"} <= {path.name for path, _ in places}
    assert all("NV-17" in lines[path][number - 1] for path, number in places if path.suffix == ".yaml")
    assert all(lines[path][number - 1].startswith("class ") for path, number in places if path.suffix == ".py")


def test_code_lists_what_stands_in_python(capsys: Terminal) -> None:
    answer = call(capsys, "rules", "eldfall", "--code", "--lang", "en")

    assert 0 == answer.status
    assert re.search(r"\w+: EF-\d\d", answer.out)


@pytest.mark.parametrize("game", ["novitas", "pokrovy", "srd5"])
def test_these_games_are_data_alone(game: str, capsys: Terminal) -> None:
    answer = call(capsys, "rules", game, "--code", "--lang", "en")

    assert 0 == answer.status
    assert ".py" not in answer.out


def test_the_deed_of_a_word_is_shown_as_the_code_of_its_rule(capsys: Terminal) -> None:
    answer = call(capsys, "rules", "novitas", "NV-46", "--lang", "en")

    assert "deed: withhold: class WithholdDeed" in answer.out


@pytest.mark.parametrize("written", ["nv-17", "NV-017", " NV-17"])
def test_a_rule_is_found_however_it_is_written(written: str, capsys: Terminal) -> None:
    assert "NV-17 ·" in call(capsys, "rules", "novitas", written).out


@pytest.mark.parametrize(("args", "says"), [(("novitas", "NV-999"), "NV-01"), (("nowhere",), "novitas")])
def test_what_is_unknown_is_told_with_what_is_known(args: tuple[str, ...], says: str, capsys: Terminal) -> None:
    answer = call(capsys, "rules", *args, "--lang", "en")

    assert (2, "") == (answer.status, answer.out)
    assert says in answer.err


def test_packs_that_are_brought_are_among_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Terminal
) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "pack.yaml").write_text("format: 1\nextends: novitas\n", "utf-8")
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))

    assert "\nhouse" in call(capsys, "rules", "--lang", "en").out


def test_a_pack_is_read_by_a_path_below_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Terminal) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "pack.yaml").write_text("format: 1\nextends: novitas\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    assert 0 == call(capsys, "spells", "./house").status
    assert 0 == call(capsys, "rules", "./house", "NV-17").status

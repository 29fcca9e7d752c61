"""`gambeson simulate`: tables, JSON, CSV, pictures and refusals, as people and programs see them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("numpy", reason="exact odds need numpy")

from gambeson.cli.entry import start

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "simulations").glob("*.yaml"))
EXACT = """\
game: novitas
target: {pools: {magic_armor: 2, body: 4}}
hits: [{damage: 1d4, weight: 9}, {damage: 1d4, traits: [pierce]}]
trials: exact
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "armour.yaml"
    path.write_text(EXACT, "utf-8")
    return path


def test_json_has_the_keys_that_programs_read(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == start(["simulate", str(file), "--json"])
    result = json.loads(capsys.readouterr().out)

    expected = {"gambeson", "game", "ruleset", "engine", "trials", "seconds", "compile_seconds", "partial", "cells"}
    assert expected == set(result)
    (cell,) = result["cells"]
    assert {"vary", "mean", "sd", "quantiles", "distribution", "ended", "absorbed", "standard_error"} == set(cell)
    assert abs(sum(cell["distribution"].values()) - 1) < 1e-12
    assert ("novitas", False, ["5", "50", "95"]) == (result["game"], result["partial"], list(cell["quantiles"]))


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_table_shows_blows_and_what_was_absorbed(lang: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == start(["simulate", str(file), "--lang", lang])
    shown = capsys.readouterr().out

    assert "█" in shown
    assert ("blows until down" if lang == "en" else "ударов до падения") in shown
    assert "cli." not in shown


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_played(example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    more = ["--engine", "referee", "--trials", "20"] if "exact" not in example.read_text("utf-8") else []
    assert 0 == start(["simulate", str(example), "-o", str(page), *more])
    assert capsys.readouterr().out

    html = page.read_text("utf-8")
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org)", html)
    for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(svg)


@pytest.mark.parametrize("chart", ["distribution", "survival", "heat", "difference"])
def test_every_picture_is_sound(chart: str, tmp_path: Path) -> None:
    file, picture = tmp_path / "sweep.yaml", tmp_path / "picture.svg"
    file.write_text(
        EXACT
        + "title: A <b> & more\nvary: {magic_armor: 0..3, body: [2, 4]}\ncompare: {variants: {helmet: within_cap}}\n",
        "utf-8",
    )
    assert 0 == start(["simulate", str(file), "-o", str(picture), "--chart", chart])
    assert "svg" in ElementTree.parse(picture).getroot().tag


def test_csv_has_a_line_for_each_cell(file: Path, tmp_path: Path) -> None:
    file.write_text(EXACT + "vary: {magic_armor: [0, 2]}\n", "utf-8")
    table = tmp_path / "table.csv"
    assert 0 == start(["simulate", str(file), "-o", str(table)])

    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert ["0", "2"] == [row["vary.magic_armor"] for row in rows]
    assert float(rows[0]["mean"]) < float(rows[1]["mean"])


def test_the_kernel_names_its_rules(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == start(["simulate", str(file), "--show-kernel"])
    shown = capsys.readouterr().out

    compile(shown, "shown", "exec")
    assert "# NV-10 magic_armor" in shown


def test_what_cannot_be_compiled_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "blunt.yaml"
    file.write_text(
        "game: novitas\ntarget: {pools: {body: 2}}\nhits: [{damage: 1, traits: [blunt]}]\nuntil: {hits: 2}\n"
    )
    assert 1 == start(["simulate", str(file)])
    assert "--engine referee" in capsys.readouterr().err
    assert 0 == start(["simulate", str(file), "--engine", "referee", "--trials", "5"])


def test_a_decision_without_a_policy_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "heal.yaml"
    file.write_text(
        "game: pokrovy\ntarget: {pools: {wards: 4, vyn: 9}}\nhits: [{damage: 1}]\nheal: {points: 9, every: 2}\n"
        "until: {hits: 9}\n"
    )
    assert 1 == start(["simulate", str(file), "--engine", "referee", "--trials", "5"])
    assert "keep_or_take: keep | take" in capsys.readouterr().err


def test_a_fault_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(EXACT + "until: never\n")
    assert 2 == start(["simulate", str(file)])
    assert f"{file}:5:8: until: " in capsys.readouterr().err


def test_a_duel_tells_who_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "duel.yaml"
    file.write_text(EXACT + "against: {pools: {body: 4}, hits: [{damage: 1d4}]}\norder: at_once\n")
    assert 0 == start(["simulate", str(file), "--json"])
    wins = json.loads(capsys.readouterr().out)["cells"][0]["wins"]
    assert abs(sum(wins.values()) - 1) < 1e-12
    assert wins["target"] > wins["against"]


def test_numbers_out_of_range_are_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == start(["simulate", str(file), "--seed", "99999999999999999999"])
    assert "--seed: " in capsys.readouterr().err
    assert 2 == start(["simulate", str(file), "--trials", "1" + "0" * 30])
    assert "1000000000000" in capsys.readouterr().err


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_other_formats_are_refused_with_those_there_are(
    lang: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == start(["simulate", str(file), "-o", str(tmp_path / "picture.png"), "--lang", lang])
    told = capsys.readouterr().err
    assert all(ending in told for ending in (".json", ".csv", ".parquet", ".svg", ".html"))


def test_parquet_has_a_row_for_each_cell_or_says_what_it_needs(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(EXACT + "vary: {magic_armor: [0, 2]}\n", "utf-8")
    table = tmp_path / "table.parquet"
    try:
        from pyarrow import parquet
    except ModuleNotFoundError:
        assert 2 == start(["simulate", str(file), "-o", str(table)])
        assert "pip install 'gambeson[parquet]'" in capsys.readouterr().err
        return
    assert 0 == start(["simulate", str(file), "-o", str(table)])
    rows = parquet.read_table(table).to_pylist()
    assert [0, 2] == [row["vary.magic_armor"] for row in rows]


def test_looking_too_far_ahead_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "far.yaml"
    file.write_text(
        "game: pokrovy\ntarget: {pools: {wards: 3000, vyn: 4000}}\nhits: [{damage: 1d6}]\n"
        "heal: {points: 900}\npolicy: {keep_or_take: best}\ntrials: exact\n"
    )
    assert 1 == start(["simulate", str(file)])
    assert "write greater, keep or take" in capsys.readouterr().err

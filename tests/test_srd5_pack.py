"""What holds of the pack srd5 as a whole: it is data alone, and its licence travels with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gambeson.cli import main
from gambeson.games import load
from gambeson.games.documents import read_text
from gambeson.games.loading import GAMES, LANGUAGES
from gambeson.testing.running import play

ROOT = Path(__file__).parent.parent
LICENCE = load("srd5").licence


def test_all_of_it_is_data() -> None:
    assert [] == list((GAMES / "srd5").glob("*.py"))
    assert [] == [id for id, rule in load("srd5").rules.items() if rule.code]


def test_the_attribution_is_whole() -> None:
    two, changes = LICENCE[:2], LICENCE[2]
    for edition, line in zip(("5.1", "5.2"), two, strict=True):
        assert f"System Reference Document {edition}" in line
        assert "Wizards of the Coast LLC" in line
        assert line.endswith("https://creativecommons.org/licenses/by/4.0/legalcode.")
    assert changes.startswith("Changes were made:")


@pytest.mark.parametrize("file", ["NOTICE", "README.md", "docs/srd5.md"])
def test_the_licence_stands_word_for_word(file: str) -> None:
    lines = (ROOT / file).read_text("utf-8").splitlines()
    assert [] == [line for line in LICENCE if line not in lines]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_rules_are_shown_with_their_licence(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rules", "srd5", "--lang", lang])
    shown = capsys.readouterr().out.splitlines()
    assert [] == [line for line in LICENCE if line not in shown]


def test_the_example_of_the_page_holds() -> None:
    page = (ROOT / "docs" / "srd5.md").read_text("utf-8")
    (scenario,) = re.findall(r"^```yaml scenario\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert play(read_text(scenario, "srd5.md")).ok


@pytest.mark.parametrize("edition", ["5.1", "5.2"])
def test_both_editions_load_under_every_reading(edition: str) -> None:
    for name, variant in load("srd5").variants.items():
        for reading in variant.readings:
            chosen = {"edition": edition, name: reading}
            assert reading == load("srd5", chosen).readings[name]

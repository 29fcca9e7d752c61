"""Rules and their scenarios: each rule is exercised, each cited id exists, each reading is played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gambeson.games import available, load
from gambeson.games.documents import read_file
from gambeson.games.loading import LANGUAGES, rule_texts, variant_texts

CASES = Path(__file__).parent / "cases"
SOURCE = Path(__file__).parent.parent / "src" / "gambeson"
ID = re.compile(r"\b(?:NV|PK|EF|S5)-\d\d\b")


def prefix(game: str) -> str:
    return next(iter(load(game).rules)).partition("-")[0]


def scenarios(game: str) -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for path in sorted((CASES / game).glob("*.yaml")):
        data = read_file(path).data
        assert isinstance(data, dict)
        found.append((path, data))
    return found


@pytest.mark.parametrize("game", available())
def test_every_rule_is_cited_by_a_scenario(game: str) -> None:
    cited = {id for path, _ in scenarios(game) for id in ID.findall(path.read_text("utf-8"))}
    assert [] == [id for id in load(game).rules if id not in cited]


@pytest.mark.parametrize("game", available())
def test_every_id_that_scenarios_cite_exists(game: str) -> None:
    rules = load(game).rules
    cited = {id for path, _ in scenarios(game) for id in ID.findall(path.read_text("utf-8"))}
    assert [] == sorted(id for id in cited if id.startswith(prefix(game)) and id not in rules)


@pytest.mark.parametrize("game", available())
def test_every_reading_is_played(game: str) -> None:
    played: dict[str, set[str]] = {name: {variant.active} for name, variant in load(game).variants.items()}
    for _, data in scenarios(game):
        for name, reading in data.get("variants", {}).items():
            played[name].add(str(reading))
    missing = {
        f"{name}: {reading}"
        for name, variant in load(game).variants.items()
        for reading in variant.readings
        if reading not in played[name]
    }
    assert set() == missing


@pytest.mark.parametrize("game", available())
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rule_and_variant_is_told(game: str, lang: str) -> None:
    pack = load(game)
    told = rule_texts(game, lang)
    assert list(pack.rules) == [id for id in pack.rules if told.get(id, {}).get("title") and told[id].get("text")]
    asked = variant_texts(game, lang)
    for name, variant in pack.variants.items():
        assert set(variant.readings) == set(asked[name]["readings"])


def test_every_rule_id_in_the_source_exists() -> None:
    known = {id for game in available() for id in load(game).rules}
    prefixes = {prefix(game) for game in available()}
    cited = {
        (path.relative_to(SOURCE).as_posix(), id)
        for path in sorted(SOURCE.rglob("*.py"))
        for id in ID.findall(path.read_text("utf-8"))
        if id.partition("-")[0] in prefixes
    }
    assert [] == sorted(place for place in cited if place[1] not in known)

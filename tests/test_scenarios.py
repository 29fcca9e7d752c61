"""Every scenario file holds: they are the examples, the rules' tests and the documentation in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambeson.games import available, load, texts
from gambeson.testing import Played, play_file

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.glob("*/*.yaml"))


def told(played: Played) -> str:
    """What came out otherwise than expected, in words."""
    said = texts(played.scenario.pack.folder if played.scenario else None, "en")
    lines = [said.say(failure) for failure in played.failures]
    for step in played.steps:
        lines += [f"step {step.step.index + 1} ({step.step.command}): {said.say(failure)}" for failure in step.failures]
    return "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scenario_holds(path: Path) -> None:
    played = play_file(path)
    assert played.ok, told(played)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_scenario_is_replayed_to_the_same_state(path: Path) -> None:
    played = play_file(path)
    if played.table is not None:
        assert played.table.state == played.table.replayed()


@pytest.mark.parametrize("game", available())
def test_every_game_has_scenarios(game: str) -> None:
    assert list((CASES / game).glob("*.yaml"))
    assert load(game).rules

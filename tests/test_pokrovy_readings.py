"""Each reading of pokrovy makes a difference: its scenarios fail under the readings that they do not choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambeson.games import load
from gambeson.games.documents import read_file
from gambeson.model.errors import Unusable
from gambeson.testing import play_text

CASES = Path(__file__).parent / "cases" / "pokrovy"


def chosen() -> list[tuple[Path, str, str]]:
    """Every scenario with every reading that it chooses."""
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        data = read_file(path).data
        assert isinstance(data, dict)
        found += [(path, name, str(reading)) for name, reading in data.get("variants", {}).items()]
    return found


def holds(path: Path, name: str, reading: str) -> bool:
    """Whether the scenario holds under this reading instead of its own."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("variants:")]
    try:
        return play_text("\n".join((*lines, f"variants: {{{name}: {reading}}}"))).ok
    except Unusable:
        return False


@pytest.mark.parametrize(("path", "name", "reading"), chosen(), ids=lambda value: getattr(value, "stem", value))
def test_the_scenario_of_a_reading_fails_under_the_active_one(path: Path, name: str, reading: str) -> None:
    active = load("pokrovy").variants[name].active

    assert reading != active
    assert not holds(path, name, active)


@pytest.mark.parametrize("name", load("pokrovy").variants)
def test_the_active_reading_has_a_scenario_that_fails_under_each_other(name: str) -> None:
    plain = [path for path in sorted(CASES.glob("*.yaml")) if "variants" not in read_file(path).data]  # type: ignore[operator]
    unnoticed = [
        reading
        for reading in load("pokrovy").variants[name].readings[1:]
        if all(holds(path, name, reading) for path in plain)
    ]

    assert [] == unnoticed

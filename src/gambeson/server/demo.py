"""Lively fights to try a table with: one scenario for each game, in each language."""

from __future__ import annotations

import functools
from pathlib import Path

DEMOS = Path(__file__).parent / "demos"


@functools.lru_cache(maxsize=64)
def demo_of(game: str, lang: str) -> str | None:
    """The scenario of a game's demo as text; None where there is none."""
    path = DEMOS / f"{game}.{lang}.yaml"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def games_with_demos() -> tuple[str, ...]:
    """The games that have a demo."""
    return tuple(sorted({path.name.partition(".")[0] for path in DEMOS.glob("*.yaml")}))

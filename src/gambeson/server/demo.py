"""Lively fights to try a table with: the scenario `fight.LANG.yaml` that a game has beside its pack."""

from __future__ import annotations

import functools

from gambeson.games.folders import folder_of, known


@functools.lru_cache(maxsize=64)
def demo_of(game: str, lang: str) -> str | None:
    """The scenario of a game's demo as text; None where there is none."""
    if game not in known():
        return None
    path = folder_of(game) / f"fight.{lang}.yaml"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def games_with_demos() -> tuple[str, ...]:
    """The games that have a demo."""
    return tuple(game for game in known() if any(folder_of(game).glob("fight.*.yaml")))

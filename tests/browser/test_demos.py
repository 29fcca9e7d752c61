"""The demo fights: the same in both languages, every step accepted; what the page says is said in both languages."""

from __future__ import annotations

import pytest

from gambeson.games import texts
from gambeson.language.texts import differing, missing
from gambeson.server.demo import demo_of, games_with_demos

GAMES = ("eldfall", "novitas", "pokrovy", "srd5")


def test_every_game_has_a_demo() -> None:
    assert games_with_demos() == GAMES


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("game", GAMES)
def test_every_step_of_a_demo_is_accepted(game: str, lang: str) -> None:
    from gambeson.games.documents import read_text
    from gambeson.testing.running import play

    played = play(read_text(demo_of(game, lang) or ""))
    assert played.table is not None
    assert played.scenario is not None
    assert len(played.table.rows) == len(played.scenario.steps)


def test_the_page_says_everything_in_both_languages() -> None:
    english, russian = texts(None, "en"), texts(None, "ru")
    pages = [id for id in english.ids if id.startswith("page.")]
    assert [id for id in missing(english, russian) if id in pages] == []
    assert [id for id in differing(english, russian) if id in pages] == []

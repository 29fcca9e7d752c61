"""Names of what a simulation varies, as people read them."""

from __future__ import annotations

import pytest

from gambeson.games import texts
from gambeson.simulate.naming import varied

VARIED = {"wards": 4, "policy.keep_or_take": "best", "against.pools.vyn": 7, "hits.1.weight": 3}


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", ["wards 4", "keep or take: look ahead", "the other side Вын 7", "hit 2 weight 3"]),
        ("ru", ["Покровы 4", "старое или новое: с расчётом вперёд", "другая сторона Вын 7", "удар 2 вес 3"]),
    ],
)
def test_what_is_varied_is_told_in_words(lang: str, told: list[str]) -> None:
    said = texts("pokrovy", lang)

    assert told == [varied(name, value, said) for name, value in VARIED.items()]

"""The keys of the strike form write numbers of any length where blows are large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FIGHT = {
    "game": "pokrovy",
    "entities": {"anna": {"name": "Anna", "pools": {"wards": 20, "vyn": 30}}},
}


def test_every_key_adds_a_digit_and_rubbing_out_takes_one_away(served: Any, phone: Callable[..., Any]) -> None:
    page = phone(served.begin(FIGHT, {})["referee"])
    page.locator(".card .hit").first.click()
    line = page.locator("#text")

    def touched(*keys: str) -> str:
        for key in keys:
            page.locator(".key", has_text=key).first.click()
        return str(line.input_value())

    assert "12" == touched("1", "2")
    page.wait_for_timeout(1700)
    assert "1205" == touched("0", "5")
    assert "120" == touched("⌫")
    assert "120 + 45" == touched("+", "4", "5")
    assert "120 + 4" == touched("⌫")
    assert "" == touched("⌫", "⌫")
    assert "7" == touched("7")

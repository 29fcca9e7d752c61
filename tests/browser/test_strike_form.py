"""The form for a blow says and does the same: the line, the figure, the button and what would come of it agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

Phone = Callable[..., Any]

FIGHT = {
    "title": "Gate",
    "game": "novitas",
    "clock": {"time": "17:50"},
    "entities": {
        "anna": {"name": "Anna", "pools": {"magic_armor": 2, "physical_armor": 2, "body": 3}},
        "boris": {"name": "Boris", "pools": {"body": 3}},
        "vera": {"name": "Vera", "pools": {"body": 3}},
    },
}
SEATS = {"Boris": ("boris",), "Vera": ("vera",)}


def shows(locator: Any, text: Any) -> None:
    """Wait until it says this."""
    from playwright.sync_api import expect

    expect(locator).to_have_text(text, timeout=8_000)


def button(page: Any) -> Any:
    """What the button says."""
    return page.locator(".thumb .act span")


def lit(page: Any) -> Any:
    """The places that are lit."""
    return page.locator(".doll label:has(:checked)")


def opened(served: Any, phone: Phone, seat: str = "referee", target: str = "anna", **options: Any) -> tuple[Any, Any]:
    """The form, open for a target, and the links of the table."""
    links = served.begin(FIGHT, SEATS)
    page = phone(links[seat], **options)
    page.goto(f"{links['table']}/strike" + (f"?target={target}" if target else ""))
    return page, links


def last_blow(served: Any, links: dict[str, str]) -> Any:
    """The fields of the newest blow."""
    return served.store.rows(links["id"], served.store.version(links["id"]))[-1].command.fields


@pytest.mark.parametrize(
    ("lang", "line", "torso", "leg", "rest"),
    [
        ("en", "4 silver pierce torso", "torso", "left leg", "Strike: 4 silver pierce, left leg"),
        ("ru", "4 серебро сквозь туловище", "туловище", "левая нога", "Ударить: 4 серебро сквозь, левая нога"),
    ],
)
def test_a_written_place_wins_over_a_lit_one(
    served: Any, phone: Phone, lang: str, line: str, torso: str, leg: str, rest: str
) -> None:
    page, links = opened(served, phone, locale=lang)
    page.locator(".doll .left_arm").click()
    page.locator("#text").fill(line)
    shows(lit(page), re.compile("".join(f"{letter}\N{SOFT HYPHEN}?" for letter in torso)))
    shows(button(page), re.compile(re.escape(line) + "$"))
    page.locator(".doll .left_leg").click()
    shows(button(page), rest)
    assert torso not in page.locator("#text").input_value()
    page.locator("#text").fill(line)
    page.locator(".thumb .act").click()
    page.wait_for_selector("#cards")
    assert "torso" == last_blow(served, links)["location"]


def test_a_place_that_is_rubbed_out_of_the_line_is_lit_no_longer(served: Any, phone: Phone) -> None:
    page, _ = opened(served, phone)
    page.locator("#text").fill("4 left arm")
    shows(lit(page), "left arm")
    page.locator("#text").fill("4")
    shows(button(page), "Strike: 4, torso")
    assert 0 == lit(page).count()
    assert "assumed" in page.locator(".doll .torso").get_attribute("class")


def test_a_touch_on_a_lit_place_clears_it(served: Any, phone: Phone) -> None:
    page, links = opened(served, phone)
    page.locator("label.key", has_text="4").click()
    page.locator(".doll .left_arm").click()
    shows(button(page), "Strike: 4, left arm")
    page.locator(".doll .left_arm").click()
    assert 0 == lit(page).count()
    shows(button(page), "Strike: 4, torso")
    page.locator(".thumb .act").click()
    page.wait_for_selector("#cards")
    assert "left_arm" != last_blow(served, links).get("location")


def test_the_form_begins_empty_and_the_last_blow_is_one_touch_away(served: Any, phone: Phone) -> None:
    page, links = opened(served, phone)
    page.locator("label.key", has_text="1").click()
    page.locator(".doll .left_arm").click()
    page.locator(".thumb .act").click()
    page.wait_for_selector("#cards")
    page.goto(f"{links['table']}/strike?target=vera")
    shows(page.locator(".again"), "Again: 1, left arm")
    assert "" == page.locator("#text").input_value()
    assert 0 == lit(page).count()
    shows(button(page), "Strike")
    page.locator(".again").click()
    shows(button(page), "Strike: 1, left arm")
    shows(lit(page), "left arm")
    page.locator("#whatif .change", has_text="3 → 2").wait_for()


def test_a_blow_that_was_taken_back_does_not_come_back(served: Any, phone: Phone) -> None:
    page, links = opened(served, phone)
    page.locator("#text").fill("1")
    page.locator(".thumb .act").click()
    page.get_by_role("button", name="Undo").click()
    shows(page.locator("#last .outcome"), re.compile("Taken back: Anna is hit"))
    page.goto(f"{links['table']}/strike?target=anna")
    page.wait_for_load_state()
    assert not page.locator(".again").is_visible()
    assert "" == page.locator("#text").input_value()


def test_the_list_of_targets_covers_nothing_and_closes_on_the_first(served: Any, phone: Phone) -> None:
    page, _ = opened(served, phone, target="")
    people = page.locator(".targets fieldset")
    assert people.is_visible()
    below = people.bounding_box()["y"] + people.bounding_box()["height"]
    assert below <= page.locator("#text").bounding_box()["y"]
    people.locator("label", has_text="Vera").click()
    assert not people.is_visible()
    shows(page.locator("h1"), "Strike Vera")
    page.locator(".targets summary").click()
    people.locator("label", has_text="Anna").click()
    assert people.is_visible()
    shows(page.locator("h1"), "Strike Anna, Vera")


def test_without_a_target_the_button_asks_for_one_and_nothing_stale_is_said(served: Any, phone: Phone) -> None:
    page, links = opened(served, phone, target="", expected=("422",))
    page.locator(".targets summary").click()
    page.locator("label.key", has_text="2").click()
    shows(page.locator("#whatif p").first, "Choose whom to strike.")
    shows(button(page), "Strike: Whom?")
    page.locator(".thumb .act").click()
    assert page.locator(".targets fieldset").is_visible()
    assert 0 == served.store.version(links["id"])
    page.locator(".targets label", has_text="Anna").click()
    shows(button(page), "Strike: 2, torso")
    page.locator("#text").fill("3 torso wound")
    page.locator(".thumb .act").click()
    page.locator("[data-refused] .no").wait_for()
    page.locator("#text").fill("3")
    shows(page.locator("[data-refused]"), "")


@pytest.mark.parametrize(("lang", "blow"), [("en", "Strike: unknown"), ("ru", "Ударить: неизвестно")])
def test_where_the_place_makes_no_difference_it_is_said_by_which_rule(
    served: Any, phone: Phone, lang: str, blow: str
) -> None:
    page, _ = opened(served, phone, "Boris", locale=lang)
    page.locator(".doll .left_arm").click()
    page.locator(".key.wide").click()
    shows(button(page), blow)
    shows(page.locator("#whatif p a.rule").first, "NV-27")


def test_who_has_a_figure_strikes_others_with_it(served: Any, phone: Phone) -> None:
    page, links = opened(served, phone, "Boris", "vera")
    assert "boris" == page.locator("#striker").input_value()
    page.locator("#text").fill("1")
    page.locator(".thumb .act").click()
    shows(page.locator("#last .head"), 'Vera is hit by Boris: "1", torso')
    page.goto(f"{links['table']}/strike?target=boris")
    assert "" == page.locator("#striker").input_value()
    page.locator("#text").fill("1")
    page.locator(".thumb .act").click()
    shows(page.locator("#last .head"), 'Boris is hit: "1", torso (entered by Boris)')


def test_chips_keep_their_place_when_they_are_touched(served: Any, phone: Phone) -> None:
    page, _ = opened(served, phone)
    chips = page.locator("#strike > fieldset.traits > label.chip-in")
    before = [chip.bounding_box()["x"] for chip in chips.all()]
    for chip in chips.all():
        chip.click()
    assert before == [chip.bounding_box()["x"] for chip in chips.all()]


def test_what_would_happen_stays_above_the_button(served: Any, phone: Phone) -> None:
    page, _ = opened(served, phone, target="boris")
    page.locator("#text").fill("7 poison")
    page.locator("#whatif p", has_text="bleeding out").wait_for()
    for touched in (None, "details.rest > summary"):
        if touched:
            page.locator(touched).first.click()
            shows(page.locator("details.rest > summary .opened").first, "less")
        shown = page.locator("#whatif").bounding_box()
        assert shown["y"] + shown["height"] <= page.locator(".thumb").bounding_box()["y"]


def test_a_line_says_what_would_come_of_it_before_it_is_done(served: Any, phone: Phone) -> None:
    links = served.begin(FIGHT, SEATS)
    page = phone(links["referee"])
    page.goto(f"{links['table']}/do")
    page.locator("#line-in").fill("vera 3")
    page.locator("#whatif .change", has_text="3 → 0").wait_for()
    assert 0 == served.store.version(links["id"])
    page.get_by_role("button", name="Do it").first.click()
    page.wait_for_selector("#cards")
    assert 1 == served.store.version(links["id"])

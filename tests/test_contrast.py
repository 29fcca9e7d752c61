"""The colours of the page stand out from each other, as the stylesheet has them: WCAG 2 ratios in every theme."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import gambeson

STYLES = Path(gambeson.__file__).parent / "server" / "static" / "gambeson.css"
THEMES = ("light", "dark", "sun")
TEXT, SECOND, EDGE = 4.5, 5.5, 3.0
"""What text, second text with numbers, and edges of controls must have at the least."""

PAIRS = {
    TEXT: (
        "link/cloth", "link/linen", "act-ink/act", "weld-ink/weld", "cloth/ink", "cloth/madder", "madder/cloth",
        "madder/no", "madder/linen", "fern/cloth", "woad/cloth", "steel/cloth", "orchil/cloth", "walnut/cloth",
        "madder/fold", "fern/fold", "link/fold",
    ),
    SECOND: ("ink/cloth", "ink/linen", "ink/fold", "ink/yes", "ink/no", "ink-2/cloth", "ink-2/linen", "ink-2/fold"),
    EDGE: ("seam/cloth", "seam/linen", "focus/cloth", "focus/linen", "act/cloth"),
}  # fmt: skip


@cache
def styles() -> str:
    return re.sub(r"/\*.*?\*/", "", STYLES.read_text("utf-8"), flags=re.DOTALL)


def tokens(selector: str) -> dict[str, str]:
    """The colours that a rule gives names to."""
    body = styles().partition(selector + " {")[2].partition("}")[0]
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\b", body))


@cache
def colours(theme: str) -> dict[str, str]:
    own = {} if theme == "light" else tokens(f"[data-theme={theme}]")
    return {**tokens(":root"), **own}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_the_guidelines() -> None:
    assert 21 == pytest.approx(ratio("#000000", "#ffffff"))
    assert 4.54 == pytest.approx(ratio("#767676", "#ffffff"), abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_every_pair_stands_out(theme: str) -> None:
    named = colours(theme)
    weak = {
        pair: round(found, 2)
        for least, pairs in PAIRS.items()
        for pair in pairs
        if (found := ratio(*(named[name] for name in pair.split("/")))) < least
    }
    assert {} == weak


def rules() -> list[tuple[str, str]]:
    """Every rule of the stylesheet: its selector and what it sets."""
    return [(selector.strip(), body) for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", styles())]


@pytest.mark.parametrize("theme", THEMES)
def test_what_a_rule_writes_stands_out_from_what_it_paints(theme: str) -> None:
    named, weak = colours(theme), {}
    for selector, body in rules():
        ground = re.search(r"background(?:-color)?:\s*var\(--([\w-]+)\)\s*(?:;|$)", body)
        ink = re.search(r"(?:^|[;\s])color:\s*var\(--([\w-]+)\)", body)
        if ground is None or ink is None or not {ground[1], ink[1]} <= named.keys():
            continue
        found = ratio(named[ink[1]], named[ground[1]])
        if found < TEXT:
            weak[selector] = round(found, 2)
    assert {} == weak


@pytest.mark.parametrize(
    ("asked", "theme"), [("prefers-color-scheme: dark", "dark"), ("prefers-contrast: more", "sun")]
)
def test_a_device_that_asks_for_it_gets_the_theme(asked: str, theme: str) -> None:
    found = re.search(rf"{asked}\) \{{\s*:root:not\(\[data-theme\]\) \{{(.*?)\}}", styles(), re.DOTALL)
    assert found is not None
    assert tokens(f"[data-theme={theme}]") == dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\b", found[1]))


def test_no_colour_stands_outside_the_tokens() -> None:
    """Save black on white in codes, which cameras read."""
    stray = {
        f"{selector}: {colour}"
        for selector, body in rules()
        for colour in re.findall(r"(?<![\w-])#[0-9a-fA-F]{3,8}\b", re.sub(r"--[\w-]+:[^;]*", "", body))
        if ".qr" not in selector
    }
    assert set() == stray

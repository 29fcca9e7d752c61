"""Screenshots of every screen of the live table, in both languages and all themes, on a phone and on the wall.

    python docs/screens.py DIRECTORY [--best docs/images]

Needs the extra `table`, playwright and Debian's chromium. With `--best` the few for the README are written there.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
PHONE, WALL = {"width": 360, "height": 740}, {"width": 1280, "height": 720}
GAMES = ("novitas", "pokrovy", "eldfall", "srd5")
BEST = {
    "novitas-table.en.light": "phone-table.png",
    "novitas-strike.en.light": "phone-strike.png",
    "novitas-why.en.light": "phone-why.png",
    "pokrovy-ask.ru.dark": "phone-decision.png",
    "novitas-wall.en.dark": "wall.png",
}


@contextmanager
def served(lang: str) -> Iterator[dict[str, dict[str, str]]]:
    """A server with the demo fights: for each game the links of the referee and the wall."""
    command = [sys.executable, "-m", "gambeson", "table", "--demo", "--port", "0", "--lang", lang]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    links: dict[str, dict[str, str]] = {}
    found: list[str] = []
    own: dict[str, str] = {}
    for line in process.stdout:
        found += re.findall(r"http://\S+/join/\S+", line)
        if "Ctrl+C" in line:
            break
        if line.strip() and not line.startswith(" ") and line.rstrip().endswith(":"):
            found = []
            links[sorted(GAMES)[len(links)]] = own = {}
        elif found and links and len(found) <= 2:
            own["wall" if len(found) == 2 else "referee"] = found[-1]
    try:
        yield links
    finally:
        process.terminate()
        process.wait()


def shots(page: Page, link: str, game: str) -> Iterator[str]:
    """Goes through the screens of one table; each name is yielded when its screen stands."""
    page.goto(link)
    page.wait_for_selector("#cards .card")
    yield "table"
    here = page.url.rstrip("/")
    first = page.locator("details.more summary").first
    first.click()
    yield "details"
    hit = page.locator(".card .hit")
    hit.nth(min(1, hit.count() - 1)).click()
    page.wait_for_selector("#strike")
    page.locator("label.key", has_text="4").click()
    arm = page.locator(".doll label").nth(1)
    if arm.count():
        arm.click()
    word = page.locator("fieldset.traits:not(details *) .chip-in")
    if word.count() and game != "eldfall":
        word.first.click()
    page.wait_for_timeout(500)
    yield "strike"
    page.goto(f"{here}/ask")
    page.wait_for_timeout(300)
    yield "ask"
    page.goto(here)
    why = page.locator("#last a")
    if why.count():
        why.first.click()
        page.wait_for_selector(".steps")
        rule = page.locator(".steps .ran summary")
        if rule.count():
            rule.first.click()
        yield "why"
    for path in ("log", "do", "seats"):
        page.goto(f"{here}/{path}")
        yield path
    if game == "eldfall":
        page.goto(f"{here}/do")
        page.locator(".actn:not(.no)", has_text=re.compile("Arcane Bolt|Магический снаряд")).locator(
            "button"
        ).last.click()
        page.wait_for_selector(".odds li")
        yield "roll"
        with page.expect_navigation():
            page.locator("button[form=undo]").click()
    if game == "novitas":
        page.goto(f"{here}/do/wait?f.minutes=6")
        page.wait_for_selector("#whatif p:not(.quiet)")
        yield "wait"
    page.goto(f"{here}/do/{'cast' if game != 'srd5' else 'heal'}")
    yield "deed"
    page.goto(f"{here}/rule/{ {'novitas': 'NV-12', 'pokrovy': 'PK-17', 'eldfall': 'EF-40', 'srd5': 'S5-06'}[game] }")
    yield "rule"


def all_screens(folder: Path, best: Path | None, browser: Any, asked: argparse.Namespace) -> None:
    """Every screen."""
    for lang in (asked.lang,) if asked.lang else ("en", "ru"):
        with served(lang) as links:
            for theme in (asked.theme,) if asked.theme else ("light", "dark", "sun"):
                base = links["novitas"]["referee"].partition("/join")[0]
                looks = [
                    {"name": f"look-{key}", "value": value, "url": base}
                    for key, value in (("theme", theme), ("lang", lang))
                ]
                context = browser.new_context(viewport=PHONE, device_scale_factor=2, has_touch=True, locale=lang)
                context.add_cookies(looks)
                page = context.new_page()
                page.goto(base)
                _kept(page, folder, best, f"start.{lang}.{theme}")
                page.goto(f"{base}/look?back=/")
                _kept(page, folder, best, f"look.{lang}.{theme}")
                for game in GAMES:
                    if asked.game in ("", game):
                        for name in shots(page, links[game]["referee"], game):
                            _kept(page, folder, best, f"{game}-{name}.{lang}.{theme}")
                context.close()
                wall = browser.new_context(viewport=WALL, locale=lang)
                wall.add_cookies(looks)
                page = wall.new_page()
                for game in GAMES:
                    if asked.game in ("", game):
                        page.goto(links[game]["wall"])
                        page.wait_for_selector(".ent")
                        _kept(page, folder, best, f"{game}-wall.{lang}.{theme}")
                wall.close()


def _kept(page: Page, folder: Path, best: Path | None, name: str) -> None:
    page.screenshot(path=folder / f"{name}.png", full_page=False)
    if best is not None and name in BEST:
        page.screenshot(path=best / BEST[name])


def main() -> None:
    """Write the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--best", type=Path)
    parser.add_argument("--game", default="", help="only this game")
    parser.add_argument("--lang", default="", help="only this language")
    parser.add_argument("--theme", default="", help="only these colours")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.best is not None:
        asked.best.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        all_screens(asked.folder, asked.best, browser, asked)
        browser.close()
    print(f"{len(list(asked.folder.glob('*.png')))} screenshots in {asked.folder}")


if __name__ == "__main__":
    main()

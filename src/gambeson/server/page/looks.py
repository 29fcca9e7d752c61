"""How a person likes to see the page: language, colours, counting, hand, signals; kept in plain cookies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import Request
from litestar.datastructures import Cookie
from msgspec import Struct

from gambeson.games.loading import LANGUAGES

AnyRequest = Request[Any, Any, Any]

PREFIX = "look-"
YEAR = 365 * 24 * 3600

CHOICES: dict[str, tuple[str, ...]] = {
    "lang": LANGUAGES,
    "theme": ("auto", "light", "dark", "sun"),
    "count": ("down", "up"),
    "hand": ("right", "left"),
    "buzz": ("off", "on"),
    "sound": ("off", "on"),
}
"""What can be chosen; the first is what counts where nothing is chosen."""


class Looks(Struct, frozen=True):
    """One person's choices."""

    lang: str = "en"
    theme: str = "auto"
    count: str = "down"
    hand: str = "right"
    buzz: str = "off"
    sound: str = "off"


def looks_of(request: AnyRequest) -> Looks:
    """The choices that a request carries; the language of a browser counts until one is chosen."""
    chosen: dict[str, str] = {}
    for name, allowed in CHOICES.items():
        asked = request.query_params.get(name, "") if name in ("lang", "theme") else ""
        given = asked or request.cookies.get(PREFIX + name, "")
        if given in allowed:
            chosen[name] = given
    if "lang" not in chosen:
        accepted = request.headers.get("accept-language", "").strip().lower()
        chosen["lang"] = next((lang for lang in LANGUAGES if accepted.startswith(lang)), LANGUAGES[0])
    return Looks(**chosen)


def cookies_of(form: Mapping[str, Any]) -> list[Cookie]:
    """The cookies that keep what a form chose."""
    kept = []
    for name, allowed in CHOICES.items():
        value = form.get(name)
        if value in allowed:
            kept.append(Cookie(key=PREFIX + name, value=str(value), path="/", max_age=YEAR, samesite="lax"))
    return kept

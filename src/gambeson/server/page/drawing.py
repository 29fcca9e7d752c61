"""Templates: what a screen shows becomes HTML; everything that people wrote is text."""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response
from markupsafe import Markup, escape

from gambeson.games import texts
from gambeson.language.texts import Texts
from gambeson.model.values import Entity
from gambeson.server.page.icons import DRAWINGS
from gambeson.server.page.looks import Looks

HERE = Path(__file__).parent.parent
TEMPLATES, STATIC = HERE / "templates", HERE / "static"

FIGURE = (
    ("torso", 9.5, 10.5, 11, 14, 3),
    ("right_arm", 3, 11, 5, 14, 2.5),
    ("left_arm", 22, 11, 5, 14, 2.5),
    ("right_leg", 9, 26, 5.2, 15, 2.5),
    ("left_leg", 15.8, 26, 5.2, 15, 2.5),
)
"""The figure that faces the reader: each part with its place, size and roundness."""

DEVICES = {
    "bars": "M5 10h24M5 16h24M6 22h22M10 28h14",
    "bend": "M6 8l22 24M6 18l16 16M14 5l17 18",
    "cross": "M17 4v32M5 17h24",
    "pale": "M11 4v26M17 4v32M23 4v26",
}
"""What is stitched on the shields of games."""

HTML = "text/html"
CHANGE = re.compile(r"(\d+ → \d+)")
"""A number with what it becomes."""
LONG = 8
"""Letters from which on a word may be broken."""


@functools.lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates, read once."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["soft"] = soft
    made.filters["joined"] = joined
    made.globals |= {"static": static, "drawings": DRAWINGS, "figure_parts": FIGURE, "devices": DEVICES, "oob": False}
    return made


def soft(text: str) -> str:
    """A text whose long words may be broken in the middle, with a hyphen, where there is no room for them."""
    halves = ((word, len(word) // 2) for word in text.split(" "))
    return " ".join(word if len(word) < LONG else f"{word[:at]}\N{SOFT HYPHEN}{word[at:]}" for word, at in halves)


def joined(text: str) -> Markup:
    """A text in which what changes stands on one line with what it becomes: `14 → 9`."""
    return Markup(CHANGE.sub(r'<span class="whole">\1</span>', str(escape(text))))


@functools.lru_cache(maxsize=32)
def static(name: str) -> str:
    """The address of a file of the page; it changes with the file."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{digest}/{name}"


@functools.lru_cache(maxsize=64)
def words(folder: str | None, lang: str) -> Words:
    """What a template says in a language, with the words of a game."""
    return Words(texts(folder, lang))


class Words:
    """Says the texts of pages: `t("strike")` is `page.strike`."""

    __slots__ = ("said",)

    def __init__(self, said: Texts) -> None:
        self.said = said

    def __call__(self, id: str, **params: Any) -> str:
        return self.said.say(f"page.{id}", **params)

    def person(self, entity: Entity | None, id: str) -> str:
        """An entity by its name, one that the program has numbered too (`golem_1`); without one the id."""
        return self.said.named(entity.name or id) if entity is not None else id

    def term(self, id: str) -> str:
        """The name of something."""
        return self.said.term(id)


def drawn(template: str, t: Words, looks: Looks, **values: Any) -> str:
    """A template as HTML."""
    return environment().get_template(template).render(t=t, looks=looks, **values)


def part(template: str, t: Words, **values: Any) -> Markup:
    """A part of a page as HTML."""
    return Markup(environment().get_template(template).render(t=t, **values))


def answered(html: str, status: int = 200, **options: Any) -> Response[str]:
    """HTML as an answer."""
    return Response(html, status_code=status, media_type=HTML, **options)

"""Every message that the code or a pack can say has a text in both languages, and every text can be said."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct

from gambeson.games.documents import read_file
from gambeson.games.loading import COMMON, GAMES, LANGUAGES, available, load, texts
from gambeson.language.fields import EitherField, ListField, MapField, RecordField, WordField
from gambeson.language.texts import differing, missing

SOURCE = GAMES.parent
FAMILIES = (
    "trace", "refusal", "fault", "failure", "question", "option", "why", "who", "duration", "stage", "dice",
    "explain", "cli", "play", "task", "keep", "page", "legal",
)  # fmt: skip
ID = re.compile(rf"(?:{'|'.join(FAMILIES)})\.[a-z0-9_.]*[a-z0-9_]\Z")

COMPUTED = {
    "trace.scale.": ("zero", "halve", "double", "both"),
    "stage.": (
        "adjust", "call", "limit", "mark", "merge", "note", "requirement", "retaliate", "save", "scale", "threshold",
        "total", "wound",
    ),
    "task.": (),
    "stage.absorb.": ("raw", "changed", "gone"),
    "stage.immunity.": ("hit", "parts"),
    "stage.prevent.": ("oldest", "holder"),
    "stage.reduce.": ("by", "reads"),
    "stage.code.": (),
    "explain.gained_of.": (),
    "explain.lost_of.": (),
    "duration.": ("spent", "ended", "moment"),
    "fault.text.": (),
    "fault.expression.": (),
    "fault.expression.type.": ("number", "flag", "word", "list"),
    "fault.document.": (),
    "fault.dice.": (),
    "cli.status.": ("seed", "source", "reading"),
    "cli.simulate.until.": ("down", "wounded", "hits", "spent", "condition"),
    "cli.simulate.answer.": ("greater", "keep", "take", "best"),
    "cli.simulate.win.": ("target", "against", "both_fall"),
    "explain.command.": (),
    "cli.help.": (),
    "odds.": (),
    "play.help.": (),
    "play.word.": (),
    "play.verb.": (),
    "play.unit.": (),
    "play.field.": (),
    "play.value.": (),
    "play.number.": (),
    "play.heard.": (),
    "play.about.": (),
    "play.spells.reach.": (),
    "play.spells.word.": (),
    "play.deed.": (),
    "term.": (),
    "page.look.": (),
    "page.health.": ("down", "unhurt", "hurt", "badly"),
    "page.rule.": ("seed", "source", "reading"),
    "page.seats.role.": ("referee", "screen"),
    "page.lost": ("", ".note"),
    "page.denied": ("", ".note"),
}  # fmt: skip
"""Ids that are put together: how they begin, and the ends that must have a text (none: all of that kind are used)."""


class Said(Struct, frozen=True):
    """An id that stands in the source: where, and the parameters it is given there (None: not to be seen there)."""

    id: str
    place: str
    params: frozenset[str] | None


@cache
def sources() -> tuple[Path, ...]:
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def said() -> tuple[Said, ...]:
    """Every literal id in the code and in the packs."""
    found: list[Said] = []
    for path in sources():
        found += _in_code(ast.parse(path.read_text("utf-8")), path.relative_to(SOURCE))
    for game in available():
        path = GAMES / game / "pack.yaml"
        found += (Said(id, f"games/{game}/pack.yaml", None) for id in _in_data(read_file(path).data))
    found += _on_pages()
    return tuple(found)


PAGE = re.compile(r"""\bt\(\s*["']([a-z0-9_.]*[a-z0-9_])["'](?:\s*if [^"']*else ["']([a-z0-9_.]+)["'])?""")
"""How templates and the code of pages say their texts: `t("strike")` says `page.strike`."""


def _on_pages() -> Iterator[Said]:
    server = SOURCE / "server"
    for path in sorted((*server.glob("templates/**/*.html"), *server.glob("**/*.py"))):
        for match in PAGE.finditer(path.read_text("utf-8")):
            for id in filter(None, match.groups()):
                yield Said(f"page.{id}", str(path.relative_to(SOURCE)), None)


def _in_code(tree: ast.Module, path: Path) -> Iterator[Said]:
    called: dict[int, frozenset[str] | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in ("message", "say") and all(keyword.arg for keyword in node.keywords):
                called[id(node.args[0])] = frozenset(str(keyword.arg) for keyword in node.keywords)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        if ID.match(node.value) and not node.value.endswith((".html", ".js", ".yaml")):
            yield Said(node.value, f"{path}:{node.lineno}", called.get(id(node)))


def _in_data(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _in_data(value)
    elif isinstance(data, list):
        for value in data:
            yield from _in_data(value)
    elif isinstance(data, str) and ID.match(data):
        yield data


def owners(entry: Said) -> tuple[str | None, ...]:
    """Whose texts must have the id: a game's own, or the common ones."""
    game = re.match(r"games/(\w+)/", entry.place)
    return (game.group(1),) if game and game.group(1) in available() else (None,)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_id_in_the_source_has_a_text(lang: str) -> None:
    without = [
        f"{entry.place} {entry.id}" for entry in said() for game in owners(entry) if not texts(game, lang).has(entry.id)
    ]

    assert [] == without


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_computed_id_has_a_text(lang: str) -> None:
    ids = [prefix + end for prefix, ends in COMPUTED.items() for end in ends]

    assert [] == [id for id in ids if not texts(None, lang).has(id)]


def _named(name: str, field: object) -> Iterator[str]:
    """The keys that a value of a field may have, and the words, each as the text that is looked up first."""
    if isinstance(field, RecordField):
        for key, inner in field.fields.items():
            yield key
            yield from _named(key, inner)
    elif isinstance(field, ListField):
        yield from _named(name, field.of)
    elif isinstance(field, MapField):
        yield from _named(name, field.values)
    elif isinstance(field, EitherField):
        for inner in field.of:
            yield from _named(name, inner)
    elif isinstance(field, WordField):
        yield from (f"{name}.{word}" for word in field.of)


@pytest.mark.parametrize("game", available())
def test_what_a_command_says_has_a_name_in_russian(game: str) -> None:
    """Without one the English code of the field or word would stand in a Russian sentence."""
    russian = texts(game, "ru")
    fields = {name: field for spec in load(game).commands.values() for name, field in spec.fields.items()}
    names = {inner for name, field in fields.items() for inner in (name, *_named(name, field))}

    assert set() == {
        name for name in names if not (russian.has(f"term.{name}") or russian.has(f"term.{name.partition('.')[2]}"))
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_question_has_its_task(lang: str) -> None:
    """What must be done first is said of every question, with blanks that the question fills."""
    asked = [entry for entry in said() if entry.id.startswith("question.") and entry.params is not None]
    wrong = [
        entry.place + " " + task
        for entry in asked
        for task in [entry.id.replace("question.", "task.", 1)]
        for game in owners(entry)
        if not (own := texts(game, lang)).has(task) or own.parameters(task) - (entry.params or frozenset())
    ]

    assert asked
    assert [] == wrong


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_blank_of_a_text_is_filled_where_it_is_said(lang: str) -> None:
    unfilled = [
        f"{entry.place} {entry.id}: {', '.join(sorted(left))}"
        for entry in said()
        if entry.params is not None
        for game in owners(entry)
        if (left := texts(game, lang).parameters(entry.id) - entry.params)
    ]

    assert [] == unfilled


def own_texts(game: str | None, lang: str) -> list[str]:
    """The ids that the common files or a game's own file give a text to."""
    files = sorted(COMMON.glob(f"{lang}*.yaml")) if game is None else [GAMES / game / f"{lang}.yaml"]
    ids: list[str] = []
    for path in files:
        if path.is_file():
            ids += _flat(read_file(path).data)
    return ids


def _flat(data: object, above: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _flat(value, f"{above}{key}.")
    else:
        yield above[:-1]


@pytest.mark.parametrize("game", [None, *available()])
def test_no_text_is_left_that_nothing_says(game: str | None) -> None:
    known = {"about", *(entry.id for entry in said())}
    prefixes = tuple(COMPUTED)

    assert [] == [id for id in own_texts(game, "en") if id not in known and not id.startswith(prefixes)]


@pytest.mark.parametrize("game", [None, *available()])
def test_both_languages_say_the_same_ids_with_the_same_parameters(game: str | None) -> None:
    english, russian = texts(game, "en"), texts(game, "ru")

    assert () == missing(english, russian)
    assert () == missing(russian, english)
    assert () == differing(english, russian)


@pytest.mark.parametrize("game", [None, *available()])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_is_a_sound_template(game: str | None, lang: str) -> None:
    assert () == texts(game, lang).check()

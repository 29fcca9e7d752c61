"""The pages about the language: their examples are played, and every switch there is has one."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, structs

from gambeson.engine.commands import COMMANDS
from gambeson.games import load
from gambeson.games.building import KEYS
from gambeson.games.documents import read_text
from gambeson.games.overlay_stages import VERBS
from gambeson.games.overlays import CHOOSE, DROP, STAGES
from gambeson.games.repeats import SAME
from gambeson.games.variants import BY, ONLY
from gambeson.language import effects, layers, pack, turns, words
from gambeson.language.expression_parser import FUNCTIONS
from gambeson.language.fields import Field
from gambeson.language.lastings import StartEffects
from gambeson.language.rules import Rule, Variant
from gambeson.language.stages import StageKind
from gambeson.language.stages.base import Stage
from gambeson.language.written_deeds import WordDeed
from gambeson.mechanisms import MECHANISMS
from gambeson.mechanisms.casting import Spell
from gambeson.mechanisms.standing import StandingKind
from gambeson.model.errors import Unusable
from gambeson.testing.running import play
from tests.small_packs import write

DOCS = Path(__file__).parent.parent / "docs"
PAGES = (DOCS / "language.md", *sorted(DOCS.glob("language-*.md")))
BLOCK = re.compile(r"^```yaml (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

OWN_CODE = ("Code.function", "Run.function", "Rule.code", "watchers", "tables")
"""What only games that come with gambeson can have, as no pack can bring code."""
OF_EVERY_STAGE = Stage.__struct_fields__
OF_EVERY_FIELD = ("required", "default", "about", "rule")


class Example(Struct, frozen=True):
    """A scenario with the pack that stands before it, if one does, and its texts by language."""

    page: str
    line: int
    sections: str
    texts: dict[str, str]
    scenario: str


def examples() -> Iterator[Example]:
    """Each scenario of the pages."""
    for page in PAGES:
        text = page.read_text("utf-8")
        sections, texts = "", dict[str, str]()
        for block in BLOCK.finditer(text):
            kind, written = block.groups()
            match kind:
                case "pack":
                    assert not sections, f"a pack without a scenario: {sections}"
                    sections = written
                case "en" | "ru":
                    texts[kind] = written
                case "scenario":
                    yield Example(page.name, text.count("\n", 0, block.start()) + 2, sections, texts, written)
                    sections, texts = "", {}
                case _:
                    assert "game" == kind
        assert not sections, f"a pack without a scenario: {sections}"


def game() -> str:
    """The small game that the examples extend."""
    (found,) = (written for kind, written in BLOCK.findall(PAGES[0].read_text("utf-8")) if kind == "game")
    return str(found)


def written(folder: Path, example: Example) -> Path:
    """The pack of an example in a folder of its own, beside the small game."""
    write(folder / "small", game())
    made = write(folder / "example", f"format: 1\nextends: small\n{example.sections}")
    for lang, text in example.texts.items():
        (made / f"{lang}.yaml").write_text(text, "utf-8")
    return made


@pytest.mark.parametrize("example", tuple(examples()), ids=lambda example: f"{example.page}:{example.line}")
def test_an_example_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: Example) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    made = written(tmp_path, example)
    played = play(read_text(f"game: {made}\n{example.scenario}", example.page))
    assert [] == [(step.step.index, step.failures, step.ruling.reason()) for step in played.steps if step.failures]
    assert played.ok


# Every switch

ROOTS: tuple[Any, ...] = (
    *get_args(StageKind), *get_args(Field), *get_args(StandingKind), *get_args(WordDeed),
    *COMMANDS.values(), *MECHANISMS.values(),
    Spell, layers.Layer, pack.Silent, pack.Bar, pack.Lasting, pack.Follow, pack.Moment, pack.Figures,
    words.Words, effects.EffectRules, effects.Entry, turns.OwnTurns, StartEffects, Rule, Variant,
)  # fmt: skip
"""What packs are made of; whatever their keys hold belongs to them."""


def definitions() -> dict[type[Struct], dict[str, Any]]:
    """Every type that a pack may write, with the types of its keys."""
    found: dict[type[Struct], dict[str, Any]] = {}

    def below(type_: type[Struct]) -> None:
        if type_ not in found:
            found[type_] = get_type_hints(type_)
            for hint in found[type_].values():
                for held in _structs(hint):
                    below(held)

    for root in ROOTS:
        below(root)
    return found


def _structs(hint: Any) -> Iterator[type[Struct]]:
    if isinstance(hint, type) and issubclass(hint, Struct):
        yield hint
    else:
        for part in get_args(hint):
            yield from _structs(part)


def _choices(hint: Any) -> Iterator[Any]:
    """The words that a key may be one of."""
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif get_origin(hint) in (Union, types.UnionType, tuple, list, dict):
        for part in get_args(hint):
            yield from _choices(part)


class Shown(Struct):
    """What the examples show: types, keys that are not left at their default, words that keys have."""

    types: set[str] = set()
    keys: set[str] = set()
    choices: set[tuple[str, Any]] = set()

    def look(self, value: Any) -> None:
        """Take everything in from a value and what it holds."""
        if isinstance(value, Struct):
            self.types.add(type(value).__name__)
            for key in value.__struct_fields__:
                self._key(value, key)
        elif isinstance(value, dict):
            for held in value.values():
                self.look(held)
        elif isinstance(value, tuple | list):
            for held in value:
                self.look(held)

    def _key(self, value: Struct, key: str) -> None:
        held, defaults = getattr(value, key), defaults_of(type(value))
        if key not in defaults or held != defaults[key]:
            self.keys.add(f"{type(value).__name__}.{key}")
        within = held.values() if isinstance(held, dict) else held if isinstance(held, tuple) else (held,)
        self.choices |= {(key, word) for word in within if isinstance(word, str)}
        self.look(held)


def defaults_of(type_: type[Struct]) -> dict[str, Any]:
    """What the keys of a type are where they are not written."""
    names, values = type_.__struct_fields__, type_.__struct_defaults__
    found = {}
    for name, value in zip(names[len(names) - len(values) :], values, strict=True):
        if value is not msgspec.NODEFAULT:
            found[name] = value.factory() if hasattr(value, "factory") else value
    return found


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """What all examples show together."""
    found = Shown()
    with pytest.MonkeyPatch.context() as patched:
        for example in examples():
            folder = tmp_path_factory.mktemp("shown")
            patched.setenv("GAMBESON_PACKS", str(folder))
            found.look(load(str(written(folder, example))))
    return found


def kinds_without(shown: Shown) -> list[str]:
    """The types that no example has."""
    apart = [name.partition(".")[0] for name in OWN_CODE]
    return [type_.__name__ for type_ in definitions() if type_.__name__ not in (*shown.types, *apart)]


def switches_without(shown: Shown) -> list[str]:
    """The keys that no example writes, and their words that none has.

    Keys that cite a rule all do the same, and so do those that every stage and every field has.
    """
    shared = {f"{type_}.{key}" for type_ in ("Stage", "Field") for key in (*OF_EVERY_STAGE, *OF_EVERY_FIELD)}
    missing = []
    for type_, hints in definitions().items():
        of_all = OF_EVERY_STAGE if issubclass(type_, Stage) else OF_EVERY_FIELD if type_ in get_args(Field) else ()
        for key in type_.__struct_fields__:
            name = f"{type_.__name__}.{key}"
            if key in of_all:
                shared -= {f"Stage.{key}", f"Field.{key}"} if name in shown.keys else set()
            elif not key.endswith("rule") and name not in (*shown.keys, *OWN_CODE):
                missing.append(name)
            missing += [
                f"{name}: {word}"
                for word in _choices(hints.get(key))
                if (key, word) not in shown.choices and word != defaults_of(type_).get(key)
            ]
    shared -= {f"Stage.{key}" for key in OF_EVERY_FIELD} | {f"Field.{key}" for key in OF_EVERY_STAGE}
    return [*missing, *sorted(shared)]


def test_every_kind_of_thing_has_an_example(shown: Shown) -> None:
    assert [] == kinds_without(shown)


def test_every_switch_has_an_example(shown: Shown) -> None:
    assert [] == switches_without(shown)


def test_every_section_has_an_example() -> None:
    text = game() + "".join(example.sections for example in examples())
    sections = re.findall(r"^(\w+):", text, re.MULTILINE)
    assert [] == [key for key in (*KEYS, CHOOSE, STAGES, DROP) if key not in (*sections, *OWN_CODE)]
    assert [] == [word for word in (*VERBS, BY, ONLY, SAME, "before", "after") if f"{word}:" not in text]
    assert [] == [name for name in FUNCTIONS if f"{name}(" not in text]


def test_the_pages_name_every_switch_and_every_kind() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    known = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", text))))
    tags = [str(kind.__struct_config__.tag) for kind in ROOTS if kind.__struct_config__.tag is not None]
    keys = [(type_.__name__, key) for type_ in definitions() for key in type_.__struct_encode_fields__]
    assert [] == [name for name in (*KEYS, *COMMANDS, *MECHANISMS, *tags) if f"`{name}`" not in text]
    assert [] == [f"{owner}.{key}" for owner, key in keys if key not in known]


def test_an_example_that_is_taken_away_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    found = Shown()
    found.look(load(str(write(tmp_path / "small", game()))))
    assert {"Wound", "Worn", "Cast"} <= set(kinds_without(found))
    assert {"Wound.writes", "Layer.starts", "Excess.gives: halved", "Stage.otherwise"} <= set(switches_without(found))
    assert "Layer.sourced" not in switches_without(found)


# Whatever is taken away


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key in the data of a pack, by its path."""
    if isinstance(value, dict | list):
        for step, held in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict):
                yield (*path, step)
            yield from places(held, (*path, step))


TAKEN = tuple(
    (example, path) for example in examples() if example.sections for path in places(read_text(example.sections).data)
)


@given(st.sampled_from(TAKEN))
def test_a_pack_without_one_of_its_keys_is_refused_or_plays(taken: tuple[Example, tuple[Any, ...]]) -> None:
    example, path = taken
    data: Any = read_text(example.sections).data
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setenv("GAMBESON_PACKS", folder)
        sections = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items())
        made = written(Path(folder), structs.replace(example, sections=sections))
        with contextlib.suppress(Unusable):
            assert play(read_text(f"game: {made}\n{example.scenario}", example.page)).steps

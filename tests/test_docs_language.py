"""The page about the language: its examples are played, and it names every switch there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec import Struct

from gambeson.engine.commands import COMMANDS
from gambeson.games.documents import read_text
from gambeson.language import effects, layers, outcomes, pack, turns, words
from gambeson.language.fields import Field
from gambeson.language.stages import StageKind
from gambeson.language.stages.instead import Instead, Spare
from gambeson.mechanisms import MECHANISMS
from gambeson.language.written_deeds import Deed
from gambeson.mechanisms.dying import Tally
from gambeson.mechanisms.standing import StandingKind
from gambeson.testing.running import play
from tests.small_packs import write

PAGE = Path(__file__).parent.parent / "docs" / "language.md"
BLOCK = re.compile(r"^```yaml (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall(PAGE.read_text("utf-8"))


def examples() -> Iterator[tuple[str, str]]:
    """Each pack of the page with the scenario after it."""
    found = [block for block in blocks() if block[0] != "game"]
    for (kind, first), (next_kind, second) in zip(found[::2], found[1::2], strict=True):
        assert ("pack", "scenario") == (kind, next_kind)
        yield first, second


@pytest.mark.parametrize(("sections", "scenario"), list(examples()))
def test_an_example_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sections: str, scenario: str
) -> None:
    (game,) = (text for kind, text in blocks() if kind == "game")
    write(tmp_path / "small", game)
    folder = write(tmp_path / "example", f"format: 1\nextends: small\n{sections}")
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    played = play(read_text(f"game: {folder}\n{scenario}", "language.md"))
    assert [] == [(step.step.index, step.failures, step.ruling.reason()) for step in played.steps if step.failures]
    assert played.ok


SAME_FOR_ALL = ("stage", "rule", "runs", "when", "otherwise", "kind", "required", "default", "about")


def named(*types: Any) -> Iterator[tuple[str, str]]:
    for one in types:
        assert issubclass(one, Struct)
        for key in one.__struct_encode_fields__:
            if key not in SAME_FOR_ALL:
                yield one.__name__, key


def test_the_page_names_every_switch() -> None:
    text = PAGE.read_text("utf-8")
    known = dict.fromkeys(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", text))))
    switches = named(
        *get_args(StageKind),
        *get_args(Field),
        *get_args(StandingKind),
        *get_args(Deed),
        *COMMANDS.values(),
        *MECHANISMS.values(),
        *(layers.Layer, layers.Cap, layers.Excess, layers.Reserve, layers.Forbidden),
        *(pack.Silent, pack.Bar, pack.Lasting, pack.Follow, pack.Moment, pack.Figures),
        *(words.Words, words.Word, words.Mark),
        *(
            effects.EffectRules,
            effects.Changing,
            effects.Entry,
            turns.OwnTurns,
            outcomes.Outcome,
            Tally,
            Instead,
            Spare,
        ),
    )
    assert [] == [f"{owner}.{key}" for owner, key in switches if key not in known]


def test_the_page_names_every_section_and_every_kind() -> None:
    from gambeson.games.building import KEYS

    text = PAGE.read_text("utf-8")
    tags = [
        str(kind.__struct_config__.tag) for kind in (*get_args(StageKind), *get_args(StandingKind), *get_args(Field))
    ]
    names = (*KEYS, *COMMANDS, *MECHANISMS, *tags)
    assert [] == [name for name in names if f"`{name}`" not in text]

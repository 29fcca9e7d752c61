"""Where a rule stands: its data in the pack, its code in Python, the scenarios that cite it."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct

from gambeson.engine.commands import COMMANDS
from gambeson.games.documents import Document, read_file
from gambeson.games.loading import folder_of
from gambeson.language.stages import StageKind
from gambeson.language.written_deeds import WordDeed
from gambeson.mechanisms import MECHANISMS

SCENARIOS = ("examples", "tests")


class Spot(Struct, frozen=True, order=True):
    """A line of a file, and what stands there."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def shown_path(path: Path) -> str:
    """The path from here where it is below the current directory, else whole."""
    try:
        return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    except OSError:
        return str(path)


def data_spots(game: str, rule: str) -> tuple[Spot, ...]:
    """The lines of the game's data that name the rule."""
    spots: list[Spot] = []
    for path in sorted(folder_of(game).glob("*.yaml")):
        if re.search(r"\.(en|ru)\.yaml\Z|\A(en|ru)\.yaml\Z", path.name):
            continue
        spots += _lines(path, rule)
    return tuple(spots)


def text_spots(game: str, rule: str, lang: str) -> tuple[Spot, ...]:
    """Where the words of the rule begin."""
    path = folder_of(game) / f"rules.{lang}.yaml"
    found = _lines(path, rule) if path.is_file() else ()
    return tuple(spot for spot in found if spot.text == f"{rule}:")


def _lines(path: Path, rule: str) -> Iterator[Spot]:
    word = re.compile(rf"(?<![\w-]){re.escape(rule)}(?![\w-])")
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if word.search(line):
            yield Spot(shown_path(path), number, line.strip())


def code_spots(game: str, rule: str = "") -> tuple[Spot, ...]:
    """The functions and classes of the game's own code whose docstring begins with the rule (or with any rule)."""
    begins = re.compile(rf"{re.escape(rule)}\b" if rule else r"[A-Z][A-Z0-9]*-\d+\b")
    spots = []
    for path in folder_of(game).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                said = ast.get_docstring(node) or ""
                if begins.match(said):
                    spots.append(Spot(shown_path(path), node.lineno, f"{node.name}: {said.splitlines()[0]}"))
    return tuple(sorted(spots))


def engine_spots(game: str, rule: str) -> tuple[Spot, ...]:
    """The general code that carries the rule out: the stage kinds, commands and deeds that the data attaches it to."""
    document = read_file(folder_of(game) / "pack.yaml")
    doers = {**COMMANDS, **MECHANISMS}
    kinds = {str(kind.__struct_config__.tag): kind for kind in get_args(StageKind)}
    deeds = {str(kind.__struct_config__.tag): kind for kind in get_args(WordDeed)}
    found: dict[str, type] = {}
    for above in _holders(document, rule):
        for holder in reversed(above):
            if isinstance(holder.get("kind"), str) and holder["kind"] in kinds:
                found[f"kind: {holder['kind']}"] = kinds[holder["kind"]]
                break
            if isinstance(holder.get("does"), str) and holder["does"] in doers:
                found[f"does: {holder['does']}"] = doers[holder["does"]]
                break
            named = [deed.get("deed") for deed in _listed(holder.get("does"))]
            if any(name in deeds for name in named):
                found |= {f"deed: {name}": deeds[name] for name in named if name in deeds}
                break
    return tuple(_class_spot(label, type) for label, type in found.items())


def _listed(value: Any) -> list[dict[str, Any]]:
    """The mappings of a list; none where it is no list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _holders(document: Document, rule: str) -> Iterator[tuple[dict[str, Any], ...]]:
    """For each place where the rule stands, the mappings around it from the outside in."""

    def below(value: Any, above: tuple[dict[str, Any], ...]) -> Iterator[tuple[dict[str, Any], ...]]:
        if isinstance(value, dict):
            for entry in value.values():
                yield from below(entry, (*above, value))
        elif isinstance(value, list):
            for entry in value:
                yield from below(entry, above)
        elif value == rule:
            yield above

    data = document.data
    if isinstance(data, dict):
        for name, command in data.get("commands", {}).items():
            if isinstance(command, dict):
                yield from below({"does": name, **command}, ())
        yield from below({key: value for key, value in data.items() if key != "commands"}, ())


def _class_spot(label: str, type: type) -> Spot:
    path = Path(inspect.getsourcefile(type) or "")
    _, line = inspect.getsourcelines(type)
    return Spot(shown_path(path), line, f"{label}: class {type.__name__}")


def scenario_spots(game: str, rule: str) -> tuple[Spot, ...]:
    """The scenarios of a checkout that name the rule."""
    root = Path(__file__).parents[3]
    spots: list[Spot] = []
    for folder in SCENARIOS:
        for path in sorted((root / folder).rglob("*.yaml")):
            text = path.read_text("utf-8", "replace")
            if re.search(rf"(?m)^game:\s*{re.escape(game)}\s*$", text):
                spots += _lines(path, rule)
    return tuple(spots)

"""Opening a table for `play`: a game, a scenario file or a saved evening; and keeping the evening in a file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from gambeson.cli.blow import read_readings
from gambeson.games import load
from gambeson.games.documents import Document, placed, read_file
from gambeson.games.folders import known
from gambeson.games.loading import folder_of
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message
from gambeson.table import Table
from gambeson.table.saving import MOST_BYTES, decode, restored, save
from gambeson.testing.scenarios import Step, read_scenario


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line says of a table."""

    what: str
    variants: Sequence[str] = ()
    save: str = ""
    steps: bool = False


class Opened(Struct, frozen=True):
    """A table that is ready: its title, the steps that a scenario would play, the file that it was taken up from."""

    table: Table
    title: str = ""
    steps: tuple[Step, ...] = ()
    resumed: str = ""
    other_rules: bool = False


def open_table(asked: Asked) -> Opened:
    """The table that was asked for; a `save` file that is there already is taken up. Raises Unusable and BadOption."""
    readings = read_readings(asked.variants)
    if asked.save and os.path.exists(asked.save):
        opened = load_table(asked.save)
        wanted = _game_of(asked.what)
        if wanted and wanted != opened.table.pack.folder:
            said = message("play.open.other_game", there=opened.table.pack.game, asked=asked.what)
            raise Unusable((Fault((), said, asked.save),))
        return opened
    if asked.what in known():
        return Opened(Table(load(asked.what, readings)))
    if not os.path.exists(asked.what):
        raise Unusable((Fault((), message("play.open.nothing", got=asked.what, games=known())),))
    if os.path.isdir(asked.what):
        folder = asked.what if os.sep in asked.what else os.path.join(os.curdir, asked.what)
        return Opened(Table(load(folder, readings)))
    if is_saved(asked.what):
        return load_table(asked.what)
    return _scenario(asked, readings)


def _game_of(what: str) -> str:
    """The game that was asked for by its name, or that a scenario file names; "" where that is not known."""
    if what in known():
        return what
    try:
        data = read_file(what).data
    except Unusable:
        return ""
    return str(data.get("game", "")) if isinstance(data, dict) else ""


def _scenario(asked: Asked, readings: Mapping[str, str]) -> Opened:
    document = read_file(asked.what)
    scenario = read_scenario(document)
    pack = scenario.pack
    if readings:
        pack = load(pack.folder, {**pack.readings, **readings})
    try:
        table = Table(pack, entities=scenario.entities, clock=scenario.clock)
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, document)) from None
    return Opened(table, scenario.title, scenario.steps if asked.steps else ())


# Saved evenings


def is_saved(path: str) -> bool:
    """Whether a file holds a saved table and no scenario."""
    try:
        with open(path, "rb") as stream:
            return b'"format"' in stream.read(200)
    except OSError:
        return False


def load_table(path: str) -> Opened:
    """The table in a file. Raises Unusable."""
    try:
        with open(os.path.expanduser(path), "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unusable((Fault((), message("play.file.read", file=path, reason=error.strerror or ""), path),)) from None
    saved = decode(content)
    table = restored(saved)
    return Opened(table, saved.title, (), path, saved.pack != table.pack.hash)


def save_table(table: Table, path: str, title: str = "") -> None:
    """Write the table to a file, whole or not at all; a file that holds something else stays. Raises Unusable."""
    target = Path(os.path.expanduser(path))
    if target.exists() and target.stat().st_size and not is_saved(str(target)):
        raise Unusable((Fault((), message("play.file.other", file=path), path),))
    try:
        _written(target, save(table, title))
    except OSError as error:
        raise Unusable((Fault((), message("play.file.write", file=path, reason=error.strerror or ""), path),)) from None


def _written(target: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def demo_party(folder: str, lang: str) -> dict[str, Any]:
    """The people that a game offers for trying things out, or nobody."""
    path = folder_of(folder) / f"demo.{lang}.yaml"
    if not path.is_file():
        return {}
    document: Document = read_file(path)
    data = document.data
    return data.get("entities", {}) if isinstance(data, dict) else {}

"""What is remembered of packs: the second start gives the same pack without a second look, and nothing can spoil it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from gambeson import Table, Unusable
from gambeson.games import available, load, loading, remembering
from gambeson.games.checking import check_pack
from gambeson.games.eldfall.rules import CODE
from gambeson.language.functions import Function
from gambeson.language.pack import Pack
from gambeson.language.predicates import DiceFormula, Formula, Predicate
from gambeson.language.words import CallReader
from tests.small_packs import HIT, WOUND, points, small, start_anew, write


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of what is remembered, for one test alone."""
    monkeypatch.setenv("GAMBESON_CACHE", str(tmp_path / "cache"))
    start_anew()
    yield tmp_path / "cache" / "packs"
    start_anew()


def plain(value: Any) -> Any:
    """A value of a pack as plain data that can be compared; what was to be compiled later is compiled."""
    match value:
        case Predicate():
            assert callable(value.holds)
            return ("predicate", value.text)
        case Formula() | DiceFormula():
            assert callable(value.value)
            return ("formula", value.text)
        case Function():
            return ("function", value.name, value.call.__qualname__)
        case CallReader():
            return plain(vars(value))
        case Struct():
            fields = {name: plain(getattr(value, name)) for name in value.__struct_fields__ if name != "source"}
            return (type(value).__name__, fields)
        case dict():
            return {key: plain(entry) for key, entry in value.items()}
        case tuple() | list():
            return (type(value).__name__, [plain(entry) for entry in value])
        case _ if callable(value):
            return value.__qualname__
    return value


def whole(pack: Pack) -> Any:
    """Everything of a pack, each command first by what does it."""
    made = [command.does for command in pack.commands.values()]
    assert len(made) == len(pack.commands)
    return plain(pack.whole())


def never(*_: Any) -> Any:
    raise AssertionError("looked at again")


def pack_files(kept: Path) -> list[Path]:
    return sorted(path for path in kept.iterdir() if path.is_file())


# The same pack


@pytest.mark.parametrize("game", available())
def test_the_second_start_gives_the_same_pack_under_every_reading(game: str) -> None:
    chosen: list[dict[str, str]] = [{}]
    chosen += [{name: reading} for name, open in load(game).variants.items() for reading in open.readings[1:]]
    first = [whole(load(game, variants)) for variants in chosen]
    start_anew()
    assert first == [whole(load(game, variants)) for variants in chosen]


def test_the_second_start_looks_at_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {game: load(game).hash for game in available()}
    start_anew()
    monkeypatch.setattr(loading, "checked", never)
    monkeypatch.setattr(remembering, "plain_data", never)
    assert first == {game: load(game).hash for game in available()}
    for game in available():
        assert load(game).rules


def test_nothing_of_a_pack_is_made_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    load("srd5")
    start_anew()
    monkeypatch.setattr(loading, "opened", never)
    pack = load("srd5")
    assert "5.1" == pack.readings["edition"]
    with pytest.raises(AssertionError, match="looked at again"):
        _ = pack.rules


def test_a_pack_laid_over_others_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "format: 1\nextends: srd5\nchoose: {rounding: up}\nstages: [{move: temporary, before: immunity}]\n"
    folder = write(tmp_path / "ours", text)
    first = whole(load(folder))
    start_anew()
    monkeypatch.setattr(loading, "checked", never)
    assert first == whole(load(folder))


# What has changed is looked at


def test_a_changed_pack_is_looked_at(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", small(procedure=[WOUND, {**WOUND, "stage": "again"}]))
    assert 2 == len(load(folder).procedure)
    start_anew()
    write(folder, small(procedure=[WOUND]))
    assert 1 == len(load(folder).procedure)
    start_anew()
    write(folder, "format: 1\ngame: small\nlayers:\n  life: {rule: AA-01, spnt: gone}\n")
    with pytest.raises(Unusable) as unusable:
        load(folder)
    assert [(4, 23)] == [(fault.line, fault.column) for fault in unusable.value.faults[:1]]


def test_a_changed_pack_below_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    write(tmp_path / "small", small())
    over = write(
        tmp_path / "over", "format: 1\nextends: small\nstages: [{add: {stage: x, kind: total, rule: AA-01}}]\n"
    )
    assert ["life", "x"] == [stage.stage for stage in load(over).procedure]
    start_anew()
    write(tmp_path / "small", small(procedure=[WOUND, {**WOUND, "stage": "again"}]))
    assert ["life", "again", "x"] == [stage.stage for stage in load(over).procedure]


def test_a_changed_name_is_looked_at(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", small())
    assert "fire" not in load(folder).type_names
    start_anew()
    (folder / "terms.en.yaml").write_text("fire: Flame\n", "utf-8")
    assert "fire" == load(folder).type_names["flame"]


def test_other_code_looks_at_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    load("pokrovy")
    start_anew()
    monkeypatch.setattr(remembering, "_mark", lambda folder: f"{folder} of another day")
    monkeypatch.setattr(loading, "checked", never)
    with pytest.raises(AssertionError, match="looked at again"):
        load("pokrovy")


# What is spoiled does no harm


def signed(file: Path, body: bytes) -> bytes:
    return hashlib.sha256(remembering.DATA + file.name.encode() + body).digest() + body


DEEP = b"\x91" * 200_000 + b"\xc0"
SPOILED: dict[str, Callable[[Path, bytes], bytes]] = {
    "empty": lambda file, content: b"",
    "cut off": lambda file, content: content[: len(content) // 2],
    "one bit": lambda file, content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
    "longer": lambda file, content: content + b"\0",
    "another format": lambda file, content: hashlib.sha256(b"older" + content[32:]).digest() + content[32:],
    "not ours": lambda file, content: b"#!/usr/bin/python\nprint('hello')\n",
    "nothing, well signed": lambda file, content: signed(file, msgspec.msgpack.encode(None)),
    "too deep, well signed": lambda file, content: signed(file, DEEP),
    "too deep inside, well signed": lambda file, content: signed(file, b"\x92" + DEEP + b"\x90"),
    "kinds that are not there": lambda file, content: signed(
        file, msgspec.msgpack.encode([{"game": "novitas", "procedure": [{"kind": "os.system", "stage": "x"}]}, []])
    ),
    "code that is not there": lambda file, content: signed(
        file, msgspec.msgpack.encode([{"game": "x", "watchers": {"died": ["os.system"]}}, []])
    ),
}


FORGED = [
    {"game": 3, "layers": [], "rules": {"NV-01": 7}},
    {"game": "novitas", "types": "no list"},
    {"game": "novitas", "commands": {"hit": {"does": "os.system", "with": {}}}, "spells": {"x": None}},
]


@pytest.mark.parametrize("data", FORGED)
def test_what_is_forged_is_at_most_another_pack(data: dict[str, Any], kept: Path) -> None:
    load("novitas")
    for file in pack_files(kept):
        file.write_bytes(signed(file, msgspec.msgpack.encode([data, []])))
    start_anew()
    assert load("novitas").whole().hash == load("novitas").hash


@pytest.mark.parametrize("how", SPOILED)
def test_what_is_spoiled_is_made_anew_without_a_word(how: str, kept: Path) -> None:
    first = whole(load("novitas"))
    for file in pack_files(kept):
        file.write_bytes(SPOILED[how](file, file.read_bytes()))
    start_anew()
    assert first == whole(load("novitas"))


def test_what_was_spoiled_is_remembered_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = whole(load("novitas"))
    for file in pack_files(kept):
        file.write_bytes(b"")
    start_anew()
    load("novitas").whole()
    start_anew()
    monkeypatch.setattr(loading, "checked", never)
    assert first == whole(load("novitas"))


def test_another_pack_in_its_place_is_no_pack(tmp_path: Path, kept: Path) -> None:
    load("novitas")
    novitas = max((path.read_bytes() for path in pack_files(kept)), key=len)
    folder = write(tmp_path / "small", small())
    load(folder)
    for file in pack_files(kept):
        file.write_bytes(novitas)
    start_anew()
    assert ["life"] == [stage.stage for stage in load(folder).procedure]


def test_what_is_kept_brings_no_code_to_a_pack_that_has_none(tmp_path: Path, kept: Path) -> None:
    folder = write(tmp_path / "small", small())
    load(folder)
    forged = [{"game": "small", "watchers": {"hit": [next(iter(CODE))]}, "layers": {}}, []]
    for file in pack_files(kept):
        file.write_bytes(signed(file, msgspec.msgpack.encode(forged)))
    start_anew()
    pack = load(folder)
    assert ({}, ["life"]) == (pack.watchers, list(pack.layers))


def test_a_place_that_cannot_be_written_to_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("GAMBESON_CACHE", str(tmp_path / "file"))
    table = Table(write(tmp_path / "small", small(commands={"hit": HIT})), entities={"tom": {"pools": {"life": 5}}})
    table.hit("tom", 2)
    assert 3 == points(table, "tom")


def test_only_so_much_is_kept(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "MOST_FILES", 10)
    for number in range(20):
        write(tmp_path / f"pack{number}", small(life="life", traits=[f"trait{number}"]))
        load(tmp_path / f"pack{number}")
        start_anew()
    assert len(pack_files(kept)) <= 12
    assert ("trait19",) == load(tmp_path / "pack19").traits


def test_many_processes_may_start_at_once(kept: Path) -> None:
    code = "from gambeson.games import available, load; print([len(load(game).plan) for game in available()])"
    several = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
        for _ in range(4)
    ]
    said = [process.communicate(timeout=120)[0] for process in several]
    assert [f"{[len(load(game).plan) for game in available()]}\n"] * 4 == said
    assert all(signed(file, file.read_bytes()[32:]) == file.read_bytes() for file in pack_files(kept))


def test_a_remembered_pack_is_checked_and_its_findings_placed(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", small(layers={"bark": {"rule": "AA-01"}}))
    first = check_pack(folder)
    start_anew()
    again = check_pack(folder)
    assert first == again
    assert any(finding.fault.line for finding in again)


def test_a_pack_is_compared_and_copied_as_a_whole() -> None:
    import copy

    load("pokrovy")
    start_anew()
    pack = load("pokrovy")
    assert "pokrovy" in repr(pack)
    assert pack == pack.whole()
    assert pack.rules == copy.copy(pack.whole()).rules

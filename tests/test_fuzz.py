"""Whatever is read (scenarios, packs, calls, saved tables) is taken or refused in words, and never slowly."""

from __future__ import annotations

import copy
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambeson.games import available, load
from gambeson.games.checking import check_pack
from gambeson.games.documents import Document, read_file, read_text
from gambeson.games.loading import GAMES
from gambeson.language.part_calls import read_parts
from gambeson.model.commands import Command
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import Message
from gambeson.model.outcomes import Refusal
from gambeson.table import Table
from gambeson.table.saving import restore, save
from gambeson.testing import play_file
from gambeson.testing.checking import check_scenario
from gambeson.testing.running import play
from gambeson.testing.strategies import WILD

CASES = Path(__file__).parent / "cases"
MEGABYTE = 1_000_000
SECONDS = 2.0


@contextmanager
def refusing() -> Iterator[None]:
    """What is done within may be refused, if the refusal says what is wrong."""
    faults: tuple[Fault, ...] = (Fault((), Message("")),)
    try:
        yield
    except Unusable as unusable:
        faults = unusable.faults
    assert faults


NAMES = ("pokrovy", "novitas")
READINGS = ("game", "target", "hit", "by_variant", "only", "same_as", "else", "rule", "kind", "type", "of", "fields")
ODD: st.SearchStrategy[Any] = st.one_of(
    WILD,
    st.sampled_from(READINGS),
    st.integers(-5, 5),
    st.sampled_from(
        ([[]], [None], {"by_variant": "none"}, {"same_as": "layers"}, {"only": 3}, "target.body > 0", 10**40, "")
    ),
)
"""Values to put where they do not belong."""


def mutated(data: Any, draw: st.DataObject) -> Any:
    """The data with some values replaced, taken away, or moved below another key."""
    copied = copy.deepcopy(data)
    for _ in range(draw.draw(st.integers(1, 3))):
        holder, step = draw.draw(st.sampled_from(places(copied)))
        match draw.draw(st.sampled_from(("replace", "remove", "rename", "repeat"))):
            case "remove":
                del holder[step]
            case "rename" if isinstance(holder, dict):
                holder[draw.draw(st.one_of(st.sampled_from(READINGS), st.text(max_size=4)))] = holder.pop(step)
            case "repeat" if isinstance(holder, list):
                holder.insert(step, copy.deepcopy(holder[step]))
            case _:
                holder[step] = copy.deepcopy(draw.draw(ODD))
        if not places(copied):
            break
    return copied


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every place of the data as the list or mapping that holds it, and the index or key."""
    found: list[tuple[Any, Any]] = []
    steps: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        found.append((data, step))
        found += places(value)
    return found


def scratched(text: str, draw: st.DataObject) -> str:
    """The text with some characters changed, lines moved or pieces taken out."""
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, max(0, len(text) - 1)))
        match draw.draw(st.sampled_from(("insert", "cut", "double"))):
            case "insert":
                piece = draw.draw(
                    st.one_of(st.sampled_from((*"{}[]:,-#&*!|>'\"%@`\t\n", ": ", "- ", "\n  ")), st.text(max_size=3))
                )
                text = text[:at] + piece + text[at:]
            case "cut":
                text = text[:at] + text[at + draw.draw(st.integers(1, 20)) :]
            case _:
                text = text[:at] + text[at : at + 30] + text[at:]
    return text


@cache
def plain_data(path: Path) -> Any:
    return read_file(path).data


def as_document(data: Any, file: str = "some.json") -> Document:
    return read_text(json.dumps(data, ensure_ascii=False), file)


# Scenarios


def played(document: Document) -> None:
    """Reading, checking and playing end in a result or in faults."""
    check_scenario(document)
    play(document)


@pytest.mark.parametrize("game", available())
@given(data=st.data())
def test_a_scenario_with_scratches_is_played_or_refused(game: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted((CASES / game).glob("*.yaml"))))
    with refusing():
        played(read_text(scratched(path.read_text("utf-8"), data)))


@pytest.mark.parametrize("game", available())
@given(data=st.data())
def test_a_scenario_with_odd_values_is_played_or_refused(game: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted((CASES / game).glob("*.yaml"))))
    with refusing():
        played(as_document(mutated(plain_data(path), data)))


# Packs


def loaded(text: str, file: str = "pack.yaml") -> None:
    """A pack of this text is loaded, and what was loaded is checked."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(text, "utf-8")
        with refusing():
            load(folder)
            check_pack(folder)


SMALL = """\
format: 1
game: small
kinds: [creature]
life: body
facts:
  immune: {type: list, of: {type: word, of: [fire, cold]}}
layers:
  shell: {rule: R-1, until: {type: until, of: [dawn], units: [minutes]}, cap: [{points: 4}]}
  body: {rule: R-1, keys: {covers: {type: list, of: {type: word}}}}
types: [fire, cold]
procedure:
  - {stage: immunity, kind: immunity, rule: R-2, reads: immune, stops: parts}
  - {stage: shell, kind: absorb, rule: R-1, layer: shell, inside: [{stage: cut, kind: limit, rule: R-1, to: 1}]}
  - {stage: body, kind: absorb, rule: R-1, layer: body, when: {by_variant: order, first: target.body > 0, else: true}}
words:
  rule: R-1
  known: {fire: {kind: damage, marks: [{condition: burning, rule: R-1, lasts: {minutes: 1}}]}}
moments:
  dawn: {rule: R-2, ends: [dawn], every: {hours: 24}}
conditions: {down: target.body = 0}
flags: {glow: target.shell > 0}
silent: {rule: R-1, conditions: [down]}
lasting: {bleeding: {rule: R-1, conditions: [burning], lasts: {minutes: 10}, then: [burning]}}
follows: [{rule: R-1, begins: bleeding, holds: target.body = 0, watches: [body]}]
commands:
  hit: {does: hit.parts, fields: {target: {type: entity, required: true}, damage: {type: number}}}
  grant:
    with: {rule: R-1}
    fields: {target: {type: entity}, layer: {type: word, of: [shell, body]}, points: {type: number}}
  cast: {with: {rule: R-1}, fields: {caster: {type: entity}, spell: {type: text}}}
spells:
  wall: {rule: R-1, lasts: dawn, does: [{deed: grant, layer: shell, points: 3}]}
rules:
  R-1: {status: source, source: page 1}
  R-2: {status: reading, source: page 2, variants: [order]}
variants:
  order: {rule: R-2, readings: [first, last]}
"""


def test_the_small_pack_is_sound() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_text(SMALL, "utf-8")
        assert ["language-none", "language-none"] == [finding.id for finding in check_pack(folder)]


@given(data=st.data())
def test_a_pack_with_scratches_is_loaded_or_refused(data: st.DataObject) -> None:
    loaded(scratched(SMALL, data))


@given(data=st.data())
def test_a_pack_with_odd_values_is_loaded_or_refused(data: st.DataObject) -> None:
    loaded(json.dumps(mutated(read_text(SMALL).data, data)))


@pytest.mark.parametrize("game", NAMES)
@settings(max_examples=max(20, settings().max_examples // 4))
@given(data=st.data())
def test_a_whole_pack_with_odd_values_is_loaded_or_refused(game: str, data: st.DataObject) -> None:
    changed = mutated(plain_data(GAMES / game / "pack.yaml"), data)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_text(json.dumps(changed), "utf-8")
        with refusing():
            load(folder)


OVERLAY: dict[str, Any] = {
    "format": 1,
    "extends": ["pokrovy"],
    "choose": {"overheal": "halved"},
    "drop": ["spells.barrier"],
    "stages": [
        {"move": "shield", "after": "wards"},
        {"add": {"stage": "sum", "kind": "total", "rule": "PK-39"}, "before": "vyn"},
        {
            "replace": "stage_two",
            "with": {"stage": "stage_two", "kind": "note", "rule": "PK-49", "name": "after_stage_two"},
        },
        {"drop": "retaliation"},
    ],
    "layers": {"wards": {"stacking": "greatest"}},
    "licence": ["Ours."],
}


@settings(max_examples=max(50, settings().max_examples // 2))
@given(data=st.data())
def test_a_pack_that_extends_another_with_odd_values_is_loaded_or_refused(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_text(json.dumps(mutated(OVERLAY, data)), "utf-8")
        with refusing():
            load(folder)


TOKENS = (
    "target.body", "target.shell", "target.kind", "target.immune", "target.conditions", "hit.damage", "hit.amount",
    "1", "0", "999999999", "'fire'", "'creature'", "true", "false", "and", "or", "not", "in", "=", "!=", "<", ">=",
    "+", "-", "*", "/", "(", ")", "ceil", "min", ",", "d", "nobody", "é", "'", "..",
)  # fmt: skip


@given(tokens=st.lists(st.sampled_from(TOKENS), max_size=12))
def test_an_expression_in_a_pack_is_worked_out_or_refused(tokens: list[str]) -> None:
    pack = read_text(SMALL).data
    assert isinstance(pack, dict)
    pack["conditions"] = {"down": " ".join(tokens)}
    pack["spells"]["wall"]["does"][0]["points"] = " ".join(tokens[::-1])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_text(json.dumps(pack), "utf-8")
        with refusing():
            table = Table(load(folder), entities={"a": {"pools": {"body": 3, "shell": 1}}})
            table.submit(Command("cast", {"caster": "a", "spell": "wall"}))
            table.submit(Command("hit", {"target": "a", "damage": 2}))


# Calls

WORDS = (
    "4", "0", "-1", "+", "+3", "1e3", "silver", "pierce", "Torso", "wound", "left", "arm", "fire", "огонь", "клинок",
    "dispel", "magic", "slashing", "melee", "all", "no", "effect", "99999999999999999999", "²", "٣", "ﬁre", "İ", "ß",
    "untyped", "🛡", ",", "!",
)  # fmt: skip


@pytest.mark.parametrize("game", available())
@given(text=st.one_of(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), st.text(max_size=40)))
def test_a_call_is_understood_or_refused(game: str, text: str) -> None:
    pack = load(game)
    if pack.reader is not None:
        read = pack.reader.read(text)
        assert read is not None
        assert not isinstance(read, tuple) or all(isinstance(refusal, Refusal) for refusal in read)
    parts = read_parts(text, pack, "untyped")
    assert isinstance(parts, Refusal) or parts[0]


# Saved tables


@cache
def saved() -> bytes:
    table = play_file(CASES / "pokrovy" / "keep-old-or-take-new.yaml").table
    assert table is not None
    return save(table)


def restored(content: bytes) -> None:
    """A document of a table is restored, or refused; what was restored can be saved again."""
    with refusing():
        save(restore(content))


@given(data=st.data())
def test_a_saved_table_with_odd_values_is_restored_or_refused(data: st.DataObject) -> None:
    restored(json.dumps(mutated(json.loads(saved()), data)).encode())


@given(data=st.data())
def test_a_saved_table_with_scratches_is_restored_or_refused(data: st.DataObject) -> None:
    restored(scratched(saved().decode(), data).encode("utf-8", "replace"))


@given(content=st.binary(max_size=200))
def test_bytes_are_no_table(content: bytes) -> None:
    restored(content)


# A megabyte


def a_word() -> str:
    return "game: " + "x" * MEGABYTE


def digits() -> str:
    return "game: novitas\nseed: " + "9" * MEGABYTE


def numbers() -> str:
    return "game: novitas\nsteps: [" + "1, " * 100_000 + "]"


def nested() -> str:
    return "game: " + "[" * MEGABYTE


def nested_below() -> str:
    return "game: novitas\nentities: " + "{a: " * 30 + "1" + "}" * 30 + "\n" + "# " * 400_000


def keys() -> str:
    return "game: novitas\nentities:\n" + "".join(f"  k{i}: {{}}\n" for i in range(80_000))


def unknown_keys() -> str:
    return "game: novitas\n" + "".join(f"gmae{i}: 1\n" for i in range(70_000))


def steps() -> str:
    return "game: novitas\nentities: {a: {}}\nsteps:\n" + "- hit: {target: a, call: '1'}\n" * 200


def faulty_steps() -> str:
    return "game: novitas\nsteps:\n" + "- {hti: 1, hat: 2}\n" * 45_000


def quotes() -> str:
    return "game: '" + "''" * (MEGABYTE // 2)


def a_call() -> str:
    return "game: novitas\nentities: {a: {}}\nsteps: [hit: {target: a, call: '" + "pierce " * 140_000 + "'}]"


def a_target() -> str:
    return "game: novitas\nentities: {a: {}}\nsteps: [hit: {target: " + "a" * MEGABYTE + "}]"


def wrong_reading() -> str:
    return "game: novitas\nvariants: {" + ", ".join(f"modifier{i}: any" for i in range(40_000)) + "}"


def expectations() -> str:
    return (
        "game: novitas\nentities: {a: {}}\nsteps: [hit: {target: a}, expect: {"
        + ", ".join(f"b{i}: 1" for i in range(50_000))
        + "}]"
    )


def pools() -> str:
    return "game: novitas\nentities: {a: {pools: {" + ", ".join(f"bodi{i}: 1" for i in range(60_000)) + "}}}"


LARGE = (
    a_word, digits, numbers, nested, nested_below, keys, unknown_keys, steps, faulty_steps, quotes, a_call, a_target,
    wrong_reading, expectations, pools,
)  # fmt: skip


def in_time(work: Callable[[], object]) -> None:
    """The work is done, or refused, in the time that a megabyte may take."""
    start = time.process_time()
    with refusing():
        work()
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("written", LARGE, ids=lambda written: written.__name__)
def test_a_megabyte_of_scenario_takes_no_more_than_two_seconds(written: Callable[[], str]) -> None:
    text = written()
    load("novitas")
    in_time(lambda: play(read_text(text)))


@pytest.mark.parametrize(
    "content",
    [
        b'{"format": 1, "game": "' + b"x" * MEGABYTE + b'"}',
        b"[" * MEGABYTE,
        b'{"format": ' + b"1" * MEGABYTE + b"}",
        b'{"format": 1, "rows": [' + b'{"version": 1},' * 60_000 + b"]}",
    ],
    ids=["word", "nested", "digits", "rows"],
)
def test_a_megabyte_of_saved_table_takes_no_more_than_two_seconds(content: bytes) -> None:
    in_time(lambda: restore(content))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kinds: [creature]", "kinds: [" + "creature, " * 90_000 + "]"),
        ("types: [fire, cold]", "types: [" + ", ".join(f"t{i}" for i in range(100_000)) + "]"),
        ("flags: {glow: target.shell > 0}", "flags: {glow: " + "target.shell > 0 and " * 45_000 + "true}"),
        (
            "flags: {glow: target.shell > 0}",
            "flags: {" + ", ".join(f"f{i}: target.shel > 0" for i in range(30_000)) + "}",
        ),
        ("rules:\n", "rules:\n" + "".join(f"  Q-{i}: {{status: source}}\n" for i in range(25_000))),
        ("layers:\n", "layers:\n" + "".join(f"  l{i}: {{rle: R-1}}\n" for i in range(40_000))),
    ],
    ids=["kinds", "types", "predicate", "flags", "rules", "layers"],
)
def test_a_megabyte_of_pack_takes_no_more_than_two_seconds(tmp_path: Path, old: str, new: str) -> None:
    assert old in SMALL
    (tmp_path / "pack.yaml").write_text(SMALL.replace(old, new), "utf-8")
    in_time(lambda: load(tmp_path))


@pytest.mark.parametrize("game", available())
@pytest.mark.parametrize(
    "text", ["4 " * 500_000, "x" * MEGABYTE, "+" * MEGABYTE, "9" * MEGABYTE], ids=["fours", "word", "plus", "digits"]
)
def test_a_megabyte_of_call_takes_no_more_than_two_seconds(game: str, text: str) -> None:
    pack = load(game)

    def read() -> None:
        read_parts(text, pack, "untyped")
        if pack.reader is not None:
            pack.reader.read(text)

    in_time(read)

"""Packs of one's own: a new game in a folder, packs laid over a game, and packs that mean harm."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gambeson import Table, Unusable
from gambeson.cli import main
from gambeson.games import load, texts
from gambeson.games.checking import check_pack
from gambeson.language.texts import Texts
from tests.small_packs import WOUND, points, small, start_anew, table, write

LICENCE = 'This work includes material taken from the System Reference Document 5.1 ("SRD 5.1")'


def stages(pack: Any) -> list[str]:
    return [stage.stage for stage in pack.procedure]


def said(unusable: Unusable) -> str:
    common: Texts = texts(None, "en")
    return "; ".join(f"{fault.line}: {common.say(fault.message)}" for fault in unusable.faults)


# A game of one's own


GARDEN = """
format: 1
game: garden
about: a duel of gardeners; hedges stand before health, and a gate is closed or open
kinds: [gardener]
life: health
facts:
  gate: {type: word, of: [open, closed], default: closed, about: whether the hedge stands in the way}
layers:
  hedge: {rule: GA-01, spent: gone, stacking: choose, stacking_rule: GA-02, sourced: true,
          until: {type: until, of: [dusk], units: [minutes]}}
  health: {rule: GA-01, absent: none}
procedure:
  - {stage: gate, kind: limit, rule: GA-03, to: 4, when: target.gate = 'closed'}
  - {stage: health, kind: absorb, rule: GA-01, layer: health, when: "'dig' in hit.words"}
  - {stage: hedge, kind: absorb, rule: GA-01, layer: hedge}
  - {stage: health, kind: absorb, rule: GA-01, layer: health}
moments:
  dusk: {rule: GA-04, every: {hours: 6}, ends: [dusk]}
commands:
  hit:
    does: hit.parts
    with: {rule: GA-01}
    fields:
      target: {type: entity, required: true}
      damage: {type: number, required: true}
      traits: {type: list, of: {type: word, of: [dig]}}
  cast:
    with: {rule: GA-05}
    fields:
      caster: {type: entity, required: true}
      spell: {type: text, required: true}
      targets: {type: list, single: true, of: {type: entity}}
  advance: {with: {rule: GA-04}, fields: {to: {type: word, of: [dusk], required: true}}}
spells:
  grow: {rule: GA-05, name: Grow, lasts: dusk, does: [{deed: grant, layer: hedge, points: 6}]}
rules:
  GA-01: {status: source, source: garden}
  GA-02: {status: source, source: garden}
  GA-03: {status: source, source: garden}
  GA-04: {status: source, source: garden}
  GA-05: {status: source, source: garden}
"""


@pytest.fixture
def garden(tmp_path: Path) -> Table:
    folder = write(tmp_path / "garden", GARDEN)
    return Table(folder, entities={"ivy": {"pools": {"health": 10, "hedge": 3}}, "rose": {"pools": {"health": 10}}})


def test_a_new_game_is_a_folder_and_nothing_else(garden: Table) -> None:
    garden.hit("ivy", 9)
    assert (0, 9) == (points(garden, "ivy", "hedge"), points(garden, "ivy", "health"))
    garden.hit("rose", 3, traits=["dig"])
    assert 7 == points(garden, "rose", "health")


def test_a_new_game_casts_asks_and_ends_things(garden: Table) -> None:
    assert "paused" == garden.do("cast", caster="ivy", spell="grow").status
    garden.answer("take")
    assert 6 == points(garden, "ivy", "hedge")
    garden.do("advance", to="dusk")
    assert 0 == points(garden, "ivy", "hedge")
    assert garden.state == garden.replayed()


def test_a_new_game_is_checked(tmp_path: Path) -> None:
    found = check_pack(write(tmp_path / "garden", GARDEN), None)
    assert [] == [finding for finding in found if finding.severity == "error"]


# Packs laid over a game


def overlay(folder: Path, name: str, text: str) -> Path:
    return write(folder / name, text)


def test_an_overlay_chooses_readings(tmp_path: Path) -> None:
    pack = load(overlay(tmp_path, "ours", "format: 1\nextends: srd5\nchoose: {edition: 5.2, stacking: max}\n"))
    assert ("5.2", "max") == (pack.readings["edition"], pack.readings["stacking"])
    assert "5.1" == load(tmp_path / "ours", {"edition": "5.1"}).readings["edition"]
    assert "srd5" == pack.game


def test_an_overlay_adds_moves_replaces_and_drops_stages(tmp_path: Path) -> None:
    text = """
format: 1
extends: srd5
stages:
  - {move: temporary, before: immunity}
  - {drop: transfer}
  - {replace: vulnerability, with: {stage: vulnerability, kind: scale, rule: S5-21, double: vulnerable, both: in_order}}
  - {add: {stage: cap, kind: limit, rule: HR-01, to: 30}, after: total}
rules:
  HR-01: {status: reading, source: our table}
"""
    base, ours = stages(load("srd5")), stages(load(overlay(tmp_path, "ours", text)))
    assert ours.index("temporary") == ours.index("immunity") - 1
    assert "transfer" in base
    assert "transfer" not in ours
    assert ours.index("cap") == ours.index("total") + 1
    played = Table(tmp_path / "ours", entities={"anna": {"pools": {"hit_points": 40}}})
    assert {"hit_points": 30} == played.hit("anna", 99).taken


def test_an_overlay_adds_a_layer_and_a_catalogue_entry(tmp_path: Path) -> None:
    text = """
format: 1
extends: srd5
layers:
  vigor: {rule: HR-01, absent: zero}
  temporary: {stacking: greatest}
stages:
  - {add: {stage: vigor, kind: absorb, rule: HR-01, layer: vigor}, before: temporary}
spells:
  oaken_hide: {rule: HR-01, gives: {until: {minutes: 10}, changes: {reductions: {all: 2}}}}
rules:
  HR-01: {status: reading, source: our table}
"""
    entities = {"anna": {"pools": {"hit_points": 20, "vigor": 3, "temporary": 5}}}
    played = Table(overlay(tmp_path, "ours", text), entities=entities)
    played.do("grant", target="anna", effect="oaken_hide")
    played.do("grant", target="anna", points=4)
    played.hit("anna", 11)
    assert (0, 0, 19) == (
        points(played, "anna", "vigor"),
        points(played, "anna", "temporary"),
        points(played, "anna", "hit_points"),
    )


def test_an_overlay_drops_what_it_names(tmp_path: Path) -> None:
    pack = load(overlay(tmp_path, "ours", "format: 1\nextends: srd5\ndrop: [spells.rage]\n"))
    assert "rage" not in pack.spells
    assert "rage" in load("srd5").spells


def test_several_overlays_stand_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay(tmp_path, "first", "format: 1\nextends: srd5\nchoose: {edition: '5.2', rounding: up}\n")
    overlay(tmp_path, "second", "format: 1\nextends: first\nchoose: {rounding: down, massive_damage: 'off'}\n")
    overlay(tmp_path, "third", "format: 1\nextends: [first, second]\nchoose: {stacking: sum}\n")
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    readings = load("third").readings
    assert ("5.2", "down", "off", "sum") == tuple(
        readings[v] for v in ("edition", "rounding", "massive_damage", "stacking")
    )


def test_the_licence_travels_with_an_overlay(tmp_path: Path) -> None:
    from gambeson.games.loading import _joined, chain

    folder = overlay(tmp_path, "ours", "format: 1\nextends: srd5\nlicence: [Ours is free.]\n")
    licence = _joined(chain(folder)).data["licence"]  # type: ignore[index]
    assert licence[0].startswith(LICENCE)
    assert "Ours is free." == licence[-1]


def test_an_overlay_says_things_in_the_game_s_words(tmp_path: Path) -> None:
    folder = overlay(tmp_path, "ours", "format: 1\nextends: srd5\n")
    (folder / "terms.en.yaml").write_text("temporary: false life\n", "utf-8")
    played = Table(folder, entities={"anna": {"pools": {"hit_points": 20, "temporary": 5}}})
    explained = played.hit("anna", 7).explain()
    assert "false life" in explained
    assert "hit points" in explained


def test_the_command_line_takes_a_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", "")
    overlay(tmp_path, "ours", "format: 1\nextends: srd5\nchoose: {rounding: up}\n")
    file = tmp_path / "case.yaml"
    file.write_text(
        "game: ours\nentities: {anna: {resistant: [fire], pools: {hit_points: 9}}}\n"
        "steps: [{hit: {target: anna, damage: [{amount: 5, type: fire}]}, expect: {anna: {pools: {hit_points: 6}}}}]\n",
        "utf-8",
    )
    with pytest.raises(SystemExit) as left:
        main(["run", str(file), "--pack", str(tmp_path / "ours")])
    assert 0 == left.value.code
    with pytest.raises(SystemExit) as left:
        main(["run", str(file), f"--pack={tmp_path / 'nowhere'}"])
    assert 2 == left.value.code
    assert "nowhere" in capsys.readouterr().err


# What is wrong with an overlay


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("format: 1\nextends: nothing\n", 2, "srd5"),
        ("format: 1\nextends: ../srd5\n", 2, "srd5"),
        ("format: 1\nextends: srd5\nchoose: {edition: 5.3}\n", 3, "5.1, 5.2"),
        ("format: 1\nextends: srd5\nchoose: {editoin: 5.2}\n", 3, "edition"),
        ("format: 1\nextends: srd5\ndrop: [layers.wards]\n", 3, "layers.wards"),
        ("format: 1\nextends: srd5\nstages:\n  - {drop: tranfer}\n", 4, "transfer"),
        ("format: 1\nextends: srd5\nstages:\n  - {move: ward, befor: immunity}\n", 4, "before"),
        ("format: 1\nextends: srd5\nstages:\n  - {turn: ward}\n", 4, "add, move, replace, drop"),
        ("format: 1\nextends: srd5\nstages:\n  - {add: {stage: cap, kind: limit, rule: S5-05, too: 3}}\n", 4, "too"),
        ("format: 1\nextends: srd5\nlayers:\n  temporary: {stacking: gratest}\n", 4, "gratest"),
        ("format: 1\nextends: srd5\nspells:\n  new: {rule: S5-53, gives: {untill: {minutes: 1}}}\n", 4, "untill"),
        ("format: 1\nextends: [srd5, novitas]\n", 2, "two games"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(Unusable) as unusable:
        load(overlay(tmp_path, "ours", text))
    assert says in said(unusable.value)
    assert line == unusable.value.faults[0].line
    assert "ours" in unusable.value.faults[0].file


# The place in the overlay itself, and what is said


FAULTY = [
    ("drop: [layers.temporary, layers.wrd]", 26, "'layers.wrd' to drop (did you mean ward?)"),
    ("drop: [3]", 8, "nothing at 3"),
    ("drop: ['', layers.]", 8, "nothing at ''"),
    ("drop: [procedure.0]", 8, "nothing at 'procedure.0'"),
    ("drop: {layers: 1}", 7, "a list is needed"),
    ("drop: [layers.ward]", 8, "this breaks commands.heal.bars.0.when of srd5: there is no name target.ward"),
    ("drop: [layers.hit_points]", 8, "this breaks"),
    ("drop: [game]", 8, "this breaks game of srd5: game is missing"),
    ("drop: [variants.edition]", 8, "this breaks"),
    ("effects: nothing", 10, "this breaks commands.grant.fields.source.same_as of srd5"),
    ("stages: {drop: transfer}", 9, "a list is needed"),
    ("stages: [null]", 10, "add, move, replace, drop"),
    ("stages: [{drop: transfer, move: ward}]", 10, "add, move, replace, drop"),
    ("stages: [{drop: [transfer]}]", 17, "a text is needed, not a list"),
    ("stages: [{drop: null}]", 17, "a text is needed, not nothing"),
    ("stages: [{replace: transfer}]", 10, "with is missing"),
    ("stages: [{replace: transfer, with: none}]", 36, "a mapping is needed, not a text"),
    ("stages: [{add: none}]", 16, "a mapping is needed, not a text"),
    ("stages: [{add: {stage: x, kind: lmit, rule: S5-01}}]", 33, "did you mean limit"),
    ("stages: [{add: {stage: x, kind: limit, to: 3}}]", 16, "rule is missing"),
    ("stages: [{add: {stage: x, kind: total, rule: S5-01}, before: totl}]", 62, "did you mean total"),
    ("stages: [{move: ward, before: wrd}]", 31, "'wrd' is not known"),
    ("stages: [{move: ward, before: total, after: total}]", 10, "either before or after"),
    ("stages: [{add: {stage: x, kind: limit, rule: S5-01, to: 3, when: target.nothing > 0}}]", 66, "target.nothing"),
    ("stages: [{add: {stage: x, kind: absorb, rule: S5-01, layer: aura}}]", 61, "no layer 'aura'"),
    ("stages: [{add: {stage: x, kind: total, rule: S5-01, only: {edishun: [1]}}}]", 69, "'edishun'"),
    ("choose: [edition]", 9, "a mapping is needed"),
    ("choose: {edition: null}", 19, "5.1, 5.2"),
    ("variants: [1]", 11, "a mapping is needed"),
    ("variants: {x: 3}\nchoose: {x: 5}", 15, "a mapping is needed, not a whole number"),
    ("procedure: null\nstages: [{drop: total}]", 12, "a list is needed, not nothing"),
    ("layers: null", 9, "a mapping is needed"),
    ("layers: {temporary: null}", 21, "a mapping is needed, not nothing"),
    ("layers: {temporary: {same_as: layers.none}}", 31, "layers.none"),
    ("layers: {temporary: {by_variant: edishun, a: 1}}", 34, "'edishun'"),
    ("life: soul", 7, "no layer 'soul'"),
    ("commands: {hit: {does: os.system}}", 24, "'os.system' is not known"),
    ("commands: {hit: {fields: {target: {type: entty}}}}", 42, "did you mean entity"),
    ("facts: {x: {type: word, off: [a]}}", 25, "did you mean of"),
    ("watchers: {hit: [os.system]}", 18, "'os.system' is not known"),
    ("licence: {a: 1}", 10, "one text or a list"),
    ("layerz: {}", 1, "did you mean layers"),
    ("stages: [{add: {stage: x, kind: limit, rule: S5-01, to: 9000000000}}]", 57, "1000000000"),
    ("stages: [{add: {stage: x, kind: limit, rule: S5-01, to: -99999999999999999999999}}]", 57, "1000000000"),
    ("moments: {dusk: {rule: S5-01, every: {hours: 9000000000}}}", 46, "1000000000"),
]


@pytest.mark.parametrize(("sections", "column", "says"), FAULTY)
def test_a_fault_stands_in_the_overlay_that_causes_it(tmp_path: Path, sections: str, column: int, says: str) -> None:
    with pytest.raises(Unusable) as unusable:
        load(overlay(tmp_path, "ours", f"format: 1\nextends: srd5\n{sections}\n"))
    fault = unusable.value.faults[0]
    assert says in said(unusable.value)
    assert (str(tmp_path / "ours" / "pack.yaml"), 3, column) == (fault.file, fault.line, fault.column)


@pytest.mark.parametrize(
    "extends", ["null", "[]", "5", "{srd5: 1}", "[[srd5]]", "['']", f"[{', '.join(['srd5'] * 17)}]"]
)
def test_what_is_extended_is_said_by_name(tmp_path: Path, extends: str) -> None:
    with pytest.raises(Unusable) as unusable:
        load(overlay(tmp_path, "ours", f"format: 1\nextends: {extends}\n"))
    assert "the name of a game or of a pack" in said(unusable.value)


@pytest.mark.parametrize("name", ["/etc", "..", ".", "../srd5", "..\\srd5", "SRD5", "srd5/", "a" * 5000, "rules.py"])
def test_a_name_is_never_a_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unusable) as unusable:
        load(overlay(tmp_path, "ours", f"format: 1\nextends: {json.dumps(name)}\n"))
    assert "allowed: eldfall, novitas, pokrovy, srd5" in said(unusable.value)


def test_what_a_pack_below_has_wrong_is_said_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    overlay(tmp_path, "first", "format: 1\nextends: srd5\nlayers:\n  temporary: {stacking: gratest}\n")
    above = overlay(tmp_path, "second", "format: 1\nextends: first\ndrop: [spells.rage]\n")
    with pytest.raises(Unusable) as unusable:
        load(above)
    fault = unusable.value.faults[0]
    assert (str(tmp_path / "first" / "pack.yaml"), 4, 25) == (fault.file, fault.line, fault.column)


def test_a_pack_is_named_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """A file that names the game is played by the game, and who brought a pack over it is told how to use that."""
    monkeypatch.setenv("GAMBESON_PACKS", "")
    overlay(tmp_path, "ours", "format: 1\nextends: srd5\nchoose: {rounding: up}\n")
    text = (
        "game: {game}\nentities: {{anna: {{resistant: [fire], pools: {{hit_points: 9}}}}}}\n"
        "steps:\n  - hit: {{target: anna, damage: [{{amount: 5, type: fire}}]}}\n"
        "    expect: {{taken: {{hit_points: {n}}}}}\n"
    )
    for game, taken, told in (("srd5", 2, True), ("ours", 3, False)):
        (tmp_path / "case.yaml").write_text(text.format(game=game, n=taken), "utf-8")
        with pytest.raises(SystemExit) as left:
            main(["run", str(tmp_path / "case.yaml"), "--pack", str(tmp_path / "ours"), "--lang", "en"])
        assert 0 == left.value.code
        start_anew()
        assert told == ("ours is laid over srd5, and only srd5 itself was used" in capsys.readouterr().err)


def test_packs_that_extend_each_other_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay(tmp_path, "one", "format: 1\nextends: two\n")
    overlay(tmp_path, "two", "format: 1\nextends: one\n")
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    with pytest.raises(Unusable, match="circle"):
        load("one")


# Packs that mean harm


def test_a_pack_in_a_folder_brings_no_code(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "evil", small(procedure=[WOUND, {"stage": "x", "kind": "code", "rule": "AA-01", "function": "f"}])
    )
    (folder / "rules.py").write_text("raise SystemExit('executed')\n", "utf-8")
    with pytest.raises(Unusable):
        load(folder)


def test_a_pack_reads_no_file_but_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("hedge: the secret\n", "utf-8")
    folder = write(tmp_path / "garden", GARDEN)
    (folder / "terms.en.yaml").symlink_to(secret)
    with pytest.raises(Unusable) as unusable:
        load(folder)
    assert "terms.en.yaml is a link that leads out of the pack's folder" in said(unusable.value)
    (folder / "terms.en.yaml").unlink()
    (folder / "pack.yaml").rename(tmp_path / "elsewhere.yaml")
    (folder / "pack.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    start_anew()
    with pytest.raises(Unusable, match=r"pack\.link"):
        load(folder)


def test_a_file_that_never_ends_is_no_part_of_a_pack(tmp_path: Path) -> None:
    folder = write(tmp_path / "garden", GARDEN)
    os.mkfifo(folder / "terms.en.yaml")
    (folder / "forms.en.yaml").symlink_to("/dev/zero")
    assert "garden" == load(folder).game


def test_packs_that_fan_out_are_joined_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of fourteen packs names the same packs below it ten times over."""
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    overlay(tmp_path, "p0", "format: 1\nextends: srd5\n")
    for number in range(1, 14):
        below = ", ".join([*(f"p{other}" for other in range(number)), *[f"p{number - 1}"] * 3][:16])
        overlay(tmp_path, f"p{number}", f"format: 1\nextends: [{below}]\nchoose: {{rounding: up}}\n")
    assert "up" == load("p13").readings["rounding"]


def test_too_many_changes_are_refused_at_once(tmp_path: Path) -> None:
    moves = ", ".join(["{move: ward, before: total}"] * 20_000)
    drops = ", ".join(["layers.ward"] * 20_000)
    for sections in (f"stages: [{moves}]", f"drop: [{drops}]"):
        start_anew()
        with pytest.raises(Unusable, match=r"pack\.many"):
            load(overlay(tmp_path, "ours", f"format: 1\nextends: srd5\n{sections}\n"))


def test_texts_that_are_no_texts_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "garden", GARDEN)
    (folder / "terms.en.yaml").write_text("- a\n", "utf-8")
    with pytest.raises(Unusable, match="mapping") as unusable:
        load(folder)
    assert unusable.value.faults[0].file.endswith("terms.en.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "format: 1\ngame: !!python/object/apply:os.system ['true']\n",
        "format: 1\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "format: 1\n" + "[" * 100 + "]" * 100 + "\n",
        "format: 1\ntemplates: {a: {x: {same_as: templates.a}}}\n",
        "format: 1\ntemplates: {a: {same_as: templates.b}, b: {same_as: templates.a}}\n",
        "format: 1\ntemplates:\n  t0: {x: 1}\n"
        + "".join(
            f"  t{n}: {{{', '.join(f'k{k}: {{same_as: templates.t{n - 1}}}' for k in range(10))}}}\n"
            for n in range(1, 8)
        ),
    ],
)
def test_data_that_runs_or_explodes_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unusable):
        load(write(tmp_path / "evil", text))


def test_rules_without_end_are_refused_in_words(tmp_path: Path) -> None:
    follows = [
        {"rule": "AA-01", "begins": "day", "holds": "not ('day' in target.own_conditions)", "watches": ["effects"]},
    ]
    lasting = {"day": {"rule": "AA-01", "conditions": ["day"]}}
    with pytest.raises(Unusable) as unusable:
        table(tmp_path, {"tom": {"pools": {"life": 9}}}, follows=follows, lasting=lasting)
    assert "do not come to rest" in said(unusable.value)


def test_a_spell_that_casts_itself_is_refused_in_words(tmp_path: Path) -> None:
    cast = {
        "with": {"rule": "AA-01"},
        "fields": {
            "caster": {"type": "entity"},
            "spell": {"type": "text"},
            "targets": {"type": "list", "of": {"type": "entity"}},
        },
    }
    spells = {"echo": {"rule": "AA-01", "casts": ["echo"]}}
    played = table(tmp_path, {"tom": {"pools": {"life": 9}}}, spells=spells, commands={"cast": cast})
    ruling = played.do("cast", caster="tom", spell="echo")
    assert "rejected" == ruling.status
    assert "do not come to rest" in (ruling.reason() or "")


def test_numbers_of_a_pack_are_bounded(tmp_path: Path) -> None:
    huge = {"stage": "x", "kind": "reduce", "rule": "AA-01", "by": "9 * " * 120 + "9"}
    with pytest.raises(Unusable):
        load(write(tmp_path / "evil", small(procedure=[huge, WOUND])))

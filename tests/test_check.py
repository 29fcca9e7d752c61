"""`check` finds what is wrong with packs and scenarios, says where, and leaves with the right status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gambeson.cli import main
from gambeson.games import available, texts
from gambeson.games.checking import check_pack
from gambeson.games.documents import read_file, read_text
from gambeson.games.findings import Finding, Severity
from gambeson.games.loading import LANGUAGES
from gambeson.games.origins import origin
from gambeson.games.repeats import repeated
from gambeson.games.variants import resolved
from gambeson.testing.checking import check_scenario
from gambeson.testing.expecting import _RESERVED
from gambeson.testing.scenarios import Scenario

CASES = Path(__file__).parent / "cases"

PACK = """\
format: 1
game: small
kinds: [creature, object]
life: body
facts:
  immune: {type: list, of: {type: word, of: [fire, cold]}}
layers:
  shell:
    rule: R-1
    until: {type: until, of: [dawn], units: [minutes]}
  body: {rule: R-1}
types: [fire, cold]
procedure:
  - {stage: immunity, kind: immunity, rule: R-2, reads: immune, stops: parts}
  - {stage: shell, kind: absorb, rule: R-1, layer: shell}
  - {stage: sum, kind: total, rule: R-2}
  - {stage: body, kind: absorb, rule: R-1, layer: body}
moments:
  dawn: {rule: R-2, ends: [dawn], every: {hours: 24}}
commands:
  hit:
    does: hit.parts
    fields:
      target: {type: entity, required: true}
      damage: {type: number}
  grant:
    with: {rule: R-1}
    fields:
      target: {type: entity, required: true}
      layer: {type: word, of: [shell, body], required: true}
      points: {type: number, required: true}
  edit:
    fields: {target: {type: entity, required: true}}
rules:
  R-1: {status: source, source: page 1}
  R-2: {status: reading, source: page 2, variants: [order]}
variants:
  order: {rule: R-2, readings: [first, last]}
flags:
  glow: {by_variant: order, first: target.shell > 0, last: target.body > 0}
"""

GLOW = "{by_variant: order, first: target.shell > 0, last: target.body > 0}"


def edited(*changes: tuple[str, str]) -> str:
    text = PACK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "small"


def check(folder: Path, text: str, scenarios: tuple[str, ...] | None = None, **files: str) -> list[Finding]:
    """What is found in a pack of this text, hints about languages aside."""
    folder.mkdir()
    (folder / "pack.yaml").write_text(text, "utf-8")
    for name, content in files.items():
        (folder / f"{name.replace('_', '.')}.yaml").write_text(content, "utf-8")
    documents = tuple(read_text(scenario) for scenario in scenarios) if scenarios is not None else None
    return [finding for finding in check_pack(str(folder), documents) if finding.id != "language-none"]


def told(findings: list[Finding]) -> list[str]:
    return [f"{finding.fault.line}:{finding.fault.column} {finding.severity} {finding.id}" for finding in findings]


def ids(findings: list[Finding]) -> list[str]:
    return [finding.id for finding in findings]


def words(finding: Finding, lang: str = "en") -> str:
    return texts(None, lang).say(finding.fault.message)


def test_a_sound_pack_has_nothing_to_find(folder: Path) -> None:
    assert [] == told(check(folder, PACK))


@pytest.mark.parametrize("game", available())
def test_shipped_packs_can_be_used_under_every_reading(game: str) -> None:
    assert [] == [words(finding) for finding in check_pack(game) if finding.severity == Severity.ERROR]


def beginning(found: list[Finding], text: str) -> list[str]:
    """Each finding with how the line goes on from its place."""
    lines = text.splitlines()
    return [
        f"{finding.severity} {finding.id} at {lines[finding.fault.line - 1][finding.fault.column - 1 :]}"
        for finding in found
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("layer: shell}", "layer: shel}", "error unusable at shel}"),
        ("life: body", "life: bodi", "error unusable at bodi"),
        ("reads: immune", "reads: imune", "wrong fact-unknown at imune"),
        ("stage: sum", "stage: shell", "hint stage-twice at shell, kind: total"),
        ("rule: R-2, reads", "rule: R-3, reads", "wrong rule-unknown at R-3, reads"),
        ("source: page 1", 'source: " "', 'wrong rule-source at " "}'),
        ("source: page 2, variants: [order]", "source: page 2", "hint rule-reading at reading, source"),
        ("variants: [order]", "variants: [odrer]", "wrong variant-unknown at odrer]"),
        ("readings: [first, last]", "readings: [first, first]", "wrong variant-single at [first, first]"),
        ("last: target.body", "lats: 'true', else: target.body", "wrong reading-unknown at 'true', else"),
        (GLOW, "target.shell > 0", "wrong variant-unread at {rule: R-2, readings"),
        (
            "target.shell > 0",
            "target.shell > 0 and target.kind = 'creatur'",
            "wrong predicate-never at target.shell > 0 and",
        ),
        ("target.shell > 0", "target.shell >= 0", "hint predicate-always at target.shell >= 0"),
        ("target.shell > 0", "\"'water' in target.immune\"", "wrong predicate-never at \"'water'"),
        ("target.shell > 0", "target.shell > 0 and false", "wrong predicate-never at target.shell > 0 and"),
        ("ends: [dawn]", "ends: [dusk]", "wrong duration-endless at dawn], units"),
        (", every: {hours: 24}", "", "wrong moment-unreached at {rule: R-2, ends"),
        ("every: {hours: 24}", "every: {days: 1}", "error unusable at {days: 1}"),
        ("kind: absorb, rule: R-1, layer: body", "kind: note, rule: R-1, name: x", "hint note-unread at x}"),
    ],
)
def test_a_mistake_is_found_where_it_stands(folder: Path, old: str, new: str, expected: str) -> None:
    text = edited((old, new))
    found = check(folder, text)

    assert 1 == sum(told.startswith(expected) for told in beginning(found, text))
    assert [] == [
        words(finding, lang)
        for finding in found
        for lang in LANGUAGES
        if re.search(r"\{@?\w+[}?|]", words(finding, lang))
    ]


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("kind: total", "kind: totl", "totl, rule", "'totl' is not known here (did you mean total?); allowed: absorb"),
        (
            "rule: R-1}\ntypes",
            "rule: R-1, stacking: grtest}\ntypes",
            "grtest}",
            "(did you mean greatest?); allowed: choose",
        ),
        ("rule: R-1}\ntypes", "stacking: sum}\ntypes", "{stacking: sum}", "rule is missing"),
        ("status: source", "status: 5", "5, source", "a text is needed, not a whole number"),
        ("types: [fire, cold]", "types: fire", "fire", "a list is needed, not a text"),
        ("kinds: [creature, object]", "kinds: []", "[]", "a list of at least 1 entry is needed"),
        ("readings: [first, last]", "readings: first", "first}", "a list is needed, not a text"),
        ("kind: total", "kind: total, order: listed", "order: listed", "there is no key order here"),
        ("stops: parts", "stops: part", "part}", "'part' is not known here (did you mean parts?); allowed: hit, parts"),
    ],
)
def test_a_misfit_says_what_is_allowed(folder: Path, old: str, new: str, place: str, said: str) -> None:
    text = edited((old, new))
    found = check(folder, text)

    assert any(said in words(finding) for finding in found)
    assert 1 == sum(told.startswith(f"error unusable at {place}") for told in beginning(found, text))


def test_types_are_worked_on_before_they_are_added_up(folder: Path) -> None:
    reduce = "{stage: late, kind: scale, rule: R-2, halve: immune}"
    text = edited(("  - {stage: body", f"  - {reduce}\n  - {{stage: body"))

    assert ["17:5 wrong stage-order"] == told(check(folder, text))


def test_nothing_comes_after_damage_is_used_up(folder: Path) -> None:
    text = edited(("  - {stage: body", "  - {stage: none, kind: limit, rule: R-2, to: 0}\n  - {stage: body"))

    assert ["18:5 wrong stage-unreachable"] == told(check(folder, text))


def test_a_layer_that_nothing_empties_is_found(folder: Path) -> None:
    text = edited(
        ("  - {stage: body, kind: absorb, rule: R-1, layer: body}\n", ""),
        (" last: target.body > 0", " last: target.shell > 1"),
    )

    assert ["11:9 wrong layer-unspent"] == told(check(folder, text))


def test_what_scenarios_leave_out_is_said(folder: Path) -> None:
    scenario = "{game: small, title: R-1, entities: {a: {pools: {body: 1}}}, steps: []}"
    text = edited(("of: [shell, body], required", "of: [body], required"))

    assert ["rule-unplayed", "reading-unplayed", "layer-unfilled"] == sorted(
        ids(check(folder, text, (scenario,))), key=["rule-unplayed", "reading-unplayed", "layer-unfilled"].index
    )


def test_a_fault_under_another_reading_is_found(folder: Path) -> None:
    text = edited(("last: target.body > 0", "last: target.nobody > 0"))

    assert ["error unusable at target.nobody > 0}"] == beginning(check(folder, text), text)


def test_a_spell_that_does_nothing_is_found(folder: Path) -> None:
    spells = """\
spells:
  void: {rule: R-1}
"""

    assert ["spell-idle"] == ids(check(folder, PACK + spells))


def test_a_condition_that_stands_once_and_has_no_name_is_found(folder: Path) -> None:
    text = PACK + "silent: {rule: R-1, conditions: [unconsious]}\n"

    assert ["condition-unknown"] == ids(check(folder, text))


def test_texts_are_compared_between_languages(folder: Path) -> None:
    found = check(
        folder,
        PACK,
        en='fault.a: "{x} and {y}"\nfault.b: "b"\nfault.c: "{"\n',
        ru='fault.a: "{x}"\nfault.c: "{n|один|два}"\n',
        terms_en="shell: shell\nbody: body\ndawn: dawn\n",
        terms_ru="shell: панцирь\nbody: тело\ndawn: рассвет\nfire: огонь\n",
    )

    places = [f"{Path(finding.fault.file).name}:{finding.fault.line} {finding.id}" for finding in found]
    assert [
        "en.yaml:1 text-differs",
        "en.yaml:2 text-missing",
        "en.yaml:3 text-differs",
        "en.yaml:3 text-syntax",
        "pack.yaml:12 term-missing",
        "pack.yaml:12 term-missing",
        "pack.yaml:12 term-missing",
        "ru.yaml:2 text-plural-forms",
        "terms.ru.yaml:4 text-missing",
    ] == sorted(places)


def test_rules_are_told_with_an_example(folder: Path) -> None:
    rules_en = "R-1: {title: One, text: The first., example: 'so'}\nR-9: {title: Nine, text: The ninth.}\n"
    found = check(
        folder, PACK, rules_en=rules_en, variants_en="order: {question: Which?, readings: {first: The first.}}\n"
    )

    assert ["rule-unknown", "reading-untold", "rule-untold"] == sorted(
        ids([finding for finding in found if finding.severity == Severity.WRONG]),
        key=["rule-unknown", "reading-untold", "rule-untold"].index,
    )


def test_the_place_of_a_value_is_found_through_readings_entries_and_repeats() -> None:
    data = {
        "variants": {"v": {"readings": ["a", "b"]}},
        "one": {"by_variant": "v", "a": {"x": 1}, "b": {"y": {"by_variant": "v", "b": 2, "else": 3}}},
        "list": [{"only": {"v": "a"}, "n": 1}, {"n": 2}],
        "again": {"same_as": "one", "z": 4},
    }
    whole: Any = repeated(resolved(data, {"v": "b"}))
    assert {"y": 2} == whole["one"]
    assert ("one", "b", "y", "b") == origin(data, {"v": "b"}, ("one", "y"))
    assert ("list", 1, "n") == origin(data, {"v": "b"}, ("list", 0, "n"))
    assert ("again", "z") == origin(data, {"v": "b"}, ("again", "z"))
    assert ("one", "b", "y", "b") == origin(data, {"v": "b"}, ("again", "y"))
    assert ("one", "b", "none", 1) == origin(data, {"v": "b"}, ("one", "none", 1))


# Scenarios


SCENARIO = """\
title: A blow
game: pokrovy
entities: {anna: {pools: {wards: 3, vyn: 9}}}
steps:
  - hit: {target: anna, damage: 4}
    expect: {anna: {pools: {wards: 0, vyn: 8}}}
"""


def found_in(text: str) -> list[str]:
    return beginning(list(check_scenario(read_text(text, "some.yaml"))), text)


def test_a_sound_scenario_has_nothing_to_find() -> None:
    assert [] == found_in(SCENARIO)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("title: A blow\n", "", "hint no-title at game: pokrovy"),
        ("game: pokrovy", "game: pokrovi", "error unusable at pokrovi"),
        ("wards: 3,", "wards: -3,", "error unusable at -3, vyn: 9}}}"),
        (
            "    expect: {anna: {pools: {wards: 0, vyn: 8}}}\n",
            "",
            "hint no-expectation at - hit: {target: anna, damage: 4}",
        ),
        ("expect: {anna", "expect: {ana", "wrong expect-unknown at {pools: {wards: 0, vyn: 8}}}"),
        ("{pools: {wards: 0", "{pool: {wards: 0", "wrong expect-part at {wards: 0, vyn: 8}}}"),
        ("wards: 0, vyn", "ward: 0, vyn", "wrong expect-part at 0, vyn: 8}}}"),
        ("wards: 0, vyn", "wards: {curent: 0}, vyn", "wrong expect-part at 0}, vyn: 8}}}"),
        (
            "expect: {anna",
            "expect: {status: refused, anna",
            "wrong expect-part at refused, anna: {pools: {wards: 0, vyn: 8}}}",
        ),
        (
            "expect: {anna",
            "expect: {rule: PK-99, anna",
            "wrong expect-part at PK-99, anna: {pools: {wards: 0, vyn: 8}}}",
        ),
        (
            "expect: {anna",
            "expect: {taken: {vin: 1}, anna",
            "wrong expect-part at 1}, anna: {pools: {wards: 0, vyn: 8}}}",
        ),
        ("- hit: {target", "- hti: {target", "wrong step-refused at {target: anna, damage: 4}"),
        ("damage: 4", "damage: many", "wrong step-refused at many}"),
        ("game: pokrovy", "game: pokrovy\nvariants: {overheal: one_for_one}", "hint reading-active at one_for_one}"),
        ("game: pokrovy", "game: pokrovy\nexpect_fault: {path: steps}", "wrong no-fault at {path: steps}"),
    ],
)
def test_a_slip_is_found_where_it_stands(old: str, new: str, expected: str) -> None:
    assert old in SCENARIO
    assert expected in found_in(SCENARIO.replace(old, new))


def test_steps_beside_an_expected_fault_are_never_played() -> None:
    text = SCENARIO.replace("title", "expect_fault: {path: entities.anna.pools.wards}\ntitle").replace(
        "wards: 3", "wards: -3"
    )

    assert ["hint steps-unplayed at - hit: {target: anna, damage: 4}"] == found_in(text)


def test_a_step_that_is_to_be_refused_may_say_anything() -> None:
    text = SCENARIO.replace("damage: 4", "damage: many").replace(
        "{anna: {pools: {wards: 0, vyn: 8}}}", "{status: rejected}"
    )

    assert [] == found_in(text)


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nothing_is_wrong_with_the_scenarios_of_the_games(path: Path) -> None:
    assert [] == [words(finding) for finding in check_scenario(read_file(path)) if finding.severity != Severity.HINT]


def test_the_words_of_expect_are_those_that_are_compared() -> None:
    from gambeson.testing.checking import WORDS

    assert sorted(("status", *_RESERVED)) == sorted(WORDS)
    assert "steps" in Scenario.__struct_fields__


# The command


def left(args: list[str]) -> int:
    with pytest.raises(SystemExit) as leaving:
        main(args)
    assert isinstance(leaving.value.code, int)
    return leaving.value.code


def test_a_scenario_that_cannot_be_used_leaves_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(SCENARIO.replace("wards: 3,", "wards: -3,"), "utf-8")

    assert 2 == left(["check", str(path), "--lang", "en"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"{path}:3:34: error: entities.anna.pools.wards: ")


def test_what_is_wrong_leaves_with_1_and_a_hint_only_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slip, untitled = tmp_path / "slip.yaml", tmp_path / "untitled.yaml"
    slip.write_text(SCENARIO.replace("expect: {anna", "expect: {ana"), "utf-8")
    untitled.write_text(SCENARIO.replace("title: A blow\n", ""), "utf-8")

    assert 1 == left(["check", str(slip)])
    assert 0 == left(["check", str(untitled)])
    assert 1 == left(["check", "--strict", str(untitled)])


def test_a_folder_is_searched_and_a_pack_in_it_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "pack.yaml").write_text(PACK, "utf-8")
    (tmp_path / "cases").mkdir()
    scenario = f"""\
title: R-1 R-2
game: {tmp_path / "small"}
variants: {{order: last}}
entities: {{a: {{}}}}
steps: [edit: {{target: a}}]
"""
    (tmp_path / "cases" / "one.yaml").write_text(scenario, "utf-8")

    assert 0 == left(["check", "--json", str(tmp_path)])
    result = json.loads(capsys.readouterr().out)
    assert ["small", "one.yaml"] == [Path(each["path"]).name for each in result["checked"]]
    assert ["language-none", "language-none"] == [finding["id"] for finding in result["checked"][0]["findings"]]
    assert result["ok"]


def test_a_simulation_is_read_and_its_faults_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "blows.yaml"
    text = "game: novitas\ntarget: {pools: {body: 3}}\nhits: [{damage: 1d4, weight: 1}]\nuntil: down\ntrials: 10\n"
    path.write_text(text, "utf-8")
    assert 0 == left(["check", str(path)])

    path.write_text(text.replace("until", "untill"), "utf-8")
    assert 2 == left(["check", "--lang", "en", str(path)])
    assert f"{path}:4:" in capsys.readouterr().out


def test_a_path_that_leads_nowhere_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == left(["check", "novita", "--lang", "en"])
    assert "novitas" in capsys.readouterr().err
    assert 2 == left(["check", "--lang", "en"])


def test_the_finding_is_said_in_russian(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "untitled.yaml"
    path.write_text(SCENARIO.replace("title: A blow\n", ""), "utf-8")

    assert 0 == left(["check", "--lang", "ru", str(path)])
    assert f"{path}:1:1: совет: у сценария нет названия (title) [no-title]" == capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("of", ["pack", *available()])
def test_a_schema_is_printed(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == left(["check", "--schema", of])
    assert "https://json-schema.org/draft/2020-12/schema" == json.loads(capsys.readouterr().out)["$schema"]


DOCS = Path(__file__).parent.parent / "docs" / "check.md"


@pytest.mark.parametrize("line", re.findall(r"(?m)^\$ gambeson (.+)$", DOCS.read_text("utf-8")))
def test_the_commands_of_the_docs_work(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DOCS.parent.parent)
    assert 0 == left(line.split())


def test_the_docs_name_every_kind_of_finding() -> None:
    text = DOCS.read_text("utf-8")
    said = texts(None, "en")
    kinds = [id.removeprefix("fault.check.").replace("_", "-") for id in said.ids if id.startswith("fault.check.")]

    assert [] == [kind for kind in kinds if f"`{kind}`" not in text]


def test_the_small_pack_of_these_tests_is_plain_yaml() -> None:
    assert "small" == yaml.safe_load(PACK)["game"]

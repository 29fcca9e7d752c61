"""The explanation: what came in, what each step did and why, what is left, what to shout.

The goldens are plain files; GOLDENS=write makes them anew.
"""

from __future__ import annotations

from typing import Any

import pytest

from gambeson import Table
from gambeson.table.explaining import explained, explanation
from tests.terminal import ROOT, assert_golden, call

LANGUAGES = ("en", "ru")


def anna(**more: object) -> Table:
    pools = {"magic_armor": 2, "physical_armor": 1, "natural_armor": 1, "body": 3}
    return Table("novitas", entities={"anna": {"name": "Anna", "pools": pools, **more}})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_hit_through_four_layers(lang: str) -> None:
    assert_golden(f"four-layers.{lang}.txt", anna().hit("anna", "6 Silver", location="torso").explain(lang) + "\n")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_demonstration_fight(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = call(capsys, "run", ROOT / "examples" / "demo-fight.yaml", "--lang", lang)

    assert_golden(f"demo-fight.{lang}.txt", answer.out)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_refusal_question_and_other_commands(lang: str) -> None:
    shields = [{"name": "amulet", "stops": ["poison"]}, {"name": "ring", "stops": ["all"], "charges": 2}]
    table = Table(
        "novitas",
        variants={"prevention_choice": "holder"},
        entities={"anna": {"name": "Анна", "pools": {"body": 3}, "preventions": shields}},
    )
    rulings = [
        table.hit("anna", "4 fire"),
        table.hit("anna", "4", location="head"),
        table.hit("ann", "4"),
        table.hit("anna", "2 Poison"),
        table.answer("sword"),
        table.answer("ring"),
        table.do("grant", target="anna", layer="magic_armor", points=3, source="Ring", until={"minutes": 10}),
        table.do("wait", minutes=10),
        table.undo(),
        table.do("edit", target="anna", pools={"body": 1}, wounds=["left_arm"]),
        table.add("orc", name="Орк", pools={"body": 2}),
        table.do("remove", id="orc"),
        table.hit("anna", [{"amount": 3, "type": "silver"}], traits=["pierce"], source="Орк", location="left_arm"),
    ]

    assert_golden(f"commands.{lang}.txt", "\n\n".join(ruling.explain(lang) for ruling in rulings) + "\n")


def test_every_row_that_did_something_is_told_with_its_rule() -> None:
    ruling = anna().hit("anna", "9 Silver", location="torso")
    told = [(line.rule, line.text) for line in explanation(ruling, "en") if line.kind == "step"]

    assert [row.rule for row in ruling.trace if row.ran] == [rule for rule, _ in told]


@pytest.mark.parametrize(
    ("command", "fields", "english", "russian"),
    [
        (
            "grant",
            {"target": "anna", "effect": "warding_bond", "source": "anna"},
            "Anna is granted Warding Bond, source: Anna",
            "Anna: дарование, Охраняющая связь, источник: Anna",
        ),
        (
            "grant",
            {"target": "anna", "effect": "polymorph", "points": 1},
            "Anna is granted Polymorph, 1 point",
            "Anna: дарование, Превращение, +1",
        ),
        ("end", {"effect": "rage"}, "Rage ends", "конец эффекта Ярость"),
        ("hit", {"target": "anna", "damage": [{"amount": 3}]}, "Anna is hit: damage 3", "Удар, цель Anna: 3"),
        (
            "hit",
            {"target": "anna", "damage": 3, "riders": [{"condition": "poisoned", "when": "damage"}]},
            "Anna is hit: damage 3: riders: condition poisoned, when damage was taken",
            "Удар, цель Anna: 3: сопутствующие эффекты: состояние отравлен, когда урон получен",
        ),
        ("wait", {"hours": 1}, "Time passes, 1 hour", "Проходит время, 1 час"),
    ],
)
def test_a_command_is_said_in_a_whole_sentence(
    command: str, fields: dict[str, Any], english: str, russian: str
) -> None:
    ruling = Table("srd5", entities={"anna": {"name": "Anna", "pools": {"hit_points": 20}}}).do(command, **fields)

    assert english == explained(ruling, "en", 0).splitlines()[0]
    assert russian == explained(ruling, "ru", 0).splitlines()[0]


def test_no_braces_and_no_ids_are_left_in_the_words() -> None:
    said = anna().hit("anna", "9 Silver", location="left_arm").explain("en")

    assert not any(sign in said for sign in ("{", "}", "_", "trace."))


def test_lines_are_broken_at_the_width_unless_it_is_0() -> None:
    from gambeson.table.explaining import explained

    ruling = anna().hit("anna", "9 Silver")

    assert max(map(len, explained(ruling, "en", 60).splitlines())) <= 60
    assert max(map(len, explained(ruling, "en", 0).splitlines())) > 100


def test_a_name_cannot_break_a_line_or_colour_it() -> None:
    said = anna(name="An\nna\x1b[31m").hit("anna", "1").explain("en")

    assert said.splitlines()[0].startswith('An na [31m is hit: "1"')
    assert "\x1b" not in said


def test_an_end_is_the_moment_of_the_source_only_where_it_needs_one() -> None:
    at = Table("eldfall", entities={"hero": {"player": "red"}, "orc": {"player": "blue"}})

    said = at.do("edit", target="orc", effects=[{"name": name, "source": "hero"} for name in ("poison", "stoneskin")])

    assert "Poison (until the next own Strategic Phase)" in said.explain()
    assert "Stoneskin (until the Strategic Phase of hero)" in said.explain()


def test_a_mapping_that_is_emptied_is_said_as_nothing() -> None:
    at = Table("eldfall", entities={"hero": {"player": "red", "resistances": {"fire": 2}}})

    assert "Resistances Fire 2 → —" in at.do("edit", target="hero", resistances={}).explain()

"""What rulings of pokrovy show: the stages in order with their reasons, and questions with who is asked."""

from __future__ import annotations

from typing import Any

import pytest

from gambeson.games import texts
from gambeson.table import Table
from gambeson.table.rulings import Ruling

STAGES = ["parry", "defence", "shield", "wards", "reduction", "resistance", "vyn"]
THORNS = {"name": "thorns", "dice": "1d4", "type": "fire"}


def stages(ruling: Ruling, entity: str) -> list[str]:
    return [row.stage for row in ruling.trace if row.entity == entity]


def reasons(ruling: Ruling) -> dict[str, str]:
    said = texts("pokrovy", "en")
    return {row.stage: said.say(row.note) for row in ruling.trace if row.note is not None and not row.ran}


def test_every_stage_has_its_row_in_the_order_of_the_table() -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"vyn": 20, "shield": 2, "wards": 3}, "resistant": ["fire"]}})

    ruling = table.hit("anna", [{"amount": 20, "type": "fire"}], parry=1, defence=1)

    assert STAGES == stages(ruling, "anna")
    rows = [row for row in ruling.trace if row.stage in STAGES]
    assert [(20, 19), (19, 18), (18, 16), (16, 13), (13, 13), (13, 6), (6, 0)] == [(r.before, r.after) for r in rows]
    assert ["PK-24", "PK-25", "PK-27", "PK-29", "PK-31", "PK-33", "PK-36"] == [row.rule for row in rows]


def test_a_skipped_stage_says_why() -> None:
    table = Table("pokrovy", entities={"ghost": {}})

    assert {
        "parry": "nobody parries",
        "defence": "nobody Defends the target",
        "shield": "nobody Defends the target",
        "wards": "no points",
        "reduction": "nothing comes off",
        "resistance": "neither more nor less of any type",
        "vyn": "there is none",
    } == reasons(table.hit("ghost", 5))


def test_stages_after_the_last_point_are_not_reached() -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"vyn": 20, "wards": 9}}})

    found = reasons(table.hit("anna", 5))

    far = "no damage came this far; the step works only on what those before it have left"
    assert [far] * 3 == [found[stage] for stage in ("reduction", "resistance", "vyn")]


def test_what_exceeds_vyn_is_shown() -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"vyn": 4}}})

    (row,) = [row for row in table.hit("anna", 9).trace if row.stage == "vyn"]

    assert (9, 5) == (row.before, row.after)


def test_retaliation_stands_before_the_rows_of_the_attacker() -> None:
    pools = {"vyn": 20, "wards": {"current": 5, "extras": [THORNS]}}
    table = Table("pokrovy", entities={"anna": {"pools": pools}, "orc": {"pools": {"vyn": 15}}})

    ruling = table.hit("anna", 3, traits=["melee"], source="orc", rolls=[2])

    assert STAGES == stages(ruling, "anna")
    assert ["retaliation", *STAGES] == stages(ruling, "orc")
    assert ["anna"] * 7 + ["orc"] * 8 == [row.entity for row in ruling.trace]


def test_an_option_shows_the_pool_that_would_stand() -> None:
    old = {"current": 3, "maximum": 9, "source": "prayer", "extras": ["glow"], "until": {"minutes": 7}}
    table = Table("pokrovy", entities={"anna": {"pools": {"wards": old}}})

    ruling = table.do("grant", target="anna", points=2, source="oath", extras=["defence_bonus"], until="spent")

    said = texts("pokrovy", "en")
    keep, take = (said.say(option.label) for option in ruling.questions[0].options)
    assert all(word in keep for word in ("3", "prayer", "glow", "7 minutes"))
    assert all(word in take for word in ("2", "oath", "bonus to Defence", "until spent"))


def test_the_larger_pool_is_suggested_and_at_a_tie_the_old_one() -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"wards": 5}}})

    def suggested(points: int) -> str:
        ruling = table.do("grant", target="anna", points=points)
        table.undo()
        return ruling.questions[0].suggested

    assert ["keep", "keep", "take"] == [suggested(points) for points in (4, 5, 6)]


def rest_of(count: int) -> tuple[Table, Ruling]:
    wards = {"current": 4, "until": "spent"}
    entities: dict[str, Any] = {f"e{i:02}": {"pools": {"vyn": 20, "wards": wards}} for i in range(count)}
    table = Table("pokrovy", entities=entities)
    return table, table.do("rest", who="all", kind="long", heals=9)


def test_a_rest_asks_all_at_once_in_table_order() -> None:
    _, ruling = rest_of(60)

    assert [f"e{i:02}" for i in range(60)] == [question.decider for question in ruling.questions]
    assert len({question.key for question in ruling.questions}) == 60


def test_the_choices_of_a_rest_are_answered_in_any_order() -> None:
    table, ruling = rest_of(60)
    for question in reversed(ruling.questions):
        ruling = table.answer("take", by=question.decider, decision=question.key)

    assert ("done", {9}) == (ruling.status, {e.pools["wards"].current for e in table.state.entities.values()})


@pytest.mark.parametrize("counted", ["1 очко", "2 очка", "5 очков", "11 очков", "21 очко"])
def test_russian_counts_wards_rightly(counted: str) -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"wards": int(counted.split()[0])}}})

    keep = table.do("grant", target="anna", points=9).questions[0].options[0]

    assert f" {counted}" in texts("pokrovy", "ru").say(keep.label)


def cited(table: Table, name: str, **fields: Any) -> list[str]:
    """The rules that a command's rows and facts cite, each once."""
    ruling = table.do(name, **fields)
    assert ruling.status == "done", ruling.reason()
    return sorted({row.rule for row in ruling.trace} | {event.rule for event in ruling.events})


def hurt() -> Table:
    """A table on which every command has something to do."""
    wards = {"current": 4, "source": "oath", "until": "any_rest"}
    entities = {
        "anna": {"pools": {"vyn": {"current": 12, "maximum": 20}}},
        "boris": {"pools": {"vyn": 20, "wards": wards}},
        "chest": {"kind": "object", "pools": {"vyn": {"current": 3, "maximum": 9}}},
    }
    return Table("pokrovy", entities=entities)


@pytest.mark.parametrize(
    ("name", "fields", "rules"),
    [
        ("grant", {"target": "anna", "points": 3}, ["PK-01"]),
        ("heal", {"target": "anna", "points": 3}, ["PK-16"]),
        ("heal", {"target": "anna", "points": 9}, ["PK-16", "PK-40"]),
        ("pay", {"who": "anna", "points": 3}, ["PK-13"]),
        ("end", {"target": "boris", "effect": "oath"}, ["PK-11"]),
        ("wait", {"minutes": 3}, ["PK-09"]),
        ("rest", {"who": "boris", "kind": "short"}, ["PK-09"]),
        ("rest", {"who": "anna", "kind": "long"}, ["PK-05", "PK-16"]),
        ("rest", {"who": "anna", "kind": "long", "success": False}, ["PK-05"]),
        ("rest", {"who": "chest", "kind": "long"}, ["PK-05", "PK-08"]),
        ("cast", {"caster": "anna", "spell": "barrier"}, ["PK-41"]),
        ("cast", {"caster": "anna", "spell": "power_word_fortify"}, ["PK-52"]),
        ("cast", {"caster": "anna", "spell": "barrier", "modifications": ["vitalism"]}, ["PK-41", "PK-43"]),
        ("cast", {"caster": "anna", "spell": "barrier", "modifications": ["incarnation"]}, ["PK-41", "PK-44"]),
        ("cast", {"caster": "anna", "spell": "barrier", "modifications": ["materiomancy"]}, ["PK-41", "PK-46"]),
        ("cast", {"caster": "anna", "spell": "barrier", "modifications": ["mysticism"]}, ["PK-41", "PK-47"]),
    ],
)
def test_a_command_cites_its_rules(name: str, fields: dict[str, Any], rules: list[str]) -> None:
    assert rules == cited(hurt(), name, **fields)


@pytest.mark.parametrize(
    ("keys", "hit", "stage", "rule"),
    [
        ({"pools": {"wards": {"current": 9, "extras": ["as_owner"]}}}, {"damage": 4}, "wards", "PK-44"),
        ({"pools": {"vyn": 9}, "immune": ["all"]}, {"damage": 4}, "resistance", "PK-35"),
        ({"pools": {"vyn": 9}, "resistant": ["all"]}, {"damage": 4}, "resistance", "PK-33"),
        ({"pools": {"vyn": 9}, "vulnerable": ["all"]}, {"damage": 4}, "resistance", "PK-34"),
        ({"pools": {"vyn": 9}}, {"damage": [{"amount": 1}, {"amount": 2}]}, "parts", "PK-39"),
    ],
)
def test_a_stage_cites_what_applied(keys: dict[str, Any], hit: dict[str, Any], stage: str, rule: str) -> None:
    ruling = Table("pokrovy", entities={"anna": keys}).do("hit", target="anna", **hit)

    assert [rule] == [row.rule for row in ruling.trace if row.stage == stage]


def test_spent_wards_cite_their_end() -> None:
    table = Table("pokrovy", entities={"anna": {"pools": {"wards": 3}}})

    assert "PK-10" in [event.rule for event in table.hit("anna", 3).events]

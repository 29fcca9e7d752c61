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

    assert ["no damage is left"] * 3 == [found[stage] for stage in ("reduction", "resistance", "vyn")]


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

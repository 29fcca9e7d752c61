"""The damage procedure of pokrovy against a second, plain writing of the six stages."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gambeson.table import Table

TYPES = ("fire", "cold", "slashing")
LISTS = st.lists(st.sampled_from((*TYPES, "all")), max_size=3)
READINGS = st.fixed_dictionaries(
    {
        "stage_two": st.sampled_from(("when_defending", "always")),
        "shield_overflow": st.sampled_from(("carry", "lost")),
        "reductions_combine": st.sampled_from(("greatest", "sum")),
        "resistance_rounding": st.sampled_from(("down", "up")),
        "resistant_and_vulnerable": st.sampled_from(("cancel", "halve_then_double")),
        "part_order": st.sampled_from(("listed", "largest_first")),
        "same_type_parts": st.sampled_from(("merged", "separate")),
        "as_owner_break": st.sampled_from(("raw_rest", "changed_rest")),
    }
)
POINTS = st.integers(0, 25)
PARTS = st.lists(st.tuples(POINTS, st.sampled_from(TYPES)), min_size=1, max_size=4)
TARGETS = st.fixed_dictionaries(
    {
        "shield": POINTS,
        "wards": POINTS,
        "vyn": POINTS,
        "extras": st.lists(st.sampled_from(("as_owner", "defence_bonus", "glow")), unique=True),
        "reductions": st.dictionaries(st.sampled_from((*TYPES, "all")), st.integers(0, 6)),
        "resistant": LISTS,
        "vulnerable": LISTS,
        "immune": LISTS,
    }
)


def take(parts: list[list[Any]], points: int) -> int:
    """Take points off the parts in order; says how many came off."""
    left = points
    for part in parts:
        off = min(part[0], left)
        part[0] -= off
        left -= off
    return points - left


def changed(amount: int, type: str, target: dict[str, Any], readings: dict[str, str]) -> int:
    """An amount after immunity, resistance and vulnerability (PK-33 to PK-35)."""

    def has(name: str) -> bool:
        return type in target[name] or "all" in target[name]

    def half(points: int) -> int:
        return (points + 1) // 2 if readings["resistance_rounding"] == "up" else points // 2

    if has("immune"):
        return 0
    if has("resistant") and has("vulnerable"):
        return amount if readings["resistant_and_vulnerable"] == "cancel" else 2 * half(amount)
    return half(amount) if has("resistant") else 2 * amount if has("vulnerable") else amount


def stopped(points: int, type: str, target: dict[str, Any]) -> int:
    """How much original damage the points of broken `as_owner` wards pay for (PK-45)."""
    halved = type in target["resistant"] or "all" in target["resistant"]
    doubled = type in target["vulnerable"] or "all" in target["vulnerable"]
    if halved == doubled:
        return points
    return 2 * points if halved else points // 2


def expected(target: dict[str, Any], hit: dict[str, Any], readings: dict[str, str]) -> dict[str, int]:
    """What each layer loses, straight down the table of the procedure."""
    parts: list[list[Any]] = []
    for amount, type in hit["parts"]:
        same = [part for part in parts if part[1] == type and readings["same_type_parts"] == "merged"]
        if same:
            same[0][0] += amount
        else:
            parts.append([amount, type, False])
    if readings["part_order"] == "largest_first":
        parts.sort(key=lambda part: -part[0])
    lost = {"shield": 0, "wards": 0, "vyn": 0}
    take(parts, hit["parry"] or 0)
    defended = hit["defence"] is not None
    if defended or readings["stage_two"] == "always":
        bonus = 1 if "defence_bonus" in target["extras"] and target["wards"] else 0
        take(parts, (hit["defence"] or 0) + bonus)
        lost["shield"] = take(parts, target["shield"])
        if target["shield"] and readings["shield_overflow"] == "lost":
            take(parts, 10**9)
    wards = target["wards"]
    for part in parts:
        if not wards or not part[0]:
            continue
        if "as_owner" not in target["extras"]:
            off = min(wards, part[0])
            part[0] -= off
            wards -= off
            continue
        cost = changed(part[0], part[1], target, readings)
        if cost <= wards:
            part[0], wards = 0, wards - cost
        elif readings["as_owner_break"] == "raw_rest":
            part[0], wards = part[0] - stopped(wards, part[1], target), 0
        else:
            part[0], part[2], wards = cost - wards, True, 0
    lost["wards"] = target["wards"] - wards
    total = 0
    for amount, type, done in parts:
        own, general = target["reductions"].get(type, 0), target["reductions"].get("all", 0)
        off = own + general if readings["reductions_combine"] == "sum" else max(own, general)
        left = max(0, amount - off)
        total += left if done else changed(left, type, target, readings)
    lost["vyn"] = min(target["vyn"], total)
    return {layer: points for layer, points in lost.items() if points}


@given(
    readings=READINGS,
    target=TARGETS,
    hit=st.fixed_dictionaries({"parts": PARTS, "parry": st.none() | POINTS, "defence": st.none() | POINTS}),
)
def test_a_hit_goes_down_the_table_of_the_procedure(
    readings: dict[str, str], target: dict[str, Any], hit: dict[str, Any]
) -> None:
    wards = {"current": target["wards"], "extras": target["extras"]}
    keys = {name: target[name] for name in ("reductions", "resistant", "vulnerable", "immune")}
    pools = {"shield": target["shield"], "wards": wards, "vyn": target["vyn"]}
    table = Table("pokrovy", variants=readings, entities={"anna": {"pools": pools, **keys}})
    stated = {name: hit[name] for name in ("parry", "defence") if hit[name] is not None}

    ruling = table.hit("anna", [{"amount": amount, "type": type} for amount, type in hit["parts"]], **stated)

    assert expected(target, hit, readings) == ruling.taken

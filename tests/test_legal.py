"""The list of legal commands: what it offers is accepted, what it leaves out is refused, and refusals say why."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gambeson.engine.legal import Choice, Entry
from gambeson.engine.step import step
from gambeson.model.commands import Command
from gambeson.model.outcomes import Rejected
from gambeson.table import Table

CASTER = {
    "classes": ["mage", "summoner"],
    "stats": {
        "stamina": 3,
        "intellect": 14,
        "morale": 12,
        "agility": 10,
        "toughness": 10,
        "offense": 10,
        "defense": 10,
    },
}
FIGHTER = {
    "stats": {"stamina": 2, "offense": 12, "defense": 12, "accuracy": 12, "agility": 10, "toughness": 12, "armor": 3},
    "weapons": {
        "sword": {"power": 12, "strike": 2},
        "bow": {"power": 11, "strike": "stamina", "mode": "ranged"},
        "flask": {"power": 9, "mode": "ranged", "template": True},
    },
}


def table() -> Table:
    """Two players with casters, fighters, a creature and a wall."""
    table = Table(
        "eldfall",
        entities={
            "vizier": {
                "player": "red",
                "affinity": ["earth", "elder", "fire"],
                "pools": {"mana": 3, "hit_points": 2},
                **CASTER,
            },
            "druid": {**CASTER, "player": "red", "affinity": ["water", "earth"], "classes": ["druid", "enchanter"]},
            "knight": {"player": "red", "pools": {"hit_points": 3}, **FIGHTER},
            "pet": {"player": "red", "creature": "gargoyle", "caster": "vizier"},
            "wall": {"kind": "transmutation", "player": "red", "stats": {"armor": 9}},
            "witch": {"player": "blue", "affinity": ["profane", "elder", "air"], "pools": {"mana": 1}, **CASTER},
            "orc": {"player": "blue", "pools": {"hit_points": 3}, **FIGHTER, "conditions": ["engaged"]},
            "imp": {
                "player": "blue",
                "conditions": ["incapacitated"],
                "pools": {"hit_points": {"current": 0, "maximum": 2}},
                "stats": {"toughness": 9},
            },
        },
    )  # fmt: skip
    table.do("advance", to="tactical", player="red")
    return table


def completed(entry: Entry, dice: random.Random) -> dict[str, Any]:
    """The fields of a command with open ones filled in at random."""
    fields = dict(entry.fields)
    for choice in entry.open:
        if choice.optional and dice.random() < 0.5:
            continue
        fields[choice.field] = value(choice, dice)
    return fields


def value(choice: Choice, dice: random.Random) -> Any:
    if not choice.listed:
        return dice.choice(choice.values)
    count = dice.randint(choice.least, choice.most)
    first = dice.choice(choice.first or choice.values)
    others = [other for other in choice.values if other != first]
    return (first, *dice.sample(others, min(count - 1, len(others))))


def moments() -> list[tuple[str, Table]]:
    """The same table at several moments of a Turn."""
    quiet, opened, reacted, acted, strategic = (table() for _ in range(5))
    for one in (opened, reacted, acted):
        one.do("activate", model="vizier")
    reacted.do("react", model="witch", action="dodge")
    acted.do("cast", caster="vizier", spell="summon_golem")
    strategic.do("advance", to="strategic", player="red")
    return [("quiet", quiet), ("opened", opened), ("reacted", reacted), ("acted", acted), ("strategic", strategic)]


@pytest.mark.parametrize(("name", "at"), moments(), ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("seat", [None, ("vizier", "druid", "knight", "pet"), ("witch", "orc", "imp")])
def test_every_completed_entry_is_accepted(name: str, at: Table, seat: tuple[str, ...] | None) -> None:
    dice = random.Random()
    by = "referee" if seat is None else seat[0]
    refused = []
    for entry in at.legal(seat):
        for _ in range(4) if entry.legal else ():
            fields = completed(entry, dice)
            outcome = step(at.pack, at.state, Command(entry.command, fields, by))
            if isinstance(outcome, Rejected):
                refused.append((entry.command, fields, outcome.refusal))
    assert [] == refused


@pytest.mark.parametrize(("name", "at"), moments(), ids=lambda value: value if isinstance(value, str) else "")
def test_what_an_entry_leaves_out_is_refused(name: str, at: Table) -> None:
    accepted = []
    for entry in at.legal():
        for choice in entry.open:
            outside = [id for id in at.state.entities if id not in choice.values] if choice.field == "targets" else []
            for id in outside:
                fields = {**entry.fields, "targets": (id,)}
                if same_side(entry, choice, id, at):
                    outcome = step(at.pack, at.state, Command(entry.command, fields))
                    if not isinstance(outcome, Rejected):
                        accepted.append((entry.command, fields))
    assert [] == accepted


def same_side(entry: Entry, choice: Choice, id: str, at: Table) -> bool:
    """Whether a target outside is of the side that this entry is about; the other side has an entry of its own."""
    if entry.command == "attack" or entry.fields.get("action") == "attack":
        return True
    players = {at.state.entities[target].facts["player"] for target in choice.values}
    return at.state.entities[id].facts["player"] in players


@pytest.mark.parametrize(("name", "at"), moments(), ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_not_legal_says_its_rule_and_is_refused_by_it(name: str, at: Table) -> None:
    for entry in at.legal():
        if entry.refusal is None or entry.refusal.reason.id == "refusal.legal.nothing" or not entry.refusal.rule:
            continue
        assert entry.refusal.rule in at.pack.rules


def test_costs_are_named() -> None:
    at = table()
    at.do("activate", model="vizier")
    golem = next(e for e in at.legal(("vizier",)) if e.fields.get("spell") == "summon_golem" and e.command == "cast")
    colossus = next(
        e for e in at.legal(("vizier",)) if e.fields.get("spell") == "summon_colossus" and e.command == "cast"
    )

    assert golem.legal
    assert {"mana": 2} == golem.costs
    assert colossus.refusal is not None
    assert "EF-40" == colossus.refusal.rule


def test_summoners_may_pay_together_for_what_the_caster_cannot_pay_alone() -> None:
    at = table()
    at.do("edit", target="vizier", pools={"mana": 1})
    at.do("edit", target="druid", classes=["druid", "summoner"], pools={"mana": 5})
    at.do("activate", model="vizier")
    golems = [e for e in at.legal(("vizier",)) if e.fields.get("spell") == "summon_golem" and e.command == "cast"]
    gargoyles = [e for e in at.legal(("vizier",)) if e.fields.get("spell") == "summon_gargoyle" and e.command == "cast"]

    assert [False, True] == [entry.legal for entry in golems]
    assert {"vizier": 1, "druid": 1} == golems[1].fields["mana_from"]
    assert {"mana": 1} == golems[1].costs
    assert [{"mana": 1}] == [entry.costs for entry in gargoyles]


def test_the_reason_is_that_of_the_likely_target_not_of_an_own_model() -> None:
    at = table()
    weapons = {"sling": {"power": 3, "mode": "ranged"}, "bomb": {"power": 3, "mode": "ranged", "template": True}}
    novice: dict[str, Any] = {"player": "red", "affinity": ["fire"], "pools": {"activation": 1}, "weapons": weapons}
    at.do("add", id="novice", **novice)
    at.do("activate", model="novice")
    lacking = {
        entry.fields.get("weapon") or entry.fields.get("spell")
        for entry in at.legal(("novice",))
        if entry.refusal is not None and not entry.refusal.rule and entry.command in ("attack", "cast")
    }

    assert {"sling", "bomb", "fireball", "ignite"} <= lacking


def test_an_open_question_offers_its_options_to_whoever_is_asked() -> None:
    at = table()
    at.do("activate", model="knight")
    at.do("attack", attacker="knight", weapon="sword", targets={"orc": 2})
    asked = at.legal(("knight",))

    assert ["roll"] == [entry.command for entry in asked]
    assert (20, 20) == asked[0].fields["dice"]
    assert () == at.legal(("witch",))

"""Why rulings of eldfall came out as they did: each row with its rule and figures, and the facts that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gambeson.model import events
from gambeson.table import Ruling
from gambeson.testing import Played, play_file, play_text

HERE = Path(__file__).parent
CASES = HERE / "cases" / "eldfall"
WHY = HERE / "goldens" / "eldfall-why.txt"
ROW = re.compile(r"(EF-\d\d) (\w+)")
ATTRIBUTES = ("offense", "defense", "accuracy", "intellect", "morale")
COUNTED = (("sequence", "EF-04"), ("turn", "EF-02"), ("turn", "EF-03"))
"""Facts of the table that only keep the count of Turn and Sequence."""


@cache
def played(name: str) -> Played:
    return play_file(CASES / f"{name}.yaml")


def rulings() -> Iterator[Ruling]:
    for path in sorted(CASES.glob("*.yaml")):
        yield from (step.ruling for step in played(path.stem).steps)


def rows(ruling: Ruling) -> list[str]:
    return [
        " ".join(f"{row.rule} {row.stage} {row.entity} {row.before} > {row.after}{'' if row.ran else ' -'}".split())
        for row in ruling.trace
    ]


def facts(ruling: Ruling) -> Iterator[str]:
    for event in ruling.events:
        match event:
            case events.PoolReduced(id, layer, amount, rule, cause):
                yield f"{id} {layer} -{amount} by {rule} {cause}"
            case events.PoolRaised(id, layer, amount, rule):
                yield f"{id} {layer} +{amount} by {rule}"
            case events.PoolSet(id, layer, pool, rule):
                yield f"{id} {layer} = {pool.current} by {rule}"
            case events.EffectBegan(id, effect, rule):
                yield f"{id} begins {effect.code} by {rule}"
            case events.EffectEnded(id, _, rule):
                yield f"{id} ends an effect by {rule}"
            case events.FactSet(id, key, _, rule) if key != "left" and (key, rule) not in COUNTED:
                yield f"{id} {key} by {rule}".strip()
            case events.EntityAdded(entity, rule):
                yield f"{entity.id} joins by {rule}"
            case events.EntityRemoved(id, rule):
                yield f"{id} leaves by {rule}"
            case _:
                pass


@cache
def worked() -> dict[str, list[str]]:
    """What was worked out by hand, by heading."""
    blocks: dict[str, list[str]] = {}
    for line in WHY.read_text("utf-8").splitlines():
        if line.startswith("== "):
            blocks[line[3:]] = []
        elif line and not line.startswith("#"):
            blocks[next(reversed(blocks))].append(line)
    return blocks


def kinds(lines: list[str]) -> set[tuple[str, str]]:
    """Rule and stage of each row; all attributes are one kind."""
    found = [match for line in lines if (match := ROW.match(line))]
    return {(row[1], "attribute" if row[2] in ATTRIBUTES else row[2]) for row in found}


@pytest.mark.parametrize("heading", worked())
def test_a_ruling_says_row_by_row_what_decided(heading: str) -> None:
    name, index, command = heading.split()

    step = played(name).steps[int(index)]

    assert command == step.step.command
    assert worked()[heading] == [*rows(step.ruling), *facts(step.ruling)]


def test_every_kind_of_row_was_worked_by_hand_somewhere() -> None:
    known = {kind for lines in worked().values() for kind in kinds(lines)}

    shown = {kind for ruling in rulings() for kind in kinds(rows(ruling))}

    assert shown - known == set()


def test_the_own_die_of_an_ice_shield_is_not_called_a_wound() -> None:
    through, stopped = (played("ice-shield-asks-for-two-dice").steps[n].ruling.explain(lang="en") for n in (2, 5))

    assert 2 == through.count("the shield's own die, 8 or less: it goes through")
    assert 1 == stopped.count("the shield's own die, 8 or less: it is stopped")
    assert 0 == stopped.count("Wound")


def test_armor_and_damage_dice_are_said_as_they_count() -> None:
    pierced = played("smite-reads-morale").steps[2].ruling.explain(lang="en")
    critical = played("worked-example-of-ignite").steps[2].ruling.explain(lang="en")
    alike = played("weapon-dice-split-over-enemies").steps[7].ruling.explain(lang="en")

    assert "Armor: 5, counts as 3" in pierced
    assert "Armor: 0\n" in pierced
    assert "Armor: 4, counts as 0, 4" in critical
    assert "14, 10 or less: 1 Wound" in critical
    assert "Armor: 2\n" in alike
    assert ": 10 or less: 1 Wound" in alike


def test_equal_dice_are_said_to_cancel_or_to_stand() -> None:
    cancelled = played("equal-dice-cancel-each-other").steps[3].ruling.explain(lang="en")
    stands = played("equal-dice-under-active-wins").steps[3].ruling.explain(lang="en")

    assert "equal dice cancel each other" in cancelled
    assert "the one of the activated model stands" in stands


def test_a_barrier_is_offered_the_first_critical_or_the_first_hit() -> None:
    steps = played("barrier-asks-which-hit").steps
    plain = play_text(
        """
        game: eldfall
        entities:
          elf: {player: red, stats: {accuracy: 12}, weapons: {bow: {power: 12, strike: 2, mode: ranged}}}
          monk: {player: blue, effects: [{name: protective_barrier, source: monk}]}
        steps:
          - advance: {to: tactical, player: red}
          - activate: {model: elf}
          - attack: {attacker: elf, weapon: bow, targets: [monk]}
            rolls: [12, 11]
        """
    ).steps

    assert "hit_2" == steps[2].ruling.questions[0].suggested
    assert "hit_1" == plain[2].ruling.questions[0].suggested

"""gambeson odds: what it is of, how it reads, and that sampling through the seeded dice agrees with it."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gambeson.engine.odds import changes, odds
from gambeson.engine.step import step
from gambeson.games import load, texts
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.outcomes import Done, Paused
from gambeson.model.values import State
from gambeson.table import Table
from gambeson.table.chances import percent
from gambeson.table.dice import seeded
from tests.terminal import ROOT, assert_golden, call

SKIRMISH = ROOT / "examples" / "eldfall-skirmish.yaml"
Terminal = pytest.CaptureFixture[str]


def written(folder: Path, text: str) -> Path:
    path = folder / "fight.yaml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_last_command_is_worked_out_on_the_state_before_it(lang: str, capsys: Terminal) -> None:
    answer = call(capsys, "odds", SKIRMISH, "--lang", lang)

    assert (0, "") == (answer.status, answer.err)
    assert_golden(f"odds.{lang}.txt", answer.out)


def test_json_has_fractions_that_sum_up_to_one(capsys: Terminal) -> None:
    result = json.loads(call(capsys, "odds", SKIRMISH, "--json").out)

    assert 1 == sum(Fraction(way["chance"]) for way in result["chances"])
    assert "2391/10000" == result["totals"]["orc"]["lost"]["hit_points"]["1"]["chance"]
    assert (False, {"orc": 2}) == (result["pending"], result["command"]["attack"]["targets"])


def test_a_pending_roll_keeps_the_dice_that_lie_on_the_table(tmp_path: Path, capsys: Terminal) -> None:
    text = SKIRMISH.read_text("utf-8").replace("[11, 15, 14, 5]", "[11, 15]").partition("    expect:\n      orc")[0]
    result = json.loads(call(capsys, "odds", written(tmp_path, text), "--json").out)

    # one plain Hit stands: not dodged with 11 to 20 of 20, wounded by 9 or less of 20
    assert result["pending"]
    assert {"0": "31/40", "1": "9/40"} == {
        points: each["chance"] for points, each in result["totals"]["orc"]["lost"]["hit_points"].items()
    }


def test_a_choice_is_taken_as_it_was_answered(tmp_path: Path, capsys: Terminal) -> None:
    text = (
        "game: pokrovy\nentities:\n  anna: {pools: {wards: {current: 4, maximum: 4}, vyn: 10}}\nsteps:\n"
        "  - grant: {target: anna, layer: wards, points: 3, source: oath}\n    answers: [take]\n"
    )
    result = json.loads(call(capsys, "odds", written(tmp_path, text), "--json").out)

    assert ["1"] == [way["chance"] for way in result["chances"]]


def test_another_step_may_be_named(capsys: Terminal) -> None:
    assert "Vizier casts Summon Golem" in call(capsys, "odds", SKIRMISH, "--step", "4", "--lang", "en").out


def test_a_step_that_is_not_there_is_one_message_and_2(capsys: Terminal) -> None:
    answer = call(capsys, "odds", SKIRMISH, "--step", "40", "--lang", "en")

    assert (2, "") == (answer.status, answer.out)
    assert "the scenario has 8 steps" in answer.err


def test_a_refused_command_has_a_reason_and_1(tmp_path: Path, capsys: Terminal) -> None:
    text = SKIRMISH.read_text("utf-8").partition("  - react")[0] + "  - finish: {model: orc}\n"
    answer = call(capsys, "odds", written(tmp_path, text), "--lang", "en")

    assert 1 == answer.status
    assert "finish the Sequence of Knight first" in answer.out


def test_too_many_ways_are_told_politely(monkeypatch: pytest.MonkeyPatch, capsys: Terminal) -> None:
    monkeypatch.setattr("gambeson.engine.odds.MOST_STEPS", 3)
    answer = call(capsys, "odds", SKIRMISH, "--lang", "en")
    as_json = json.loads(call(capsys, "odds", SKIRMISH, "--json", "--lang", "en").out)

    assert (1, "") == (answer.status, answer.err)
    assert "too many to list" in answer.out
    assert as_json["chances"] is None
    assert "too many to list" in as_json["reason"]


def test_a_fraction_that_fits_no_line_is_left_to_json(tmp_path: Path, capsys: Terminal) -> None:
    text = (
        SKIRMISH.read_text("utf-8")
        .replace("blade: {power: 12, strike: 2}", "blade: {power: 12, strike: 40}")
        .replace("targets: {orc: 2}", "targets: {orc: 40}")
        .replace("    rolls: [11, 15, 14, 5]\n", "")
        .partition("    note: one Hit")[0]
    )
    answer = call(capsys, "odds", written(tmp_path, text), "--lang", "en")

    assert 0 == answer.status
    assert max(map(len, answer.out.splitlines())) <= 100
    assert not re.search("[0-9]{30}", answer.out)


def test_an_unusable_file_is_2(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "odds", written(tmp_path, "game: novitas\nstepps: []\n"))

    assert (2, "") == (answer.status, answer.out)
    assert "stepps" in answer.err


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (Fraction(1), "100.00 %"),
        (Fraction(0), "0.00 %"),
        (Fraction(1, 10**6), "<0.01 %"),
        (1 - Fraction(1, 10**6), ">99.99 %"),
        (Fraction(909, 20000), "4.55 %"),
        (Fraction(1, 3), "33.33 %"),
    ],
)
def test_what_is_possible_is_never_0_and_what_may_fail_never_100(chance: Fraction, said: str) -> None:
    assert said == percent(chance, texts(None, "en"))


def test_russian_says_no_english(capsys: Terminal) -> None:
    text = call(capsys, "odds", SKIRMISH, "--lang", "ru").out

    names = {"the", "ruined", "chapel", "knight", "blade", "orc"}
    assert set() == set(re.findall(r"[a-z]{3,}", text.casefold())) - names


# Sampling


def duel() -> tuple[Pack, State, Command]:
    """Two dice of Strike against a Dodge, with Armor, Damage dice and a Stagger."""
    fighters: dict[str, Any] = {
        "knight": {
            "player": "red",
            "stats": {"stamina": 2, "offense": 13, "armor": 3, "agility": 9},
            "pools": {"hit_points": 5},
            "weapons": {"blade": {"power": 12, "strike": 2, "traits": ["stagger"]}},
        },
        "orc": {
            "player": "blue",
            "stats": {"stamina": 2, "defense": 12, "armor": 4, "agility": 10, "toughness": 11},
            "pools": {"hit_points": 2},
        },
    }
    table = Table(load("eldfall"), entities=fighters)
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="knight")
    table.do("react", model="orc", action="dodge")
    return table.pack, table.state, Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 2}})


def sampled(pack: Pack, state: State, command: Command, samples: int, seed: int) -> Counter[Any]:
    """How often each ending came when dice were thrown."""
    throw = seeded(seed)
    found: Counter[Any] = Counter()
    asked: dict[tuple[Answer, ...], Paused] = {}
    for _ in range(samples):
        answers: tuple[Answer, ...] = ()
        while True:
            outcome = asked.get(answers) or step(pack, state, command, answers)
            if not isinstance(outcome, Paused):
                break
            asked[answers] = outcome
            answers += tuple(Answer(question.key, throw(question) or ()) for question in outcome.questions)
        assert isinstance(outcome, Done)
        found[changes(pack, state, outcome)] += 1
    return found


def agree(samples: int) -> None:
    """Every ending is sampled as often as its chance says, within 4 standard errors."""
    pack, state, command = duel()
    exact = {way.changes: way.chance for way in odds(pack, state, command).chances}
    found = sampled(pack, state, command, samples, random.randrange(2**32))

    assert set() == set(found) - set(exact)
    for ending, chance in exact.items():
        error = (float(chance * (1 - chance)) / samples) ** 0.5
        assert abs(found[ending] / samples - chance) <= 4 * error + 1 / samples, (ending, chance, found[ending])


def test_twenty_thousand_throws_agree_with_the_exact_chances() -> None:
    agree(20_000)


@pytest.mark.long
def test_a_million_throws_agree_with_the_exact_chances() -> None:
    agree(1_000_000)

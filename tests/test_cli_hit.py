"""gambeson hit: one blow, one explained answer."""

from __future__ import annotations

import builtins
import json

import pytest

from tests.terminal import call

Terminal = pytest.CaptureFixture[str]
CHOICE = (
    "hit", "novitas", "4 Poison", "--lang", "en", "--pools", "body=3", "--variant", "prevention_choice=holder",
    "--set", "preventions=[{name: amulet, stops: [poison]}, {name: ring, stops: [all]}]",
)  # fmt: skip


def result(capsys: Terminal, *args: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(call(capsys, "hit", "novitas", *args, "--json").out)
    return found


def test_the_marshals_question_is_answered(capsys: Terminal) -> None:
    answer = call(
        capsys, "hit", "novitas", "4", "--lang", "en", "--location", "torso",
        "--pools", "magic_armor=2,physical_armor=1@torso,body=3",
    )  # fmt: skip

    assert (0, "") == (answer.status, answer.err)
    assert "magic armor 2 → 0, physical armor 1 → 0, body 3 → 2" in answer.out


def test_armor_counts_only_where_it_covers(capsys: Terminal) -> None:
    pools = ("--pools", "physical_armor=3@torso+left_arm,body=3")

    assert {"physical_armor": 1} == result(capsys, "1", *pools, "--location", "left_arm")["taken"]
    assert {"body": 1} == result(capsys, "1", *pools, "--location", "left_leg")["taken"]


def test_a_pool_may_be_partly_spent(capsys: Terminal) -> None:
    entities = result(capsys, "1", "--pools", "body=2/3")["entities"]
    assert isinstance(entities, dict)
    body = entities["target"]["pools"]["body"]

    assert (1, 3) == (body["current"], body["maximum"])


def test_keys_of_the_entity_and_of_a_pool_are_set(capsys: Terminal) -> None:
    immune = result(capsys, "4 Poison", "--set", "immune=poison,acid")
    monstrous = result(capsys, "4", "--pools", "physical_armor=3", "--set", "physical_armor.monstrous=true")

    assert ["No Effect"] == immune["calls"]
    assert {"physical_armor": 1} == monstrous["taken"]


def test_traits_source_and_readings_are_heard(capsys: Terminal) -> None:
    wounded = ("--set", "wounds=left_arm", "--traits", "trap", "--source", "Орк")

    assert [] == result(capsys, "Left Arm Wound", *wounded)["calls"]
    assert {"body": 0} != result(capsys, "Poison", "--pools", "body=3", "--variant", "numberless_poison=one")["taken"]
    assert {} == result(capsys, "Poison", "--pools", "body=3", "--variant", "numberless_poison=condition_only")["taken"]


def test_a_damage_that_nobody_knows_is_said_so(capsys: Terminal) -> None:
    entities = result(capsys, "unknown", "--pools", "body=3")["entities"]
    assert isinstance(entities, dict)

    assert ["torso"] == entities["target"]["wounds"]


def test_a_refused_blow_leaves_with_1_and_says_the_rule(capsys: Terminal) -> None:
    answer = call(capsys, "hit", "novitas", "4 fire", "--lang", "en")

    assert 1 == answer.status
    assert "NV-02  refused: unknown call word 'fire'" in answer.out


@pytest.mark.parametrize(
    ("args", "begins", "says"),
    [
        (("novitass", "4"), "GAME:", "novitas"),
        (("novitas", "4", "--pools", "magic_armr=2"), "--pools magic_armr:", "magic_armor"),
        (("novitas", "4", "--pools", "magic_armor"), "--pools:", "LAYER=POINTS"),
        (("novitas", "4", "--pools", "body=1,body=2"), "--pools:", "twice"),
        (("novitas", "4", "--pools", "body=x"), "--pools body:", "whole number"),
        (("novitas", "4", "--pools", "body=6"), "--pools body:", "cap of 4"),
        (("novitas", "4", "--pools", "body=1@torso"), "--pools body.covers:", "allowed"),
        (("novitas", "4", "--pools", "physical_armor=1@head"), "--pools physical_armor.covers.0:", "torso"),
        (("novitas", "4", "--pools", "body=" + "9" * 40), "--pools body:", "whole number"),
        (("novitas", "4", "--set", "monstrous"), "--set:", "KEY=VALUE"),
        (("novitas", "4", "--set", "monstrous=maybe"), "--set monstrous:", "true or false"),
        (("novitas", "4", "--set", "immun=poison"), "--set immun:", "immune"),
        (("novitas", "4", "--set", "immune=poisn"), "--set immune.0:", "poison"),
        (("novitas", "4", "--set", "immune=[a"), "--set immune:", "closing"),
        (("novitas", "4", "--variant", "helmet"), "--variant:", "NAME=READING"),
        (("novitas", "4", "--variant", "helmt=x"), "--variant helmt:", "helmet"),
        (("novitas", "4", "--variant", "helmet=x"), "--variant helmet:", "cap_five"),
        (("novitas", "4", "--defence", "3"), "--defence:", "--location"),
    ],
)
def test_a_bad_option_gets_one_line(args: tuple[str, ...], begins: str, says: str, capsys: Terminal) -> None:
    answer = call(capsys, "hit", *args, "--lang", "en")

    assert (2, "") == (answer.status, answer.out)
    assert 1 == len(answer.err.splitlines())
    assert answer.err.startswith(begins)
    assert says in answer.err


@pytest.mark.parametrize(
    "blow", ["", "🐉", "\x1b[31m4", "4\n4", "-4", "0", "9" * 400, "x" * 3_000, "4 'Pierce\"", "שלום"]
)
def test_no_blow_makes_a_trace(blow: str, capsys: Terminal) -> None:
    answer = call(capsys, "hit", "--pools", "body=3", "--", "novitas", blow)

    assert answer.status in (0, 1)
    assert "\x1b" not in answer.out
    assert "" == answer.err


def test_a_question_is_answered_by_an_option(capsys: Terminal) -> None:
    answer = call(capsys, *CHOICE, "--answer", "ring")

    assert 0 == answer.status
    assert "ends: ring" in answer.out


def test_away_from_a_terminal_an_open_question_is_shown_and_leaves_with_1(capsys: Terminal) -> None:
    answer = call(capsys, *CHOICE)

    assert 1 == answer.status
    assert "NV-62  The target: which protection stops the hit? Decides: The target." in answer.out


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Somebody sits at a terminal and types these lines."""
    lines: list[str] = []

    def typed(prompt: str) -> str:
        print(prompt)
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr("gambeson.cli.hit.can_ask", lambda out: True)
    monkeypatch.setattr(builtins, "input", typed)
    return lines


@pytest.mark.parametrize("typed", [["ring"], ["2"], ["r"], ["nothing", "ring"]])
def test_at_a_terminal_the_question_is_asked(typed: list[str], terminal: list[str], capsys: Terminal) -> None:
    terminal += typed
    answer = call(capsys, *CHOICE)

    assert 0 == answer.status
    assert "ends: ring" in answer.out


def test_at_a_terminal_the_end_of_input_leaves_the_question_open(terminal: list[str], capsys: Terminal) -> None:
    assert 1 == call(capsys, *CHOICE).status


@pytest.mark.parametrize(
    ("args", "taken"),
    [
        (("pokrovy", "9 огня", "--pools", "Покровы=9,Вын=20", "--set", "сопротивление=огонь"), {"wards": 9}),
        (("pokrovy", "6 рубящего", "--pools", "вын=20", "--set", "СУ=рубящий:2"), {"vyn": 4}),
        (("srd5", "9 огнём", "--pools", "хиты=20", "--set", "сопротивление=огня"), {"hit_points": 4}),
        (("srd5", "7 рубящий + 4 огонь рукопашное", "--pools", "хиты=20"), {"hit_points": 11}),
        (("srd5", "7 рубящим рукопашной атакой", "--pools", "хиты=20"), {"hit_points": 7}),
        (("pokrovy", "7 рубящий + 4 огонь рукопашное", "--pools", "вын=20"), {"vyn": 11}),
        (("novitas", "1", "--pools", "доспех=1@левая рука,тело=3", "--location", "левая рука"), {"physical_armor": 1}),
        (("novitas", "1", "--pools", "physical armor=1@left arm,body=3", "--location", "torso"), {"body": 1}),
        (("eldfall", "2 wounds", "--pools", "hit_points=4"), {"hit_points": 2}),
        (("eldfall", "3 раны", "--pools", "hit_points=4"), {"hit_points": 3}),
    ],
)  # fmt: skip
def test_layers_keys_places_and_types_go_by_their_names(
    args: tuple[str, ...], taken: dict[str, int], capsys: Terminal
) -> None:
    assert taken == json.loads(call(capsys, "hit", *args, "--json").out)["taken"]


def test_a_blow_in_numbers_is_said_in_the_words_of_its_fields(capsys: Terminal) -> None:
    answer = json.loads(call(capsys, "hit", "eldfall", "power 12, 2 hits", "--pools", "hit_points=4", "--json").out)

    assert {"target": "target", "power": 12, "hits": 2} == answer["command"]["hit"]
    assert "roll" == answer["decision"]["kind"]

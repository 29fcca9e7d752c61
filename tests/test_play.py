"""The table at the terminal: whole sessions through the real command, kept as goldens, and what must hold of any.

A golden `play-NAME.out.txt` is the transcript of `play-NAME.in.txt`. `GOLDENS=write pytest tests/test_play.py` writes
them anew; read the difference before it is kept.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gambeson.cli.output import Output
from gambeson.cli.play import Quit, Session
from gambeson.cli.play_help import show_command, show_help
from gambeson.cli.play_lines import WORDS
from gambeson.cli.play_opening import Asked, Opened, open_table
from gambeson.cli.spells import found_spells, show_spells
from gambeson.games import available, load
from gambeson.table import Table
from gambeson.table.dice import seeded
from gambeson.table.entry_words import words_for
from gambeson.table.saving import decode, restore

ROOT = Path(__file__).parent.parent
GOLDENS = ROOT / "tests" / "goldens"
EXAMPLES = {"pokrovy": "examples/pokrovy-rest.yaml", "novitas": "examples/novitas-weekend.yaml", "eldfall": "eldfall"}
SESSIONS = ("pokrovy-ru", "pokrovy-en", "novitas-en", "novitas-ru", "eldfall-en", "eldfall-ru")


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    return {**kept, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"}


def played(*args: str, lines: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gambeson", *args],
        input=lines,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=environment() | {"PYTHONPATH": str(ROOT / "src")},
        timeout=120,
        check=False,
    )


# Whole evenings


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_reads_as_its_golden(name: str) -> None:
    game, _, lang = name.partition("-")
    lines = (GOLDENS / f"play-{name}.in.txt").read_text("utf-8")

    came = played("play", EXAMPLES[game], "--lang", lang, "--seed", "7", lines=lines)

    assert (0, "") == (came.returncode, came.stderr)
    golden = GOLDENS / f"play-{name}.out.txt"
    if os.environ.get("GOLDENS") == "write":
        golden.write_text(came.stdout, "utf-8")
    assert golden.read_text("utf-8") == came.stdout


@pytest.mark.parametrize("name", SESSIONS)
def test_no_session_shows_the_id_of_a_text_or_an_open_blank(name: str) -> None:
    text = (GOLDENS / f"play-{name}.out.txt").read_text("utf-8")

    assert [] == re.findall(r"\b(?:play|explain|trace|refusal|question|option|cli|term)\.[a-z_.]+|\{@?[a-z_]+\??", text)


@pytest.mark.parametrize("name", [name for name in SESSIONS if name.endswith("-ru")])
def test_a_russian_session_does_not_fall_into_english(name: str) -> None:
    """English stays where a game says it (a shout), in what was typed, and in ids of commands and fields."""
    text = (GOLDENS / f"play-{name}.out.txt").read_text("utf-8")
    typed = set(re.findall(r"[a-z]{3,}", (GOLDENS / f"play-{name}.in.txt").read_text("utf-8").casefold()))
    told = [line for line in text.splitlines() if not re.match(r"^(?:\w+ ?[\d:]*|ответ [\d-]+|кости \w+)> ", line)]
    left = {
        word for line in told for word in re.findall(r"\b[A-Za-z][a-z]{3,}\b", line) if word.casefold() not in typed
    }

    assert set() == left & {
        "wards",
        "takes",
        "damage",
        "points",
        "shouts",
        "until",
        "hours",
        "minutes",
        "left",
        "nothing",
    }


# The end of input, interruption, and what is unusable


def test_the_end_of_the_input_ends_politely() -> None:
    came = played("play", "novitas", lines="")

    assert (0, "") == (came.returncode, came.stderr)
    assert came.stdout.endswith("Goodbye.\n")


def _listens_to_interruptions() -> None:
    """As at a terminal: a suite that runs in the background hands on that interruptions are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interruption_says_goodbye_and_leaves_with_130(tmp_path: Path) -> None:
    file = tmp_path / "evening.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "gambeson", "play", EXAMPLES["novitas"], "--save", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env=environment() | {"PYTHONPATH": str(ROOT / "src")},
        preexec_fn=_listens_to_interruptions,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("anna 2\n")
    process.stdin.flush()
    assert any("physical armor 3 → 1" in line for line in iter(process.stdout.readline, ""))
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)

    assert 130 == process.returncode
    assert "Goodbye. The evening is in" in rest
    assert 1 == len(decode(file.read_bytes()).rows)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nowhere.yaml"], "nowhere.yaml"),
        (["novitas", "--variant", "helmet=big"], "variants.helmet"),
        (["novitas", "--variant", "helmet"], "--variant"),
        (["pyproject.toml"], "pyproject.toml"),
    ],
)
def test_what_cannot_be_played_is_one_message_and_2(args: list[str], words: str) -> None:
    came = played("play", *args)

    assert 2 == came.returncode
    assert "" == came.stdout
    assert words in came.stderr
    assert "Traceback" not in came.stderr


def test_a_variant_chosen_for_a_scenario_is_in_force() -> None:
    came = played("play", EXAMPLES["novitas"], "--variant", "poisoned_when=body", lines="anna 1 poison\nanna\n")

    assert "poisoned" not in came.stdout.partition("anna 1 poison\n")[2]


def test_the_steps_of_a_scenario_are_played_when_they_are_wanted() -> None:
    without = played("play", EXAMPLES["novitas"], lines="log\n")
    with_steps = played("play", EXAMPLES["novitas"], "--steps", lines="log\n")

    assert "Nothing has happened yet." in without.stdout
    assert "Anna casts Improved Magic Armor on Sir Boris" in with_steps.stdout


# Keeping the evening


def test_an_evening_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "evening.json"
    first = played("play", EXAMPLES["pokrovy"], "--lang", "ru", "--save", str(file), lines="дать анна 3\n")
    second = played("play", EXAMPLES["pokrovy"], "--lang", "ru", "--save", str(file), lines="взять\nанна 1\n")

    assert (0, 0) == (first.returncode, second.returncode)
    assert "Продолжаем с" in second.stdout
    assert "Анна: Покровы 6 → 3" in second.stdout
    assert 2 == restore(file.read_bytes()).state.entities["анна"].pools["wards"].current


def test_an_evening_of_another_game_is_not_taken_up(tmp_path: Path) -> None:
    file = tmp_path / "evening.json"
    played("play", "novitas", "--save", str(file), lines="add x body=1\n")
    kept = file.read_bytes()

    came = played("play", "pokrovy", "--save", str(file), lines="add y vyn=1\n")

    assert 2 == came.returncode
    assert kept == file.read_bytes()


def test_a_file_that_is_no_saved_table_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "notes.yaml"
    file.write_text("my notes\n", "utf-8")

    came = played("play", "novitas", lines=f"add x body=1\nsave {file}\nload {file}\nstate\n")

    assert "my notes\n" == file.read_text("utf-8")
    assert "holds something else than a saved table" in came.stdout
    assert "x\n  body" in came.stdout


def test_save_and_load_give_the_same_table_back(tmp_path: Path) -> None:
    file = tmp_path / "table.json"

    came = played("play", EXAMPLES["novitas"], lines=f"anna 2\nsave {file}\nanna 2\nload {file}\nlog\n")

    assert "1 input so far" in came.stdout
    assert 1 == len(decode(file.read_bytes()).rows)
    assert [] == [path for path in tmp_path.iterdir() if path != file]


# Questions


def fight(*lines: str, seed: str = "7") -> str:
    return played("play", EXAMPLES["pokrovy"], "--seed", seed, lines="\n".join(lines) + "\n").stdout


THORNS = ("cast мирра barrier анна emergism 2 choices={type: fire}", "take", "анна 2 melee source=орк")


def test_enter_rolls_the_same_dice_for_the_same_seed() -> None:
    assert fight(*THORNS, "") == fight(*THORNS, "")


def test_real_dice_are_taken_as_typed_and_impossible_ones_refused() -> None:
    text = fight(*THORNS, "9 9", "4", "4 3")

    assert 2 == text.count("Refused: ")
    assert "thorns strike back: 2d4 is 7" in text


def test_while_something_is_open_only_its_answer_undo_and_edit_are_taken() -> None:
    text = fight(
        "give анна 3", "борис 5", "rest all long", "bogus", "state борис", "edit анна wards=1", "undo", "борис 1"
    )

    assert 2 == text.count("Refused: Анна must first keep or take")
    assert "this is no answer: bogus" in text
    assert "Борис · creature\n  shield  ████         4/4" in text
    assert "keep 1 point" in text
    assert "Taken back: Анна is granted 3 points of wards" in text


def test_several_people_answer_in_any_order() -> None:
    text = fight(
        "give борис 4 until=600m",
        "give анна 4 until=600m",
        "take",
        "rest all long heals=30",
        "мирра take",
        "2",
        "1",
        "overview",
    )

    assert "1/3 " in text
    assert "refused" not in text.casefold()


# On a terminal


def on_a_terminal(lines: list[str]) -> tuple[int, str]:
    """A session on a pseudo-terminal: each line is typed once the prompt is there."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the child is another program at once
        os.chdir(ROOT)
        os.environ.update(PYTHONPATH=str(ROOT / "src"), TERM="xterm-256color", PYTHONUTF8="1", COLUMNS="90", LINES="40")
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, [sys.executable, "-m", "gambeson", "play", EXAMPLES["novitas"], "--lang", "ru"])
    said = ""
    for line in [*lines, ""]:
        said += _until_prompt(terminal)
        if line:
            os.write(terminal, f"{line}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), said


def _until_prompt(terminal: int) -> str:
    said = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 60)
        try:
            part = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if not part:
            break
        said += part
        if re.search(rb"\d\d:\d\d> (?:\x1b\[0m)?\Z", said):
            break
    return said.decode("utf-8", "replace")


def test_on_a_terminal_cards_have_frames_and_the_shout_is_loud() -> None:
    status, said = on_a_terminal(["тролль terror", "карточки", "выход"])

    assert 0 == status
    assert "╭" in said
    assert "\x1b[1;7;33m Troll кричит: NO EFFECT! \x1b[0m" in said


# Any session


@pytest.fixture(params=["novitas", "pokrovy", "eldfall"])
def opened(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(ROOT)
    return "examples/eldfall-skirmish.yaml" if request.param == "eldfall" else EXAMPLES[request.param]


def session_lines(table: Table) -> st.SearchStrategy[list[str]]:
    words = [
        word for name in WORDS if name not in ("save", "load", "quit") for word in words_for(f"play.word.{name}")[:2]
    ]
    verbs = [*table.pack.commands, "1", "2", "", "take", "keep", "3 3", "en", "ru"]
    others = [
        "4",
        "2 pierce",
        "6 огонь",
        "wards=3",
        "all long",
        "body 2",
        "wards 5",
        "5",
        "poison",
        "source=анна",
        "magic_armor",
        "1 tactical",
        "legal orc",
        "activate knight",
        "odds 1",
        "what if 2",
    ]
    one = st.sampled_from([*words, *verbs, *table.state.entities, *others])
    line = st.one_of(st.lists(one, max_size=5).map(" ".join), st.text(max_size=20))
    return st.lists(line, max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_line_breaks_a_session(opened: str, data: st.DataObject, capsys: pytest.CaptureFixture[str]) -> None:
    table = open_table(Asked(what=opened))
    session = Session(table, "", "en", seeded(1))
    session.begin()
    for line in data.draw(session_lines(table.table)):
        before, version = session.table.state, session.table.version
        try:
            session.take(line.replace("\n", " "))
        except Quit:
            break
        if session.table.version == version:
            assert before is session.table.state
    said = capsys.readouterr().out
    assert "Traceback" not in said


# Help and the catalogue


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("game", available())
def test_help_tells_every_command_in_words(game: str, lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    pack = load(game)

    show_help(Output(lang), pack)
    for command in pack.commands:
        show_command(Output(lang), pack, command)

    said = capsys.readouterr().out
    assert [] == re.findall(r"\bplay\.[a-z_.]+|\{[a-z_]+\}", said.replace("{name: glow}", ""))


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("game", available())
def test_every_spell_is_told_in_words(game: str, lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    pack = load(game)

    show_spells(Output(lang), pack)
    for code in pack.spells:
        show_spells(Output(lang), pack, code)

    said = capsys.readouterr().out
    assert [] == re.findall(r"\bplay\.[a-z_.]+|<[a-z_.]+ object|Formula|Struct", said)


@pytest.mark.parametrize(
    ("game", "name", "code"),
    [
        ("pokrovy", "barrier", "barrier"),
        ("pokrovy", "Ограждение", "barrier"),
        ("pokrovy", "слово силы", "power_word_fortify"),
        ("novitas", "Heal Mortal Wound", "heal_mortal_wound"),
        ("novitas", "исцеление смертельной раны", "heal_mortal_wound"),
    ],
)
def test_a_spell_is_found_by_code_and_by_either_name(game: str, name: str, code: str) -> None:
    assert (code,) == found_spells(load(game), name)


def test_spells_at_the_command_line_name_what_is_unknown() -> None:
    came = played("spells", "pokrovy", "barier")

    assert 2 == came.returncode
    assert "did you mean barrier" in came.stderr


@pytest.mark.parametrize("game", available())
def test_a_catalogue_is_told_in_russian_words_alone(game: str) -> None:
    out = played("spells", game, "--lang", "ru").stdout
    lines = [line for line in out.splitlines() if "gambeson spells" not in line]

    assert [] == [word for line in lines for word in re.findall(r"[A-Za-z_]{4,}", line)]


def test_a_demo_party_can_be_brought_and_taken_back() -> None:
    table = Table("novitas")
    session = Session(Opened(table), "", "en", seeded(1))

    session.take("demo")
    there = len(table.state.entities)
    session.take("undo")

    assert there > 1
    assert there - 1 == len(table.state.entities)


# The menu


def at_the_chapel(*lines: str) -> str:
    return played("play", "examples/eldfall-skirmish.yaml", "--seed", "7", lines="\n".join(lines) + "\n").stdout


TACTICAL = ("advance tactical red", "activate knight")


def test_a_number_of_the_menu_asks_for_what_is_open_and_gives_the_command() -> None:
    text = at_the_chapel(*TACTICAL, "legal knight", "1", "2")

    assert "Attack: blade: choose targets\n  1  Orc\n  2  Witch\n" in text
    assert "Knight attacks with blade: Witch" in text


def test_a_menu_that_has_been_overtaken_fills_nothing_in() -> None:
    text = at_the_chapel(*TACTICAL, "legal knight", "react orc dodge", "1")

    assert "Something has happened since the menu" in text
    assert "Knight attacks" not in text


def test_another_command_leaves_a_choice_open_behind() -> None:
    text = at_the_chapel(*TACTICAL, "legal knight", "1", "finish knight", "log")

    assert "Knight finishes the Sequence" in text
    assert text.endswith("Goodbye.\n")


def test_undo_drops_a_choice_and_takes_nothing_back() -> None:
    text = at_the_chapel(*TACTICAL, "legal knight", "1", "undo", "overview")

    assert "Taken back" not in text
    assert "Knight · model: HP 4/4 · Activation Points 1/2" in text


def test_odds_and_what_if_of_a_number_change_nothing() -> None:
    text = at_the_chapel(*TACTICAL, "legal knight", "odds 1 orc", "what if 1 orc", "odds 1", "log")

    assert "no effect" in text
    assert "What if (nothing changes):" in text
    assert "   2  Knight is activated: idle\neldfall> " in text


def test_a_spell_of_several_words_is_one_spell() -> None:
    text = at_the_chapel("advance tactical red", "convert vizier 1", "activate vizier", "cast vizier summon golem")

    assert "Golem 1: on the table" in text


def test_a_casting_without_a_spell_is_refused_in_words() -> None:
    assert "spell is missing" in at_the_chapel(*TACTICAL, "react witch cast targets=witch")

"""gambeson run: what it prints, what it leaves with, and what it says of files that are no good."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gambeson import __version__
from tests.terminal import ROOT, call

DEMO = ROOT / "examples" / "demo-fight.yaml"
START = "game: novitas\nentities:\n  anna: {pools: {body: 3}}\nsteps:\n"
GOOD = START + "  - hit: {target: anna, call: '1'}\n    expect: {anna: {pools: {body: 2}}}\n"
OTHERWISE = START + "  - hit: {target: anna, call: '1'}\n    expect: {anna: {pools: {body: 1}}}\n"
REFUSED = START + "  - hit: {target: anna, call: fire}\n"
WAITING = (
    "game: novitas\nvariants: {prevention_choice: holder}\nentities:\n"
    "  anna: {pools: {body: 3}, preventions: [{name: a, stops: [all]}, {name: b, stops: [all]}]}\n"
    "steps:\n  - hit: {target: anna, call: '1'}\n"
)
UNUSABLE = "game: novitas\nentities:\n  anna: {pools: {body: 6}}\n"

Terminal = pytest.CaptureFixture[str]


def written(folder: Path, content: str | bytes, name: str = "fight.yaml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(("content", "status"), [(GOOD, 0), (OTHERWISE, 1), (REFUSED, 1), (WAITING, 1), (UNUSABLE, 2)])
def test_the_exit_status_tells_what_came(content: str, status: int, tmp_path: Path, capsys: Terminal) -> None:
    assert status == call(capsys, "run", written(tmp_path, content)).status


def test_the_demonstration_holds(capsys: Terminal) -> None:
    answer = call(capsys, "run", DEMO, "--lang", "en")

    assert (0, "") == (answer.status, answer.err)
    assert answer.out.rstrip().endswith("all as expected.")


def test_a_failure_says_what_was_expected_and_what_came(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "run", written(tmp_path, OTHERWISE), "--lang", "en")

    assert "anna.pools.body: expected 1, but it is 2" in answer.out


def test_json_is_one_document_and_nothing_else(capsys: Terminal) -> None:
    answer = call(capsys, "run", DEMO, "--json")
    result = json.loads(answer.out)

    assert (0, "") == (answer.status, answer.err)
    assert (__version__, "novitas", True) == (result["gambeson"], result["game"], result["ok"])
    assert [0, 1, 2] == [step["index"] for step in result["steps"][:3]]
    assert ["dead"] == result["entities"]["troll"]["conditions"]


def test_json_of_several_files_is_an_array_in_their_order(tmp_path: Path, capsys: Terminal) -> None:
    files = [written(tmp_path, text, f"{at}.yaml") for at, text in enumerate((OTHERWISE, UNUSABLE, GOOD))]
    answer = call(capsys, "run", *files, "--json")

    assert 2 == answer.status
    assert [(str(file), ok) for file, ok in zip(files, (False, False, True), strict=True)] == [
        (result["file"], result["ok"]) for result in json.loads(answer.out)
    ]


def test_json_of_an_unusable_file_lists_its_faults(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "run", written(tmp_path, UNUSABLE), "--json", "--lang", "en")
    (fault,) = json.loads(answer.out)["faults"]

    assert ("entities.anna.pools.body", 3, 24) == (fault["path"], fault["line"], fault["column"])


def test_json_has_no_numbers_that_json_cannot_write(tmp_path: Path, capsys: Terminal) -> None:
    def unheard(name: str) -> None:
        raise AssertionError(name)

    answer = call(capsys, "run", written(tmp_path, START + "  - hit: {target: anna, damage: .nan}\n"), "--json")

    assert "nan" == json.loads(answer.out, parse_constant=unheard)["steps"][0]["command"]["hit"]["damage"]


def test_several_files_end_with_a_line_each(tmp_path: Path, capsys: Terminal) -> None:
    files = [written(tmp_path, text, f"{at}.yaml") for at, text in enumerate((GOOD, OTHERWISE, UNUSABLE))]
    answer = call(capsys, "run", *files, "--lang", "en")
    *_, good, otherwise, unusable, counts = answer.out.rstrip().splitlines()

    assert ["ok", "FAILED", "unusable"] == [line.split()[0] for line in (good, otherwise, unusable)]
    assert "3 files: 1 as expected, 1 otherwise, 1 unusable" == counts


def test_of_many_files_only_those_that_fail_are_explained(tmp_path: Path, capsys: Terminal) -> None:
    files = [written(tmp_path, OTHERWISE if at == 7 else GOOD, f"{at}.yaml") for at in range(21)]
    answer = call(capsys, "run", *files, "--lang", "en")

    assert 1 == answer.out.count("anna is hit")


def test_a_diagnostic_names_path_line_column_and_what_is_allowed(tmp_path: Path, capsys: Terminal) -> None:
    path = written(tmp_path, UNUSABLE)
    answer = call(capsys, "run", path, "--lang", "en")

    assert f"{path}:3:24: entities.anna.pools.body: body 6 is above the cap of 4; creatures: breaks_cap: true\n" == (
        answer.err
    )


def test_every_fault_has_its_line(tmp_path: Path, capsys: Terminal) -> None:
    text = "game: novitas\nentities:\n  anna: {pools: {body: 6, bod: 3}}\n  bob: {immun: [x]}\n"
    answer = call(capsys, "run", written(tmp_path, text), "--lang", "en")

    assert 2 == len(answer.err.splitlines())


def test_an_unknown_key_is_shown_where_it_stands(tmp_path: Path, capsys: Terminal) -> None:
    path = written(tmp_path, "game: novitas\nstepps:\n  []\n")

    assert call(capsys, "run", path, "--lang", "en").err.startswith(f"{path}:2:1: stepps: there is no key 'stepps'")


BAD: dict[str, str | bytes] = {
    "binary": b"\x89PNG\x00\xff\xfe",
    "utf-16": "game: novitas".encode("utf-16"),
    "empty": "",
    "a list": "- 1\n",
    "a word": "hello\n",
    "ten megabytes": b"# long\n" * 1_500_000,
    "deep nesting": "game: novitas\nentities: " + "[" * 5_000 + "]" * 5_000 + "\n",
    "duplicate keys": "game: novitas\ngame: novitas\n",
    "unknown key": GOOD + "stepps: []\n",
    "no game": "title: x\n",
    "unknown game": "game: nowhere\n",
    "game as a list": "game: [novitas]\n",
    "NaN": "game: novitas\nentities: {anna: {pools: {body: .nan}}}\n",
    "infinity": "game: novitas\nentities: {anna: {pools: {body: -.inf}}}\n",
    "negative": "game: novitas\nentities: {anna: {pools: {body: -1}}}\n",
    "huge": f"game: novitas\nentities: {{anna: {{pools: {{body: {'9' * 60}}}}}}}\n",
    "monstrous": f"game: novitas\nentities: {{anna: {{pools: {{body: {'9' * 6_000}}}}}}}\n",
    "null": "game: novitas\nentities: {anna: null}\n",
    "two commands": START + "  - {hit: {target: anna}, kill: {target: anna}}\n",
    "no command": START + "  - {note: nothing}\n",
    "step as a word": START + "  - hit\n",
    "steps as a mapping": "game: novitas\nsteps: {hit: 1}\n",
    "unknown reading": "game: novitas\nvariants: {helmet: none}\n",
    "reserved id": "game: novitas\nentities: {calls: {}}\n",
    "escape codes": 'game: novitas\nentities: {anna: {name: "\\e[31m"}}\n',
    "merge key": "game: novitas\nentities: {anna: {<<: {}}}\n",
    "python tag": "game: !!python/object/apply:os.system ['true']\n",
    "open quote": "game: 'novitas\n",
}


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_gets_a_message_and_no_trace(what: str, lang: str, tmp_path: Path, capsys: Terminal) -> None:
    path = written(tmp_path, BAD[what])
    answer = call(capsys, "run", path, "--lang", lang)

    assert 2 == answer.status
    assert "" == answer.out
    assert 1 == len(answer.err.splitlines())
    assert answer.err.startswith(f"{path}:")
    assert len(answer.err) < len(str(path)) + 400


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("entities:", "entities: # who fights"),
        "title: 'It said \"no\" 🐉'\n" + GOOD.replace("{pools", "{name: '👩‍🚀 \"Ёж\" שלום', pools"),
    ],
    ids=["byte order mark", "windows line ends", "comment", "quotes, emoji and right to left"],
)
def test_an_odd_file_is_played(text: str | bytes, tmp_path: Path, capsys: Terminal) -> None:
    assert 0 == call(capsys, "run", written(tmp_path, text)).status


@pytest.mark.parametrize(
    "expect",
    ["{anna: {pools: 3}}", "{calls: 4}", "{taken: [1]}", "{taken_by: 3}", "{reason: 5}", "{options: 3}", "{ann: {}}"],
)
def test_an_odd_expectation_fails_and_is_no_trace(expect: str, tmp_path: Path, capsys: Terminal) -> None:
    text = START + "  - hit: {target: anna, call: '1'}\n    expect: " + expect + "\n"

    assert 1 == call(capsys, "run", written(tmp_path, text)).status


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path, capsys: Terminal) -> None:
    missing = call(capsys, "run", tmp_path / "none.yaml", "--lang", "en")
    directory = call(capsys, "run", tmp_path, "--lang", "en")

    assert (2, 2) == (missing.status, directory.status)
    assert "there is no file" in missing.err
    assert "is a directory" in directory.err


def test_a_file_that_must_be_refused_is_fine(tmp_path: Path, capsys: Terminal) -> None:
    text = UNUSABLE + "expect_fault: {path: entities.anna.pools.body, says: [6, 4]}\n"
    answer = call(capsys, "run", written(tmp_path, text), "--lang", "en")

    assert (0, "") == (answer.status, answer.err)
    assert "Refused, as the file expects." in answer.out


def test_bad_arguments_are_answered_with_the_usage(capsys: Terminal) -> None:
    for args in (["run"], ["run", "--lang", "de", "x"], ["run", "--seed", "x", "y"], ["run", "--bogus", "x"], ["walk"]):
        answer = call(capsys, *args)

        assert 2 == answer.status, args
        assert "Usage: gambeson" in answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize(("locale", "word"), [("ru_RU.UTF-8", "тело"), ("C", "body"), ("", "body")])
def test_the_language_is_that_of_the_environment(
    locale: str, word: str, tmp_path: Path, capsys: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.delenv("LANG", raising=False)

    assert word in call(capsys, "run", written(tmp_path, GOOD)).out


def test_piped_output_is_plain(capsys: Terminal) -> None:
    assert "\x1b" not in call(capsys, "run", DEMO).out


def test_an_interruption_leaves_with_130(capsys: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gambeson.cli.run.play", interrupted)

    assert 130 == call(capsys, "run", DEMO).status


@pytest.mark.parametrize("module", ["yaml", "typer"])
def test_without_its_extra_the_command_line_says_so_in_a_line(module: str, tmp_path: Path) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from gambeson.cli import main; main(['hit', 'novitas', '4'])"
    nothing_remembered = {**os.environ, "LC_ALL": "C", "XDG_CACHE_HOME": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=nothing_remembered, check=False
    )

    assert (2, "") == (run.returncode, run.stdout)
    assert 1 == len(run.stderr.splitlines())
    assert "gambeson[cli]" in run.stderr


def test_the_version_needs_no_library() -> None:
    code = (
        "import sys; from gambeson.cli import main; main(['--version']); "
        "print(any(name in sys.modules for name in ('typer', 'rich', 'yaml', 'msgspec')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert [f"gambeson {__version__}", "False"] == run.stdout.splitlines()


def test_a_plain_run_loads_neither_typer_nor_rich() -> None:
    code = (
        "import sys, io, contextlib; from gambeson.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main(['run', {str(DEMO)!r}])\n"
        "print(any(name in sys.modules for name in ('typer', 'rich', 'click')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False" == run.stdout.strip()


def test_a_step_that_answers_begins_with_the_answer(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "run", written(tmp_path, WAITING + "  - answer: b\n    note: the ring\n"), "--lang", "en")

    assert "2. Answer: b\n  # the ring\nanna is hit" in answer.out.replace("         #", "  #")


def test_a_saved_table_is_told_from_a_scenario(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "run", written(tmp_path, '{"format": 1, "rows": []}'), "--lang", "en")

    assert 2 == answer.status
    assert "this is a saved table" in answer.err


def test_a_scenario_without_a_game_is_told_the_games(tmp_path: Path, capsys: Terminal) -> None:
    answer = call(capsys, "run", written(tmp_path, "steps: []"), "--lang", "en")

    assert 2 == answer.status
    assert "eldfall, novitas, pokrovy, srd5" in answer.err


def test_what_is_done_to_several_names_each(tmp_path: Path, capsys: Terminal) -> None:
    people = "{pools: {vyn: {current: 3, maximum: 9}}}"
    rest = f"game: pokrovy\nentities:\n  anna: {people}\n  bob: {people}\nsteps:\n  - rest: {{who: all, kind: long}}\n"
    answer = call(capsys, "run", written(tmp_path, rest), "--lang", "en")

    assert "\n  anna:\n" in answer.out
    assert "\n  bob:\n" in answer.out

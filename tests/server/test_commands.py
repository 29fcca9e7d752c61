"""The commands around the live table, as people type them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")

from gambeson.client import Client
from gambeson.games import available
from gambeson.server.beginning import begin_table
from gambeson.table.stores import open_store

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from gambeson.cli import main; main()"]
SCENARIO = {"game": "pokrovy", "entities": {"anna": {"name": "Анна", "pools": {"vyn": 20, "wards": 10}}}}


def gambeson(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a database that holds one table."""
    store = open_store(f"sqlite:///{tmp_path / 'gambeson.db'}")
    begin_table(store, "pokrovy", "Мост", {**SCENARIO, "steps": [{"hit": {"target": "anna", "damage": 4}}]})
    store.close()
    return tmp_path


def test_a_table_goes_out_and_into_another_database(folder: Path) -> None:
    assert 0 == gambeson(folder, "export", "-o", "fight.json").returncode
    assert "Мост" == json.loads((folder / "fight.json").read_text("utf-8"))["title"]
    done = gambeson(folder, "import", "fight.json", "--db", "sqlite:///other.db")
    assert (0, 3) == (done.returncode, done.stdout.count("/join/"))
    assert gambeson(folder, "export", "--db", "sqlite:///other.db").stdout == (folder / "fight.json").read_text() + "\n"


def test_a_table_becomes_a_scenario_in_one_command(folder: Path) -> None:
    assert 0 == gambeson(folder, "export", "--scenario", "-o", "fight.yaml").returncode
    done = gambeson(folder, "run", "fight.yaml")
    assert 0 == done.returncode, done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("export", "--db", "sqlite:///none.db"), "none.db"),
        (("export", "nobody"), "nobody"),
        (("export", "--db", "mysql://x"), "allowed"),
        (("import", "none.json"), "none.json"),
        (("import", "bad.json"), "no saved table"),
        (("table", "--db", "mysql://x", "--port", "0"), "allowed"),
    ],
)
def test_what_is_unusable_is_told_in_a_line(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    (folder / "bad.json").write_text("{]")
    done = gambeson(folder, *arguments)
    assert (2, "") == (done.returncode, done.stdout)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "none.db").exists()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[str]:
    """What `gambeson table --demo` says while it runs."""
    asked = ["table", "--demo", "--port", "0", "--db", f"sqlite:///{tmp_path / 'demo.db'}"]
    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen([*COMMAND, *asked], stdout=out, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while "Ctrl" not in (said := (tmp_path / "out").read_text()):
        assert process.poll() is None, said
        assert time.monotonic() < until
        time.sleep(0.05)
    yield said
    process.send_signal(signal.SIGTERM)
    assert 0 == process.wait(20)


def test_a_demo_has_a_fight_of_each_game_and_a_bot_can_play(demo: str) -> None:
    import http.client

    links = re.findall(r"(http://[^/\s]+)/join/(\S+)", demo)
    assert len(links) >= 3 * len(available())
    base, token = links[0]
    connection = http.client.HTTPConnection(base.removeprefix("http://"))
    connection.request("GET", f"/join/{token}")
    answer = connection.getresponse()
    table = (answer.getheader("location") or "").removeprefix("/t/")
    connection.close()
    before = Client(base, table, token)
    version = before.view()["version"]
    bot = [sys.executable, str(ROOT / "examples" / "bot.py"), base, table, token, "--count", "6", "--pause", "0"]
    played = subprocess.run(bot, capture_output=True, text=True, check=True)
    assert 6 == len(played.stdout.splitlines())
    assert before.view()["version"] >= version

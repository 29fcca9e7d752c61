"""What README and docs say is done as it stands there: commands, Python, scenarios, links.

A block says in its first line what is special: `status=1` (how the commands leave), `file=NAME` (kept in that file for
the blocks after it), `skip="why"` (not done here). The blocks of a page are done in order, in one temporary folder; one
without a kind shows what the commands before it print.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from gambeson.games import available
from gambeson.games.documents import read_text
from gambeson.simulate.files import read_simulation
from gambeson.testing.running import play
from tests.terminal import ROOT

PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
SKIPPED_PAGES = tuple(page.name for page in (ROOT / "docs").glob("language*.md"))
"""Whose blocks test_docs_language plays with the pack before each."""


class Block(Struct, frozen=True):
    """One fenced block: its kind, what its first line says besides, the line it stands at, its text."""

    kind: str
    notes: dict[str, str]
    line: int
    text: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = []
    for match in BLOCK.finditer(text):
        kind, *words = shlex.split(match.group(1)) or [""]
        notes = dict(word.partition("=")[::2] for word in words)
        found.append(Block(kind, notes, text.count("\n", 0, match.start()) + 1, match.group(2)))
    return found


def commands(block: Block) -> str:
    """What is typed: the whole block, or in a session the lines after the prompt."""
    if block.kind != "console":
        return block.text
    return "".join(f"{line[2:]}\n" for line in block.text.splitlines() if line.startswith("$ "))


def name(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_shows_is_done_as_it_says(page: Path, tmp_path: Path) -> None:
    if page.name in SKIPPED_PAGES:
        pytest.skip("test_docs_language plays the blocks of this page")
    for folder in ("examples", "tests", "docs", "src"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(page):
        place = f"{page.name}:{block.line}"
        if "skip" in block.notes:
            assert block.notes["skip"], f"{place}: say why it is left out"
        elif block.kind in ("sh", "console"):
            printed = do_commands(block, tmp_path, place)
        elif block.kind == "":
            assert block.text == printed, f"{place} shows something else than the commands before it print"
        elif block.kind == "python":
            do_python(block, tmp_path, place, names)
        elif block.kind == "yaml":
            do_scenario(block, tmp_path, place)


def do_commands(block: Block, folder: Path, place: str) -> str:
    """The commands leave with what is said: 0, or status=N; gives what they print."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "LANGUAGE": "en",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands(block)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert int(block.notes.get("status", 0)) == ran.returncode, f"{place}:\n{ran.stdout}\n{ran.stderr}"
    assert "Traceback" not in ran.stderr, f"{place}:\n{ran.stderr}"
    return ran.stdout


def do_python(block: Block, folder: Path, place: str, names: dict[str, object]) -> None:
    """The code runs, after that of the page before it; what `# ` says beside a print is what is printed."""
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        exec(compile(block.text, place, "exec"), names)
    wanted = [said for line in block.text.splitlines() if (said := shown_beside(line)) is not None]
    printed = out.getvalue()
    assert [] == [said for said in wanted if said not in printed], f"{place}:\n{printed}"


def shown_beside(line: str) -> str | None:
    """What a line says that it prints: `print(x)  # {...}`, where that is plain data."""
    code, sign, said = line.partition("  # ")
    if not sign or not code.lstrip().startswith("print("):
        return None
    try:
        ast.literal_eval(said.strip())
    except (SyntaxError, ValueError):
        return None
    return said.strip()


def do_scenario(block: Block, folder: Path, place: str) -> None:
    """A scenario comes out as it expects, a simulation can be read; any other file is for the commands after it."""
    if "file" in block.notes:
        (folder / block.notes["file"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / block.notes["file"]).write_text(block.text, "utf-8")
    document = read_text(block.text, place)
    assert isinstance(document.data, dict), place
    if "hits" in document.data:
        read_simulation(document)
        return
    if document.data.get("game") not in available() or "steps" not in document.data:
        assert "file" in block.notes, f"{place}: neither a scenario nor a file for other blocks"
        return
    played = play(document)
    failures = [(step.step.index, step.failures) for step in played.steps if step.failures]
    assert ("status" in block.notes) != played.ok, f"{place}: {failures}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text("utf-8"))
    assert [] == [link for link in links if not (page.parent / link).exists()]


def test_every_page_is_reached_from_the_readme() -> None:
    linked: list[Path] = []
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in linked or not page.exists():
            continue
        linked.append(page)
        if page.suffix == ".md":
            ahead += [(page.parent / link).resolve() for link in LINK.findall(page.read_text("utf-8"))]
    assert [] == [page.name for page in PAGES if page not in linked]


def test_what_make_is_asked_for_is_there() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    asked = [word for page in PAGES for word in re.findall(r"^make ([\w-]+)", page.read_text("utf-8"), re.MULTILINE)]
    assert asked
    assert [] == [target for target in asked if target not in targets]


def test_the_readme_and_the_help_name_the_same_commands() -> None:
    from gambeson.cli.app import app

    known = [command.name or command.callback.__name__ for command in app("en").registered_commands if command.callback]
    text = (ROOT / "README.md").read_text("utf-8") + (ROOT / "docs" / "terminal.md").read_text("utf-8")
    assert [] == [command for command in known if f"gambeson {command.rstrip('_')}" not in text]


def test_the_attribution_of_srd5_stands_in_the_readme_word_for_word() -> None:
    from gambeson.games import load

    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert [] == [line for line in load("srd5").licence if line not in lines]

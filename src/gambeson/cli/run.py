"""run: play scenario files through and check what they expect."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from gambeson import __version__
from gambeson.cli.entry import DONE, FAILED, UNUSABLE
from gambeson.cli.output import BOLD, GREEN, RED, Output, diagnose_faults, fault_json, print_json
from gambeson.cli.play_menu import show_legal
from gambeson.games import texts
from gambeson.games.documents import Document, read_file
from gambeson.games.loading import texts_of
from gambeson.language.texts import Texts
from gambeson.model.errors import Fault, Unusable
from gambeson.table import Table
from gambeson.table.dice import seeded
from gambeson.table.explaining import ASIDE, HEAD, Line
from gambeson.table.legal_view import legal_json
from gambeson.table.legal_words import Offered
from gambeson.table.seats import active_seat, seats_of
from gambeson.testing.running import Played, PlayedStep, play
from gambeson.testing.scenarios import BARE

MANY = 20
"""With more files than this only those that fail are explained step by step."""


class Result(Struct, frozen=True):
    """What came of one file: it was played, or it is unusable."""

    file: str
    said: Texts
    played: Played | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def status(self) -> int:
        """The exit status that this file asks for."""
        if self.played is None:
            return UNUSABLE
        return DONE if self.played.ok else FAILED

    def as_json(self, lang: str, legal: bool) -> dict[str, Any]:
        """The result for programs; with `legal`, what each seat may do at the end."""
        if self.played is not None:
            table = self.played.table
            more = {"legal": legal_json(table, lang)} if legal and table is not None else {}
            return self.played.as_json(lang) | {"file": self.file} | more
        return {
            "gambeson": __version__,
            "file": self.file,
            "ok": False,
            "faults": [fault_json(fault, self.said) for fault in self.faults],
        }


def run(files: list[str], *, as_json: bool, lang: str, seed: int | None, legal: bool = False) -> int:
    """Play the files and print what came of each; gives the exit status."""
    out = Output(lang)
    results: list[Result] = []
    for file in _shown_progress(files, out):
        result = _played(file, lang, seed)
        results.append(result)
        if not as_json:
            _tell(out, result, alone=len(files) == 1, brief=len(files) > MANY and result.status == DONE)
            if legal and result.played is not None and result.played.table is not None:
                _tell_legal(out, result.played.table)
        if result.faults:
            sys.stdout.flush()
            diagnose_faults(result.faults, result.said)
    if as_json:
        documents = [result.as_json(lang, legal) for result in results]
        print_json(documents[0] if len(files) == 1 else documents)
    elif len(files) > 1:
        _summary(out, results)
    return max(result.status for result in results)


def _played(file: str, lang: str, seed: int | None) -> Result:
    document: Document | None = None
    try:
        document = read_file(file)
        return Result(file, texts(None, lang), play(document, dice=dice_of(document, seed)))
    except Unusable as unusable:
        return Result(file, _texts_for(document, lang), None, unusable.faults)


def dice_of(document: Document, seed: int | None) -> Any:
    """A thrower for the seed that was given, or that the file names; None where people throw."""
    if seed is None and isinstance(document.data, dict):
        written = document.data.get("seed")
        seed = written if type(written) is int else None
    return None if seed is None else seeded(seed)


def _texts_for(document: Document | None, lang: str) -> Texts:
    """The texts of the game that a file names, or the common ones."""
    data = document.data if document is not None else None
    game = data.get("game") if isinstance(data, dict) else None
    return texts_of(game, lang)


def _shown_progress(files: list[str], out: Output) -> Iterable[str]:
    """The files one by one; a bar shows how far we are where many are played on a terminal."""
    if len(files) <= MANY or not (out.terminal and sys.stderr.isatty()):
        return files
    return _with_bar(files, out)


def _with_bar(files: list[str], out: Output) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import track

    yield from track(files, out.said.say("cli.run.progress"), console=Console(stderr=True), transient=True)


# For people


def _tell(out: Output, result: Result, *, alone: bool, brief: bool) -> None:
    played = result.played
    if brief or played is None:
        return
    title = played.scenario.title if played.scenario is not None else ""
    heading = " — ".join(part for part in ((title,) if alone and title else (result.file, title)) if part)
    out.print(heading, BOLD)
    out.print()
    notes = _notes(played.document)
    for step in played.steps:
        _tell_step(out, step, notes.get(step.step.index, ""))
    for failure in played.failures:
        out.print("✗ " + result.said.say(failure), RED)
    if played.scenario is None:
        out.say("cli.run.refused_as_expected", GREEN)
    else:
        failed = sum(bool(step.failures) for step in played.steps)
        _verdict(out, len(played.steps), failed, bool(played.failures))
    out.print("")


def _tell_legal(out: Output, table: Table) -> None:
    """What each seat may do at the end: a line for each command, and how many are not legal."""
    said = texts(table.pack.folder, out.lang)
    offered = Offered(table.pack, table.state, out.lang)
    out.print(said.say("legal.heading"), BOLD)
    seats = seats_of(table.state)
    active = active_seat(table.state)
    for name, ids in seats.items():
        if ids is None and len(seats) > 1:
            continue
        title = said.say("who.referee") if ids is None else name
        out.print(said.say("legal.seat", seat=title, active=int(name == active and ids is not None)), BOLD, "  ")
        show_legal(out, offered, table.legal(ids))
    out.print()


def _notes(document: Document) -> dict[int, str]:
    """The note of each step that has one."""
    data = document.data
    steps = data.get("steps", []) if isinstance(data, dict) else []
    return {
        at: step["note"]
        for at, step in enumerate(steps)
        if isinstance(step, dict) and isinstance(step.get("note"), str)
    }


def _tell_step(out: Output, step: PlayedStep, note: str) -> None:
    said = texts(step.ruling.pack.folder, out.lang)
    lead, note = f"{step.step.index + 1}.", " ".join(note.split())
    if _answers_another(step):
        given = step.step.fields if isinstance(step.step.fields, list) else [step.step.fields]
        answer = said.say(f"explain.command.{step.step.command}", answer=", ".join(map(str, given)))
        out.explanation_line(Line(HEAD, f"{lead} {answer}"), 0)
        if note:
            out.explanation_line(Line(ASIDE, f"# {note}"), 0)
        lead = note = ""
    out.explain(step.ruling, lead, note)
    for failure in step.failures:
        out.print(f"✗ {said.say(failure)}", RED, "  ")
    out.print()


def _answers_another(step: PlayedStep) -> bool:
    """Whether the step answered a command of an earlier one, which is what its ruling tells of."""
    told = step.ruling.command
    return step.step.command in BARE and told is not None and told.name != step.step.command


def _verdict(out: Output, steps: int, failed: int, otherwise: bool) -> None:
    if failed:
        out.say("cli.run.failed", f"{BOLD};{RED}", steps=steps, failed=failed)
    elif not otherwise:
        out.say("cli.run.held", GREEN, steps=steps)


def _summary(out: Output, results: list[Result]) -> None:
    """One line a file, then how many of each."""
    words = {DONE: ("cli.run.ok", GREEN), FAILED: ("cli.run.not_ok", RED), UNUSABLE: ("cli.run.unusable", RED)}
    width = max(len(out.said.say(id)) for id, _ in words.values())
    for result in results:
        id, style = words[result.status]
        played = result.played
        title = played.scenario.title if played is not None and played.scenario is not None else ""
        label = out.painted(f"{out.said.say(id):{width}}", style)
        print(f"{label}  {' — '.join(part for part in (result.file, title) if part)}")
    counts = {status: sum(result.status == status for result in results) for status in words}
    out.say(
        "cli.run.counts",
        BOLD,
        files=len(results),
        held=counts[DONE],
        failed=counts[FAILED],
        unusable=counts[UNUSABLE],
    )

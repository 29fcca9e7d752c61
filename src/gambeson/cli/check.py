"""check: every fault of packs and scenarios, and what is probably not meant, each with its place; JSON Schemas."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson import __version__
from gambeson.cli.entry import DONE, FAILED, UNUSABLE
from gambeson.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output, diagnose, fault_line, print_json
from gambeson.cli.places import shown_path
from gambeson.games import available, load, texts
from gambeson.games.checking import check_pack
from gambeson.games.documents import Document, read_file
from gambeson.games.findings import Finding, Severity, unusable
from gambeson.games.folders import PLACES, brought, known
from gambeson.games.loading import GAMES, folder_of, texts_of
from gambeson.games.schemas import pack_schema, scenario_schema
from gambeson.language.fields import nearest
from gambeson.language.texts import Texts
from gambeson.model.errors import Unusable, dotted
from gambeson.simulate.files import read_simulation
from gambeson.testing.checking import check_scenario

PACK = "pack.yaml"
PACKS = "pack"
ENDINGS = (".yaml", ".yml", ".json")
STYLES = {Severity.ERROR: RED, Severity.WRONG: YELLOW, Severity.HINT: CYAN}
WORDS = {Severity.ERROR: "cli.check.error", Severity.WRONG: "cli.check.wrong", Severity.HINT: "cli.check.hint"}


class NoPath(Exception):
    """A path that leads nowhere, with the message to say about it."""

    def __init__(self, id: str, path: str) -> None:
        super().__init__(path)
        self.id = id
        self.path = path


class Wanted(Struct, frozen=True):
    """What is to be checked: packs by game or folder, scenario files, and those of them that stand for coverage."""

    packs: tuple[str, ...]
    files: tuple[str, ...]
    covering: tuple[str, ...]


class Checked(Struct, frozen=True):
    """One pack or file, the texts of its game, and what was found in it."""

    path: str
    said: Texts
    findings: tuple[Finding, ...]


def check(paths: list[str], *, schema: str | None, strict: bool, as_json: bool, lang: str) -> int:
    """Print what was found (or a schema); gives the exit status."""
    if schema is not None:
        return _schema(schema, lang)
    said = texts(None, lang)
    if not paths:
        diagnose(said.say("cli.check.nothing"))
        return UNUSABLE
    try:
        wanted = _wanted(paths)
    except NoPath as nowhere:
        games = known()
        meant = nearest(nowhere.path, games)
        diagnose(said.say(nowhere.id, path=nowhere.path, meant=meant, games=games))
        return UNUSABLE
    with _brought(wanted.packs):
        checked = tuple(_all(wanted, lang))
    if as_json:
        print_json(_as_json(checked, strict))
    else:
        _tell(Output(lang), checked)
    return _status(checked, strict)


def _status(checked: tuple[Checked, ...], strict: bool) -> int:
    found = {finding.severity for each in checked for finding in each.findings}
    if Severity.ERROR in found:
        return UNUSABLE
    return FAILED if Severity.WRONG in found or (strict and Severity.HINT in found) else DONE


# What is to be checked


def _wanted(paths: list[str]) -> Wanted:
    """The packs and files that the paths mean. Raises NoPath."""
    packs: list[str] = []
    files: list[str] = []
    covering: list[str] = []
    for path in paths:
        if path in available():
            packs.append(path)
        elif os.path.isdir(path):
            below = list(_below(path))
            packs += (_game(folder) for folder, file in below if file == PACK)
            scenarios = [os.path.join(folder, file) for folder, file in below if file != PACK]
            if not below:
                raise NoPath("cli.check.no_scenarios", path)
            files += scenarios
            covering += scenarios
        elif os.path.basename(path) == PACK and os.path.isfile(path):
            packs.append(_game(os.path.dirname(path) or "."))
        elif os.path.exists(path):
            files.append(path)
        elif path in brought():
            packs.append(str(brought()[path]))
        else:
            raise NoPath("cli.check.no_path", path)
    return Wanted(tuple(dict.fromkeys(packs)), tuple(dict.fromkeys(files)), tuple(dict.fromkeys(covering)))


@contextlib.contextmanager
def _brought(packs: tuple[str, ...]) -> Iterator[None]:
    """Meanwhile the scenarios that are checked may name the packs that are checked with them."""
    before = os.environ.get(PLACES, "")
    os.environ[PLACES] = os.pathsep.join((*(pack for pack in packs if pack not in available()), before))
    try:
        yield
    finally:
        os.environ[PLACES] = before


def _below(path: str) -> Iterator[tuple[str, str]]:
    """Every pack and every scenario file in a folder; what stands beside a pack belongs to it."""
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if PACK in files:
            yield folder, PACK
            continue
        yield from ((folder, file) for file in sorted(files) if file.endswith(ENDINGS))


def _game(folder: str) -> str:
    """The name of a game that comes with gambeson, else the folder in full."""
    whole = Path(folder).resolve()
    return whole.name if whole.parent == GAMES and whole.name in available() else str(whole)


# Checking


def _all(wanted: Wanted, lang: str) -> Iterator[Checked]:
    documents: dict[str, Document] = {}
    faulty: dict[str, tuple[Finding, ...]] = {}
    for file in wanted.files:
        try:
            documents[file] = read_file(file)
        except Unusable as faults:
            faulty[file] = tuple(map(unusable, faults.faults))
    covering = [documents[file] for file in wanted.covering if file in documents]
    for pack in wanted.packs:
        scenarios = tuple(document for document in covering if _plays(document, pack)) if covering else None
        yield Checked(
            _shown(str(folder_of(pack))), texts_of(pack, lang), _placed_from_here(check_pack(pack, scenarios))
        )
    for file in wanted.files:
        if file in faulty:
            yield Checked(file, texts(None, lang), faulty[file])
        else:
            yield Checked(file, _texts_of(documents[file], lang), _found(documents[file]))


def _found(document: Document) -> tuple[Finding, ...]:
    """What is found in a scenario, or in a simulation, which has hits and no steps."""
    data = document.data
    if not isinstance(data, dict) or "hits" not in data or "steps" in data:
        return check_scenario(document)
    try:
        read_simulation(document)
    except Unusable as faults:
        return tuple(map(unusable, faults.faults))
    return ()


def _plays(document: Document, pack: str) -> bool:
    """Whether a scenario is of this pack."""
    game = document.data.get("game") if isinstance(document.data, dict) else None
    if not isinstance(game, str):
        return False
    return game in (pack, os.path.basename(pack)) or (os.sep in game and os.path.isdir(game) and _game(game) == pack)


def _placed_from_here(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(
        replace(finding, fault=replace(finding.fault, file=_shown(finding.fault.file))) for finding in findings
    )


def _shown(path: str) -> str:
    return shown_path(Path(path))


def _texts_of(document: Document, lang: str) -> Texts:
    game = document.data.get("game") if isinstance(document.data, dict) else None
    return texts_of(game, lang)


# Telling


def _tell(out: Output, checked: tuple[Checked, ...]) -> None:
    counts = Counter(finding.severity for each in checked for finding in each.findings)
    for each in checked:
        for finding in each.findings:
            word = out.painted(out.said.say(WORDS[finding.severity]), STYLES[finding.severity])
            kind = out.painted(f"[{finding.id}]", DIM)
            place, message = _place_and_words(finding, each.said)
            out.print(f"{place}: {word}: {message} {kind}")
    if not counts:
        out.say("cli.check.clean", GREEN, checked=len(checked))
        return
    out.say(
        "cli.check.counts",
        BOLD,
        checked=len(checked),
        errors=counts[Severity.ERROR],
        wrongs=counts[Severity.WRONG],
        hints=counts[Severity.HINT],
    )


def _place_and_words(finding: Finding, said: Texts) -> tuple[str, str]:
    fault = finding.fault
    place = f"{fault.file}:{fault.line}:{fault.column}" if fault.line else fault.file
    return place, fault_line(replace(fault, file="", line=0), said)


def _as_json(checked: tuple[Checked, ...], strict: bool) -> dict[str, Any]:
    return {
        "gambeson": __version__,
        "ok": _status(checked, strict) == DONE,
        "checked": [
            {"path": each.path, "findings": [_finding_json(finding, each.said) for finding in each.findings]}
            for each in checked
        ],
    }


def _finding_json(finding: Finding, said: Texts) -> dict[str, Any]:
    fault = finding.fault
    return {
        "id": finding.id,
        "severity": finding.severity.value,
        "file": fault.file,
        "line": fault.line or None,
        "column": fault.column or None,
        "path": dotted(fault.path),
        "message": said.say(fault.message),
    }


def _schema(game: str, lang: str) -> int:
    """Print the schema of packs, or of the scenarios of a game."""
    if game == PACKS:
        print_json(pack_schema())
        return DONE
    try:
        print_json(scenario_schema(load(game if game in known() else _game(game))))
    except Unusable as faults:
        said = texts(None, lang)
        for fault in faults.faults:
            diagnose(fault_line(fault, said) if fault.line else f"--schema: {said.say(fault.message)}")
        return UNUSABLE
    return DONE

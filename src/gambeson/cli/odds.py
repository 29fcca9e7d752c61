"""odds: exact chances of what a scenario leaves open, or of its last command on the state before it."""

from __future__ import annotations

import textwrap
from typing import Any

from msgspec import Struct

from gambeson import __version__
from gambeson.cli.entry import DONE, FAILED, UNUSABLE
from gambeson.cli.output import BOLD, DIM, RED, Output, diagnose, diagnose_faults, print_json
from gambeson.cli.run import dice_of
from gambeson.engine.odds import Chooser, Odds, suggested
from gambeson.engine.odds import odds as worked_out
from gambeson.games import texts
from gambeson.games.documents import read_file
from gambeson.language.dice import NotEnumerable
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.errors import Unusable
from gambeson.model.questions import Question
from gambeson.model.values import State
from gambeson.table import Table
from gambeson.table.chances import Share, Told, percent
from gambeson.table.json_view import plain
from gambeson.table.legal_view import odds_json, totals_json
from gambeson.table.rulings import DONE as RULED
from gambeson.table.rulings import Ruling
from gambeson.table.words import Speaker
from gambeson.testing.running import Played, play

MOST_WAYS = 20
"""Ways that are told one by one; the others are summed up."""
LONGEST_FRACTION = 23
"""Signs of a fraction that fits a column; a longer one stands at the end of its line."""
LONGEST_SHOWN = 60
"""Signs of a fraction past which only programs are told it."""


class Asked(Struct, frozen=True):
    """What the chances are of: a command on a state, with what was answered already."""

    pack: Pack
    state: State
    command: Command
    given: tuple[Answer, ...]
    choose: Chooser
    pending: bool

    def odds(self) -> Odds:
        """The chances. Raises NotEnumerable."""
        return worked_out(self.pack, self.state, self.command, self.given, self.choose)


def odds(file: str, *, step: int | None, as_json: bool, lang: str, seed: int | None) -> int:
    """Print the chances of the pending roll or of the last command of a scenario; gives the exit status."""
    common = texts(None, lang)
    try:
        document = read_file(file)
        played = play(document, dice=dice_of(document, seed))
    except Unusable as unusable:
        diagnose_faults(unusable.faults, common)
        return UNUSABLE
    asked = _asked(played, step)
    if asked is None:
        diagnose(f"{file}: {common.say('odds.no_step', step=step or 0, steps=len(played.steps))}")
        return UNUSABLE
    said = texts(asked.pack.folder, lang)
    found: Odds | None
    try:
        found = asked.odds()
        reason = said.say(found.refusal.reason) if found.refusal is not None else ""
    except NotEnumerable:
        found, reason = None, said.say("odds.too_many")
    if as_json:
        print_json(_document(played, asked, found, reason, lang))
    else:
        _tell(Output(lang), asked, found, reason, played.scenario.title if played.scenario is not None else "")
    return FAILED if reason else DONE


# Of what


def _asked(played: Played, step: int | None) -> Asked | None:
    """What the chances are wanted of; None where nothing was commanded."""
    table = played.table
    if table is None:
        return None
    if step is None and table.waiting is not None:
        waiting = table.waiting
        return Asked(table.pack, table.state, waiting.command, waiting.answers, suggested, True)
    steps = played.steps if step is None else played.steps[step - 1 : step]
    rulings = [one.ruling for one in steps if one.ruling.command is not None]
    commanded = [(r, r.command) for r in rulings if r.command is not None and r.command.name in table.pack.commands]
    if not commanded:
        return None
    ruling, command = commanded[-1]
    return Asked(table.pack, ruling.before, command, (), _as_chosen(table, command), False)


def _as_chosen(table: Table, command: Command) -> Chooser:
    """Choices are answered as they were in the scenario, others as suggested; dice fall anew."""
    chosen: dict[str, str] = {}
    own = False
    for row in table.rows:
        if row.command is not None and row.kind == "command":
            own = row.command is command or row.command == command
            chosen = {} if own else chosen
        if own:
            chosen |= {answer.key: answer.value for answer in row.answers if isinstance(answer.value, str)}

    def choose(question: Question) -> str:
        wanted = chosen.get(question.key)
        return wanted if any(option.id == wanted for option in question.options) and wanted else suggested(question)

    return choose


# For programs


def _document(played: Played, asked: Asked, found: Odds | None, reason: str, lang: str) -> dict[str, Any]:
    said = texts(asked.pack.folder, lang)
    document: dict[str, Any] = {
        "gambeson": __version__,
        "file": played.document.file,
        "game": asked.pack.game,
        "ruleset": asked.pack.hash,
        "command": {asked.command.name: plain(asked.command.fields), "by": asked.command.by},
        "pending": asked.pending,
    }
    if found is None:
        return {**document, "chances": None, "rule": None, "reason": reason}
    return {**document, **odds_json(found, said), "totals": totals_json(found)}


# For people


def _tell(out: Output, asked: Asked, found: Odds | None, reason: str, title: str) -> None:
    if title:
        out.print(title, BOLD)
        out.print()
    speaker = Speaker(Ruling(asked.pack, RULED, asked.state, asked.state), out.lang)
    out.print(speaker.command(asked.command), BOLD)
    if asked.given:
        out.say("odds.pending", DIM, "  ")
    show_odds(out, asked.pack, asked.state, found, reason)


def show_odds(out: Output, pack: Pack, state: State, found: Odds | None, reason: str = "") -> None:
    """Print chances: each way a command may end, then what matters of each entity; or why there are none."""
    told = Told(pack, state, out.lang)
    if found is None or reason:
        for line in textwrap.wrap(reason, out.width, initial_indent="  ", subsequent_indent="  "):
            out.print(line, RED)
        return
    ways = told.ways(found)
    rest = ways[MOST_WAYS:]
    _shares(out, told, ways[:MOST_WAYS], "  ")
    if rest:
        chance = percent(sum((way.chance for way in rest), start=ways[0].chance * 0), told.said)
        out.print(told.said.say("odds.rest", ways=len(rest), chance=chance), DIM, "  ")
    totals = told.totals(found)
    if len(totals) == 1 and len(totals[0].shares) in (1, len(ways)):
        return
    for total in totals:
        out.print()
        out.print(total.about, BOLD)
        _shares(out, told, total.shares, "  ")


def _shares(out: Output, told: Told, shares: tuple[Share, ...], indent: str) -> None:
    """Lines of per cent, fraction and what it is."""
    percents = [percent(share.chance, told.said) for share in shares]
    fractions = [str(share.chance) for share in shares]
    width = max(map(len, percents))
    column = max(map(len, fractions))
    for share, said, fraction in zip(shares, percents, fractions, strict=True):
        if column <= LONGEST_FRACTION:
            lead, what = f"{indent}{said:>{width}}  {fraction:>{column}}  ", share.what
        else:
            shown = f"  ({fraction})" if len(fraction) <= LONGEST_SHOWN else ""
            lead, what = f"{indent}{said:>{width}}  ", f"{share.what}{shown}"
        print(
            textwrap.fill(
                f"{lead}{what}",
                out.width,
                subsequent_indent=" " * len(lead),
                drop_whitespace=True,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )

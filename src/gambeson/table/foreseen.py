"""The chances of a command as far as a seat can know them: counted on what it sees, never on what is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from gambeson.engine.odds import Odds, odds
from gambeson.engine.views import Sight
from gambeson.games import texts
from gambeson.language.dice import NotEnumerable
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.errors import GambesonError
from gambeson.model.messages import message
from gambeson.model.outcomes import Outcome, Refusal, Rejected
from gambeson.model.values import State
from gambeson.table.legal_view import odds_json, totals_json
from gambeson.table.rulings import REJECTED
from gambeson.table.seeing import open_questions
from gambeson.table.table import Table
from gambeson.table.working import Given, work_out

HIDDEN = Refusal("", message("refusal.preview_hidden"))
"""The chances rest on what the seat does not see."""

MANY = Refusal("", message("odds.too_many"))
"""The ways are too many to list."""

MOST_STEPS = 10_000
"""Times that a command is worked out for one who asks a server."""


class Foreseeing(Struct, frozen=True):
    """What the chances are of: a command on the state that a seat knows, with what was answered already.

    All of it is fixed, so it may be counted anywhere and at any time.
    """

    pack: Pack
    state: State
    command: Command
    answers: tuple[Answer, ...]
    sight: Sight
    waits: bool

    def odds(self, most: int = MOST_STEPS) -> Odds:
        """The chances; with a refusal where the command is refused, rests on hidden things or has too many ways."""
        steps = 0

        def watch(outcome: Outcome) -> None:
            nonlocal steps
            steps += 1
            if steps > most:
                raise NotEnumerable
            if not self.sight.whole and not self.sight.knows_enough(self.command, outcome):
                raise _Hidden

        try:
            found = odds(self.pack, self.state, self.command, self.answers, watch=watch)
        except NotEnumerable:
            return Odds((), MANY)
        except _Hidden:
            return Odds((), HIDDEN)
        if found.refusal is not None and self.waits and not self.sight.whole:
            return Odds((), HIDDEN)  # what waits is not refused: the seat does not know enough of it
        return found


class _Hidden(GambesonError):
    """Something that stands in for hidden numbers was met."""


def of_waiting(table: Table, sight: Sight) -> Foreseeing | Refusal:
    """What the chances are of the command that waits, as far as the seat knows that one does."""
    if table.waiting is None or not open_questions(table, sight):
        return Refusal(table.pack.open_rules.get("none", ""), message("refusal.odds.nothing_open"))
    heard = tuple(answer for answer in sight.answers(table.waiting.answers) if answer.value != ())
    return Foreseeing(table.pack, sight.state(table.state), table.waiting.command, heard, sight, True)


def of_command(
    table: Table, sight: Sight, command: Command, answers: Sequence[str] = (), rolls: Sequence[int] = ()
) -> Foreseeing | Refusal:
    """What the chances are of a command that the seat might give, with answers and dice in the order of asking."""
    known = sight.state(table.state)
    given = Given(command.by, list(answers), list(rolls), None)
    ruling, answered = work_out(table.pack, known, command, (), given)
    if ruling.status == REJECTED:
        assert ruling.refusal is not None
        enough = sight.whole or sight.knows_enough(command, Rejected(known, ruling.refusal))
        return ruling.refusal if enough else HIDDEN
    return Foreseeing(table.pack, known, command, answered, sight, False)


def foreseen_view(found: Odds, pack: Pack, lang: str) -> dict[str, Any]:
    """Chances as programs read them: each way, and for each entity what it may lose and what may come to it."""
    return {**odds_json(found, texts(pack.folder, lang)), "totals": totals_json(found)}

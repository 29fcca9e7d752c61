"""Playing scenarios through and checking what they expect."""

from __future__ import annotations

import os
import re
from typing import Any

from msgspec import Struct

from gambeson.games.documents import Document, placed, read_file, read_text
from gambeson.games.loading import texts, texts_of
from gambeson.language.texts import Texts
from gambeson.model.commands import Command
from gambeson.model.errors import Fault, Unusable, dotted
from gambeson.model.messages import Message, message
from gambeson.model.values import frozen
from gambeson.table.consequences import outcomes, told
from gambeson.table.json_view import ruling_json, state_json
from gambeson.table.rulings import PAUSED, Ruling
from gambeson.table.table import Table
from gambeson.table.working import Dice
from gambeson.testing.expecting import compare
from gambeson.testing.scenarios import Scenario, Step, expected_fault, read_scenario


class PlayedStep(Struct, frozen=True):
    """A step, what came of it, and where that differs from what was expected.

    `outcomes` are, for each question that is open after it, what would come of each option.
    """

    step: Step
    ruling: Ruling
    failures: tuple[Message, ...]
    outcomes: tuple[tuple[Ruling, ...], ...] = ()

    def as_json(self, lang: str) -> dict[str, Any]:
        """The step as results show it, each option with its consequence."""
        shown = ruling_json(self.ruling, lang)
        for decision, rulings in zip(shown["decisions"], self.outcomes, strict=False):
            for option, what in zip(decision["options"], told(rulings, lang), strict=True):
                option["consequence"] = what
        return {"index": self.step.index, **shown}


class Played(Struct, frozen=True):
    """A scenario played through. `fault` is set where the file was unusable and had to be."""

    document: Document
    scenario: Scenario | None
    table: Table | None
    steps: tuple[PlayedStep, ...]
    failures: tuple[Message, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything came as expected."""
        return not self.failures and not any(step.failures for step in self.steps)

    def as_json(self, lang: str = "en") -> dict[str, Any]:
        """The result as one JSON document."""
        from gambeson import __version__

        said = texts(self.scenario.pack.folder if self.scenario is not None else None, lang)
        result: dict[str, Any] = {"gambeson": __version__, "file": self.document.file}
        if self.scenario is not None and self.table is not None:
            result["game"] = self.scenario.pack.game
            result["ruleset"] = self.scenario.pack.hash
            result["title"] = self.scenario.title
        result["ok"] = self.ok
        result["failures"] = [said.say(failure) for failure in self.failures]
        result["steps"] = [
            {
                **step.as_json(lang),
                "failures": [said.say(failure) for failure in step.failures],
            }
            for step in self.steps
        ]
        if self.scenario is not None and self.table is not None:
            result.update(state_json(self.scenario.pack, self.table.state))
        return result


def play_file(path: str | os.PathLike[str], *, dice: Dice | None = None) -> Played:
    """Read a scenario file and play it. Raises Unusable."""
    return play(read_file(path), dice=dice)


def play_text(text: str, *, dice: Dice | None = None) -> Played:
    """Play a scenario that stands in a text. Raises Unusable."""
    return play(read_text(text), dice=dice)


def play(document: Document, *, dice: Dice | None = None) -> Played:
    """Play the scenario in a document. Raises Unusable, unless the file expects just that fault."""
    wanted = expected_fault(document)
    try:
        scenario = read_scenario(document)
        table = seated(scenario, dice)
    except Unusable as unusable:
        if wanted is None or not any(_as_expected(fault, wanted, _said(document)) for fault in unusable.faults):
            raise
        return Played(document, None, None, ())
    if wanted is not None:
        return Played(document, scenario, table, (), (message("failure.no_fault", path=str(wanted.get("path"))),))
    return Played(document, scenario, table, tuple(_play(table, step) for step in scenario.steps))


def _said(document: Document) -> Texts:
    """The English texts of the document's game, or the common ones."""
    game = document.data.get("game") if isinstance(document.data, dict) else None
    return texts_of(game, "en")


def seated(scenario: Scenario, dice: Dice | None = None) -> Table:
    """A table with the scenario's entities. Raises Unusable with every fault among them at its place."""
    try:
        return Table(scenario.pack, entities=scenario.entities, clock=scenario.clock, dice=dice)
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, scenario.document)) from None


def _as_expected(fault: Fault, wanted: dict[str, Any], texts_said: Texts) -> bool:
    path = str(wanted.get("path", ""))
    place = dotted(fault.path)
    if place != path and not place.startswith(f"{path}."):
        return False
    said = plain(texts_said.say(fault.message))
    says = wanted.get("says", [])
    return all(plain(str(text)) in said for text in (says if isinstance(says, list) else [says]))


def plain(text: str) -> str:
    """A text for comparing: lower case, digits without separators."""
    return re.sub(r"(?<=\d)[\s_,\u00a0\u202f](?=\d)", "", text.casefold())


def _play(table: Table, step: Step) -> PlayedStep:
    match step.command:
        case "answer":
            ruling = table.answer(step.fields, by=step.by)
        case "roll":
            ruling = table.roll(step.fields, by=step.by)
        case "undo" if not step.fields:
            ruling = table.undo(by=step.by)
        case _:
            command = Command(step.command, frozen(step.fields), step.by)
            ruling = table.submit(command, answers=step.answers, rolls=step.rolls)
    comes = tuple(outcomes(table, question) for question in ruling.questions) if ruling.status == PAUSED else ()
    return PlayedStep(step, ruling, compare(table, ruling, step.expect), comes)

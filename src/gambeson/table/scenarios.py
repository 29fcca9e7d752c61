"""A scenario file made from a table: what happened at it, as steps that anybody can play again."""

from __future__ import annotations

import re
from typing import Any

from gambeson.games import load
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer
from gambeson.model.values import REFEREE, State
from gambeson.table.json_view import entity_json, plain
from gambeson.table.log import Row, thawed_row, thawed_state
from gambeson.table.rulings import PAUSED, REJECTED, Ruling
from gambeson.table.saving import Saved
from gambeson.table.table import Table


def scenario_of(saved: Saved) -> dict[str, Any]:
    """The scenario that plays a saved table again; it expects what stands at the end. Raises Unusable."""
    pack = load(saved.game, saved.readings)
    start = thawed_state(saved.start)
    teller = _Teller(pack, start)
    for row in map(thawed_row, saved.rows):
        teller.tell(row)
    document: dict[str, Any] = {"title": saved.title or "A table", "game": pack.game}
    usual = {name: variant.readings[0] for name, variant in pack.variants.items()}
    chosen = {name: reading for name, reading in saved.readings.items() if usual.get(name) != reading}
    if chosen:
        document["variants"] = chosen
    if start.clock and "time" in pack.clock:
        minutes = start.clock // 60 % (24 * 60)
        document["clock"] = {"time": f"{minutes // 60:02}:{minutes % 60:02}"}
    entities = saved.entities or {id: _written(pack, start, id) for id in start.entities}
    if entities:
        document["entities"] = entities
    document["steps"] = teller.steps
    if teller.steps:
        teller.steps[-1]["expect"] = teller.expected()
    return document


def scenario_text(saved: Saved) -> str:
    """The same as YAML text. Raises Unusable."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes every text that is not plainly words, whatever a reader takes it for."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = None if _PLAIN.fullmatch(value) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    Dumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign]
    return yaml.dump(
        scenario_of(saved), Dumper=Dumper, allow_unicode=True, sort_keys=False, default_flow_style=None, width=110
    )


_PLAIN = re.compile(r"[^\W\d][\w-]*(?: [^\W\d][\w-]*)*")


class _Teller:
    """Follows a log and tells it as steps.

    `_logged` stands where the log stands; `_played` is played by the steps alone, which answer in the order of asking.
    """

    def __init__(self, pack: Pack, start: State) -> None:
        self.steps: list[dict[str, Any]] = []
        self._logged, self._played = Table(pack), Table(pack)
        self._logged.resume(start, ())
        self._played.resume(start, ())
        self._held: dict[str, Answer] = {}
        self._last: Ruling | None = None

    def tell(self, row: Row) -> None:
        """The next row; one that came with the row before is told with it."""
        if self._logged.version >= row.version:
            return
        if row.undoes:
            self._logged.undo(by=row.by)
            self._held.clear()
            self._step({"undo": {}}, row.by)
            self._last = self._played.undo(by=row.by)
        elif row.command is not None:
            self._command(row)
        else:
            self._logged.take_answers(row.answers, row.by)
            self._hold(row.answers)

    def _command(self, row: Row) -> None:
        assert row.command is not None
        under = self._logged.waiting is not None
        self._logged.take_up(row.command, row.answers)
        step: dict[str, Any] = {row.command.name: plain(row.command.fields)}
        if under:
            self._step(step, row.by)
            self._last = self._played.submit(row.command)
            self._hold(row.answers)
            return
        answers = [answer.value for answer in row.answers if isinstance(answer.value, str)]
        rolls = [face for answer in row.answers if isinstance(answer.value, tuple) for face in answer.value]
        if answers:
            step["answers"] = answers
        if rolls:
            step["rolls"] = rolls
        self._step(step, row.by)
        self._last = self._played.submit(row.command, answers=answers, rolls=rolls)

    def _hold(self, answers: tuple[Answer, ...]) -> None:
        """Answers are told when their question is the first that is open."""
        self._held.update({answer.key: answer for answer in answers})
        while self._played.waiting is not None:
            answer = self._held.pop(self._played.waiting.paused.questions[0].key, None)
            if answer is None:
                return
            if isinstance(answer.value, tuple):
                self._step({"roll": list(answer.value)}, answer.by)
                self._last = self._played.roll(answer.value, by=answer.by)
            else:
                self._step({"answer": answer.value}, answer.by)
                self._last = self._played.answer(answer.value, by=answer.by)

    def _step(self, step: dict[str, Any], by: str) -> None:
        if by != REFEREE:
            step["by"] = by
        if self._last is not None and self._last.status in (PAUSED, REJECTED):
            self.steps[-1]["expect"] = {"status": self._last.status}
        self.steps.append(step)

    def expected(self) -> dict[str, Any]:
        """What stands at the end."""
        entities = self._played.state.entities.items()
        pools = {
            id: {"pools": {layer: pool.current for layer, pool in entity.pools.items()}}
            for id, entity in entities
            if entity.pools
        }
        status = {} if self._last is None or self._last.status == "done" else {"status": self._last.status}
        return {**status, **pools}


def _written(pack: Pack, state: State, id: str) -> dict[str, Any]:
    """An entity as it may be written down, where nobody kept how it was."""
    shown = entity_json(pack, state.entities[id], state.clock)
    keys = {key: value for key, value in shown.items() if key in ("name", "kind", *pack.facts)}
    keys["pools"] = {layer: _kept(pool) for layer, pool in shown["pools"].items() if layer in state.entities[id].pools}
    return keys


def _kept(pool: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in pool.items() if value is not None and value != []}

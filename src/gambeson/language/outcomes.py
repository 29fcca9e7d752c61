"""Outcomes of dropping, dying and waking as a pack lists them: the first that holds happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gambeson.language.deeds import HIDDEN, add_condition, begin, restore, unmark
from gambeson.language.predicates import Predicate
from gambeson.model.events import FactSet
from gambeson.model.values import Effect

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication


class Outcome(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens where `when` holds: conditions begin (`marks`) and end (`unmarks`), counts rise (`adds`).

    `adds` names numbers of the entity (`stats.death_failures`). `tag` marks the first condition as brought by this
    outcome, so that other rules know it. `restores` gives points of the life layer back.
    """

    rule: str
    when: Predicate | None = None
    marks: tuple[str, ...] = ()
    unmarks: tuple[str, ...] = ()
    adds: dict[str, int] = {}
    tag: str = ""
    restores: int = 0

    def happen(self, turn: Adjudication, id: str) -> None:
        """Let it happen to an entity."""
        for condition in self.unmarks:
            unmark(turn, id, condition, self.rule)
        if self.tag and id in turn.state.entities:
            conditions = self.marks[:1]
            begin(turn, id, Effect(0, self.tag, tags=(HIDDEN, self.tag), conditions=conditions), self.rule)
        for condition in self.marks[1 if self.tag else 0 :]:
            add_condition(turn, id, condition, self.rule)
        for name, more in self.adds.items():
            count(turn, id, name, number(turn, id, name) + more, self.rule)
        if self.restores and id in turn.state.entities:
            restore(turn, id, turn.pack.life, self.restores, self.rule)


def first_of(outcomes: tuple[Outcome, ...], scope: Any) -> Outcome | None:
    """The first outcome that holds."""
    return next((one for one in outcomes if one.when is None or one.when.holds(scope)), None)


def number(turn: Adjudication, id: str, name: str) -> int:
    """A number of an entity by its name, `FACT.KEY`."""
    fact, _, key = name.partition(".")
    entity = turn.state.entities.get(id)
    written: dict[str, int] = entity.facts.get(fact, {}) if entity is not None else {}
    return written.get(key, 0)


def count(turn: Adjudication, id: str, name: str, value: int, rule: str) -> None:
    """Set a number of an entity."""
    if id in turn.state.entities and number(turn, id, name) != value:
        fact, _, key = name.partition(".")
        written: dict[str, int] = turn.state.entities[id].facts.get(fact, {})
        turn.change(FactSet(id, fact, {**written, key: value}, rule))

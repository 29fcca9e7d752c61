"""Modifications: what a casting adds to a spell, what is named with them, and what they make of its points."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deciding import type_named
from gambeson.language.predicates import DiceFormula, Formula
from gambeson.language.scope import Scope
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Extra, Facts


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """A damage type that the caster names out of `of`, asked under `rule` where the casting does not say it.

    Another one is refused with `refused_rule` and the text `refused`.
    """

    of: tuple[str, ...]
    rule: str
    refused_rule: str
    refused: str


class ExtraGiven(Struct, frozen=True, forbid_unknown_fields=True):
    """An extra that a modification ties to the points: its name and dice, what else it says, what is named with it."""

    name: str
    dice: DiceFormula | None = None
    facts: dict[str, Any] = {}
    choices: dict[str, Choice] = {}


class Modification(Struct, frozen=True, forbid_unknown_fields=True):
    """A change that a casting may add: another number of `points`, an `extra`. `order` says when it works."""

    rule: str
    points: Formula | None = None
    extra: ExtraGiven | None = None
    order: int = 0


class Modifying(Struct, frozen=True, forbid_unknown_fields=True):
    """How many go `together` (`many`, `one`); `rule` is cited, and `choices_rule` for what is named with them."""

    rule: str
    choices_rule: str
    together: Literal["many", "one"] = "many"


Modifications = dict[str, Modification]


def known_as(turn: Adjudication, written: tuple[str, ...]) -> tuple[str, ...]:
    """Modifications by their codes, where they were given by a name in some language."""
    return tuple(turn.pack.type_names.get(name.casefold(), name.casefold()) for name in written)


def against(modifying: Modifying, spell: str, of: Modifications, named: tuple[str, ...], rule: str) -> list[Refusal]:
    """Why these modifications cannot be added to a spell that has those `of`; `rule` is the spell's own about them."""
    refusals = []
    for at, name in enumerate(named):
        if name not in of:
            reason = message("refusal.cast.no_modification", spell=spell, modification=name)
            refusals.append(Refusal(rule or modifying.rule, reason, "modifications"))
        elif name in named[:at]:
            reason = message("refusal.cast.modified_twice", modification=name)
            refusals.append(Refusal(modifying.rule, reason, "modifications"))
    if modifying.together == "one" and len(named) > 1:
        refusals.append(Refusal(modifying.rule, message("refusal.cast.one_modification", spell=spell), "modifications"))
    return refusals


def against_choices(modifying: Modifying, of: Modifications, named: tuple[str, ...], choices: Facts) -> list[Refusal]:
    """Why what is named with the modifications cannot be."""
    open_choices: dict[str, Choice] = {}
    for name in named:
        if name in of and (extra := of[name].extra) is not None:
            open_choices.update(extra.choices)
    refusals = []
    for key, value in choices.items():
        choice = open_choices.get(key)
        field = f"choices.{key}"
        if choice is None:
            refusals.append(Refusal(modifying.choices_rule, message("refusal.cast.no_choice", field=field), field))
        elif value not in choice.of:
            reason = message(choice.refused, field=field, got=value, allowed=choice.of)
            refusals.append(Refusal(choice.refused_rule, reason, field))
    return refusals


def modified_points(turn: Adjudication, points: int, of: Modifications, named: tuple[str, ...], scope: Scope) -> int:
    """The points of a spell after its modifications, in the order in which they work; each leaves its row."""
    assert scope.entity is not None
    for name in sorted(named, key=lambda each: of[each].order):
        modification, before = of[name], points
        if modification.points is not None:
            values = {**scope.values, "points": points}
            points = modification.points.value(Scope(turn.pack, scope.entity, values=values))
        if modification.points is None and modification.extra is not None:
            note = message("trace.modification_extra", modification=name, extra=modification.extra.name)
        else:
            note = message("trace.modification", modification=name, before=before, after=points)
        turn.note(TraceRow("modification", modification.rule, scope.entity.id, before, points, note))
    return points


def extras_given(
    turn: Adjudication, of: Modifications, named: tuple[str, ...], choices: Facts, caster: str, scope: Scope
) -> tuple[Extra, ...]:
    """The extras that the modifications tie to the points; the caster is asked for what is still to be named."""
    given = []
    for name in named:
        extra = of[name].extra
        if extra is None:
            continue
        facts = dict(extra.facts)
        if extra.dice is not None:
            facts["dice"] = str(extra.dice.value(scope))
        for key, choice in extra.choices.items():
            facts[key] = choices.get(key) or type_named(
                turn, f"{key}:{caster}:{extra.name}", turn.state.entities[caster], extra.name, choice.of, choice.rule
            )
        given.append(Extra(extra.name, facts))
    return tuple(given)

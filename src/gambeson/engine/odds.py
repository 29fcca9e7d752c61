"""Exact chances: every way the dice of a command can fall, by the readings of its rolls and through the same `step`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import TypeAlias

from msgspec import Struct

from gambeson.engine.step import step
from gambeson.language.dice import Faces, Group, NotEnumerable
from gambeson.language.figures import conditions, pool_of, shown_effects
from gambeson.language.pack import Pack
from gambeson.language.throws import Rolled
from gambeson.model.commands import Answer, Command, Read
from gambeson.model.events import PoolReduced
from gambeson.model.outcomes import Done, Outcome, Paused, Refusal, Rejected
from gambeson.model.questions import Question
from gambeson.model.values import Entity, State

MOST_FACES = 200_000
"""Throws that are listed one by one where dice of a joint reading lie on the table already."""
MOST_STEPS = 50_000
"""Times that a command is worked out; more are too many to list."""

Chooser = Callable[[Question], str]
"""How open choices are answered while chances are counted."""
Watcher = Callable[[Outcome], None]
"""Is shown everything that is met while chances are counted; it may raise to stop the counting."""


class Change(Struct, frozen=True, order=True):
    """What became of one entity: points it lost to damage and points that came, by layer; figures that were written
    anew, as they are now; States and effects that came or went."""

    entity: str
    lost: tuple[tuple[str, int], ...] = ()
    states: tuple[str, ...] = ()
    freed: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    left: bool = False
    joined: bool = False
    gained: tuple[tuple[str, int], ...] = ()
    figures: tuple[tuple[str, int], ...] = ()


class Chance(Struct, frozen=True):
    """One way in which a command may end, with its exact chance."""

    chance: Fraction
    changes: tuple[Change, ...]


class Odds(Struct, frozen=True):
    """Every way in which a command may end, the likeliest first, or why it cannot be given at all."""

    chances: tuple[Chance, ...]
    refusal: Refusal | None = None

    def lost(self, entity: str, layer: str) -> dict[int, Fraction]:
        """The chances of each number of points that an entity loses."""
        return self._points(entity, layer, lambda change: change.lost)

    def gained(self, entity: str, layer: str) -> dict[int, Fraction]:
        """The chances of each number of points that an entity gets."""
        return self._points(entity, layer, lambda change: change.gained)

    def _points(
        self, entity: str, layer: str, of: Callable[[Change], tuple[tuple[str, int], ...]]
    ) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for chance in self.chances:
            points = next((dict(of(c)).get(layer, 0) for c in chance.changes if c.entity == entity), 0)
            found[points] = found.get(points, Fraction(0)) + chance.chance
        return dict(sorted(found.items()))

    def having(self, entity: str, state: str) -> Fraction:
        """The chance that a State or effect comes to an entity."""
        return sum(
            (
                chance.chance
                for chance in self.chances
                for c in chance.changes
                if c.entity == entity and (state in c.states or state in c.effects)
            ),
            Fraction(0),
        )


def suggested(question: Question) -> str:
    """The option that is shown first."""
    return question.suggested or question.options[0].id


def unwatched(_: Outcome) -> None:
    """Lets everything pass."""


def odds(
    pack: Pack,
    state: State,
    command: Command,
    given: tuple[Answer, ...] = (),
    choose: Chooser = suggested,
    watch: Watcher = unwatched,
) -> Odds:
    """The chances of everything that may come of a command; answers and dice in `given` are taken as they are.

    Raises NotEnumerable where the ways are too many to list, and whatever `watch` raises.
    """
    try:
        weights, whole = _Endings(pack, state, command, choose, watch).after(given)
    except _Illegal as illegal:
        return Odds((), illegal.refusal)
    found = [Chance(Fraction(weight, whole), ending) for ending, weight in weights.items()]
    return Odds(tuple(sorted(found, key=lambda chance: (-chance.chance, chance.changes))))


Weights: TypeAlias = dict[tuple[Change, ...], int]


class _Illegal(Exception):
    """The command is refused; no chance can be given."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self.refusal = refusal


class _Endings:
    """The endings of one command with whole weights, worked out from the last roll back to the first."""

    def __init__(self, pack: Pack, state: State, command: Command, choose: Chooser, watch: Watcher) -> None:
        self.pack = pack
        self.state = state
        self.command = command
        self.choose = choose
        self.watch = watch
        self.known: dict[object, tuple[Weights, int]] = {}
        self.steps = 0

    def after(self, answers: tuple[Answer | Read, ...]) -> tuple[Weights, int]:
        """What may come after these answers: each ending with its weight, and the sum of all weights."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise NotEnumerable
        outcome = step(self.pack, self.state, self.command, answers)
        self.watch(outcome)
        if isinstance(outcome, Done):
            return {changes(self.pack, self.state, outcome): 1}, 1
        if isinstance(outcome, Rejected):
            raise _Illegal(outcome.refusal)
        if outcome.rolled is None:
            chosen = tuple(Answer(question.key, self.choose(question)) for question in outcome.questions)
            return self.after((*answers, *chosen))
        if outcome.rolled.rest is None:
            return self._rolled(outcome, answers)
        key = (tuple(question.key for question in outcome.rolled.questions), outcome.rolled.rest)
        if key not in self.known:
            self.known[key] = self._rolled(outcome, answers)
        return self.known[key]

    def _rolled(self, outcome: Paused, answers: tuple[Answer | Read, ...]) -> tuple[Weights, int]:
        key = outcome.questions[0].key
        ways = _ways(outcome.rolled, answers)
        after = [(weight, *self.after((*answers, Read(key, value)))) for value, weight in ways]
        common = lcm(*(whole for _, _, whole in after))
        weights: Weights = {}
        for weight, own, whole in after:
            factor = weight * (common // whole)
            for ending, part in own.items():
                weights[ending] = weights.get(ending, 0) + part * factor
        return weights, common * sum(weight for weight, _, _ in after)


def _ways(rolled: Rolled, answers: tuple[Answer | Read, ...]) -> list[tuple[object, int]]:
    """Each value of a roll with its weight; dice that lie on the table already are kept."""
    lying = {a.key: a.value for a in answers if isinstance(a, Answer) and isinstance(a.value, tuple)}
    groups = rolled.groups()
    if not any(question.key in lying for question in rolled.questions):
        return list(rolled.reading.outcomes(*groups))
    fixed: list[Faces | None] = []
    for question in rolled.questions:
        faces, at = lying.get(question.key), 0
        for group in question.dice:
            fixed.append(tuple(map(int, faces[at : at + group.count])) if faces is not None else None)
            at += group.count
    return _thrown(rolled, groups, fixed)


def _thrown(rolled: Rolled, groups: tuple[Group, ...], fixed: list[Faces | None]) -> list[tuple[object, int]]:
    open_groups = [group for group, faces in zip(groups, fixed, strict=True) if faces is None]
    if prod(group.sides**group.count for group in open_groups) > MOST_FACES:
        raise NotEnumerable
    weights: dict[object, int] = {}
    throws = product(*(product(range(1, group.sides + 1), repeat=group.count) for group in open_groups))
    for throw in throws:
        rest = iter(throw)
        value = rolled.reading.read(*(faces if faces is not None else next(rest) for faces in fixed))
        weights[value] = weights.get(value, 0) + 1
    return list(weights.items())


def changes(pack: Pack, before: State, done: Done) -> tuple[Change, ...]:
    """What an ending did to each entity; those that it did not touch are left out."""
    lost: dict[str, dict[str, int]] = {}
    for event in done.events:
        if isinstance(event, PoolReduced) and event.cause == "damage":
            own = lost.setdefault(event.entity, {})
            own[event.layer] = own.get(event.layer, 0) + event.amount
    found = []
    for id in dict.fromkeys((*before.entities, *done.state.entities)):
        change = _change(pack, id, before.entities.get(id), done.state.entities.get(id), lost.get(id, {}))
        if change != Change(id):
            found.append(change)
    return tuple(found)


def _change(pack: Pack, id: str, old: Entity | None, new: Entity | None, lost: dict[str, int]) -> Change:
    points = tuple(sorted(lost.items()))
    if old is new and not points:
        return Change(id)
    if old is None or new is None:
        return Change(id, points, left=new is None, joined=old is None)
    was, now = conditions(pack, old), conditions(pack, new)
    bore, bears = [e.code or e.name for e in shown_effects(old)], [e.code or e.name for e in shown_effects(new)]
    return Change(
        id,
        points,
        tuple(state for state in now if state not in was),
        tuple(state for state in was if state not in now),
        tuple(effect for effect in bears if effect not in bore),
        tuple(effect for effect in bore if effect not in bears),
        gained=_gained(old, new, lost),
        figures=_figures(old, new),
    )


def _gained(old: Entity, new: Entity, lost: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Points that came to a pool, whatever damage took from it at the same time."""
    came = (
        (layer, pool.current - pool_of(old, layer).current + lost.get(layer, 0)) for layer, pool in new.pools.items()
    )
    return tuple(sorted((layer, points) for layer, points in came if points > 0))


def _figures(old: Entity, new: Entity) -> tuple[tuple[str, int], ...]:
    """Written figures that are others now, such as counts."""
    found = []
    for name, fact in new.facts.items():
        was = old.facts.get(name)
        if fact is not was and isinstance(fact, dict) and isinstance(was, dict):
            found += [(key, value) for key, value in fact.items() if type(value) is int and value != was.get(key, 0)]
    return tuple(sorted(found))

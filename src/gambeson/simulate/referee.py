"""Fights played through `step`: slower by far, for what cannot be lowered, and the judge of what is.

The random numbers are those of the kernels, number by number, so that both engines play the very same fights.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gambeson.engine.step import step
from gambeson.language.figures import conditions, entries, pool_of
from gambeson.model.commands import Answer, Command
from gambeson.model.errors import GambesonError
from gambeson.model.events import PoolReduced
from gambeson.model.outcomes import Done, Paused
from gambeson.model.questions import Question
from gambeson.model.values import Entity, State
from gambeson.simulate.chance import Draw, Stream, plan
from gambeson.simulate.ends import CONDITION, DOWN, HITS, SPENT, WOUNDED, falling, wounding
from gambeson.simulate.fighters import thresholds
from gambeson.simulate.fights import Blows, Fight
from gambeson.simulate.healing import BEST, GREATER, KEEP, TAKE
from gambeson.simulate.program import answering
from gambeson.simulate.sampling import Counts, Shown

if TYPE_CHECKING:
    from gambeson.simulate.decisions import Decisions

LOOK = 0.05


class NoPolicy(GambesonError):
    """A decision came up for which the file has no policy."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.key)
        self.question = question


class Played(Struct, frozen=True):
    """One fight: its blows, whether the end came, who fell, the points lost by side and layer, and what stands."""

    blows: int
    ended: bool
    fallen: tuple[bool, ...]
    lost: dict[tuple[str, str], int]
    state: State


class Throw(Struct, frozen=True):
    """How the blows on one side are drawn: the draws of each kind's dice, then of the dice that answers may throw."""

    kinds: tuple[tuple[Blows, tuple[tuple[Draw, ...], ...]], ...]
    bounds: tuple[int, ...]
    answers: tuple[str, ...] = ()
    """The questions that ask for the dice of answers."""


class Referee:
    """Plays the fights of one cell. `decisions` are the answers of the policy `best`, where that is asked for."""

    def __init__(self, fight: Fight, seed: int, decisions: Decisions | None = None) -> None:
        self.fight = fight
        self.seed = seed
        self.decisions = decisions
        self._throws: dict[str, Throw] = {}
        bounds, at, halves = thresholds(fight), 0, 1
        for side in fight.sides:
            kinds = fight.hits[side]
            used = 1 if len(kinds) > 1 else 0
            drawn = []
            answers = answering(fight.pack, fight.state.entities[side]) if fight.order else ()
            for blows in kinds:
                dice = [amount.dice for amount in blows.amounts if amount.dice is not None]
                draws, more = plan([*dice, *(answer.dice for answer in answers)], used)
                halves = max(halves, more)
                drawn.append((blows, draws))
            keys = tuple(f"retaliate:{side}:{answer.layer}:{self._other(side)}" for answer in answers)
            self._throws[side] = Throw(tuple(drawn), tuple(bounds[at : at + len(kinds) - 1]), keys)
            at += len(kinds) - 1
        self.words = (halves + 1) // 2

    def _other(self, side: str) -> str:
        return next(other for other in self.fight.sides if other != side)

    def play(self, trial: int) -> Played:
        """Play the fight with this number. Raises NoPolicy."""
        fight, stream = self.fight, Stream(self.seed, trial)
        state = fight.state
        lost: dict[tuple[str, str], int] = {}
        word = blows = 0
        fallen: tuple[bool, ...] = tuple(False for _ in fight.sides)
        while blows < fight.most:
            blows += 1
            for at, side in enumerate(fight.sides):
                if at and fight.order == "alternate" and self._stops(state):
                    continue
                word += self.words
                state = self._struck(stream, word, state, side, lost)
            fallen = tuple(self.over(state, side) for side in fight.sides)
            if self._stops(state):
                return Played(blows, any(fallen), fallen, lost, state)
            state = self._healed(stream, state, blows)
        return Played(blows, False, fallen, lost, state)

    def _stops(self, state: State) -> bool:
        """Whether the end has come, or somebody is down before it."""
        return any(self.over(state, side) or self.down(state, side) for side in self.fight.sides)

    def _struck(self, stream: Stream, word: int, state: State, side: str, lost: dict[tuple[str, str], int]) -> State:
        throw = self._throws[side]
        chance = stream.half(word, 0) if len(throw.kinds) > 1 else 0
        number = sum(chance >= bound for bound in throw.bounds)
        blows, draws = throw.kinds[number]
        faces = iter(stream.throw(word, draws))
        amounts = tuple(
            amount.number if amount.dice is None else max(0, sum(next(faces)) + amount.dice.plus)
            for amount in blows.amounts
        )
        source = None
        if self.fight.order and "source" in self.fight.pack.commands["hit"].fields and "source" not in blows.fields:
            source = self._other(side)
        thrown = dict(zip(throw.answers, faces, strict=True))
        done = self._done(stream, state, blows.command(side, amounts, source), thrown)
        if done is None:
            return state
        for event in done.events:
            if isinstance(event, PoolReduced) and event.cause == "damage":
                key = (event.entity, event.layer)
                lost[key] = lost.get(key, 0) + event.amount
        return done.state

    def _healed(self, stream: Stream, state: State, blows: int) -> State:
        heal = self.fight.heal
        if heal is None or blows % heal.every:
            return state
        for side in self.fight.sides:
            fields: dict[str, Any] = {"target": side}
            if heal.points is not None:
                fields["points"] = heal.points
            if heal.layer:
                fields["layer"] = heal.layer
            best = self._best(state, side, blows)
            done = self._done(stream, state, self._heal_command(state, fields), best=best)
            state = done.state if done is not None else state
        return state

    def _best(self, state: State, side: str, blows: int) -> str:
        """What looking ahead answers to this healing; "" where nobody looked."""
        at = self.fight.sides.index(side)
        if self.decisions is None or at not in self.decisions.tables:
            return ""
        return TAKE if self.decisions.of(at, state.entities[side], blows) else KEEP

    def _heal_command(self, state: State, fields: dict[str, Any]) -> Command:
        needs = self.fight.pack.commands["heal"].fields.get("points")
        if "points" not in fields and needs is not None and needs.required:
            layer = fields.get("layer", self.fight.pack.life)
            pool = pool_of(state.entities[fields["target"]], layer)
            fields = {**fields, "points": pool.maximum - pool.current}
        return Command("heal", fields)

    def _done(
        self,
        stream: Stream,
        state: State,
        command: Command,
        thrown: dict[str, tuple[int, ...]] | None = None,
        best: str = "",
    ) -> Done | None:
        """Carry a command out, answering by policy and dice (those `thrown` already); None where it is refused."""
        answers: list[Answer] = []
        while True:
            outcome = step(self.fight.pack, state, command, tuple(answers))
            if isinstance(outcome, Done):
                return outcome
            if not isinstance(outcome, Paused):
                return None
            for question in outcome.questions:
                if thrown is not None and question.key in thrown:
                    answers.append(Answer(question.key, thrown[question.key]))
                elif question.dice:
                    faces = tuple(stream.die(group.sides) for group in question.dice for _ in range(group.count))
                    answers.append(Answer(question.key, faces))
                else:
                    answers.append(Answer(question.key, self._chosen(question, best)))

    def _chosen(self, question: Question, best: str) -> str:
        policy = self.fight.policy
        options = [option.id for option in question.options]
        if set(options) == {KEEP, TAKE}:
            wanted = policy.get("keep_or_take", "")
            if wanted in options:
                return wanted
            if wanted == BEST and best:
                return best
            if wanted == GREATER and question.suggested:
                return question.suggested
            raise NoPolicy(question)
        wanted = policy.get(question.key.partition(":")[0], "")
        if wanted == "suggested" and question.suggested:
            return question.suggested
        if wanted in options:
            return wanted
        raise NoPolicy(question)

    # --- ends ---------------------------------------------------------------------------------------------------------

    def down(self, state: State, side: str) -> bool:
        """Whether the side is down."""
        entity = state.entities.get(side)
        if entity is None:
            return True
        pack = self.fight.pack
        wound = wounding(pack)
        if wound is not None:
            return wound.beyond in entries(entity, wound.writes)
        layer = falling(pack)
        return layer in self.fight.state.entities[side].pools and pool_of(entity, layer).current == 0

    def over(self, state: State, side: str) -> bool:
        """Whether the end that the file waits for has come."""
        entity, until = state.entities.get(side), self.fight.until
        if entity is None or until.kind in (DOWN, HITS):
            return self.down(state, side)
        return self._over(entity, until.kind, until.name)

    def _over(self, entity: Entity, kind: str, name: str) -> bool:
        if kind == WOUNDED:
            wound = wounding(self.fight.pack)
            before = entries(self.fight.state.entities[entity.id], wound.writes) if wound is not None else ()
            return wound is not None and len(entries(entity, wound.writes)) > len(before)
        if kind == SPENT:
            return pool_of(entity, name).current == 0
        return kind == CONDITION and name in conditions(self.fight.pack, entity)


def play_through(referee: Referee, *, trials: int, shown: Shown | None = None) -> Counts:
    """Play fights 0 to `trials` through `step`. Raises NoPolicy."""
    fight = referee.fight
    layers = [(side, layer) for side in fight.sides for layer in fight.pack.layers]
    tally: dict[int, int] = {}
    sums = dict.fromkeys(layers, 0)
    fallen = [0, 0, 0]
    began = last = time.perf_counter()
    done, partial = 0, False
    try:
        for played in _each(referee, trials):
            if played.ended:
                tally[played.blows] = tally.get(played.blows, 0) + 1
            for key, points in played.lost.items():
                sums[key] += points
            if fight.order:
                fallen = [fallen[0] + played.fallen[0], fallen[1] + played.fallen[1], fallen[2] + all(played.fallen)]
            done += 1
            now = time.perf_counter()
            if shown is not None and now - last > LOOK:
                shown(done)
                last = now
    except KeyboardInterrupt:
        partial = True
    seconds = time.perf_counter() - began
    return Counts(done, dict(sorted(tally.items())), (*sums.values(), *fallen), seconds, partial)


def _each(referee: Referee, trials: int) -> Iterator[Played]:
    for trial in range(trials):
        yield referee.play(trial)

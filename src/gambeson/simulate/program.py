"""Lowering: a pack's procedure for one target and one kind of hit becomes a short program over whole numbers."""

from __future__ import annotations

from typing import NoReturn

from msgspec import Struct

from gambeson.language.dice import Dice
from gambeson.language.lowering import (
    NO,
    YES,
    Number,
    Share,
    Turns,
    Value,
    both,
    choose,
    fixed,
    named,
    negated,
    smaller,
)
from gambeson.language.pack import Pack
from gambeson.language.predicates import Formula, Predicate
from gambeson.language.stages.base import ALWAYS, LIVE, Stage
from gambeson.language.stages.retaliate import Retaliate, Thrown
from gambeson.model.errors import GambesonError
from gambeson.model.values import LARGEST_FIGURE, Entity, Hit, Part
from gambeson.simulate.reading import Reading, known_names
from gambeson.simulate.source import Step, identifier


class Unlowered(GambesonError):
    """A fight cannot be written as a program: the stage `stage` of this kind, because of `why` (a word of its data)."""

    def __init__(self, stage: str, kind: str, why: str = "") -> None:
        super().__init__(f"{stage} ({kind}){f': {why}' if why else ''} is not lowered")
        self.stage = stage
        self.kind = kind
        self.why = why


class Bounds(Struct, frozen=True):
    """The most points that a pool can have in any fight of a program, and between what its maximum lies."""

    most: int
    least_maximum: int
    most_maximum: int


class Counter(Struct, frozen=True):
    """A number that lasts from blow to blow: its name in the program, where it starts, and the most it can be."""

    name: str
    start: int
    most: int


class Throw(Struct, frozen=True):
    """Dice that a blow throws besides its own: what they are called in the program, and which dice."""

    name: str
    dice: Dice


class Arena:
    """What all kinds of hit on one target share: the numbers that last from blow to blow.

    `bounds` says of each layer how many points its pool can have in any fight that the program is for, `replaced`
    which pools others may take the place of, so that their extras are gone, `marked` which conditions the hits may
    bring, and `policy` what is answered to questions.
    """

    def __init__(
        self,
        pack: Pack,
        entity: Entity,
        bounds: dict[str, Bounds],
        prefix: str = "",
        *,
        replaced: tuple[str, ...] = (),
        marked: tuple[str, ...] = (),
        policy: dict[str, str] | None = None,
    ) -> None:
        self.pack = pack
        self.entity = entity
        self.prefix = prefix
        self.replaced = replaced
        self.marked = marked
        self.policy = policy or {}
        self.pools = {layer: bound for layer, bound in bounds.items() if bound.most > 0}
        self.counters: dict[str, Counter] = {}
        self.known = known_names(pack)
        self._shown: dict[str, str] = {}
        for layer in pack.layers:
            self.pool_name(layer)

    def pool_name(self, layer: str) -> str:
        """The name of a pool in programs."""
        if layer not in self._shown:
            self._shown[layer] = identifier(layer, self.prefix, self._shown.values())
        return self._shown[layer]

    def pool(self, layer: str) -> Value:
        """The points of a pool before a blow."""
        return named(self.pool_name(layer), 0, self.pools[layer].most) if layer in self.pools else NO

    def maximum(self, layer: str) -> Value:
        """The maximum of a pool, which no blow changes."""
        if layer not in self.pools:
            pool = self.entity.pools.get(layer)
            return fixed(pool.maximum if pool is not None else 0)
        bound = self.pools[layer]
        return named(f"{self.pool_name(layer)}_maximum", bound.least_maximum, bound.most_maximum)

    def counter(self, name: str, start: int) -> Value:
        """A lasting number before a blow."""
        if name not in self.counters:
            taken = (*self._shown.values(), *(counter.name for counter in self.counters.values()))
            self.counters[name] = Counter(identifier(name, self.prefix, taken), start, max(1, start))
        known = self.counters[name]
        return named(known.name, 0, known.most)

    @property
    def taken(self) -> tuple[str, ...]:
        """Names that no line of a program may have."""
        maxima = (f"{name}_maximum" for name in self._shown.values())
        return (*self._shown.values(), *maxima, *(counter.name for counter in self.counters.values()))

    def lasting(self, shown: str) -> Value:
        """A lasting number by its name in programs, as it is before a blow."""
        for layer in self.pools:
            if self.pool_name(layer) == shown:
                return self.pool(layer)
        return next(named(shown, 0, one.most) for one in self.counters.values() if one.name == shown)

    def names(self) -> tuple[str, ...]:
        """Every lasting number by its name in programs, pools first."""
        return (*map(self.pool_name, self.pools), *(counter.name for counter in self.counters.values()))


def answering(pack: Pack, entity: Entity) -> tuple[Thrown, ...]:
    """The dice that may be thrown for answers to a blow on this entity."""
    stages = (stage for stage in pack.procedure if isinstance(stage, Retaliate))
    return tuple(thrown for stage in stages for thrown in stage.dice_of(entity))


class Lowering:
    """One kind of hit on one target while it is written (see `language.lowering.Program`).

    `amounts` are the amounts of the hit's parts: fixed, or dice that are thrown before the program runs. `striker`
    is what the fight follows of whoever struck, in a duel.
    """

    def __init__(self, arena: Arena, hit: Hit, amounts: tuple[Value, ...], striker: Arena | None = None) -> None:
        self.arena = arena
        self.striker = striker
        self.back: Lowering | None = None
        self.thrown: dict[str, Throw] = {}
        self.pack = arena.pack
        self.entity = arena.entity
        self.hit = hit
        self.words = hit.words
        self.shares = [Share(amount, part.type) for amount, part in zip(amounts, hit.parts, strict=True)]
        self.noted: dict[str, Value] = {}
        self.lost: dict[str, Value] = {}
        self.stopped = NO
        self.steps: list[Step] = []
        self.now: dict[str, Value] = {arena.pool_name(layer): arena.pool(layer) for layer in arena.pools}
        self.pool_read = ""
        self.known = arena.known
        self._turns: Turns = []
        self._names: dict[str, int] = {}
        self._stage: Stage | None = None
        self._guard = YES

    @property
    def amount(self) -> Value:
        """All damage that is left, over the shares."""
        total = NO
        for share in self.shares:
            total += share.amount
        return total

    def let(self, name: str, value: Value, rule: str) -> Value:
        """Give a value a name, so that it is computed once."""
        if value.most > LARGEST_FIGURE * 4 or value.least < -LARGEST_FIGURE * 4:
            self.refuse("largest figure")
        if value.op in ("fixed", "name"):
            return value
        base = identifier(name, self.arena.prefix, ())
        self._names[base] = number = self._names.get(base, 0) + 1
        shown = identifier(f"{base}_{number}", "", self.arena.taken)
        self.steps.append(Step(shown, value, self._stage.stage if self._stage else "", rule))
        return named(shown, value.least, value.most)

    def turns(self) -> Turns:
        """The shares in the order in which they are paid for: as they were put, and those that came after."""
        put = [share for share, _ in self._turns]
        known = [turn for turn in self._turns if turn[0] in self.shares]
        return [*known, *((share, YES) for share in self.shares if share not in put)]

    def put(self, turns: Turns) -> None:
        """From here on the shares are paid for in this order."""
        self._turns = turns

    def take(self, points: Number, rule: str) -> Value:
        """Take up to so many points off the shares in order; gives how many came off."""
        left = self.let("points", points, rule) if isinstance(points, Value) else fixed(points)
        taken = NO
        for share, here in self.turns():
            off = self.let("off", choose(here, smaller(share.amount, left), 0), rule)
            share.amount = self.let(share.type or "damage", (share.amount - off).within(0, share.amount.most), rule)
            left = (left - off).within(0, max(0, left.most))
            taken += off
        return taken

    def pool(self, layer: str) -> Value:
        """The points of a layer as they are now."""
        return self.now.get(self.arena.pool_name(layer), NO)

    def lose(self, layer: str, points: Value, rule: str) -> None:
        """The pool loses these points to the blow."""
        before = self.pool(layer)
        lost = self.let(f"lost_{layer}", choose(self._guard, points, 0), rule)
        self.lost[layer] = self.lost.get(layer, NO) + lost
        left = self.now[self.arena.pool_name(layer)] = self.let(layer, (before - lost).within(0, before.most), rule)
        if layer in self.arena.replaced and self.pack.layers[layer].spent == "gone":
            self.keep(f"extras.{layer}", both(self.untouched(layer), left > 0), rule)

    def count(self, name: str, start: int) -> Value:
        """A number that lasts from blow to blow."""
        before = self.arena.counter(name, start)
        return self.now.setdefault(self.arena.counters[name].name, before)

    def keep(self, name: str, value: Value, rule: str) -> None:
        """Such a number is this from now on."""
        shown = self.arena.counters[name].name
        self.now[shown] = self.let(name, choose(self._guard, value, self.now[shown]), rule)

    def untouched(self, layer: str) -> Value:
        """Whether the pool is still the one from before the fight, with its extras, as far as it has points."""
        return self.count(f"extras.{layer}", 1) if layer in self.arena.replaced else YES

    def before(self, layer: str) -> Value:
        """The points of a layer as they were before the blow."""
        return self.arena.pool(layer)

    # --- whoever struck -------------------------------------------------------------------------------------------

    @property
    def source(self) -> Entity | None:
        """Whoever struck, where the fight follows it."""
        if self.striker is None or self.hit.source != self.striker.entity.id:
            return None
        return self.striker.entity

    def source_has(self, condition: str) -> Value:
        """Whether whoever struck has a condition now."""
        return self._of_striker(Hit("", ())).has_condition(condition)

    def strike_back(self, key: str, points: int | Dice, type: str, when: Value, rule: str) -> None:
        """Whoever struck is struck in turn, where `when` holds; dice are thrown under `key`."""
        if isinstance(points, Dice):
            if points.count + points.plus < 0:
                self.refuse("dice")
            name = identifier(f"dice_{key}", self.arena.prefix, self.arena.taken)
            self.thrown[key] = Throw(name, points)
            amount = named(name, points.count + points.plus, points.count * points.sides + points.plus)
        else:
            amount = fixed(points)
        self._answered(amount, type, self.let("answers", both(self._guard, when), rule))

    def _answered(self, amount: Value, type: str, when: Value) -> None:
        if when.fixed == 0:
            return
        source = self.hit.source or ""
        back = self._of_striker(Hit(source, (Part(0, type),), source=self.entity.id), amount)
        now, lost = dict(back.now), dict(back.lost)
        back.write()
        for name, value in back.now.items():
            back.now[name] = back.let(name, choose(when, value, now.get(name) or back.arena.lasting(name)), "")
        for layer, points in back.lost.items():
            back.lost[layer] = choose(when, points, lost.get(layer, NO))
        self.back = back

    def _of_striker(self, hit: Hit, *amounts: Value) -> Lowering:
        """A program on whoever struck, which goes on where the last one stopped and adds to the same lines."""
        assert self.striker is not None
        made = Lowering(self.striker, hit, amounts)
        made.steps, made._names = self.steps, self._names
        if self.back is not None:
            made.now, made.lost = self.back.now, self.back.lost
        return made

    def answered(self, question: str, options: tuple[str, ...]) -> str:
        """What is always answered to such a question."""
        answer = self.arena.policy.get(question, "")
        if answer not in options:
            self.refuse(f"policy: {question}")
        return answer

    def holds(self, predicate: Predicate) -> Value:
        """Whether a predicate holds now."""
        return Reading(self).of(predicate.text)

    def has_condition(self, name: str) -> Value:
        """Whether the target has a condition now."""
        return Reading(self).condition(name)

    def worth(self, formula: Formula) -> Value:
        """What a formula comes to now."""
        return Reading(self).of(formula.text)

    def holds_of_pool(self, layer: str, predicate: Predicate) -> Value:
        """Whether a predicate holds of the pool of this layer while that has points."""
        before, self.pool_read = self.pool_read, layer
        try:
            return self.holds(predicate)
        finally:
            self.pool_read = before

    def refuse(self, why: str) -> NoReturn:
        """Leave the lowering."""
        stage = self._stage
        if stage is None:
            raise Unlowered(self.pack.game, "pack", why)
        raise Unlowered(stage.stage, str(stage.__struct_config__.tag), why)

    # --- stages -----------------------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the whole procedure, as `language.procedure.strike` runs it."""
        if "unknown" in self.hit.facts:
            self.noted["unknown"] = YES
        if "wound" in self.hit.facts:
            self.noted["wound"] = YES
        for stage in self.pack.procedure:
            self._stage = stage
            self._guard = self._condition(stage)
            if self._guard.fixed == 1:
                stage.lower(self)
            elif self._guard.fixed is None:
                self._guard = self.let("when", self._guard, stage.rule)
                self._guarded(stage)
        self._stage = None

    def _condition(self, stage: Stage) -> Value:
        if stage.runs != ALWAYS and self.stopped.fixed == 1:
            return NO
        if stage.runs == LIVE and self.amount.fixed == 0:
            return NO
        when = YES if stage.when is None else self.holds(stage.when)
        # Stages that run while damage is left do nothing without any, so a stopped blow needs no condition there.
        return when if stage.runs in (ALWAYS, LIVE) else both(when, negated(self.stopped))

    def _guarded(self, stage: Stage) -> None:
        """A stage that may or may not run: what it leaves is chosen by its condition."""
        shares, turns = [(share, share.amount, share.changed) for share in self.shares], self._turns
        noted, stopped = dict(self.noted), self.stopped
        stage.lower(self)
        if [id(share) for share in self.shares] != [id(share) for share, _, _ in shares] or self._turns is not turns:
            self.refuse("when")
        for share, (_, amount, changed) in zip(self.shares, shares, strict=True):
            share.amount = self.let(share.type or "damage", choose(self._guard, share.amount, amount), stage.rule)
            share.changed = choose(self._guard, share.changed, changed)
        for name, value in self.noted.items():
            self.noted[name] = choose(self._guard, value, noted.get(name, NO))
        self.stopped = choose(self._guard, self.stopped, stopped)

"""absorb: a pool takes the damage that reaches it, one point for one point, and the rest goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gambeson.language.arithmetic import Rounding, whole
from gambeson.language.layers import empty
from gambeson.language.lowering import NO, YES, Value, both, by_size, choose, larger, later, negated, smaller
from gambeson.language.potency import bearing
from gambeson.language.stages.base import Stage
from gambeson.language.stages.instead import Instead
from gambeson.language.stages.limit import Limit
from gambeson.language.stages.reduce import EVERY_TYPE
from gambeson.language.stages.scale import Scale
from gambeson.model.events import PoolRaised, PoolReduced
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import LARGEST_FIGURE, Pool

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.lowering import Program, Turns
    from gambeson.language.scope import Blow, Portion

EMPTY = Message("trace.absorb.empty")
NO_POOL = Message("trace.absorb.no_pool")


class Absorb(Stage, frozen=True, kw_only=True, tag="absorb"):
    """The pool of `layer` loses what reaches it.

    `bypassed_by`: words that go past it. `covers`: the key of the pool that lists the locations where it works. The
    rules beside them are cited where they apply.
    `inside`: amount stages that act on what reaches the layer, while they say so. What is beyond the pool goes on
    `raw` (what its points did not pay for), `changed` (what the stages inside made of it, less the points lost) or
    is `gone`. `filter`: the key of the pool that limits it to types; then only these are beyond it. `order`: the parts
    are paid for as `listed` or `largest_first`; `rounding` is that of fractions that meet the pool. `instead`: what may
    keep the pool from being emptied; what it could not pay for is lost then.
    """

    layer: str
    bypassed_by: tuple[str, ...] = ()
    bypass_rule: str = ""
    covers: str = ""
    inside: tuple[Limit | Scale, ...] = ()
    beyond: Literal["raw", "changed", "gone"] = "raw"
    filter: str = ""
    order: Literal["listed", "largest_first"] = "listed"
    rounding: Rounding = "down"
    instead: Instead | None = None
    uncovered_rule: str = ""

    def run(self, turn: Adjudication, blow: Blow) -> Message | None:
        """Take points off the pool, and off the portions what they paid for."""
        layer, target = self.layer, blow.target
        pool = blow.entities[target].pools.get(layer)
        if pool is None:
            return EMPTY if blow.pack.layers[layer].absent == "zero" else NO_POOL
        points = pool.current
        if not points:
            return EMPTY
        for word in self.bypassed_by:
            if word in blow.words:
                self.skip(turn, blow, message("trace.absorb.bypassed", word=word), self.bypass_rule)
                return None
        if self.covers and blow.hit.location not in pool.facts[self.covers]:
            where = message("trace.absorb.not_covered", location=blow.hit.location or "")
            self.skip(turn, blow, where, self.uncovered_rule)
            return None
        portions = blow.portions
        only = portions[0] if len(portions) == 1 else None
        before, cut = blow.amount if only is None else only.amount, 0
        filter = pool.facts.get(self.filter) if self.filter else None
        acting = self._acts(blow, pool) if self.inside else None
        if acting is None:
            if only is None or filter is not None or type(before) is not int:
                lost = self._plain(blow, filter, points)
            else:
                lost = before if before < points else points
                only.amount = before - lost
        else:
            lost, cut = self._through(blow, acting, filter, points)
            if blow.amount > LARGEST_FIGURE:
                turn.refuse(blow.pack.too_large("damage"))
        gone = self._gone(blow, filter) if self.beyond == "gone" else 0
        if self.instead is not None and lost == points:
            kept = self._kept(turn, blow, self.instead)
            if kept:
                self._spared(turn, blow, before, points, kept)
                return None
        if lost:
            blow.lost[layer] = blow.lost.get(layer, 0) + lost
        if acting is None and not gone:
            note = Message("trace.absorb.lost", {"layer": layer, "lost": lost, "left": points - lost})
        else:
            note = self._said(acting, lost, points - lost, cut, gone)
        rule = self.rule if acting is None else acting.rule
        after = blow.amount if only is None else only.amount
        turn.note(TraceRow(self.stage, rule, target, before, after, note, True))
        if lost:
            turn.change(PoolReduced(target, layer, lost, self.rule))
        return None

    def _acts(self, blow: Blow, pool: Pool) -> Limit | Scale | None:
        """The stage inside that acts on what reaches the pool now."""
        acting = None
        blow.pool = pool
        for stage in self.inside:
            if stage.when is None or stage.when.holds(blow):
                acting = stage
                break
        blow.pool = empty()
        return acting

    def _gone(self, blow: Blow, filter: dict[str, tuple[str, ...]] | None) -> int:
        """Take away what the pool could not pay for; says how much that was."""
        if filter is None:
            return blow.take(blow.amount)
        beyond = [portion for portion in blow.portions if _lets(filter, portion.type)]
        gone = sum(portion.amount for portion in beyond)
        for portion in beyond:
            portion.amount = 0
        return gone

    def _kept(self, turn: Adjudication, blow: Blow, instead: Instead) -> int:
        """How many points are left instead of 0."""
        blow.noted["leftover"] = blow.amount
        return instead.left(turn, blow)

    def _spared(self, turn: Adjudication, blow: Blow, before: int, points: int, kept: int) -> None:
        """The pool is not emptied: it has this many points, and nothing is left of the blow."""
        blow.take(blow.amount)
        lost = max(0, points - kept)
        if lost:
            blow.lost[self.layer] = blow.lost.get(self.layer, 0) + lost
        self.row(turn, blow, before, message("trace.absorb.lost", layer=self.layer, lost=lost, left=kept))
        if lost:
            turn.change(PoolReduced(blow.target, self.layer, lost, self.rule))
        elif kept > points:
            turn.change(PoolRaised(blow.target, self.layer, kept - points, self.rule))

    def _said(self, acting: Limit | Scale | None, lost: int, left: int, cut: int, gone: int) -> Message:
        """What is said of a layer that did more, or less, than lose what it took."""
        if acting is None:
            return message("trace.absorb.gone", layer=self.layer, lost=lost, left=left, gone=gone)
        if cut:
            return message("trace.absorb.cut", layer=self.layer, lost=lost, left=left, cut=cut)
        return message("trace.absorb.changed", layer=self.layer, lost=lost, left=left)

    def _plain(self, blow: Blow, filter: dict[str, tuple[str, ...]] | None, points: int) -> int:
        """Take what the pool pays for off the portions that it lets through."""
        return points - _taken_off(self._reaching(blow, filter), points)

    def _reaching(self, blow: Blow, filter: dict[str, tuple[str, ...]] | None) -> list[Portion]:
        """The portions that the pool lets in, in the order in which they are paid for, without fractions."""
        reaching = [portion for portion in blow.portions if filter is None or _lets(filter, portion.type)]
        if self.order == "largest_first":
            reaching.sort(key=lambda portion: -portion.amount)
        for portion in reaching:
            portion.amount = whole(portion.amount, self.rounding)
        return reaching

    def _through(
        self, blow: Blow, stage: Limit | Scale, filter: dict[str, tuple[str, ...]] | None, points: int
    ) -> tuple[int, int]:
        """Points lost and damage cut off where a stage inside acts."""
        portions = self._reaching(blow, filter)
        if isinstance(stage, Limit):
            there = sum(portion.amount for portion in portions)
            reaching = there if self.beyond != "raw" else min(there, points)
            lost = min(reaching, stage.to, points)
            _taken_off(portions, reaching)
            return lost, reaching - lost
        left = points
        for portion in portions:
            if left > 0 and portion.amount:
                left -= self._scaled(blow, stage, portion, left)
        return points - left, 0

    def _scaled(self, blow: Blow, stage: Scale, portion: Portion, points: int) -> int:
        """Points that one portion costs where its change by type acts inside the pool."""
        factor = stage.factor(blow, portion.type)
        changed = whole(stage.changed(portion.amount, factor), self.rounding)
        if changed <= points:
            portion.amount = 0
            return changed
        if self.beyond == "changed":
            portion.amount = changed - points
            portion.changed = True
        else:
            portion.amount = max(0, portion.amount - stage.stopped(points, factor))
        return points

    def lower(self, program: Program) -> None:
        """The same in a program: an empty pool takes nothing, and nothing is changed in it."""
        pool, points = program.entity.pools.get(self.layer, empty()), program.pool(self.layer)
        if points.fixed == 0 or any(word in program.words for word in self.bypassed_by):
            return
        if self.covers and program.hit.location not in pool.facts[self.covers]:
            return
        filter = pool.facts.get(self.filter)
        there = points > 0
        turns = self._lower_reaching(program, filter)
        (_, first), *others = self._acting(program)
        before = [(share, share.amount, share.changed) for share in program.shares]
        lost = self._lower_acting(program, first, turns, points)
        for holds, acting in others:
            after = [(share.amount, share.changed) for share in program.shares]
            for share, amount, changed in before:
                share.amount, share.changed = amount, changed
            other = self._lower_acting(program, acting, turns, points)
            lost = program.let("lost", choose(holds, other, lost), self.rule)
            for share, (amount, changed) in zip(program.shares, after, strict=True):
                kept = choose(holds, share.amount, amount)
                share.amount = program.let(share.type or "damage", kept, self.rule)
                share.changed = choose(holds, share.changed, changed)
        if self.beyond == "gone":
            for share in program.shares:
                if filter is None or _lets(filter, share.type):
                    share.amount = program.let("beyond", choose(there, 0, share.amount), self.rule)
        if self.instead is not None:
            self._lower_instead(program, self.instead)
        program.lose(self.layer, lost, self.rule)

    def _acting(self, program: Program) -> list[tuple[Value, Limit | Scale | None]]:
        """What may act inside, each with when it does: never two of them."""
        found: list[tuple[Value, Limit | Scale | None]] = []
        free = YES
        for stage in self.inside:
            holds = YES if stage.when is None else program.holds_of_pool(self.layer, stage.when)
            acts, free = both(free, holds), both(free, negated(holds))
            if acts.fixed != 0:
                found.append((acts, stage))
        return [*found, (free, None)] if free.fixed != 0 else found

    def _lower_reaching(self, program: Program, filter: dict[str, tuple[str, ...]] | None) -> Turns:
        """The shares that the pool lets in, in the order in which they are paid for."""
        reaching = [share for share in program.shares if filter is None or _lets(filter, share.type)]
        if self.order == "largest_first":
            return by_size(program, reaching, self.rule)
        return [turn for turn in program.turns() if turn[0] in reaching]

    def _lower_acting(self, program: Program, acting: Limit | Scale | None, turns: Turns, points: Value) -> Value:
        """What the pool loses where this stage acts inside."""
        if acting is None:
            return self._lower_taken(program, turns, points)
        if not isinstance(acting, Limit):
            return self._lower_scaled(program, acting, turns, points)
        there = NO
        for share in {id(share): share for share, _ in turns}.values():
            there += share.amount
        reaching = there if self.beyond != "raw" else smaller(there, points)
        lost = smaller(smaller(reaching, acting.to), points)
        self._lower_taken(program, turns, program.let("points", choose(points > 0, reaching, 0), self.rule))
        return lost

    def _lower_taken(self, program: Program, turns: Turns, points: Value) -> Value:
        """Take up to so many points off the shares in turn; says how many came off."""
        left, lost = points, NO
        for share, here in turns:
            off = program.let(f"off_{self.layer}", choose(here, smaller(share.amount, left), 0), self.rule)
            rest = (share.amount - off).within(0, share.amount.most)
            share.amount = program.let(share.type or "damage", rest, self.rule)
            left = (left - off).within(0, max(0, points.most))
            lost += off
        return lost

    def _lower_scaled(self, program: Program, stage: Scale, turns: Turns, points: Value) -> Value:
        later(program, stage.rounding)
        left = points
        for share, here in turns:
            factor = stage.factor(program, share.type)
            changed = program.let("changed", stage.lowered(share.amount, factor), stage.rule)
            fits = changed <= left
            if self.beyond == "changed":
                rest = (changed - left).within(0, changed.most)
                share.changed = choose(both(here, both(left > 0, negated(fits))), 1, share.changed)
            else:
                rest = larger(0, share.amount - stage.lowered_stop(left, factor))
            met = choose(fits, 0, rest)
            kept = choose(both(here, left > 0), met, share.amount)
            spent = choose(here, smaller(changed, left), 0)
            left = program.let("left", (left - spent).within(0, left.most), self.rule)
            share.amount = program.let(share.type or "damage", kept, self.rule)
        return (points - left).within(0, points.most)

    def _lower_instead(self, program: Program, instead: Instead) -> None:
        spare = instead.spare is not None and program.holds(instead.spare.when).fixed != 0
        if spare or bearing(program.pack, program.entity, instead.reads):
            program.refuse("instead")
        program.noted["leftover"] = program.amount

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message(f"stage.absorb.{self.beyond}", layer=self.layer, bypassed_by=self.bypassed_by)


def _taken_off(portions: list[Portion], points: int) -> int:
    """Take up to `points` off the portions in order; says how many could not be taken."""
    left = points
    for portion in portions:
        off = min(portion.amount, left)
        portion.amount -= off
        left -= off
    return left


def _lets(filter: dict[str, tuple[str, ...]], type: str) -> bool:
    if "only" in filter:
        return type in filter["only"] or EVERY_TYPE in filter["only"]
    spared = filter.get("except", ())
    return type not in spared and EVERY_TYPE not in spared

"""absorb: a pool takes the damage that reaches it, one point for one point, and the rest goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambeson.language.layers import empty
from gambeson.language.stages.base import Stage
from gambeson.language.stages.limit import Limit
from gambeson.language.stages.scale import Scale
from gambeson.model.events import PoolReduced
from gambeson.model.messages import Message, message
from gambeson.model.values import LARGEST_FIGURE

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow, Portion

EMPTY = Message("trace.absorb.empty")
NO_POOL = Message("trace.absorb.no_pool")


class Absorb(Stage, frozen=True, kw_only=True, tag="absorb"):
    """The pool of `layer` loses what reaches it.

    `bypassed_by`: words that go past it. `covers`: the key of the pool that lists the locations where it works.
    `inside`: amount stages that act on what reaches the layer, while they say so. What is beyond the pool goes on
    `raw` (what its points did not pay for), `changed` (what the stages inside made of it, less the points lost) or
    is `gone`. `filter`: the key of the pool that limits it to types.
    """

    layer: str
    bypassed_by: tuple[str, ...] = ()
    bypass_rule: str = ""
    covers: str = ""
    inside: tuple[Limit | Scale, ...] = ()
    beyond: str = "raw"
    filter: str = ""
    uncovered_rule: str = ""

    def run(self, turn: Adjudication, blow: Blow) -> None:
        """Take points off the pool, and off the portions what they paid for."""
        pool = blow.entity.pools.get(self.layer)
        if pool is None:
            self.skip(turn, blow, EMPTY if blow.pack.layers[self.layer].absent == "zero" else NO_POOL)
            return
        if pool.current == 0:
            self.skip(turn, blow, EMPTY)
            return
        for word in self.bypassed_by:
            if word in blow.words:
                self.skip(turn, blow, message("trace.absorb.bypassed", word=word))
                return
        if self.covers and blow.hit.location not in pool.facts[self.covers]:
            self.skip(turn, blow, message("trace.absorb.not_covered", location=blow.hit.location or ""))
            return
        blow.pool = pool
        before = blow.amount
        acting = tuple(stage for stage in self.inside if stage.when is None or stage.when.holds(blow))
        if acting:
            lost, cut = self._through(blow, acting[0], pool.current)
            if blow.amount > LARGEST_FIGURE:
                turn.refuse(blow.pack.too_large("damage"))
        else:
            lost = self._plain(blow, pool.facts.get(self.filter), pool.current)
            cut = 0
        blow.pool = empty()
        gone = blow.amount if self.beyond == "gone" else 0
        if gone:
            blow.take(gone)
        if lost:
            blow.lost[self.layer] = blow.lost.get(self.layer, 0) + lost
        note = self._said(acting, lost, pool.current - lost, cut, gone)
        self.row(turn, blow, before, note, acting[0].rule if acting else "")
        if lost:
            turn.change(PoolReduced(blow.target, self.layer, lost, self.rule))

    def _said(self, acting: tuple[Limit | Scale, ...], lost: int, left: int, cut: int, gone: int) -> Message:
        if acting and cut:
            return message("trace.absorb.cut", layer=self.layer, lost=lost, left=left, cut=cut)
        if acting:
            return message("trace.absorb.changed", layer=self.layer, lost=lost, left=left)
        if gone:
            return message("trace.absorb.gone", layer=self.layer, lost=lost, left=left, gone=gone)
        return message("trace.absorb.lost", layer=self.layer, lost=lost, left=left)

    def _plain(self, blow: Blow, filter: dict[str, tuple[str, ...]] | None, points: int) -> int:
        if filter is None:
            return blow.take(points)
        left = points
        for portion in blow.portions:
            if _lets(filter, portion.type):
                off = min(portion.amount, left)
                portion.amount -= off
                left -= off
        return points - left

    def _through(self, blow: Blow, stage: Limit | Scale, points: int) -> tuple[int, int]:
        """Points lost and damage cut off where a stage inside acts."""
        if isinstance(stage, Limit):
            reaching = blow.amount if self.beyond != "raw" else min(blow.amount, points)
            lost = min(reaching, stage.to, points)
            blow.take(reaching)
            return lost, reaching - lost
        left = points
        for portion in blow.portions:
            if left > 0 and portion.amount:
                left -= self._scaled(blow, stage, portion, left)
        return points - left, 0

    def _scaled(self, blow: Blow, stage: Scale, portion: Portion, points: int) -> int:
        """Points that one portion costs where its change by type acts inside the pool."""
        factor = stage.factor(blow, portion.type)
        changed = stage.changed(portion.amount, factor)
        if changed <= points:
            portion.amount = 0
            return changed
        if self.beyond == "changed":
            portion.amount = changed - points
            portion.changed = True
        else:
            portion.amount = max(0, portion.amount - stage.stopped(points, factor))
        return points

    def describe(self) -> Message:
        """The stage in one sentence."""
        return message(f"stage.absorb.{self.beyond}", layer=self.layer, bypassed_by=self.bypassed_by)


def _lets(filter: dict[str, tuple[str, ...]], type: str) -> bool:
    return type in filter["only"] if "only" in filter else type not in filter.get("except", ())

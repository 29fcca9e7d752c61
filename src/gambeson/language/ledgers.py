"""Ledgers of effects on pools: what an effect gave and takes back, took and gives back, or keeps out of reach.

For a layer L an effect's `ledger` may have `L.maximum` and `L.current` (points that it gave and takes back at its
end), `L.returns` (points that it took and gives back at its end), `L.withheld` and `L.withheld_maximum` (points that
nobody can reach while it lasts). Points that are given or taken back go to or from those out of reach first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.figures import pool_of, present
from gambeson.model.events import EffectChanged, PoolRaised, PoolSet
from gambeson.model.values import LARGEST_FIGURE, Effect, Pool

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication

CURRENT, MAXIMUM, RETURNS = "current", "maximum", "returns"
WITHHELD, WITHHELD_MAXIMUM = "withheld", "withheld_maximum"


class Whole(Struct, frozen=True):
    """A pool with the points of it that an effect, the `keeper`, holds out of reach (0 without one)."""

    pool: Pool
    keeper: Effect | None
    withheld: int = 0
    withheld_maximum: int = 0

    @property
    def current(self) -> int:
        """All points, those out of reach among them."""
        return self.pool.current + self.withheld

    @property
    def maximum(self) -> int:
        """The maximum with what is out of reach."""
        return self.pool.maximum + self.withheld_maximum


def whole(turn: Adjudication, target: str, layer: str) -> Whole:
    """The pool as it is now, with what is out of reach."""
    entity = present(turn, target)
    pool = pool_of(entity, layer)
    for effect in entity.effects:
        if f"{layer}.{WITHHELD_MAXIMUM}" in effect.ledger:
            withheld, maximum = effect.ledger[f"{layer}.{WITHHELD}"], effect.ledger[f"{layer}.{WITHHELD_MAXIMUM}"]
            return Whole(pool, effect, withheld, maximum)
    return Whole(pool, None)


def gains(now: Whole, points: int, cap: int | None, together: bool) -> tuple[int, int]:
    """By how much `points` raise maximum and current within the cap.

    `together`: the points fill only what they raise; else they also fill what was lost before.
    """
    highest = now.maximum + points if cap is None else max(now.maximum, min(cap, now.maximum + points))
    raised = highest - now.maximum
    return raised, raised if together else min(highest, now.current + points) - now.current


def give(turn: Adjudication, target: str, layer: str, maximum: int, current: int, rule: str) -> None:
    """Raise a pool by these points of maximum and current."""
    now = whole(turn, target, layer)
    if now.keeper is None:
        _write(turn, target, layer, now, (now.pool.current + current, now.pool.maximum + maximum, 0, 0), rule)
        return
    kept = now.withheld_maximum + maximum
    behind = min(current, max(0, kept - now.withheld))
    reached = now.pool.current + current - behind
    _write(turn, target, layer, now, (reached, now.pool.maximum, now.withheld + behind, kept), rule)


def take_back(turn: Adjudication, target: str, layer: str, maximum: int, current: int, rule: str) -> None:
    """A raised pool falls back by `maximum` and `current` points, neither below 0; what was lost stays lost.

    Where the layer's `raise_ends` is `clamp`, current is only cut to the new maximum.
    """
    now = whole(turn, target, layer)
    behind = min(maximum, now.withheld_maximum)
    kept, highest = now.withheld_maximum - behind, max(0, now.pool.maximum - (maximum - behind))
    off = 0 if turn.pack.layers[layer].raise_ends == "clamp" else min(current, now.current)
    off = max(off, now.current - highest - kept)
    withheld = now.withheld - min(off, now.withheld)
    reached = now.pool.current - max(0, off - now.withheld)
    _write(turn, target, layer, now, (min(reached, highest), highest, withheld, kept), rule)


def withhold(turn: Adjudication, target: str, layer: str, leaves: int) -> tuple[dict[str, int], Pool]:
    """The ledger of an effect that leaves a pool a maximum of `leaves`, full only if it was full, and that pool."""
    pool = pool_of(present(turn, target), layer)
    left = leaves if pool.current == pool.maximum else 0
    ledger = {
        f"{layer}.{WITHHELD}": pool.current - left,
        f"{layer}.{WITHHELD_MAXIMUM}": pool.maximum - leaves,
    }
    return ledger, replace(pool, current=left, maximum=leaves)


def close(turn: Adjudication, target: str, effect: Effect, rule: str) -> None:
    """Settle the ledger of an effect that has ended."""
    for name, points in effect.ledger.items():
        layer, _, figure = name.partition(".")
        if figure == MAXIMUM:
            take_back(turn, target, layer, points, effect.ledger.get(f"{layer}.{CURRENT}", 0), rule)
        elif figure == RETURNS:
            _give_back(turn, target, layer, points, rule)
        elif figure == WITHHELD_MAXIMUM:
            _release(turn, target, layer, effect.ledger[f"{layer}.{WITHHELD}"], points, rule)


def healed(turn: Adjudication, target: str, layer: str, before: Whole, points: int, rule: str) -> None:
    """Points were healed: lasting losses are filled first, then the oldest that would have come back.

    A pool healed to its maximum (all of it within reach) has lost nothing that an effect gave: of such points an
    effect takes back only as many as its maximum falls.
    """
    entity = present(turn, target)
    owed = sum(effect.ledger.get(f"{layer}.{RETURNS}", 0) for effect in entity.effects)
    left = points - max(0, before.maximum - before.current - owed)
    full = before.keeper is None and before.pool.current + points == before.pool.maximum
    for effect in entity.effects:
        ledger = dict(effect.ledger)
        returns = ledger.get(f"{layer}.{RETURNS}", 0)
        if returns and left > 0:
            ledger[f"{layer}.{RETURNS}"] = returns - min(left, returns)
            left -= returns
        if full and f"{layer}.{CURRENT}" in ledger:
            ledger[f"{layer}.{CURRENT}"] = ledger[f"{layer}.{MAXIMUM}"]
        if ledger != effect.ledger:
            turn.change(EffectChanged(target, replace(effect, ledger=ledger), rule))


def _give_back(turn: Adjudication, target: str, layer: str, points: int, rule: str) -> None:
    """Points come back, as far as the pool misses them: those within reach first."""
    now = whole(turn, target, layer)
    reached = min(points, now.pool.maximum - now.pool.current)
    if reached:
        turn.change(PoolRaised(target, layer, reached, rule))
    behind = min(points - reached, max(0, now.withheld_maximum - now.withheld))
    if behind and now.keeper is not None:
        ledger = {**now.keeper.ledger, f"{layer}.{WITHHELD}": now.withheld + behind}
        turn.change(EffectChanged(target, replace(now.keeper, ledger=ledger), rule))


def _release(turn: Adjudication, target: str, layer: str, withheld: int, maximum: int, rule: str) -> None:
    pool = pool_of(present(turn, target), layer)
    highest = min(LARGEST_FIGURE, pool.maximum + maximum)
    turn.change(
        PoolSet(target, layer, replace(pool, current=min(highest, pool.current + withheld), maximum=highest), rule)
    )


def _write(
    turn: Adjudication, target: str, layer: str, now: Whole, figures: tuple[int, int, int, int], rule: str
) -> None:
    """Write current, maximum, and what of both is withheld, as far as they differ."""
    current, maximum, withheld, withheld_maximum = figures
    if now.keeper is not None and (withheld, withheld_maximum) != (now.withheld, now.withheld_maximum):
        kept = {f"{layer}.{WITHHELD}": withheld, f"{layer}.{WITHHELD_MAXIMUM}": withheld_maximum}
        turn.change(EffectChanged(target, replace(now.keeper, ledger={**now.keeper.ledger, **kept}), rule))
    pool = replace(now.pool, current=current, maximum=maximum)
    if pool != now.pool:
        turn.change(PoolSet(target, layer, pool, rule))

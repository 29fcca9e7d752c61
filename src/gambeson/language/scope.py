"""Where predicates and formulas are worked out: an entity, perhaps a pool and a blow, perhaps values of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambeson.language.layers import empty
from gambeson.model.values import Entity, Facts, Hit, Pool

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.pack import Pack


class Scope:
    """What one expression may read: `entity`, the `pool` in question and named `values`."""

    __slots__ = ("entity", "pack", "pool", "values")

    def __init__(self, pack: Pack, entity: Entity | None, pool: Pool | None = None, values: Facts | None = None) -> None:
        self.pack = pack
        self.entity = entity
        self.pool = pool if pool is not None else empty()
        self.values: Facts = values if values is not None else {}


class Portion:
    """One part of a blow while it is worked on; `changed` once its type has had its effect and must not again."""

    __slots__ = ("amount", "changed", "type")

    def __init__(self, amount: int, type: str) -> None:
        self.amount = amount
        self.type = type
        self.changed = False


class Blow:
    """A hit on its way through the stages: a scope whose portions shrink and whose notes later stages read.

    `noted` holds named figures and flags of this blow (`stopped`, `damage_stopped`, `cut`, `landed`, ...), `lost`
    the points that each layer lost to it. `stopped` is true once nothing of the blow is left to happen.
    """

    __slots__ = ("hit", "lost", "noted", "pack", "pool", "portions", "start", "stopped", "target", "turn", "values", "words")

    def __init__(self, turn: Adjudication, hit: Hit) -> None:
        self.turn = turn
        self.pack = turn.pack
        self.hit = hit
        self.target = hit.target
        self.words = hit.words
        self.values = hit.facts
        self.start = turn.state.entities[hit.target]
        self.pool = empty()
        self.portions = [Portion(part.amount, part.type) for part in hit.parts]
        self.noted: Facts = {}
        self.lost: dict[str, int] = {}
        self.stopped = False

    @property
    def entity(self) -> Entity:
        """The target as it is now."""
        return self.turn.state.entities[self.target]

    @property
    def amount(self) -> int:
        """All damage that is left, over the portions."""
        portions = self.portions
        return portions[0].amount if len(portions) == 1 else sum(portion.amount for portion in portions)

    def take(self, points: int) -> int:
        """Take up to `points` off the portions in order; says how many came off."""
        left = points
        for portion in self.portions:
            if left <= 0:
                break
            off = min(portion.amount, left)
            portion.amount -= off
            left -= off
        return points - left

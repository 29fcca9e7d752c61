"""Where predicates and formulas are worked out: an entity, perhaps a pool and a blow, perhaps values of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from gambeson.language.layers import EMPTY_POOL
from gambeson.model.values import Entity, Facts, Hit, Pool

if TYPE_CHECKING:
    from gambeson.language.pack import Pack


class Scope(Struct, gc=False, eq=False):
    """What one expression may read: `entity`, the `pool` in question and named `values`."""

    pack: Pack
    entity: Entity | None
    pool: Pool = EMPTY_POOL
    values: Facts = {}


class Portion:
    """One part of a blow while it is worked on; `changed` once its type has had its effect and must not again."""

    __slots__ = ("amount", "changed", "type")

    def __init__(self, amount: int, type: str) -> None:
        self.amount = amount
        self.type = type
        self.changed = False


class Blow(Struct, gc=False, eq=False):
    """A hit on its way through the stages: a scope whose portions shrink and whose notes later stages read.

    `noted` holds named figures and flags of this blow (`stopped`, `damage_stopped`, `cut`, `landed`, ...), `lost`
    the points that each layer lost to it. `stopped` is true once nothing of the blow is left to happen. `entities`
    are those of the table as they are now, `start` is the target as it was when it was struck.
    """

    pack: Pack
    hit: Hit
    target: str
    words: tuple[str, ...]
    values: Facts
    entities: dict[str, Entity]
    start: Entity
    portions: list[Portion]
    pool: Pool = EMPTY_POOL
    noted: Facts = {}
    lost: dict[str, int] = {}
    stopped: bool = False

    @property
    def entity(self) -> Entity:
        """The target as it is now."""
        return self.entities[self.target]

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

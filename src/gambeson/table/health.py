"""How somebody looks whose numbers are hidden: one coarse word for everybody who may not see them."""

from __future__ import annotations

from gambeson.language.layers import empty
from gambeson.language.pack import Pack
from gambeson.model.values import Entity
from gambeson.table.page_data import page_of

UNHURT, HURT, BADLY, DOWN = "unhurt", "hurt", "badly", "down"
HALF = 50


def health(pack: Pack, entity: Entity, layer: str) -> str:
    """The word for a hidden layer: of life how it looks from outside, of every other layer nothing ("").

    A game says in `page.yaml` from which per cent of the points on somebody looks badly hurt: `badly: 50`.
    """
    if layer != pack.life:
        return ""
    pool = entity.pools.get(layer) or empty()
    if pool.current <= 0:
        return DOWN
    if pool.current >= pool.maximum:
        return UNHURT
    badly = page_of(pack.folder).get("badly", HALF)
    return BADLY if pool.current * 100 <= badly * pool.maximum else HURT

"""Effects of one name on one target: which of them count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambeson.language.dice import parse_dice
from gambeson.model.values import Change, Effect, Entity

if TYPE_CHECKING:
    from gambeson.language.pack import Pack

ADDS_UP = "adds_up"
"""Tag of effects that count beside others of their name."""

SUM, LATEST, MOST_POTENT = "sum", "latest", "most_potent"


def counted(effects: tuple[Effect, ...], policy: str) -> list[Change]:
    """The changes of figures that count: of one name and figure all (`sum`), the `latest`, or the `most_potent`."""
    if policy == SUM:
        return [change for effect in effects for change in effect.changes]
    free: list[Change] = []
    best: dict[tuple[str, str], Change] = {}
    for effect in effects:
        for change in effect.changes:
            if ADDS_UP in effect.tags:
                free.append(change)
                continue
            other = best.get((effect.name, change.figure))
            if other is None or policy == LATEST or _strength(change) >= _strength(other):
                best[effect.name, change.figure] = change
    return [*free, *best.values()]


def _strength(change: Change) -> tuple[int, int]:
    return abs(change.times), abs(change.add)


def bearing(pack: Pack, entity: Entity, key: str) -> tuple[Effect, ...]:
    """The effects that bring this with them and count, in the order in which they began."""
    bearers = [effect for effect in entity.effects if key in effect.facts and not effect.facts.get("spent")]
    policy = pack.effects.same_name if pack.effects is not None else SUM
    if policy == SUM or len(bearers) < 2:
        return tuple(bearers)
    best: dict[str, Effect] = {}
    for effect in bearers:
        other = best.get(effect.name)
        if ADDS_UP in effect.tags:
            best[f"{effect.name}:{effect.serial}"] = effect
        elif other is None or policy == LATEST or _worth(effect.facts[key]) >= _worth(other.facts[key]):
            best[effect.name] = effect
    return tuple(sorted(best.values(), key=lambda effect: effect.serial))


def _worth(brought: Any) -> int:
    """Twice the average of what is brought with points or dice; everything else is worth the same."""
    if not isinstance(brought, dict):
        return 0
    if "dice" in brought:
        dice = parse_dice(brought["dice"])
        return dice.count * (dice.sides + 1) + 2 * dice.plus
    return 2 * int(brought.get("points", 0))

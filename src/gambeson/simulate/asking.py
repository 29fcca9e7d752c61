"""What a simulation file asks for besides who fights: the end, answers to decisions, and healing."""

from __future__ import annotations

from typing import Any

from gambeson.language.fields import not_among, shown, unknown_key
from gambeson.language.figures import conditions
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, Path
from gambeson.model.messages import message
from gambeson.model.values import LARGEST_FIGURE, State
from gambeson.simulate.ends import CONDITION, DOWN, HITS, SPENT, WOUNDED, Until, falling, wounding
from gambeson.simulate.fights import LONGEST_FIGHT
from gambeson.simulate.healing import BEST, GREATER, KEEP, TAKE, Healing

POLICIES = (GREATER, KEEP, TAKE, BEST)


def number(value: Any, path: Path, faults: list[Fault], least: int, most: int, instead: int) -> int:
    if type(value) is not int or not least <= value <= most:
        faults.append(Fault(path, message("fault.field.number", least=least, most=most, got=shown(value))))
        return instead
    return value


def read_until(pack: Pack, value: Any, faults: list[Fault]) -> tuple[Until, int]:
    if value == DOWN:
        return Until(), LONGEST_FIGHT
    if value == WOUNDED:
        if wounding(pack) is None:
            faults.append(Fault(("until",), message("fault.simulation.no_wounds", game=pack.game)))
        return Until(WOUNDED), LONGEST_FIGHT
    if isinstance(value, dict) and len(value) == 1:
        (kind, what), path = next(iter(value.items())), ("until",)
        if kind == HITS:
            hits = number(what, (*path, HITS), faults, 1, LONGEST_FIGHT, 1)
            return Until(HITS, hits=hits), hits
        if kind == SPENT:
            if what not in pack.layers:
                faults.append(Fault((*path, SPENT), not_among(str(what), tuple(pack.layers))))
            return Until(SPENT, name=str(what)), LONGEST_FIGHT
        if kind == CONDITION:
            return Until(CONDITION, name=str(what)), LONGEST_FIGHT
    faults.append(Fault(("until",), message("fault.simulation.until", got=shown(value))))
    return Until(), LONGEST_FIGHT


def read_policy(value: Any, faults: list[Fault]) -> dict[str, str]:
    if not isinstance(value, dict):
        faults.append(Fault(("policy",), message("fault.simulation.mapping")))
        return {}
    for name, given in value.items():
        if name == "keep_or_take" and given not in POLICIES:
            faults.append(Fault(("policy", name), not_among(str(given), POLICIES)))
    return {str(name): str(given) for name, given in value.items()}


def read_heal(pack: Pack, value: Any, policy: dict[str, str], faults: list[Fault]) -> Healing | None:
    if value is None:
        return None
    path: Path = ("heal",)
    if not isinstance(value, dict):
        faults.append(Fault(path, message("fault.simulation.mapping")))
        return None
    keys = ("points", "every", "layer")
    faults += [Fault((*path, key), unknown_key(key, keys)) for key in value if key not in keys]
    if "heal" not in pack.commands:
        faults.append(Fault(path, message("fault.simulation.no_heal", game=pack.game)))
    layer = value.get("layer", "")
    if layer and layer not in pack.layers:
        faults.append(Fault((*path, "layer"), not_among(str(layer), tuple(pack.layers))))
    every = number(value.get("every", 1), (*path, "every"), faults, 1, LONGEST_FIGHT, 1)
    points = value.get("points", "all")
    if points != "all":
        points = number(points, (*path, "points"), faults, 0, LARGEST_FIGURE, 0)
    return Healing(None if points == "all" else points, every, str(layer), policy.get("keep_or_take", ""))


def standing(pack: Pack, state: State, until: Until, order: str, faults: list[Fault]) -> None:
    """Whoever is struck must stand, and be able to fall where the fight goes on until then."""
    for side, entity in state.entities.items():
        layer = falling(pack)
        wound = wounding(pack)
        if wound is not None:
            down = wound.beyond in entity.facts.get(wound.writes, ())
        elif layer in entity.pools:
            down = entity.pools[layer].current == 0
        elif until.kind in (DOWN, WOUNDED) or order:
            faults.append(Fault((side, "pools"), message("fault.simulation.no_life", layer=layer)))
            continue
        else:
            down = False
        if down:
            faults.append(Fault((side,), message("fault.simulation.down", name=entity.name)))
    target = state.entities.get("target")
    if target is None or until.kind not in (SPENT, CONDITION):
        return
    if until.kind == SPENT:
        pool = target.pools.get(until.name)
        if pool is None or pool.current == 0:
            faults.append(Fault(("until", SPENT), message("fault.simulation.spent", layer=until.name)))
    elif until.name in conditions(pack, target):
        faults.append(Fault(("until", CONDITION), message("fault.simulation.has_condition", name=until.name)))

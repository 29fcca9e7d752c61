"""What a simulation file asks for besides who fights: the end, answers to decisions, and healing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from gambeson.engine.commands.hit import HitCalled, HitParts
from gambeson.language.fields import not_among, shown, unknown_key
from gambeson.language.figures import conditions
from gambeson.language.pack import Pack
from gambeson.language.stages.code import Code
from gambeson.language.stages.retaliate import Retaliate
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


def shown_name(value: Any) -> str:
    """What stands where a name is expected."""
    return value if isinstance(value, str) else shown(value)


def conditions_known(pack: Pack) -> tuple[str, ...]:
    """Every condition that the rules of a game give or derive."""
    return (*pack.conditions, *_mentioned((pack.procedure, pack.words, tuple(pack.lasting.values()))))


def _mentioned(value: Any, key: str = "") -> Iterator[str]:
    """The conditions that data names."""
    if isinstance(value, str) and key in ("condition", "conditions", "marks", "then"):
        yield value
    elif isinstance(value, Struct):
        for field in value.__struct_fields__:
            yield from _mentioned(getattr(value, field), field)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _mentioned(entry, name)
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from _mentioned(entry, key)


def read_until(pack: Pack, value: Any, hits: Any, faults: list[Fault]) -> tuple[Until, int]:
    """The end that is waited for, and the most blows; `hits` are the kinds of hit as they are written."""
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
            if not isinstance(what, str) or what not in pack.layers:
                faults.append(Fault((*path, SPENT), not_among(shown_name(what), tuple(pack.layers))))
            return Until(SPENT, name=str(what)), LONGEST_FIGHT
        if kind == CONDITION:
            known = tuple(sorted({*conditions_known(pack), *_mentioned(hits)}))
            if not isinstance(what, str) or what not in known:
                faults.append(Fault((*path, CONDITION), not_among(shown_name(what), known)))
            return Until(CONDITION, name=str(what)), LONGEST_FIGHT
    faults.append(Fault(("until",), message("fault.simulation.until", got=shown(value))))
    return Until(), LONGEST_FIGHT


def read_policy(pack: Pack, value: Any, faults: list[Fault]) -> dict[str, str]:
    """The answers to decisions."""
    if not isinstance(value, dict):
        faults.append(Fault(("policy",), message("fault.simulation.mapping")))
        return {}
    questions = _questions(pack)
    for name, given in value.items():
        options = questions.get(name)
        if questions and name not in questions:
            faults.append(Fault(("policy", name), unknown_key(shown_name(name), tuple(questions))))
        elif options and given not in options:
            faults.append(Fault(("policy", name), not_among(shown_name(given), options)))
        elif not isinstance(given, str):
            faults.append(Fault(("policy", name), message("fault.field.text", got=shown(given), most=2000)))
    return {str(name): str(given) for name, given in value.items()}


def _questions(pack: Pack) -> dict[str, tuple[str, ...]]:
    """What a fight may ask under some reading, each with the answers where they are known.

    There is nothing where a game's own code asks.
    """
    own = not isinstance(pack.commands["hit"].does, HitParts | HitCalled)
    if own or any(isinstance(stage, Code) for stage in pack.procedure):
        return {}
    asked = (stage.asks for stage in pack.procedure if isinstance(stage, Retaliate))
    types = tuple(type for asks in asked if asks is not None for type in asks.of)
    return {"keep_or_take": POLICIES, "prevent": (), "instead": (), "type": types}


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
    if layer and not (isinstance(layer, str) and layer in pack.layers):
        faults.append(Fault((*path, "layer"), not_among(shown_name(layer), tuple(pack.layers))))
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
    for entity in state.entities.values():
        if until.kind == SPENT:
            pool = entity.pools.get(until.name)
            if pool is None or pool.current == 0:
                no_points = message("fault.simulation.spent", name=entity.name, layer=until.name)
                faults.append(Fault(("until", SPENT), no_points))
        elif until.kind == CONDITION and until.name in conditions(pack, entity):
            has = message("fault.simulation.has_condition", name=entity.name, condition=until.name)
            faults.append(Fault(("until", CONDITION), has))

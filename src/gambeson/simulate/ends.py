"""When a fight is over: what `until` names, read from the pack."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.lowering import NO, Value, either
from gambeson.language.pack import Pack
from gambeson.language.stages.at_zero import AtZero
from gambeson.language.stages.wound import Wound
from gambeson.model.values import Hit
from gambeson.simulate.program import Arena, Lowering

DOWN, WOUNDED, HITS, SPENT, CONDITION = "down", "wounded", "hits", "spent", "condition"


class Until(Struct, frozen=True):
    """The end that is waited for: `down`, `wounded`, so many `hits`, a layer `spent`, or a `condition`."""

    kind: str = DOWN
    name: str = ""
    hits: int = 0


def wounding(pack: Pack) -> Wound | None:
    """The stage that wounds, where the game has one."""
    return next((stage for stage in pack.procedure if isinstance(stage, Wound)), None)


def falling(pack: Pack) -> str:
    """The layer at whose 0 a target is down, where no wound says it."""
    return next((stage.layer for stage in pack.procedure if isinstance(stage, AtZero)), pack.life)


def down(arena: Arena) -> Value:
    """Whether the target is down: its life layer is at 0, or it is wounded where all wounds lead in the end."""
    wound = wounding(arena.pack)
    program = _reading(arena)
    if wound is not None:
        there = wound.beyond in arena.entity.facts.get(wound.writes, ())
        return program.count(f"{wound.writes}.{wound.beyond}", int(there))
    layer = falling(arena.pack)
    return program.pool(layer).equals(0) if layer in arena.entity.pools else NO


def over(arena: Arena, until: Until) -> Value:
    """Whether the end that is waited for has come, after a blow."""
    program = _reading(arena)
    match until.kind:
        case "wounded":
            wound = wounding(arena.pack)
            found = NO
            if wound is not None:
                for name in tuple(arena.counters):
                    fact, _, place = name.partition(".")
                    if fact == wound.writes and place not in arena.entity.facts.get(fact, ()):
                        found = either(found, program.count(name, 0))
            return found
        case "spent":
            return program.pool(until.name).equals(0)
        case "condition":
            return program.has_condition(until.name)
        case _:
            return down(arena)


def _reading(arena: Arena) -> Lowering:
    return Lowering(arena, Hit("", ()), ())

"""Healing between blows, as a program: the pack's own `heal` command read as data."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.heal import Heal
from gambeson.language.lowering import NO, YES, Value, both, choose, fixed, larger, negated, smaller
from gambeson.language.names import given_names
from gambeson.language.stages.absorb import Absorb
from gambeson.model.values import Facts, Hit
from gambeson.simulate.program import Arena, Lowering, Unlowered
from gambeson.simulate.source import Step, needed

GREATER, KEEP, TAKE, BEST = "greater", "keep", "take", "best"
RULE_STAGE = "heal"


class Healing(Struct, frozen=True):
    """So many points (None: all that are missing) of a layer ("": the game's own) after every so many blows.

    `keep_or_take` is the policy where points that are too many meet an old pool.
    """

    points: int | None
    every: int
    layer: str = ""
    keep_or_take: str = ""


class Healed(Struct, frozen=True):
    """Healing, written: its lines, what stands after them, and the layers that may rise."""

    every: int
    steps: tuple[Step, ...]
    now: dict[str, Value]
    layers: tuple[str, ...]


def write_healing(arena: Arena, healing: Healing) -> Healed:
    """Write the healing. Raises Unlowered."""
    spec = arena.pack.commands["heal"]
    if not isinstance(spec.does, Heal):
        raise Unlowered("heal", "command", type(spec.does).__name__)
    if not healing.layer and any(front in arena.pools for front in spec.does.front):
        raise Unlowered("heal", "command", "front")
    layer = healing.layer or arena.pack.life
    facts: Facts = {"layer": healing.layer} if healing.layer else {}
    if healing.points is not None:
        facts["points"] = healing.points
    program = Lowering(arena, Hit("", (), facts=facts), ())
    program.known = given_names(arena.known, spec.fields)
    allowed = YES
    for bar in spec.bars:
        allowed = both(allowed, negated(program.holds(bar.when)))
    definition = arena.pack.layers[layer]
    if "heal" in definition.forbids or layer not in arena.entity.pools or layer not in arena.pools:
        return Healed(healing.every, (), {}, ())
    if any(f"{layer}." in key for effect in arena.entity.effects for key in effect.ledger):
        raise Unlowered("heal", "command", "ledger")
    rule = spec.does.rule
    points, missing = program.pool(layer), arena.maximum(layer) - program.pool(layer)
    missing = missing.within(0, missing.most)
    offered = missing if healing.points is None else fixed(healing.points)
    given = program.let("healed", choose(allowed, smaller(offered, missing), 0), rule)
    program.now[arena.pool_name(layer)] = program.let(layer, (points + given).within(0, points.most), rule)
    layers: tuple[str, ...] = (layer,)
    excess = definition.excess
    spills = excess is not None and healing.points is not None and excess.layer in arena.pools
    if excess is not None and spills and not (excess.kinds and arena.entity.kind not in excess.kinds):
        spilt = program.let("excess", choose(allowed, larger(0, offered - missing), 0), rule)
        _spill(arena, program, excess.layer, excess.points, spilt, excess.stacking, healing.keep_or_take, excess.rule)
        layers = (layer, excess.layer)
    steps = needed(program.steps, program.now.values())
    return Healed(healing.every, tuple(steps), program.now, layers)


def _spill(
    arena: Arena,
    program: Lowering,
    layer: str,
    gives: object,
    spilt: Value,
    stacking: str,
    policy: str,
    rule: str,
) -> None:
    """Points that are too many become points of another layer, as that layer says."""
    definition = arena.pack.layers[layer]
    reading = stacking or definition.stacking
    old = arena.entity.pools.get(layer)
    stages = (stage for stage in arena.pack.procedure if isinstance(stage, Absorb) and stage.layer == layer)
    told_apart = any(stage.covers or stage.filter for stage in stages) or (
        old is not None and (old.extras or old.effect)
    )
    if definition.cap or definition.grant != "pool" or told_apart:
        raise Unlowered("heal", "command", layer)
    now = program.pool(layer)
    points = program.let("overheal", halved_or_whole(gives, spilt), rule)
    wins = _wins(reading, policy, points, now, program)
    total = points + now if reading == "sum" else points
    new = choose(both(points > 0, wins), total, now)
    program.now[arena.pool_name(layer)] = program.let(layer, new.within(0, arena.pools[layer].most), rule)


def halved_or_whole(gives: object, spilt: Value) -> Value:
    """How many points an excess gives, learned from what the layer makes of 0, 1, 2 and 3."""
    assert callable(gives)
    known = tuple(gives(points) for points in range(4))
    if known == (0, 0, 0, 0):
        return NO
    if known == (0, 1, 2, 3):
        return spilt
    if known == (0, 0, 1, 1):
        return spilt // 2
    raise Unlowered("heal", "command", "excess")


def _wins(reading: str, policy: str, points: Value, now: Value, program: Lowering) -> Value:
    """Whether the new points stand."""
    empty = now.equals(0)
    match reading:
        case "latest" | "sum":
            return YES
        case "greatest":
            return points > now
        case "choose" if policy == KEEP:
            return empty
        case "choose" if policy == TAKE:
            return YES
        case "choose" if policy in (GREATER, BEST):
            # More points of the same pool never shorten a fight, so the greater is also the best.
            return points > now
        case "choose":
            raise Unlowered("heal", "policy", "keep_or_take")
        case _:
            raise Unlowered("heal", "command", reading)

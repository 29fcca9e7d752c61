"""Healing between blows, as a program: the pack's own `heal` command read as data."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.heal import Heal
from gambeson.language.layers import Excess
from gambeson.language.lowering import NO, YES, Value, both, choose, either, fixed, larger, named, negated, smaller
from gambeson.language.names import given_names
from gambeson.language.pack import Pack
from gambeson.language.stages.absorb import Absorb
from gambeson.model.values import Entity, Facts, Hit
from gambeson.simulate.program import Arena, Lowering, Unlowered
from gambeson.simulate.source import Step, identifier, needed

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
    """Healing, written: its lines, what stands after them, and the layers that may rise.

    `takes` is the name of a number that the lines read: 1 where the holder takes the new points, 0 where the old ones
    are kept; "" where nothing is left to decide.
    """

    every: int
    steps: tuple[Step, ...]
    now: dict[str, Value]
    layers: tuple[str, ...]
    takes: str = ""


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
    takes = ""
    spills = spilling(arena.pack, arena.entity, healing)
    if spills is not None and spills.layer in arena.pools:
        spilt = program.let("excess", choose(allowed, larger(0, offered - missing), 0), rule)
        takes = _Spill(arena, program, spills, healing.keep_or_take).write(spilt)
        layers = (layer, spills.layer)
    steps = needed(program.steps, program.now.values())
    return Healed(healing.every, tuple(steps), program.now, layers, takes)


def spilling(pack: Pack, entity: Entity, healing: Healing | None) -> Excess | None:
    """What becomes of points that are too many for this entity."""
    excess = pack.layers[healing.layer or pack.life].excess if healing is not None else None
    if healing is None or healing.points is None or excess is None:
        return None
    return None if excess.kinds and entity.kind not in excess.kinds else excess


def replaced(pack: Pack, entity: Entity, healing: Healing | None) -> tuple[str, ...]:
    """The layers whose pools healing may put others in the place of, where that loses them something."""
    excess = spilling(pack, entity, healing)
    pool = entity.pools.get(excess.layer) if excess is not None else None
    return (excess.layer,) if excess is not None and pool is not None and pool.extras else ()


class _Spill:
    """Points that are too many become points of another layer, as that layer says."""

    def __init__(self, arena: Arena, program: Lowering, excess: Excess, policy: str) -> None:
        self.arena = arena
        self.program = program
        self.excess = excess
        self.policy = policy
        self.takes = ""
        layer = excess.layer
        definition, old = arena.pack.layers[layer], arena.entity.pools.get(layer)
        stages = (stage for stage in arena.pack.procedure if isinstance(stage, Absorb) and stage.layer == layer)
        told_apart = any(stage.covers or stage.filter for stage in stages) or (old is not None and old.effect)
        if definition.cap or definition.grant != "pool" or told_apart:
            raise Unlowered("heal", "command", layer)
        self.reading = excess.stacking or definition.stacking

    def write(self, spilt: Value) -> str:
        """Write it; gives the name of what is to be decided, if anything is."""
        layer, rule, program = self.excess.layer, self.excess.rule, self.program
        now = program.pool(layer)
        points = program.let("overheal", halved_or_whole(self.excess.points, spilt), rule)
        stands = both(points > 0, self._wins(points, now))
        total = points + now if self.reading == "sum" else points
        new = choose(stands, total, now)
        program.now[self.arena.pool_name(layer)] = program.let(layer, new.within(0, self.arena.pools[layer].most), rule)
        if layer in self.arena.replaced:
            program.keep(f"extras.{layer}", both(program.untouched(layer), negated(stands)), rule)
        return self.takes

    def _wins(self, points: Value, now: Value) -> Value:
        """Whether the new points stand."""
        empty = now.equals(0)
        match self.reading:
            case "latest" | "sum":
                return YES
            case "greatest":
                return points > now
            case "choose" if self.policy == KEEP:
                return empty
            case "choose" if self.policy == TAKE:
                return YES
            case "choose" if self.policy == GREATER:
                return points > now
            case "choose" if self.policy == BEST:
                self.takes = identifier("takes", self.arena.prefix, self.arena.taken)
                return either(empty, named(self.takes, 0, 1).equals(1))
            case "choose":
                raise Unlowered("heal", "policy", "keep_or_take")
            case _:
                raise Unlowered("heal", "command", self.reading)


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

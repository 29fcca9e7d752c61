"""From a fight as it was read to the sides that a program is written for, and what the program is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from gambeson.engine.adjudication import Turn
from gambeson.language.dice import Dice
from gambeson.language.effects import worn_changes
from gambeson.language.fields import check_fields
from gambeson.language.pack import Pack, context_of
from gambeson.model.values import LARGEST_FIGURE, REFEREE, Entity, Hit, Pool, State
from gambeson.simulate.fights import Blows, Fight
from gambeson.simulate.healing import spilling
from gambeson.simulate.kernel import Fighter, Kernel, Struck
from gambeson.simulate.program import Bounds, Unlowered

LINKED = ("ends_with", "ends_when", "granting", "repeats")
"""What an effect carries that has it end or act by itself."""


def shape(fight: Fight) -> str:
    """What must be the same in two fights for one program to play both: all but points, weights and length."""
    entities = {side: _blank(fight.state.entities[side]) for side in fight.sides}
    hits = {side: [replace(blows, weight=Fraction(1)) for blows in fight.hits[side]] for side in fight.sides}
    until = replace(fight.until, hits=0)
    return repr((fight.pack.hash, entities, hits, until, fight.order, fight.heal, tuple(sorted(fight.policy.items()))))


def _blank(entity: Entity) -> Entity:
    pools = {layer: replace(pool, current=0, maximum=0, base=None) for layer, pool in entity.pools.items()}
    return replace(entity, pools=pools)


def fighters(fights: Sequence[Fight]) -> tuple[Fighter, ...]:
    """The sides for fights of one shape. Raises Unlowered."""
    first = fights[0]
    made = []
    for side in first.sides:
        entity = first.state.entities[side]
        settled(first.pack, entity)
        source = next((other for other in first.sides if other != side), None)
        kinds = tuple(struck(first.pack, first.state, blows, side, source) for blows in first.hits[side])
        bounds = _bounds(fights, side)
        made.append(Fighter(entity, kinds, bounds, first.heal, f"{side}_" if first.order else "", first.policy))
    return tuple(made)


def settled(pack: Pack, entity: Entity) -> None:
    """Raise Unlowered where something on the target would change in ways that programs do not follow."""
    if pack.watchers:
        raise Unlowered("watchers", "pack", ", ".join(pack.watchers))
    if pack.condition_changes:
        raise Unlowered("condition_changes", "pack")
    for pool in entity.pools.values():
        rules = pack.effects if pack.standing else None
        if rules is not None and any(worn_changes(rules, extra) for extra in pool.extras):
            raise Unlowered("extras", "pool", pool.extras[0].name)
        giver = next((effect for effect in entity.effects if effect.serial == pool.effect), None)
        if giver is not None and (
            giver.lists or giver.changes or giver.conditions or giver.protections or giver.facts.keys() - {"flag"}
        ):
            raise Unlowered("effects", "entity", giver.name)
    for effect in entity.effects:
        if any(key in effect.facts for key in LINKED) or "concentration" in effect.tags:
            raise Unlowered("effects", "entity", effect.name)


def struck(pack: Pack, state: State, blows: Blows, side: str, source: str | None = None) -> Struck:
    """A kind of hit as the game reads it. Raises Unlowered where amounts of 0 are another kind of hit to the game."""
    most = _prepared(pack, state, blows, side, tuple(amount.most for amount in blows.amounts), source)
    if not blows.amounts:
        return Struck(most, tuple(part.amount for part in most.parts), blows.said)
    if any(amount.dice is not None and amount.least == 0 for amount in blows.amounts):
        least = _prepared(pack, state, blows, side, tuple(amount.least for amount in blows.amounts), source)
        if _words(least) != _words(most):
            raise Unlowered("hit", "command", "0")
    amounts: list[int | Dice] = [amount.number if amount.dice is None else amount.dice for amount in blows.amounts]
    if len(amounts) != len(most.parts):
        raise Unlowered("hit", "command", "damage")
    return Struck(most, tuple(amounts), blows.said)


def _words(hit: Hit) -> Hit:
    return replace(hit, parts=tuple(replace(part, amount=0) for part in hit.parts))


def _prepared(pack: Pack, state: State, blows: Blows, side: str, amounts: tuple[int, ...], source: str | None) -> Hit:
    spec = pack.commands["hit"]
    named = source if "source" in spec.fields and "source" not in blows.fields else None
    fields = check_fields(spec.fields, blows.command(side, amounts, named).fields, context_of(state.entities))
    prepared, refusals = spec.does.prepare(Turn(pack, state, ()), fields, REFEREE)
    if refusals or not isinstance(prepared, Hit):
        raise Unlowered("hit", "command", type(spec.does).__name__)
    return prepared


def _bounds(fights: Sequence[Fight], side: str) -> dict[str, Bounds]:
    bounds: dict[str, Bounds] = {}
    pack, heal = fights[0].pack, fights[0].heal
    for layer in pack.layers:
        pools = [fight.state.entities[side].pools.get(layer, Pool(0, 0)) for fight in fights]
        most = max(pool.current for pool in pools)
        if heal is not None and layer == (heal.layer or pack.life):
            most = max(most, *(pool.maximum for pool in pools))
        bounds[layer] = Bounds(most, min(pool.maximum for pool in pools), max(pool.maximum for pool in pools))
    spilt = spilling(pack, fights[0].state.entities[side], heal)
    if heal is not None and spilt is not None and heal.points is not None:
        stacking = spilt.stacking or pack.layers[spilt.layer].stacking
        gained = LARGEST_FIGURE if stacking == "sum" else max(0, spilt.points(heal.points))
        before = bounds[spilt.layer]
        most = max(before.most, gained)
        bounds[spilt.layer] = Bounds(most, min(before.least_maximum, 0), max(before.most_maximum, most))
    return bounds


def starts(fight: Fight, kernel: Kernel) -> list[int]:
    """What the fight begins with, in the kernel's order."""
    found = []
    for side, layer, of in kernel.starts:
        pool = fight.state.entities[fight.sides[side]].pools.get(layer)
        found.append(0 if pool is None else pool.current if of == "current" else pool.maximum)
    return found


def thresholds(fight: Fight) -> list[int]:
    """Below which halves of a word each kind of hit but the last is drawn, side by side."""
    found = []
    for side in fight.sides:
        total = sum(blows.weight for blows in fight.hits[side])
        so_far = Fraction(0)
        for blows in fight.hits[side][:-1]:
            so_far += blows.weight
            found.append(int(so_far / total * (1 << 32)))
    return found

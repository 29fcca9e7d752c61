"""What the commands of players propose to the list of legal commands; the checks decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gambeson.games.eldfall.declaring import casting_attributes
from gambeson.games.eldfall.falling import ACTIVATION, MANA
from gambeson.games.eldfall.models import SEQUENCE, STAR, TRANSMUTATION, Spell, fallen, has_class
from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import pool_of
from gambeson.language.offers import Offer, Open
from gambeson.mechanisms.turns import same_side
from gambeson.model.values import Facts

MOVEMENTS = ("idle", "walk", "run", "climb", "jump")
MOST_POINTS = 100


def models(turn: Adjudication, ids: Iterable[str]) -> Iterator[str]:
    """Those of the ids that are models on the field."""
    return (id for id in ids if turn.state.entities[id].kind != TRANSMUTATION)


def activations(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-04: each model, with every Movement."""
    for id in models(turn, ids):
        yield Offer(id, {"model": id}, (Open("movement", MOVEMENTS, optional=True),), {ACTIVATION: 1})


def finishes(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-04: the model whose Sequence is open, or else each model."""
    sequence = turn.state.facts.get(SEQUENCE)
    given = tuple(ids)
    wanted = tuple(models(turn, given))
    if sequence is not None:
        gone = sequence["model"] not in turn.state.entities
        wanted = (sequence["model"],) if gone or sequence["model"] in given else ()
    for id in wanted:
        yield Offer(id, {"model": id}, (Open("action", ("nothing", "dodge"), optional=True),))


def conversions(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-36: each model, one point for one Mana Counter."""
    for id in models(turn, ids):
        most = min(MOST_POINTS, max(1, pool_of(turn.state.entities[id], ACTIVATION).current))
        yield Offer(id, {"model": id}, (Open("points", tuple(range(1, most + 1))),))


def recoveries(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-20: each model."""
    for id in models(turn, ids):
        yield Offer(id, {"model": id})


def attacks(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-08: each weapon of each model, at everybody."""
    for id in models(turn, ids):
        for weapon, targets in weapons(turn, id):
            yield Offer(id, {"attacker": id, "weapon": weapon}, (targets,))


def weapons(turn: Adjudication, id: str) -> Iterator[tuple[str, Open]]:
    """Each weapon of a model and whom it may be used on."""
    sides = Sides(turn, id)
    for name, weapon in turn.state.entities[id].facts.get("weapons", {}).items():
        (targets,) = sides.everybody if weapon.get("template") else sides.enemies
        yield name, targets


def targets_of(ids: tuple[str, ...], template: bool) -> Open:
    """A list of targets."""
    return Open("targets", ids, listed=True, most=len(ids), ordered=template)


def castings(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-22: each Spell of each model that has an Affinity or knows Spells, in every way that its card offers."""
    for id in models(turn, ids):
        for fields, targets, costs in spells(turn, id):
            yield Offer(id, {"caster": id, **fields}, targets, costs)


def spells(turn: Adjudication, id: str) -> Iterator[tuple[Facts, tuple[Open, ...], dict[str, int]]]:
    """Each casting of a model: Spell, mode, attribute, mana, and the targets of one side."""
    facts = turn.state.entities[id].facts
    if not any(key in facts for key in ("affinity", "spells", "spellcraft")):
        return
    sides = Sides(turn, id)
    attributes = casting_attributes(turn, turn.state.entities[id])
    for code, spell in turn.pack.spells.items():
        for fields in _paid(turn, id, spell, _ways(code, spell, attributes)):
            price = spell.mana_cost + fields.get("mana", 0)
            cost = fields["mana_from"].get(id, 0) if "mana_from" in fields else price
            costs = {MANA: cost} if cost else {}
            if spell.type in ("conjuration", TRANSMUTATION):
                yield fields, (), costs
                continue
            for side in sides.of(spell):
                yield fields, (side,), costs


def _ways(code: str, spell: Spell, attributes: tuple[str, ...]) -> Iterator[Facts]:
    """EF-23, EF-42: the modes, attributes and amounts of mana; what is the usual one is not stated."""
    for mode in spell.modes or ("",):
        for attribute in attributes:
            for mana in (0, spell.extra.mana) if spell.extra is not None else (0,):
                fields: dict[str, Any] = {"spell": code}
                if mode and mode != spell.modes[0]:
                    fields["mode"] = mode
                if attribute != attributes[0]:
                    fields["attribute"] = attribute
                if mana:
                    fields["mana"] = mana
                yield fields


def _paid(turn: Adjudication, id: str, spell: Spell, ways: Iterable[Facts]) -> Iterator[Facts]:
    """EF-44: each way, and how Summoners pay together for what a Summoner cannot pay alone: the caster first."""
    purses: dict[str, int] | None = None
    for fields in ways:
        yield fields
        cost = spell.mana_cost + fields.get("mana", 0)
        if not cost or not has_class(turn.state.entities[id], "summoner"):
            continue
        if purses is None:
            purses = _purses(turn, id)
        if not purses[id] < cost <= sum(purses.values()):
            continue
        shares: dict[str, int] = {}
        for payer, points in purses.items():
            shares[payer] = min(points, cost - sum(shares.values()))
        yield {**fields, "mana_from": {payer: points for payer, points in shares.items() if points}}


def _purses(turn: Adjudication, id: str) -> dict[str, int]:
    """EF-44: the Mana Counters of a Summoner and of the others of its player that stand."""
    fit = [
        other
        for other, entity in turn.state.entities.items()
        if has_class(entity, "summoner") and same_side(turn.state, id, other) and not fallen(entity)
    ]
    return {other: pool_of(turn.state.entities[other], MANA).current for other in dict.fromkeys((id, *fit))}


class Sides:
    """EF-29: whom a model may aim at: enemies with an Attack, own models with an Assist, both with a template.

    The activated model stands first, then models, then Transmutations: so that what is wrong with the rest is said
    of the most likely target.
    """

    def __init__(self, turn: Adjudication, id: str) -> None:
        sequence = turn.state.facts.get(SEQUENCE)
        activated = sequence["model"] if sequence is not None else None
        everybody = sorted(turn.state.entities, key=lambda other: (other != activated, self._wall(turn, other)))
        own = tuple(other for other in everybody if same_side(turn.state, id, other))
        enemies = tuple(other for other in everybody if other not in own)
        walls = tuple(other for other in own if self._wall(turn, other))
        self.everybody = (targets_of((*enemies, *own), template=True),)
        self.either = tuple(targets_of(side, template=False) for side in (enemies, own) if side)
        self.enemies = (targets_of((*enemies, *walls) or own, template=False),)

    @staticmethod
    def _wall(turn: Adjudication, id: str) -> bool:
        return turn.state.entities[id].kind == TRANSMUTATION

    def of(self, spell: Spell) -> tuple[Open, ...]:
        """The targets of a Spell, side by side."""
        if spell.template:
            return self.everybody
        return self.either if spell.power in (None, STAR) else self.enemies


def reactions(turn: Adjudication, ids: Iterable[str]) -> Iterator[Offer]:
    """EF-06: Dodge, Nothing, an Attack with each weapon, a casting of each Spell."""
    for id in models(turn, ids):
        for action in ("dodge", "nothing"):
            yield Offer(id, {"model": id, "action": action}, (), {ACTIVATION: 1})
        for weapon, targets in weapons(turn, id):
            yield Offer(id, {"model": id, "action": "attack", "weapon": weapon}, (targets,), {ACTIVATION: 1})
        for fields, targets_open, costs in spells(turn, id):
            yield Offer(id, {"model": id, "action": "cast", **fields}, targets_open, {ACTIVATION: 1, **costs})

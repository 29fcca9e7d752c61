"""Simulation files: reading them, with every fault at its line and column."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from gambeson.engine.setup import first_state
from gambeson.engine.step import step
from gambeson.games import load
from gambeson.games.documents import Document, placed
from gambeson.language.dice import Dice, parse_dice
from gambeson.language.fields import faults_of, not_among, shown, unknown_key
from gambeson.language.figures import conditions
from gambeson.language.pack import Pack, context_of
from gambeson.model.commands import Command
from gambeson.model.errors import Fault, FieldFault, Path, Unusable
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Rejected
from gambeson.model.values import LARGEST_FIGURE, State, frozen
from gambeson.simulate.ends import CONDITION, DOWN, HITS, SPENT, WOUNDED, Until, falling, wounding
from gambeson.simulate.healing import BEST, GREATER, KEEP, TAKE, Healing

TOP = (
    "title", "note", "game", "variants", "target", "hits", "until", "policy", "heal", "against", "order", "compare",
    "trials", "seed", "vary",
)  # fmt: skip
SIDE = ("target", "against")
EXACT = "exact"
TRIALS, SEED = 1_000_000, 1
TRIALS_MOST = 1_000_000_000_000
LONGEST_FIGHT = 10_000
"""Blows after which a fight that has not ended is left."""
CELLS_MOST = 10_000
KINDS_MOST = 100
POLICIES = (GREATER, KEEP, TAKE, BEST)
_RANGE = re.compile(r"\s*([0-9]{1,10})\s*\.\.\s*([0-9]{1,10})\s*\Z")
_DICE = re.compile(r"\s*[0-9]+\s*d\s*[0-9]+")


class Amount(Struct, frozen=True):
    """A number or dice, of a part of a blow."""

    number: int = 0
    dice: Dice | None = None

    @property
    def most(self) -> int:
        """The most that it can be."""
        return self.number if self.dice is None else max(0, self.dice.count * self.dice.sides + self.dice.plus)

    @property
    def least(self) -> int:
        """The least that it can be; dice never come to less than 0."""
        return self.number if self.dice is None else max(0, self.dice.count + self.dice.plus)


class Blows(Struct, frozen=True):
    """One kind of hit: the fields of the command without damage, its amounts, and its weight."""

    fields: dict[str, Any]
    damage: Any
    amounts: tuple[Amount, ...]
    weight: Fraction
    said: str

    def command(self, target: str, amounts: tuple[int, ...], source: str | None = None) -> Command:
        """The blow as a command, with these amounts."""
        fields = {**self.fields, "target": target}
        if source is not None:
            fields["source"] = source
        if self.damage is not None:
            rest = iter(amounts)
            fields["damage"] = _filled(self.damage, rest)
        return Command("hit", frozen(fields))


def _filled(damage: Any, amounts: Any) -> Any:
    if isinstance(damage, Amount):
        return next(amounts)
    if isinstance(damage, list):
        return [{**part, "amount": next(amounts)} if "amount" in part else part for part in damage]
    return damage


class Fight(Struct, frozen=True):
    """One cell of a simulation, ready to be played."""

    pack: Pack
    state: State
    hits: dict[str, tuple[Blows, ...]]
    until: Until
    policy: dict[str, str]
    heal: Healing | None
    order: str
    most: int
    """Blows after which it is left."""

    @property
    def sides(self) -> tuple[str, ...]:
        """Who is struck, in order."""
        return SIDE if self.order else SIDE[:1]


class Cell(Struct, frozen=True):
    """One cell: what is varied there, the fight, and the fight that it is compared with."""

    vary: dict[str, Any]
    fight: Fight
    compared: Fight | None


class Simulation(Struct, frozen=True):
    """A simulation that can be played; `trials` None: exactly."""

    title: str
    cells: tuple[Cell, ...]
    trials: int | None
    seed: int
    vary: dict[str, tuple[Any, ...]]
    document: Document

    @property
    def pack(self) -> Pack:
        """The game."""
        return self.cells[0].fight.pack


def read_simulation(document: Document) -> Simulation:
    """The simulation in a document. Raises Unusable with every fault at its place."""
    try:
        return _read(document)
    except Unusable as unusable:
        raise Unusable(placed(unusable.faults, document)) from None


def _read(document: Document) -> Simulation:
    data = document.data
    if not isinstance(data, dict):
        raise Unusable((Fault((), message("fault.simulation.mapping")),))
    faults = [Fault((key,), unknown_key(key, TOP)) for key in data if key not in TOP]
    faults += [
        Fault((key,), message("fault.field.missing", field=key))
        for key in ("game", "target", "hits")
        if key not in data
    ]
    if not isinstance(data.get("title", ""), str):
        faults.append(Fault(("title",), message("fault.field.text", got=shown(data["title"]), most=2000)))
    if faults:
        raise Unusable(tuple(faults))
    trials = _trials(data.get("trials", TRIALS), faults)
    seed = _number(data.get("seed", SEED), ("seed",), faults, 0, (1 << 63) - 1, SEED)
    vary = _vary(data.get("vary", {}), faults)
    if faults:
        raise Unusable(tuple(faults))
    cells = [_cell(document, data, chosen) for chosen in _combinations(vary)]
    return Simulation(data.get("title", ""), tuple(cells), trials, seed, vary, document)


def _trials(value: Any, faults: list[Fault]) -> int | None:
    if value == EXACT:
        return None
    if type(value) is not int or not 1 <= value <= TRIALS_MOST:
        faults.append(Fault(("trials",), message("fault.simulation.trials", got=shown(value), most=TRIALS_MOST)))
    return value if type(value) is int else None


def _number(value: Any, path: Path, faults: list[Fault], least: int, most: int, instead: int) -> int:
    if type(value) is not int or not least <= value <= most:
        faults.append(Fault(path, message("fault.field.number", least=least, most=most, got=shown(value))))
        return instead
    return value


# What is varied


def _vary(value: Any, faults: list[Fault]) -> dict[str, tuple[Any, ...]]:
    if not isinstance(value, dict):
        faults.append(Fault(("vary",), message("fault.simulation.mapping")))
        return {}
    found: dict[str, tuple[Any, ...]] = {}
    cells = 1
    for name, given in value.items():
        values = _values(given)
        if not values:
            faults.append(Fault(("vary", name), message("fault.simulation.values", got=shown(given))))
            continue
        found[name] = values
        cells *= len(values)
    if cells > CELLS_MOST:
        faults.append(Fault(("vary",), message("fault.simulation.cells", cells=cells, most=CELLS_MOST)))
    return found


def _values(given: Any) -> tuple[Any, ...]:
    if isinstance(given, list) and not any(isinstance(entry, list | dict) for entry in given):
        return tuple(given)
    between = _RANGE.match(given) if isinstance(given, str) else None
    if between is None:
        return ()
    first, last = int(between[1]), int(between[2])
    return tuple(range(first, last + 1)) if first <= last < first + CELLS_MOST else ()


def _combinations(vary: dict[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def _varied(data: dict[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The data of one cell. Raises Unusable where a name leads nowhere."""
    if not chosen:
        return data
    changed: dict[str, Any] = copy.deepcopy({key: value for key, value in data.items() if key != "vary"})
    for name, value in chosen.items():
        keys = name.split(".") if "." in name else ["target", "pools", name]
        at: Any = changed
        for key in keys[:-1]:
            at = _below(at, key, name)
        last = keys[-1]
        if isinstance(at, list):
            if not last.isdigit() or int(last) >= len(at):
                raise _nowhere(name)
            at[int(last)] = value
        elif not isinstance(at, dict):
            raise _nowhere(name)
        elif keys[-2:-1] == ["pools"] and isinstance(at.get(last), dict):
            pool = at[last]
            pool["current"] = value
            if type(pool.get("maximum")) is int and type(value) is int:
                pool["maximum"] = max(pool["maximum"], value)
        else:
            at[last] = value
    return changed


def _below(at: Any, key: str, name: str) -> Any:
    if isinstance(at, list) and key.isdigit() and int(key) < len(at):
        return at[int(key)]
    if isinstance(at, dict):
        return at.setdefault(key, {})
    raise _nowhere(name)


def _nowhere(name: str) -> Unusable:
    return Unusable((Fault(("vary", name), message("fault.simulation.nowhere", got=name)),))


# One cell


def _cell(document: Document, data: dict[str, Any], chosen: dict[str, Any]) -> Cell:
    try:
        varied = _varied(data, chosen)
        fight = _fight(document, varied, _pack(document, varied))
        compared = None
        if "compare" in varied:
            compared = _fight(document, varied, _compared_pack(document, varied, fight.pack))
    except Unusable as unusable:
        raise Unusable(tuple(_of_cell(fault, chosen) for fault in unusable.faults)) from None
    return Cell(chosen, fight, compared)


def _of_cell(fault: Fault, chosen: dict[str, Any]) -> Fault:
    """A fault that a varied value has brought stands where the value is written."""
    for name in chosen:
        keys: Path = tuple(name.split(".")) if "." in name else ("target", "pools", name)
        if tuple(map(str, fault.path[: len(keys)])) == keys:
            return Fault(("vary", name), fault.message)
    return fault


def _readings(document: Document, data: dict[str, Any], path: Path) -> dict[str, str]:
    variants: Any = data.get("variants", {})
    if not isinstance(variants, dict):
        raise Unusable((Fault((*path, "variants"), message("fault.simulation.mapping")),))
    return {
        name: document.text_at((*path, "variants", name)) or str(reading) if not isinstance(reading, str) else reading
        for name, reading in variants.items()
    }


def _pack(document: Document, data: dict[str, Any]) -> Pack:
    return load(str(data["game"]), _readings(document, data, ()))


def _compared_pack(document: Document, data: dict[str, Any], pack: Pack) -> Pack:
    given = data["compare"]
    if not isinstance(given, dict) or not set(given) <= {"variants", "game"} or not given:
        raise Unusable((Fault(("compare",), message("fault.simulation.compare", got=shown(given))),))
    readings = _readings(document, given, ("compare",))
    game = str(given.get("game", data["game"]))
    own = _readings(document, data, ()) if "game" not in given else {}
    try:
        return load(game, {**own, **readings})
    except Unusable as unusable:
        raise Unusable(tuple(Fault(("compare", *fault.path), fault.message) for fault in unusable.faults)) from None


def _fight(document: Document, data: dict[str, Any], pack: Pack) -> Fight:
    faults: list[Fault] = []
    order = _order(data, faults)
    entities = {"target": data["target"]}
    if "against" in data and isinstance(data["against"], dict):
        entities["against"] = {key: value for key, value in data["against"].items() if key not in ("hits", "order")}
    state = _state(pack, entities, faults)
    hits = {"target": _hits(pack, data["hits"], ("hits",), faults)}
    if order:
        hits["against"] = _hits(pack, data["against"].get("hits"), ("against", "hits"), faults)
    until, most = _until(pack, data.get("until", DOWN), faults)
    policy = _policy(data.get("policy", {}), faults)
    heal = _heal(pack, data.get("heal"), policy, faults)
    if not faults:
        _tried(pack, state, hits, faults)
        _standing(pack, state, until, order, faults)
    if faults:
        raise Unusable(tuple(faults))
    return Fight(pack, state, hits, until, policy, heal, order, most)


def _order(data: dict[str, Any], faults: list[Fault]) -> str:
    if "against" not in data:
        if "order" in data:
            faults.append(Fault(("order",), message("fault.simulation.order_alone")))
        return ""
    if not isinstance(data["against"], dict):
        faults.append(Fault(("against",), message("fault.simulation.mapping")))
        return ""
    path: Path = ("against", "order") if "order" in data["against"] else ("order",)
    order = data["against"].get("order", data.get("order", "alternate"))
    if order not in ("alternate", "at_once"):
        faults.append(Fault(path, not_among(str(order), ("alternate", "at_once"))))
        return ""
    return str(order)


def _state(pack: Pack, entities: dict[str, Any], faults: list[Fault]) -> State:
    try:
        return first_state(pack, entities)
    except Unusable as unusable:
        faults += [Fault(fault.path[1:], fault.message) for fault in unusable.faults]
        return State()


def _until(pack: Pack, value: Any, faults: list[Fault]) -> tuple[Until, int]:
    if value == DOWN:
        return Until(), LONGEST_FIGHT
    if value == WOUNDED:
        if wounding(pack) is None:
            faults.append(Fault(("until",), message("fault.simulation.no_wounds", game=pack.game)))
        return Until(WOUNDED), LONGEST_FIGHT
    if isinstance(value, dict) and len(value) == 1:
        (kind, what), path = next(iter(value.items())), ("until",)
        if kind == HITS:
            hits = _number(what, (*path, HITS), faults, 1, LONGEST_FIGHT, 1)
            return Until(HITS, hits=hits), hits
        if kind == SPENT:
            if what not in pack.layers:
                faults.append(Fault((*path, SPENT), not_among(str(what), tuple(pack.layers))))
            return Until(SPENT, name=str(what)), LONGEST_FIGHT
        if kind == CONDITION:
            return Until(CONDITION, name=str(what)), LONGEST_FIGHT
    faults.append(Fault(("until",), message("fault.simulation.until", got=shown(value))))
    return Until(), LONGEST_FIGHT


def _policy(value: Any, faults: list[Fault]) -> dict[str, str]:
    if not isinstance(value, dict):
        faults.append(Fault(("policy",), message("fault.simulation.mapping")))
        return {}
    for name, given in value.items():
        if name == "keep_or_take" and given not in POLICIES:
            faults.append(Fault(("policy", name), not_among(str(given), POLICIES)))
    return {str(name): str(given) for name, given in value.items()}


def _heal(pack: Pack, value: Any, policy: dict[str, str], faults: list[Fault]) -> Healing | None:
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
    every = _number(value.get("every", 1), (*path, "every"), faults, 1, LONGEST_FIGHT, 1)
    points = value.get("points", "all")
    if points != "all":
        points = _number(points, (*path, "points"), faults, 0, LARGEST_FIGURE, 0)
    return Healing(None if points == "all" else points, every, str(layer), policy.get("keep_or_take", ""))


# Kinds of hit


def _hits(pack: Pack, value: Any, path: Path, faults: list[Fault]) -> tuple[Blows, ...]:
    if not isinstance(value, list) or not value or len(value) > KINDS_MOST:
        faults.append(Fault(path, message("fault.simulation.hits", most=KINDS_MOST)))
        return ()
    found = []
    for index, given in enumerate(value):
        blows = _blows(pack, given, (*path, index), faults)
        if blows is not None:
            found.append(blows)
    if not faults and not sum(blows.weight for blows in found):
        faults.append(Fault(path, message("fault.simulation.no_weight")))
    return tuple(found)


def _blows(pack: Pack, given: Any, path: Path, faults: list[Fault]) -> Blows | None:
    if not isinstance(given, dict):
        faults.append(Fault(path, message("fault.simulation.mapping")))
        return None
    weight = _weight(given.get("weight", 1), path, faults)
    before = len(faults)
    damage, amounts = _damage(given.get("damage"), (*path, "damage"), faults)
    fields = {key: value for key, value in given.items() if key not in ("weight", "damage")}
    if len(faults) > before or weight is None:
        return None
    blows = Blows(fields, damage, amounts, weight, _said(given))
    written = blows.command("target", tuple(amount.most for amount in amounts)).fields
    known = pack.commands["hit"].fields
    for fault in faults_of(known, written, context_of(dict.fromkeys(SIDE))):
        faults.append(Fault((*path, *fault.path), fault.message))
    if "target" in given:
        faults.append(Fault((*path, "target"), unknown_key("target", ("weight", *known))))
    return blows


def _weight(value: Any, path: Path, faults: list[Fault]) -> Fraction | None:
    if type(value) in (int, float) and 0 <= value <= LARGEST_FIGURE:
        return Fraction(str(value))
    faults.append(Fault((*path, "weight"), message("fault.simulation.weight", got=shown(value), most=LARGEST_FIGURE)))
    return None


def _damage(value: Any, path: Path, faults: list[Fault]) -> tuple[Any, tuple[Amount, ...]]:
    """The damage with its amounts taken out, and the amounts."""
    if isinstance(value, list):
        amounts: list[Amount] = []
        for index, part in enumerate(value):
            if isinstance(part, dict) and "amount" in part:
                amounts += _amount(part["amount"], (*path, index, "amount"), faults)
        return value, tuple(amounts)
    found = _amount(value, path, faults)
    return (found[0], found) if found else (value, ())


def _amount(value: Any, path: Path, faults: list[Fault]) -> tuple[Amount, ...]:
    """A number or dice; nothing where it is neither, for the game's own fields to judge."""
    if type(value) is int:
        return (Amount(value),)
    if isinstance(value, str) and _DICE.match(value):
        try:
            return (Amount(dice=parse_dice(value)),)
        except FieldFault as fault:
            faults.append(Fault(path, fault.message))
    return ()


def _said(given: dict[str, Any]) -> str:
    """A kind of hit in a few words."""
    damage = given.get("damage", given.get("call", ""))
    if isinstance(damage, list):
        parts = [
            " ".join(str(part[key]) for key in ("amount", "type") if key in part)
            for part in damage
            if isinstance(part, dict)
        ]
        damage = " + ".join(parts)
    traits = given.get("traits", ())
    words = [str(word) for word in traits] if isinstance(traits, list) else []
    place = [str(given["location"])] if "location" in given else []
    return " ".join((str(damage), *words, *place)).strip()


# What only the rules can say


def _tried(pack: Pack, state: State, hits: dict[str, tuple[Blows, ...]], faults: list[Fault]) -> None:
    """Strike each kind of hit once: what the game refuses is no simulation."""
    for side, kinds in hits.items():
        path: Path = ("hits",) if side == "target" else ("against", "hits")
        for index, blows in enumerate(kinds):
            for amounts in dict.fromkeys((tuple(a.most for a in blows.amounts), tuple(a.least for a in blows.amounts))):
                outcome = step(pack, state, blows.command(side, amounts))
                if isinstance(outcome, Rejected):
                    faults.append(Fault((*path, index), _refused(outcome)))
                    break


def _refused(outcome: Rejected) -> Message:
    return message("fault.simulation.refused", rule=outcome.refusal.rule, reason=outcome.refusal.reason)


def _standing(pack: Pack, state: State, until: Until, order: str, faults: list[Fault]) -> None:
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

"""Simulation files: reading them, with every fault at its line and column."""

from __future__ import annotations

from typing import Any

from gambeson.engine.setup import first_state
from gambeson.engine.step import step
from gambeson.games import load
from gambeson.games.documents import Document, placed
from gambeson.language.fields import not_among, shown, unknown_key
from gambeson.language.pack import Pack
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Rejected
from gambeson.model.values import State
from gambeson.simulate.asking import number, read_heal, read_policy, read_until, standing
from gambeson.simulate.blows import read_hits
from gambeson.simulate.ends import DOWN
from gambeson.simulate.fights import SEED, TRIALS, Blows, Cell, Fight, Simulation
from gambeson.simulate.varying import cell_data, combinations, of_cell, read_vary

TOP = (
    "title", "note", "game", "variants", "target", "hits", "until", "policy", "heal", "against", "order", "compare",
    "trials", "seed", "vary",
)  # fmt: skip
EXACT = "exact"
TRIALS_MOST = 1_000_000_000_000
SEED_MOST = (1 << 63) - 1


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
    seed = number(data.get("seed", SEED), ("seed",), faults, 0, SEED_MOST, SEED)
    vary = read_vary(data.get("vary", {}), faults)
    if faults:
        raise Unusable(tuple(faults))
    cells = [_cell(document, data, chosen) for chosen in combinations(vary)]
    return Simulation(data.get("title", ""), tuple(cells), trials, seed, vary, document)


def _trials(value: Any, faults: list[Fault]) -> int | None:
    if value == EXACT:
        return None
    if type(value) is not int or not 1 <= value <= TRIALS_MOST:
        faults.append(Fault(("trials",), message("fault.simulation.trials", got=shown(value), most=TRIALS_MOST)))
    return value if type(value) is int else None


def _cell(document: Document, data: dict[str, Any], chosen: dict[str, Any]) -> Cell:
    try:
        varied = cell_data(data, chosen)
        fight = _fight(document, varied, _pack(document, varied))
        compared = None
        if "compare" in varied:
            compared = _fight(document, varied, _compared_pack(document, varied, fight.pack))
    except Unusable as unusable:
        raise Unusable(tuple(of_cell(fault, chosen) for fault in unusable.faults)) from None
    return Cell(chosen, fight, compared)


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
    hits = {"target": read_hits(pack, data["hits"], ("hits",), faults)}
    if order:
        hits["against"] = read_hits(pack, data["against"].get("hits"), ("against", "hits"), faults)
    until, most = read_until(pack, data.get("until", DOWN), (data["hits"], data.get("against")), faults)
    policy = read_policy(pack, data.get("policy", {}), faults)
    heal = read_heal(pack, data.get("heal"), policy, faults)
    if not faults:
        _tried(pack, state, hits, faults)
        standing(pack, state, until, order, faults)
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
        faults += [_of_side(Fault(fault.path[1:], fault.message)) for fault in unusable.faults]
        return State()


def _of_side(fault: Fault) -> Fault:
    """A key that the other side has not: besides those of an entity it may have its hits and the order."""
    if fault.message.id != "fault.field.unknown_key" or len(fault.path) != 2 or fault.path[0] != "against":
        return fault
    allowed: Any = fault.message.params["allowed"]
    return Fault(fault.path, unknown_key(str(fault.path[1]), (*allowed, "hits", "order")))


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

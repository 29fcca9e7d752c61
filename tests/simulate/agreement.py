"""Random legal simulations of any game, and whether the generated program and the referee play the same fights."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from gambeson.games.documents import read_text
from gambeson.language.layers import pool_fields
from gambeson.language.pack import Pack
from gambeson.model.errors import Unusable
from gambeson.simulate.compiling import plain
from gambeson.simulate.decisions import lasting
from gambeson.simulate.fighters import fighters, starts, thresholds
from gambeson.simulate.fights import Fight, Simulation
from gambeson.simulate.files import read_simulation
from gambeson.simulate.kernel import Kernel, kernel
from gambeson.simulate.playing import choices, refereed
from gambeson.testing.strategies import entities, records

DICE = ("1d4", "1d6+1", "2d3", "1d8", "3d2+2", "1d4-1", "2d4-3")
EXTRAS: tuple[dict[str, Any], ...] = (
    {"name": "as_owner"},
    {"name": "defence_bonus", "amount": 2},
    {"name": "thorns", "dice": "1d4", "type": "fire"},
)
"""What wards may be worn with."""
SEEDS = st.integers(0, 1 << 40)


def amounts() -> st.SearchStrategy[Any]:
    """A number or dice."""
    return st.one_of(st.integers(0, 9), st.sampled_from(DICE))


def damages(pack: Pack) -> st.SearchStrategy[Any]:
    """Damage as a hit of the game may have it."""
    types = st.sampled_from((*pack.types[:4], *list(pack.words.known)[:6]) or ("fire",))
    part = st.fixed_dictionaries({"amount": amounts()}, optional={"type": types})
    one = st.lists(part, min_size=1, max_size=1 if pack.reader is not None else 3)
    return st.one_of(amounts(), one)


def hits(pack: Pack) -> st.SearchStrategy[dict[str, Any]]:
    """A kind of hit."""
    spec = pack.commands["hit"].fields
    others = {name: field for name, field in spec.items() if name not in ("target", "damage", "call", "source")}
    words = (*pack.types[:3], *pack.traits[:2], "fire", "cold", "melee")
    given = st.tuples(records(others, ("target",), words), damages(pack), st.integers(1, 9))
    return given.map(lambda parts: {**parts[0], "damage": parts[1], "weight": parts[2]})


def _side(draw: st.DrawFn, pack: Pack, *, wearing: bool) -> dict[str, Any]:
    """Who is struck; `wearing` says whether its pools may have extras that do something."""
    side: dict[str, Any] = json.loads(json.dumps(draw(entities(pack, ("target",)))).replace('"melee"', '"cold"'))
    for key in ("effects", "summoned"):
        side.pop(key, None)
    side["pools"] = {pack.life: draw(st.integers(1, 4)), **side.get("pools", {})}
    for layer, definition in pack.layers.items():
        if wearing and pack.game == "pokrovy" and "extras" in pool_fields(definition):
            worn = draw(st.lists(st.sampled_from(EXTRAS), max_size=2, unique_by=lambda extra: str(extra["name"])))
            side["pools"][layer] = {"current": draw(st.integers(1, 9)), "extras": worn}
    return side


@st.composite
def documents(draw: st.DrawFn, pack: Pack, variants: dict[str, str]) -> dict[str, Any]:
    """A simulation of the game, as its file has it; the game may still refuse it."""
    duel = draw(st.integers(0, 3)) == 0
    sides = [_side(draw, pack, wearing=duel or draw(st.booleans())) for _ in range(1 + duel)]
    ends = [st.just("down"), st.builds(lambda n: {"hits": n}, st.integers(1, 12))]
    ends += [st.sampled_from([{"spent": layer} for layer in sides[0]["pools"]])]
    document: dict[str, Any] = {
        "game": pack.folder,
        "variants": variants,
        "target": sides[0],
        "hits": draw(st.lists(hits(pack), min_size=1, max_size=3)),
        "until": draw(st.one_of(*ends)),
        "policy": {"keep_or_take": draw(st.sampled_from(("greater", "keep", "take", "best"))), "type": "fire"},
    }
    if duel:
        document["against"] = {**sides[1], "hits": draw(st.lists(hits(pack), min_size=1, max_size=2))}
        document["order"] = draw(st.sampled_from(("alternate", "at_once")))
    if draw(st.booleans()):
        document["heal"] = {
            "points": draw(st.one_of(st.integers(0, 6), st.just("all"))),
            "every": draw(st.integers(1, 3)),
        }
    return document


def readings(pack: Pack) -> st.SearchStrategy[dict[str, str]]:
    """The readings that come with the game, or one other (a pack is built anew for each)."""
    others = [{name: reading} for name, variant in pack.variants.items() for reading in variant.readings[1:]]
    return st.one_of(st.just({}), st.sampled_from(others)) if others else st.just({})


def read(document: dict[str, Any]) -> Simulation | None:
    """The simulation, or None where the game refuses it."""
    try:
        return read_simulation(read_text(json.dumps(document), "drawn.json"))
    except Unusable:
        return None


def program(fight: Fight) -> Kernel:
    """The program of one fight. Raises Unlowered."""
    return kernel(fight.pack, fighters([fight]), fight.until, fight.order)


def bounds(fight: Fight, written: Kernel) -> list[int]:
    """What chooses the kinds of hit, and what is decided in each state."""
    return [*thresholds(fight), *choices(fight, written)]


def by_program(fight: Fight, written: Kernel, seed: int, trials: int, call: Any = None) -> list[tuple[int, ...]]:
    """The rows of the first fights, by the generated text as plain Python (or by `call`), and the sums after them."""
    width = len(written.state) + 1
    tally, sums = [0] * (fight.most + 1), [0] * (len(written.sums) + 3)
    kept = [0] * (trials * width)
    play = call or plain(written)
    play(seed, 0, trials, fight.most, starts(fight, written), bounds(fight, written), tally, sums, kept, trials)
    rows = [tuple(map(int, kept[at : at + width])) for at in range(0, trials * width, width)]
    return [*rows, tuple(map(int, sums[: len(written.sums)]))]


def by_referee(fight: Fight, written: Kernel, seed: int, trials: int) -> list[tuple[int, ...]]:
    """The same through `step`."""
    referee = refereed(fight, seed)
    rows: list[tuple[int, ...]] = []
    total = dict.fromkeys(written.sums, 0)
    for trial in range(trials):
        played = referee.play(trial)
        numbers: list[int] = []
        for at, side in enumerate(written.sides):
            entity = played.state.entities[fight.sides[at]]
            numbers += lasting(side, entity)
            for layer in side.arena.pools:
                total[at, layer] += played.lost.get((fight.sides[at], layer), 0)
        rows.append((played.blows if played.ended else 0, *numbers))
    return [*rows, tuple(total.values())]

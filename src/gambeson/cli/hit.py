"""hit: one blow on somebody who is made for it, and the explained answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from gambeson import __version__
from gambeson.cli.asking import answered, can_ask
from gambeson.cli.blow import (
    TARGET,
    BadOption,
    blow_fields,
    merged,
    read_fields,
    read_keys,
    read_pools,
    read_readings,
    unsaid,
)
from gambeson.cli.entry import DONE, FAILED, UNUSABLE
from gambeson.cli.output import Output, diagnose, print_json
from gambeson.games import load, texts
from gambeson.model.errors import Fault, Unusable, dotted
from gambeson.table import Ruling, Table
from gambeson.table.dice import seeded
from gambeson.table.json_view import state_json
from gambeson.table.rulings import DONE as RULED


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line says of a blow."""

    game: str
    blow: str
    pools: Sequence[str] = ()
    keys: Sequence[str] = ()
    variants: Sequence[str] = ()
    fields: dict[str, Any] = {}
    answers: Sequence[str] = ()
    rolls: Sequence[int] = ()


def hit(asked: Asked, *, as_json: bool, lang: str, seed: int | None) -> int:
    """Strike once and print what comes of it; gives the exit status."""
    said = texts(None, lang)
    try:
        pack = load(asked.game, read_readings(asked.variants))
        said = texts(pack.folder, lang)
        entity = {"name": said.say("cli.hit.target"), **_entity(asked, pack)}
        dice = None if seed is None else seeded(seed)
        table = Table(pack, entities={TARGET: entity}, dice=dice)
        fields = blow_fields(pack, asked.blow, read_fields(asked.fields, pack))
    except BadOption as bad:
        diagnose(f"{bad.place}: {said.say(bad.said)}")
        return UNUSABLE
    except Unusable as unusable:
        for fault in unusable.faults:
            diagnose(f"{_place(fault)}: {said.say(fault.message)}")
        return UNUSABLE
    ruling = table.do("hit", answers=asked.answers, rolls=asked.rolls, **fields)
    if as_json:
        print_json(_json(table, ruling, lang))
    else:
        out = Output(lang)
        out.explain(ruling)
        if ruling.questions and can_ask(out):
            ruling = answered(out, table, ruling)
    return DONE if ruling.status == RULED else FAILED


def _entity(asked: Asked, pack: Any) -> dict[str, Any]:
    return unsaid(pack) | merged(read_keys(asked.keys, pack), read_pools(asked.pools, pack))


def _json(table: Table, ruling: Ruling, lang: str) -> dict[str, Any]:
    pack = table.pack
    head = {"gambeson": __version__, "game": pack.game, "ruleset": pack.hash, "ok": ruling.status == RULED}
    return head | ruling.as_json(lang) | state_json(pack, table.state)


def _place(fault: Fault) -> str:
    """The option that a fault is in."""
    match fault.path:
        case ("game",):
            return "GAME"
        case ("variants", name):
            return f"--variant {name}"
        case ("entities", _, "pools", *below):
            return f"--pools {dotted(tuple(below))}".strip()
        case ("entities", _, *below):
            return f"--set {dotted(tuple(below))}".strip()
        case _:
            return f"{fault.file}:{fault.line}:{fault.column}: {dotted(fault.path)}"

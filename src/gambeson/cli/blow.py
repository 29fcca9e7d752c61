"""What the options of `hit` say: pools, entity keys, readings and the blow itself, as plain data for a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gambeson.games.documents import read_text
from gambeson.language.fields import Field, FlagField, ListField, MapField, NumberField, nearest
from gambeson.language.pack import Pack
from gambeson.language.part_calls import fields_of_call
from gambeson.model.errors import GambesonError, Unusable
from gambeson.model.messages import Message, message

TARGET = "target"
COVERS = "covers"

_POOL = re.compile(r"(?P<points>[^@/]+)(?:/(?P<maximum>[^@/]+))?(?:@(?P<places>.*))?\Z")
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}\Z")


class BadOption(GambesonError):
    """An option of the command line that cannot be read; `place` names it."""

    def __init__(self, place: str, said: Message) -> None:
        super().__init__(f"{place}: {said.id}")
        self.place = place
        self.said = said


def read_pools(written: Iterable[str]) -> dict[str, Any]:
    """`magic_armor=2,physical_armor=1/3@torso+left_arm` as pools of an entity. Raises BadOption."""
    pools: dict[str, Any] = {}
    for entry in _entries(written):
        name, joined, value = entry.partition("=")
        name = name.strip()
        pool = _POOL.match(value.strip())
        if not joined or not name or pool is None:
            raise BadOption("--pools", message("cli.hit.pools", got=entry))
        if name in pools:
            raise BadOption("--pools", message("cli.hit.twice", got=name))
        pools[name] = _pool(pool)
    return pools


def _pool(pool: re.Match[str]) -> Any:
    current, maximum, places = number(pool["points"]), pool["maximum"], pool["places"]
    if maximum is None and places is None:
        return current
    keys: dict[str, Any] = {"current": current}
    if maximum is not None:
        keys["maximum"] = number(maximum)
    if places is not None:
        words = [place.strip() for place in places.split("+")]
        keys[COVERS] = words[0] if len(words) == 1 and words[0] == "all" else words
    return keys


def _entries(written: Iterable[str]) -> list[str]:
    return [entry.strip() for text in written for entry in text.split(",") if entry.strip()]


def number(text: str) -> Any:
    """A whole number where the text is one, else the text, so that the field says what is wrong with it."""
    text = text.strip()
    return int(text) if _NUMBER.match(text) else text


def read_keys(written: Iterable[str], pack: Pack) -> dict[str, Any]:
    """`immune=fire,cold`, `monstrous=true`, `physical_armor.monstrous=true` as keys of an entity. Raises BadOption."""
    keys: dict[str, Any] = {}
    for entry in written:
        name, joined, value = entry.partition("=")
        name = name.strip()
        if not joined or not name:
            raise BadOption("--set", message("cli.hit.set", got=entry))
        layer, dot, key = name.partition(".")
        if dot:
            fields = pack.layers[layer].keys if layer in pack.layers else {}
            keys.setdefault("pools", {}).setdefault(layer, {})[key] = _value(fields.get(key), value, name)
        else:
            keys[name] = _value(pack.facts.get(name), value, name)
    return keys


def _value(field: Field | None, text: str, name: str) -> Any:
    """A value in the form that its field takes; whatever begins with a bracket is read as YAML."""
    text = text.strip()
    if text[:1] in ("[", "{"):
        try:
            return read_text(text).data
        except Unusable as unusable:
            raise BadOption(f"--set {name}", unusable.faults[0].message) from None
    match field:
        case ListField():
            return [_scalar(field.of, part.strip()) for part in text.split(",") if part.strip()]
        case MapField():
            return _mapping(field, text, name)
        case None if name == "conditions":
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            return _scalar(field, text)


def _mapping(field: MapField, text: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, colon, value = part.partition(":")
        if not colon:
            raise BadOption(f"--set {name}", message("cli.hit.map", got=part.strip()))
        found[key.strip()] = _scalar(field.values, value)
    return found


def _scalar(field: Field | None, text: str) -> Any:
    if isinstance(field, FlagField) and text.strip().lower() in ("true", "false"):
        return text.strip().lower() == "true"
    return number(text) if isinstance(field, NumberField) else text.strip()


def read_readings(written: Iterable[str]) -> dict[str, str]:
    """`name=reading` pairs. Raises BadOption."""
    readings: dict[str, str] = {}
    for entry in written:
        name, joined, reading = entry.partition("=")
        if not joined or not name.strip() or not reading.strip():
            raise BadOption("--variant", message("cli.hit.variant", got=entry))
        readings[name.strip()] = reading.strip()
    return readings


def merged(keys: dict[str, Any], pools: dict[str, Any]) -> dict[str, Any]:
    """The keys of the entity, with pools from both options as one."""
    together: dict[str, Any] = {**keys.get("pools", {})}
    for layer, pool in pools.items():
        extra = together.get(layer)
        if extra is None:
            together[layer] = pool
        else:
            together[layer] = {**(pool if isinstance(pool, dict) else {"current": pool}), **extra}
    return {**keys, "pools": together}


def blow_fields(pack: Pack, blow: str, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of the command `hit`. Raises BadOption for an option that this game's hit does not have."""
    known = pack.commands["hit"].fields if "hit" in pack.commands else {}
    for name in given:
        if name not in known:
            allowed = tuple(f"--{key}" for key in known if key not in (TARGET, "call", "damage"))
            meant = nearest(f"--{name}", allowed)
            raise BadOption(f"--{name}", message("cli.hit.option", game=pack.game, meant=meant, allowed=allowed))
    unknown = blow.strip().casefold() in pack_words(pack)
    return {TARGET: TARGET, **({"damage": "unknown"} if unknown else fields_of_call(pack, blow)), **given}


def pack_words(pack: Pack) -> tuple[str, ...]:
    """How a damage that nobody knows is said, where the game has that."""
    return ("unknown", "неизвестно") if pack.reader is not None else ()

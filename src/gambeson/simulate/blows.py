"""The kinds of hit in a simulation file: the fields of the game's hit, with dice for amounts, and weights."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from gambeson.language.dice import parse_dice
from gambeson.language.fields import faults_of, shown, unknown_key
from gambeson.language.pack import Pack, context_of
from gambeson.model.errors import Fault, FieldFault, Path
from gambeson.model.messages import message
from gambeson.model.values import LARGEST_FIGURE
from gambeson.simulate.fights import SIDE, Amount, Blows

KINDS_MOST = 100
_DICE = re.compile(r"\s*[0-9]+\s*d\s*[0-9]+")


def read_hits(pack: Pack, value: Any, path: Path, faults: list[Fault]) -> tuple[Blows, ...]:
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

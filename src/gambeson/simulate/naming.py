"""What a simulation's names and values are to people: layers, sides, what is varied."""

from __future__ import annotations

from gambeson.language.texts import Texts

SIDES = ("target", "against")
UNSAID = ("pools", "policy", "variants")
"""Steps of a path whose next step says it all."""


def layer_name(name: str, said: Texts) -> str:
    """A layer, or a side's layer (`against.body`)."""
    side, dot, layer = name.partition(".")
    return f"{said.say(f'cli.simulate.win.{side}')}: {said.term(layer)}" if dot else said.term(name)


def varied_name(name: str, said: Texts) -> str:
    """What is varied: a layer, or a path into the file (`against.pools.body`, `hits.1.weight`)."""
    first, *steps = name.split(".")
    if not steps:
        return said.term(name)
    named = [said.say(f"cli.simulate.win.{first}")] if first in SIDES else [] if first in UNSAID else [said.term(first)]
    named += [str(int(step) + 1) if step.isdecimal() else said.term(step) for step in steps if step not in UNSAID]
    return " ".join(named)


def varied_value(name: str, value: object, said: Texts) -> str:
    """A value of what is varied; answers of a policy in words."""
    id = f"cli.simulate.answer.{value}"
    return said.say(id) if name.startswith("policy.") and said.has(id) else str(value)


def varied(name: str, value: object, said: Texts) -> str:
    """One value with its name: `body 4`, `keep or take: the greater`."""
    return f"{varied_name(name, said)}{':' if isinstance(value, str) else ''} {varied_value(name, value, said)}"

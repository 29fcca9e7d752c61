"""What makes an Action illegal: one function a check, and the lists of them in the order in which they are cited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gambeson.games.eldfall.checks import after_movement, allowed_by_states, open_sequence
from gambeson.games.eldfall.declaring import Declared, casting_attributes
from gambeson.games.eldfall.models import (
    TRANSMUTATION,
    against_fallen,
    has_class,
    named,
    refused,
    stamina,
)
from gambeson.games.eldfall.target_checks import (
    at_the_activated,
    attack_or_assist,
    enough_strike,
    no_targets,
    own_model,
    same_enchantment,
    sight,
    template_targets,
    transmutations,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import pool_of
from gambeson.mechanisms.creatures import limits_of
from gambeson.mechanisms.turns import ACTIVE, REACTIVE, player_of, same_side, was_done
from gambeson.model.outcomes import Refusal


def kind_of_action(declared: Declared) -> str:
    """What an Action is called where States allow or forbid it."""
    if declared.spell is not None and declared.spell.creature:
        return "ritual"
    if declared.spell is not None and declared.spell.type == TRANSMUTATION:
        return TRANSMUTATION
    if declared.attacks:
        return "melee_attack" if declared.mode == "melee" else "ranged_attack"
    return "self_assist" if set(declared.ids) == {declared.actor} else "assist"


def states(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-21: what the States of the model allow."""
    return allowed_by_states(turn, declared.actor, kind_of_action(declared))


def movement(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-05: what the Movement of the own Sequence allows."""
    return after_movement(turn) if declared.role == ACTIVE else None


def ritual_needs(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-58: a Ritual needs the idle Movement."""
    assert declared.spell is not None
    sequence = open_sequence(turn)
    if not declared.spell.creature or (sequence is not None and sequence["movement"] == "idle"):
        return None
    return refused("EF-58", "refusal.eldfall.ritual", "spell", spell=declared.code)


def role_of_type(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-46, EF-47, EF-58, EF-57: what is cast in the Active Role only."""
    assert declared.spell is not None
    if declared.role != REACTIVE:
        return None
    match declared.spell.type:
        case "healing":
            return refused("EF-46", "refusal.eldfall.healing", "spell")
        case "enchantment":
            return refused("EF-47", "refusal.eldfall.enchantment", "spell")
        case "conjuration":
            return refused("EF-58", "refusal.eldfall.ritual", "spell", spell=declared.code)
        case "transmutation" if turn.pack.readings["transmutation_in_reaction"] == "refused":
            return refused("EF-57", "refusal.eldfall.transmutation", "spell")
        case _:
            return None


def known(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-25: where Spells or Crafts are stated, the Spell must be among them."""
    assert declared.spell is not None
    entity = turn.state.entities[declared.actor]
    spells, crafts = entity.facts.get("spells"), entity.facts.get("spellcraft")
    if spells is None and crafts is None:
        return None
    level = (crafts or {}).get(declared.spell.craft, 0)
    if declared.code in (spells or ()) or level >= declared.spell.level:
        return None
    return refused(
        "EF-25",
        "refusal.eldfall.craft",
        "spell",
        spell=declared.code,
        craft=declared.spell.craft,
        level=roman(declared.spell.level),
        model=entity.name,
        own=roman(level) if level else None,
    )


def roman(level: int) -> str:
    """A level as cards write it."""
    return ("", "I", "II", "III", "IV", "V")[level] if 0 <= level <= 5 else str(level)


def affinity(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-24: the caster has the Affinity of the Spell's Element."""
    assert declared.spell is not None
    entity = turn.state.entities[declared.actor]
    has = entity.facts.get("affinity", ())
    if declared.spell.element == "any" or declared.spell.element in has:
        return None
    return refused(
        "EF-24",
        "refusal.eldfall.affinity",
        "spell",
        spell=declared.code,
        element=declared.spell.element,
        model=entity.name,
        has=has,
    )


def right_attribute(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-23: what the caster casts with."""
    entity = turn.state.entities[declared.actor]
    allowed = casting_attributes(turn, entity)
    if declared.attribute in allowed:
        return None
    return refused("EF-23", "refusal.eldfall.attribute", "attribute", model=entity.name, allowed=allowed)


def hands(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-28: a hand must be free."""
    held: tuple[str, ...] | None = declared.hands
    if held is None:
        held = turn.state.entities[declared.actor].facts.get("hands", ())
    if "two_handed" not in held and len(held) < 2:
        return None
    said = "refusal.eldfall.hands" if declared.role == ACTIVE else "refusal.eldfall.hands_reacting"
    return refused("EF-28", said, "spell", held=held)


def summoning_limit(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-62: the Summoning Limits of the caster's creatures must be below its modified Stamina."""
    assert declared.spell is not None
    if not declared.spell.creature:
        return None
    total = limits_of(turn.state, declared.actor)
    most = stamina(turn, turn.state.entities[declared.actor])
    return (
        None if total < most else refused("EF-62", "refusal.eldfall.summoning_limit", "spell", sum=total, stamina=most)
    )


def mana(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-40, EF-42: the Mana Counters that the casting costs must be there."""
    assert declared.spell is not None
    if not declared.price and not declared.mana_from:
        return None
    payers = declared.mana_from or {declared.actor: declared.price}
    for id, points in payers.items():
        short = points - pool_of(turn.state.entities[id], "mana").current
        if short > 0:
            rule = "EF-40" if declared.spell.mana_cost else "EF-42"
            said = {"spell": declared.code, "cost": declared.price, "short": short}
            if declared.mana_from:
                model = named(turn.state, id)
                return refused(rule, "refusal.eldfall.payer_short", "mana_from", **said, points=points, model=model)
            return refused(rule, "refusal.eldfall.mana", "mana" if declared.mana else "spell", **said)
    return None


def shared_mana(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-44: Summoners of one player pay together, and together the price."""
    if not declared.mana_from:
        return None
    for id in dict.fromkeys((declared.actor, *declared.mana_from)):
        entity = turn.state.entities[id]
        fit = has_class(entity, "summoner") and same_side(turn.state, declared.actor, id)
        if not fit or against_fallen(turn, id, "mana_from") is not None:
            return refused(
                "EF-44",
                "refusal.eldfall.payer",
                "mana_from",
                model=entity.name,
                player=player_of(turn.state, declared.actor),
            )
    paid = sum(declared.mana_from.values())
    return (
        None
        if paid == declared.price
        else refused("EF-44", "refusal.eldfall.sum", "mana_from", paid=paid, price=declared.price)
    )


def artificer(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-53: an Artificer applies one known Enchantment to itself."""
    assert declared.spell is not None
    itself = declared.ids == (declared.actor,)
    if itself and declared.spell.type == "enchantment" and not was_done(turn.state, f"apply:{declared.actor}"):
        return None
    return refused("EF-53", "refusal.eldfall.artificer", "targets" if not itself else "spell")


Check: TypeAlias = Callable[[Adjudication, Declared], Refusal | None]

CASTING: tuple[Check, ...] = (
    role_of_type,
    known,
    affinity,
    right_attribute,
    hands,
    states,
    movement,
    ritual_needs,
    no_targets,
    transmutations,
    template_targets,
    attack_or_assist,
    at_the_activated,
    sight,
    enough_strike,
    same_enchantment,
    summoning_limit,
    mana,
    shared_mana,
)
"""The checks of a casting from the role of its type on."""

WEAPONS: tuple[Check, ...] = (states, movement, transmutations, own_model, at_the_activated, sight, enough_strike)
"""The checks of an Attack with a weapon from States on."""

APPLYING: tuple[Check, ...] = (artificer, known, affinity, same_enchantment)
"""The checks of what an Artificer applies."""


def against(checks: tuple[Check, ...], turn: Adjudication, declared: Declared) -> list[Refusal]:
    """The first refusal by these checks; later ones are not even made."""
    for check in checks:
        refusal = check(turn, declared)
        if refusal is not None:
            return [refusal]
    return []

"""What makes targets illegal, for castings and weapons: one function a check."""

from __future__ import annotations

from gambeson.games.eldfall.checks import open_sequence
from gambeson.games.eldfall.declaring import MOST_DICE, Declared
from gambeson.games.eldfall.models import TRANSMUTATION, armor_of, named, refused
from gambeson.language.adjudication import Adjudication
from gambeson.mechanisms.turns import ACTIVE, REACTIVE
from gambeson.model.outcomes import Refusal


def no_targets(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-26, EF-55: a Conjuration and a Transmutation take no target."""
    assert declared.spell is not None
    if not declared.ids or declared.spell.type not in ("conjuration", TRANSMUTATION):
        return None
    rule = "EF-26" if declared.spell.type == "conjuration" else "EF-55"
    return refused(rule, "refusal.eldfall.no_target", "targets", type=declared.spell.type)


def transmutations(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-56: only a Transmutation that states an Armor value is attacked, with Power; Dispel removes any."""
    for id in declared.ids:
        entity = turn.state.entities[id]
        if entity.kind != TRANSMUTATION or (declared.spell is not None and declared.spell.dispels):
            continue
        if armor_of(turn, entity) is None:
            return refused("EF-56", "refusal.eldfall.transmutation_target", "targets", target=entity.name)
        if declared.power in (None, "star"):
            said = "refusal.eldfall.powerless"
            return refused("EF-56", said, "targets", spell=declared.code, target=entity.name)
    return None


def template_targets(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-33: a template never covers the caster; only a Targetless one is aimed at the ground."""
    assert declared.spell is not None
    if declared.ground and "targetless" not in declared.spell.traits:
        return refused("EF-33", "refusal.eldfall.ground", "ground", spell=declared.code)
    if declared.template and declared.actor in declared.ids:
        return refused("EF-33", "refusal.eldfall.template_self", "targets", model=named(turn.state, declared.actor))
    return None


def attack_or_assist(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-29: one casting is an Attack or an Assist; what has Power is cast at enemies."""
    assert declared.spell is not None
    enemies = declared.enemies
    if declared.template:
        aimed = declared.ground or not enemies or enemies[0]
        return None if aimed else refused("EF-29", "refusal.eldfall.template_first", "targets", spell=declared.code)
    if all(enemies):
        return None
    if declared.spell.power not in (None, "star"):
        return refused("EF-29", "refusal.eldfall.attack", "targets", spell=declared.code)
    return refused("EF-29", "refusal.eldfall.mixed", "targets", spell=declared.code) if any(enemies) else None


def own_model(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-09: a weapon is not used on own models, unless a template covers them."""
    for place, (id, enemy) in enumerate(zip(declared.ids, declared.enemies, strict=True)):
        if enemy or (declared.template and place and id != declared.actor):
            continue
        return refused("EF-09", "refusal.eldfall.own_model", "targets", target=named(turn.state, id))
    return None


def at_the_activated(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-06: an Attack in a Reaction goes at the activated model; a template at it first."""
    if declared.role != REACTIVE or not declared.attacks:
        return None
    sequence = open_sequence(turn)
    activated = sequence["model"] if sequence is not None else ""
    aimed = declared.ids[:1] if declared.template else declared.ids
    if all(id == activated for id in aimed):
        return None
    return refused("EF-06", "refusal.eldfall.activated", "targets", activated=named(turn.state, activated))


def sight(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-32: without Line of Sight nothing is declared, but what reaches the Casting Aura in the Active Role."""
    if not declared.blind:
        return None
    if declared.spell is not None and declared.spell.reach == "aura" and declared.role == ACTIVE:
        return None
    target = declared.ids[0] if declared.ids else declared.actor
    return refused("EF-32", "refusal.eldfall.sight", "no_line_of_sight", target=named(turn.state, target))


def enough_strike(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-26, EF-09: not more targets or dice than Strike, and one target in a Reaction."""
    rule = "EF-26" if declared.spell is not None else "EF-09"
    targets = len(declared.ids)
    if declared.template or not targets:
        return None
    if declared.role == REACTIVE and targets > 1:
        return refused(rule, "refusal.eldfall.one_target", "targets")
    dice = declared.strike
    if targets > dice:
        return refused(rule, "refusal.eldfall.strike_targets", "targets", targets=targets, strike=dice)
    wanted = sum(declared.shares) or dice
    if wanted > dice:
        return refused(rule, "refusal.eldfall.strike_dice", "targets", dice=wanted, strike=dice)
    if wanted > MOST_DICE:
        return refused(rule, "refusal.eldfall.many_dice", "targets", strike=dice, most=MOST_DICE)
    return None


def same_enchantment(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-50: under `refuse` a second Enchantment of the name is not castable while the first is there."""
    assert declared.spell is not None
    if turn.pack.readings["same_enchantment"] != "refuse" or declared.spell.type != "enchantment":
        return None
    for id in declared.ids:
        entity = turn.state.entities[id]
        if any(effect.code == declared.code for effect in entity.effects):
            return refused(
                "EF-50", "refusal.eldfall.same_enchantment", "targets", target=entity.name, spell=declared.code
            )
    return None

"""What makes an Action illegal: one function a check, called in the order in which they are cited."""

from __future__ import annotations

from collections.abc import Iterable

from gambeson.games.eldfall.declaring import CAST, Declared, aimed_at_enemy, casting_attributes, is_attack, strike
from gambeson.games.eldfall.models import (
    SEQUENCE,
    TRANSMUTATION,
    absent,
    against_fallen,
    armor_of,
    has_class,
    named,
    refused,
    stamina,
    states_and_tags,
    tables,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import pool_of
from gambeson.mechanisms.creatures import limits_of
from gambeson.mechanisms.turns import ACTIVE, REACTIVE, active_player, phase_of, player_of, same_side, was_done
from gambeson.model.outcomes import Refusal
from gambeson.model.values import REFEREE, Facts

NORMAL = ("idle", "walk")


def first(refusals: Iterable[Refusal | None]) -> list[Refusal]:
    """The first refusal, if there is one; later checks are not even made."""
    return next(([refusal] for refusal in refusals if refusal is not None), [])


def owned(turn: Adjudication, actor: str, by: str) -> Refusal | None:
    """EF-01: a player gives commands for own models."""
    if by == REFEREE or same_side(turn.state, actor, by):
        return None
    return refused(
        "EF-01", "refusal.eldfall.not_yours", "by", model=named(turn.state, actor), player=player_of(turn.state, actor)
    )


# Sequence, Movement, States


def open_sequence(turn: Adjudication) -> Facts | None:
    """The open Activation Sequence."""
    found: Facts | None = turn.state.facts.get(SEQUENCE)
    return found


def own_sequence(turn: Adjudication, actor: str, action: str) -> Refusal | None:
    """EF-04, EF-27: an Action belongs to the model's own open Sequence, and there is one only."""
    sequence = open_sequence(turn)
    if sequence is None:
        return refused("EF-04", "refusal.eldfall.no_sequence", model=named(turn.state, actor))
    if sequence["model"] != actor:
        return refused("EF-04", "refusal.eldfall.other_sequence", model=named(turn.state, sequence["model"]))
    if not sequence["action"]:
        return None
    if action == CAST and sequence["action"] == CAST:
        return refused("EF-27", "refusal.eldfall.one_spell")
    return refused("EF-04", "refusal.eldfall.second_action", model=named(turn.state, actor))


def allowed_by_states(turn: Adjudication, actor: str, action: str) -> Refusal | None:
    """EF-21: States that forbid an Action, `action` one of the words of the table `only`."""
    only = tables(turn.pack).only
    for state in states_and_tags(turn.state.entities[actor]):
        if state in only and action not in only[state].allows:
            return refused("EF-21", only[state].text, model=named(turn.state, actor))
    return None


def kind_of_action(turn: Adjudication, declared: Declared) -> str:
    """What an Action is called where States allow or forbid it."""
    if declared.spell is not None and declared.spell.creature:
        return "ritual"
    if declared.spell is not None and declared.spell.type == TRANSMUTATION:
        return TRANSMUTATION
    if is_attack(turn, declared):
        return "melee_attack" if declared.mode == "melee" else "ranged_attack"
    return "self_assist" if set(declared.ids) == {declared.actor} else "assist"


def after_movement(turn: Adjudication, declared: str) -> Refusal | None:
    """EF-05: after Special Movement only Nothing."""
    sequence = open_sequence(turn)
    movement = sequence["movement"] if sequence is not None else "idle"
    return None if movement in NORMAL else refused("EF-05", "refusal.eldfall.movement", "", movement=movement)


def ritual_needs(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-58: a Ritual needs the idle Movement."""
    assert declared.spell is not None
    sequence = open_sequence(turn)
    if not declared.spell.creature or (sequence is not None and sequence["movement"] == "idle"):
        return None
    return refused("EF-58", "refusal.eldfall.ritual", "spell", spell=declared.code)


# What a Spell needs


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
    return refused("EF-28", "refusal.eldfall.hands", "spell", held=held)


# Targets


def no_targets(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-26, EF-55: a Conjuration and a Transmutation take no target."""
    assert declared.spell is not None
    if not declared.targets or declared.spell.type not in ("conjuration", TRANSMUTATION):
        return None
    rule = "EF-26" if declared.spell.type == "conjuration" else "EF-55"
    return refused(rule, "refusal.eldfall.no_target", "targets", type=declared.spell.type)


def transmutations(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-56: only a Transmutation that states an Armor value is attacked, with Power; Dispel removes any."""
    for id in declared.ids:
        entity = turn.state.entities[id]
        if entity.kind != TRANSMUTATION or (declared.spell is not None and declared.spell.dispels):
            continue
        if armor_of(turn, entity) is None or declared.written_power in (None, "star"):
            return refused("EF-56", "refusal.eldfall.transmutation_target", "targets", target=entity.name)
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
    enemies = [aimed_at_enemy(turn, declared, id) for id in declared.ids]
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
    for place, id in enumerate(declared.ids):
        if aimed_at_enemy(turn, declared, id) or (declared.template and place and id != declared.actor):
            continue
        return refused("EF-09", "refusal.eldfall.own_model", "targets", target=named(turn.state, id))
    return None


def at_the_activated(turn: Adjudication, declared: Declared) -> Refusal | None:
    """EF-06: an Attack in a Reaction goes at the activated model; a template at it first."""
    if declared.role != REACTIVE or not declared.targets or not is_attack(turn, declared):
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
    if not declared.targets or declared.template:
        return None
    targets = len(declared.targets)
    if declared.role == REACTIVE and targets > 1:
        return refused(rule, "refusal.eldfall.one_target", "targets")
    dice = strike(turn, declared)
    if targets > dice:
        return refused(rule, "refusal.eldfall.strike_targets", "targets", targets=targets, strike=dice)
    wanted = sum(count for _, count in declared.targets)
    return refused(rule, "refusal.eldfall.strike_dice", "targets", dice=wanted, strike=dice) if wanted > dice else None


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


# Summoning and mana


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
    payers = declared.mana_from or {declared.actor: declared.price}
    for id, points in payers.items():
        short = points - pool_of(turn.state.entities[id], "mana").current
        if short > 0:
            rule = "EF-40" if declared.spell.mana_cost else "EF-42"
            return refused(rule, "refusal.eldfall.mana", "mana_from" if declared.mana_from else "spell",
                           spell=declared.code, cost=declared.price, short=short)  # fmt: skip
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


# The lists of checks


def spell_needs(turn: Adjudication, declared: Declared) -> Iterable[Refusal | None]:
    """The checks of a casting from the role of its type on."""
    yield role_of_type(turn, declared)
    yield known(turn, declared)
    yield affinity(turn, declared)
    yield right_attribute(turn, declared)
    yield hands(turn, declared)
    yield allowed_by_states(turn, declared.actor, kind_of_action(turn, declared))
    if declared.role == ACTIVE:
        yield after_movement(turn, declared.code)
    yield ritual_needs(turn, declared)
    yield no_targets(turn, declared)
    yield transmutations(turn, declared)
    yield template_targets(turn, declared)
    yield attack_or_assist(turn, declared)
    yield at_the_activated(turn, declared)
    yield sight(turn, declared)
    yield enough_strike(turn, declared)
    yield same_enchantment(turn, declared)
    yield summoning_limit(turn, declared)
    yield mana(turn, declared)
    yield shared_mana(turn, declared)


def attack_needs(turn: Adjudication, declared: Declared) -> Iterable[Refusal | None]:
    """The checks of an Attack with a weapon from States on."""
    yield allowed_by_states(turn, declared.actor, kind_of_action(turn, declared))
    if declared.role == ACTIVE:
        yield after_movement(turn, declared.code)
    yield transmutations(turn, declared)
    yield own_model(turn, declared)
    yield at_the_activated(turn, declared)
    yield sight(turn, declared)
    yield enough_strike(turn, declared)


def own_strategic(turn: Adjudication, id: str) -> bool:
    """Whether it is the Strategic Phase of the model's player."""
    return phase_of(turn.state) == "strategic" and active_player(turn.state) == player_of(turn.state, id)


def artificer(turn: Adjudication, declared: Declared) -> Iterable[Refusal | None]:
    """EF-53: an Artificer applies one known Enchantment to itself."""
    assert declared.spell is not None
    itself = declared.ids == (declared.actor,)
    again = was_done(turn.state, f"apply:{declared.actor}")
    if not itself or again or declared.spell.type != "enchantment":
        yield refused("EF-53", "refusal.eldfall.artificer", "targets" if not itself else "spell")
    yield known(turn, declared)
    yield affinity(turn, declared)
    yield same_enchantment(turn, declared)


def all_there(turn: Adjudication, ids: Iterable[str], field: str) -> Refusal | None:
    """EF-19: no target has left."""
    return next((gone for id in ids if (gone := absent(turn, id, field)) is not None), None)

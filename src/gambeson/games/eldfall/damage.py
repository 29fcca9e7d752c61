"""Stages 8 to 13: Power against Armor, Damage dice, extra Wounds, Wounds, and what Wounds bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from gambeson.games.eldfall.attacks import SIDES, Attack
from gambeson.games.eldfall.falling import ACTIVATION, MANA, bear, comes_under, wound
from gambeson.games.eldfall.grants import effects_work
from gambeson.games.eldfall.models import (
    TRANSMUTATION,
    armor_of,
    has_trait,
    power_of,
    resisted,
    stat,
    tagged,
    untouched,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.arithmetic import halves
from gambeson.language.deeds import lose
from gambeson.language.figures import figure, pool_of, written_figure
from gambeson.language.throws import Counted, Rest
from gambeson.mechanisms.creatures import leave
from gambeson.mechanisms.phases import raise_points
from gambeson.mechanisms.turns import mark_done, was_done
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import DiceGroup, Question
from gambeson.model.values import Change, Entity

ARMOR_STANDS = "armor_stands"
ENCODER = msgspec.json.Encoder()


class Damage(Struct, frozen=True):
    """What an Attack does to a target: Wounds that its dice gave, and whether Stun takes its AP."""

    attack: Attack
    target: str
    wounds: int
    stunned: bool = False


class Tally:
    """What the dice have brought so far: Hits whose Damage is still to come, Damage dealt, `now` the Wounds at hand."""

    __slots__ = ("before", "coming", "dealt", "now", "succeeded", "turn")

    def __init__(self, turn: Adjudication, attacks: tuple[Attack, ...], before: dict[str, Entity]) -> None:
        self.turn = turn
        self.before = before
        self.succeeded = tuple([attack.succeeded for attack in attacks if attack.declared.price])
        self.coming = [(attack, id) for attack in attacks for id in attack.aimed if attack.hits[id]]
        self.dealt: list[Damage] = []
        self.now = 0

    def rest(self) -> tuple[Any, ...]:
        """Everything that still matters for what comes, and what stages 6 and 7 have made of the entities."""
        now = self.turn.state.entities
        changed = tuple((id, ENCODER.encode(now[id])) for id in now if self.before.get(id) is not now[id])
        gone = tuple(id for id in self.before if id not in now)
        coming = tuple((attack.actor, id, attack.hits[id]) for attack, id in self.coming)
        dealt = tuple((d.attack.actor, d.target, d.wounds, d.stunned) for d in self.dealt if d.wounds)
        return (self.succeeded, coming, dealt, self.now, changed, gone)


def damage(
    turn: Adjudication, attack: Attack, id: str, tally: Tally, read: Callable[[str], Entity | None]
) -> Damage | None:
    """EF-15, EF-76: Damage dice Hit by Hit, then Burn, Frostbite, Stun; `read` gives entities as they count."""
    marks = attack.hits.get(id, ())
    target = read(id)
    if target is None or attack.power is None:
        return None
    attacker = read(attack.actor) or attack.by
    power = (
        attack.power if isinstance(attack.power, int) or attacker is None else power_of(turn, attacker, attack.power)
    )
    if power is None or isinstance(power, str):
        return None
    power = _resisted(turn, attack, target, power)
    _say_start(turn, target)
    tally.now = 0
    wounds = tally.now = _damage_dice(turn, attack, target, power, marks, tally)
    riders = target.kind != TRANSMUTATION and wounds > 0 and effects_work(turn, attack, target)
    if not riders:
        return Damage(attack, id, wounds)
    wounds += _burn(turn, attack, target, power, tally)
    tally.now = wounds
    if "cleave" in attack.traits:
        wounds += 1
        turn.note(TraceRow("extra_wounds", "EF-76", id, wounds - 1, wounds, message("trace.eldfall.cleave")))
    if "frostbite" in attack.traits:
        wounds += 0 if _tough(turn, attack, target, "frostbite", tally) else 1
        tally.now = wounds
    return Damage(attack, id, wounds, "stun" in attack.traits and not _tough(turn, attack, target, "stun", tally))


def _say_start(turn: Adjudication, target: Entity) -> None:
    """EF-17: which value counts where this Resolution has changed the target: the one at its start, or the new one."""
    now = turn.state.entities.get(target.id)
    at_once = turn.pack.readings["new_effects"] == "at_once"
    other = turn.start.entities.get(target.id) if at_once else now
    if other is None or other is target:
        return
    for name in ("armor", "toughness"):
        written = written_figure(turn.pack, target, name)
        counts, not_counted = (figure(turn.pack, entity, name, written or 0) for entity in (target, other))
        if counts != not_counted:
            note = message("trace.eldfall.start", counts=counts, other=not_counted, at_once=int(at_once))
            turn.note(TraceRow(name, "EF-17", target.id, counts, counts, note))


def _resisted(turn: Adjudication, attack: Attack, target: Entity, power: int) -> int:
    """EF-71: each matching Resistance I halves the Power, rounding up; incorporeal does so too."""
    names = [*resisted(target, 1, attack)]
    if has_trait(target, "incorporeal") and "spell" not in attack.types and "burn" not in attack.traits:
        names.append("incorporeal")
    before = power
    for _ in names:
        power = halves(power, 2, "up")
    note = message("trace.eldfall.power", power=power, names=tuple(names))
    rule = "EF-71" if names else "EF-16" if isinstance(attack.power, str) else "EF-15"
    turn.note(TraceRow("power", rule, target.id, before, power, note))
    return power


def armor_against(turn: Adjudication, attack: Attack, target: Entity, armor: int, critical: bool) -> int:
    """EF-11, EF-74, EF-76: the Armor that counts for one Hit."""
    if "ignore_armor" in attack.traits or (critical and not tagged(target, ARMOR_STANDS)):
        return 0
    return halves(armor, 2, "up") if "armor_piercing" in attack.traits else armor


def _damage_dice(
    turn: Adjudication, attack: Attack, target: Entity, power: int, marks: tuple[bool, ...], tally: Tally
) -> int:
    """EF-15: for each Hit a die at or below Power minus Armor; none is asked where the difference is below 1."""
    shell = next((effect.lists["shell"] for effect in target.effects if "shell" in effect.lists), None)
    if shell is not None:
        for n, mark in enumerate(marks, 1):
            tally.now += _through_shell(turn, attack, target, power, mark, n, shell, tally)
        return tally.now
    armor = armor_of(turn, target) or 0
    counted = tuple([armor_against(turn, attack, target, armor, mark) for mark in marks])
    needed = tuple([power - counts for counts in counted])
    rule = "EF-74" if tagged(target, ARMOR_STANDS) else "EF-15"
    differs = tuple(map(str, counted)) if counted != (armor,) * len(marks) else ()
    note = message("trace.eldfall.armor", armor=armor, counted=differs)
    turn.note(TraceRow("armor", rule, target.id, power, min(needed), note))
    return _dice(turn, attack, target, "damage", tuple([n for n in needed if n > 0]), "EF-15", tally)


def _through_shell(
    turn: Adjudication,
    attack: Attack,
    target: Entity,
    power: int,
    critical: bool,
    hit: int,
    shell: tuple[int, int],
    tally: Tally,
) -> int:
    """EF-70: an Ice Shield asks for a die of its own first, then for one against the printed Armor."""
    outer, inner = shell
    if not _dice(turn, attack, target, f"shell:{hit}", (power - outer,) if power > outer else (), "EF-15", tally):
        return 0
    printed = written_figure(turn.pack, target, "armor") or 0
    needed = power - inner - armor_against(turn, attack, target, printed, critical)
    return _dice(turn, attack, target, f"damage:{hit}", (needed,) if needed > 0 else (), "EF-15", tally)


def _dice(
    turn: Adjudication, attack: Attack, target: Entity, what: str, needed: tuple[int, ...], rule: str, tally: Tally
) -> int:
    """Throw Damage dice; says how many succeed."""
    if not needed:
        turn.note(TraceRow("damage_roll", rule, target.id, 0, 0, message("trace.eldfall.no_die"), False))
        return 0
    values = tuple(map(str, needed if len({*needed}) > 1 else needed[:1]))
    question = Question(
        f"{what}:{attack.actor}:{target.id}",
        attack.actor,
        rule,
        _asked(what, attack, target, values),
        dice=(DiceGroup(len(needed), SIDES, attack.actor),),
    )
    found: int = turn.roll(question, Counted(needed), tally.rest)
    burn = what == "burn"
    if what.startswith("shell"):
        note = message("trace.eldfall.shell_die", needed=values, through=found)
    else:
        note = message("trace.eldfall.damage_dice", burn=int(burn), needed=values, wounds=found)
    stage = "extra_wounds" if burn else "damage_roll"
    turn.note(TraceRow(stage, rule, target.id, len(needed), found, note))
    return found


def _asked(what: str, attack: Attack, target: Entity, values: tuple[str, ...]) -> Message:
    """What Damage dice, dice for Burn and the die of an Ice Shield are called when they are asked."""
    told: dict[str, Any] = {"entity": attack.name, "target": target.name, "needed": values}
    if what == "burn":
        return message("question.eldfall.burn", **told)
    return message("question.eldfall.shell" if what.startswith("shell") else "question.eldfall.damage", **told)


def _burn(turn: Adjudication, attack: Attack, target: Entity, power: int, tally: Tally) -> int:
    """EF-76: Burn (X) asks for X more Damage dice at Armor 0."""
    dice = attack.traits.get("burn", 0)
    if not dice or untouched(turn.pack, target, "burn"):
        return 0
    return _dice(turn, attack, target, "burn", (power,) * dice, "EF-76", tally)


def _tough(turn: Adjudication, attack: Attack, target: Entity, trait: str, tally: Tally) -> bool:
    """EF-76: a Toughness die; whether it succeeds."""
    return toughness_test(turn, target, f"{trait}:{attack.actor}:{target.id}", trait, "EF-76", 0, tally.rest)


def toughness_test(
    turn: Adjudication, entity: Entity, key: str, why: str, rule: str, modifier: int, rest: Rest | None = None
) -> bool:
    """EF-07, EF-08: one die on Toughness; a value of 0 fails without it."""
    value = stat(turn, entity, "toughness", Change("", add=modifier))
    if not value:
        note = message("trace.eldfall.value_nothing", attribute="toughness")
        turn.note(TraceRow("toughness", "EF-07", entity.id, 0, 0, note, False))
        return False
    question = Question(
        key,
        entity.id,
        rule,
        message("question.eldfall.toughness", entity=entity.name, why=why, value=value),
        dice=(DiceGroup(1, SIDES, entity.id),),
    )
    success: bool = turn.roll(question, Counted((value,)), rest) > 0
    note = message("trace.eldfall.toughness", why=why, value=value, success=int(success))
    turn.note(TraceRow("toughness", rule, entity.id, value, int(success), note))
    return success


# Stages 12 and 13


def suffer(turn: Adjudication, dealt: Damage) -> int:
    """EF-18, EF-56: the Wounds are suffered; a Transmutation is destroyed by one."""
    entity = turn.state.entities.get(dealt.target)
    if entity is None or not dealt.wounds:
        return 0
    if entity.kind == TRANSMUTATION:
        leave(turn, entity.id, "EF-56")
        return 0
    return wound(turn, entity.id, dealt.wounds, "EF-18")


def wound_effects(turn: Adjudication, dealt: Damage, suffered: int) -> None:
    """EF-76: Stun, Poison, Soul Leech and Claws work where a Wound was suffered."""
    attack, id = dealt.attack, dealt.target
    if not suffered:
        return
    if dealt.stunned:
        left = pool_of(turn.state.entities[id], ACTIVATION).current
        lose(turn, id, ACTIVATION, left, "EF-76", "rider")
        turn.note(TraceRow("wound_effects", "EF-76", id, left, 0, message("trace.eldfall.stunned", points=left)))
    if effects_work(turn, attack, turn.state.entities[id]):
        _poison(turn, attack, id)
        _claws(turn, attack, id)
    _leech(turn, attack, suffered)


def _poison(turn: Adjudication, attack: Attack, id: str) -> None:
    level = attack.traits.get("poison", 0)
    if not level:
        return
    effect = bear(turn, id, "poison", attack.actor or None, "EF-76")
    if level > 1:
        comes_under(turn, id, "poisoned", "EF-76")
    turn.note(TraceRow("wound_effects", "EF-76", id, 0, 0, message("trace.effect.begins", effect=effect.name)))


def _claws(turn: Adjudication, attack: Attack, id: str) -> None:
    """EF-76: the first Wound dealt in a Turn gives the attacker 1 AP and takes 1 from the victim."""
    key = f"claws:{attack.actor}:{attack.code}"
    if "claws" not in attack.traits or was_done(turn.state, key) or attack.actor not in turn.state.entities:
        return
    mark_done(turn, key, "EF-76")
    raise_points(turn, attack.actor, ACTIVATION, 1, "EF-76")
    before = pool_of(turn.state.entities[id], ACTIVATION).current
    lost = lose(turn, id, ACTIVATION, 1, "EF-76", "rider")
    note = message("trace.eldfall.claws", points=lost)
    turn.note(TraceRow("wound_effects", "EF-76", id, before, before - lost, note))


def _leech(turn: Adjudication, attack: Attack, suffered: int) -> None:
    """EF-51: Soul Leech brings its caster 1 Mana Counter for each Wound suffered from the carrier's Attacks."""
    for caster in attack.leeches:
        if caster in turn.state.entities:
            raise_points(turn, caster, MANA, suffered, "EF-51")

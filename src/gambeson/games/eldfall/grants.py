"""Stage 7: what Hits and Assist successes bring: riders, effects, cures, points, creatures, what is dispelled."""

from __future__ import annotations

from gambeson.engine.entities import build_entity
from gambeson.games.eldfall.attacks import Attack, stated
from gambeson.games.eldfall.falling import ACTIVATION, LIFE, bear, comes_under, cure
from gambeson.games.eldfall.models import (
    TRANSMUTATION,
    Spell,
    fallen,
    has_trait,
    is_creature,
    smaller,
    stamina,
    untouched,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, lose, restore
from gambeson.language.figures import own_conditions, pool_of
from gambeson.language.pack import context_of
from gambeson.language.throws import Marks
from gambeson.mechanisms.creatures import creatures_of, leave, limit_of, limits_of
from gambeson.mechanisms.phases import raise_points
from gambeson.mechanisms.turns import player_of
from gambeson.model.events import EntityAdded
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Entity, Facts


def hit_effects(turn: Adjudication, attack: Attack) -> None:
    """EF-30, EF-76, EF-77: riders of each Hit, then what the Spell brings."""
    for id in attack.aimed:
        marks = attack.hits[id]
        if not marks or id not in turn.state.entities:
            continue
        target = turn.state.entities[id]
        if target.kind == TRANSMUTATION:
            if attack.spell is not None and attack.spell.dispels:
                leave(turn, id, "EF-75")
            continue
        if not attack.assist:
            _riders(turn, attack, target, marks)
        if attack.spell is not None and effects_work(turn, attack, target):
            _spell_brings(turn, attack, attack.spell, id, marks)


def effects_work(turn: Adjudication, attack: Attack, target: Entity) -> bool:
    """EF-69, EF-71: whether more than the damage of an Attack reaches the model."""
    if attack.assist:
        return True
    if "mindgame" in attack.traits and untouched(turn.pack, target, "mindgame"):
        return False
    essence = target.facts.get("essence")
    return not essence or not any(element in attack.types for element in essence)


def _riders(turn: Adjudication, attack: Attack, target: Entity, marks: Marks) -> None:
    """EF-76: Stagger takes 1 AP with each Hit, Knockdown makes Crouched; neither moves what is two Sizes larger."""
    if not effects_work(turn, attack, target):
        return
    if attack.by is not None and smaller(turn.pack, attack.by, target, 2):
        return
    traits = dict(attack.traits)
    if attack.spell is not None and any(marks):
        traits.update(attack.spell.critical)
    if "stagger" in traits and not untouched(turn.pack, target, "stagger"):
        before = pool_of(target, ACTIVATION).current
        lost = lose(turn, target.id, ACTIVATION, len(marks), "EF-76", "rider")
        note = message("trace.eldfall.stagger", points=lost)
        turn.note(TraceRow("hit_effects", "EF-76", target.id, before, before - lost, note))
    if "knockdown" in traits:
        comes_under(turn, target.id, "crouched", "EF-76")
        turn.note(TraceRow("hit_effects", "EF-76", target.id, 0, 0, message("trace.eldfall.state", state="crouched")))


def _spell_brings(turn: Adjudication, attack: Attack, spell: Spell, id: str, marks: Marks) -> None:
    """EF-77: points come with each success anew; effects and cures are there or not."""
    times = 1 if turn.pack.readings["repeat_success"] == "once" else len(marks)
    if spell.bears:
        bear(turn, id, attack.code, attack.actor, spell.rule)
        note = message("trace.effect.begins", effect=attack.code)
        turn.note(TraceRow("hit_effects", spell.rule, id, 0, 0, note))
    for state in spell.cures:
        _cured(turn, id, state)
    if spell.heals:
        _points(turn, attack, id, None if spell.heals == "all" else int(spell.heals) * times, "EF-46")
    if spell.chooses is not None:
        for time in range(times):
            _choose(turn, attack, id, time)
    if spell.dispels:
        _dispel(turn, attack, id)


def _cured(turn: Adjudication, id: str, state: str) -> None:
    if cure(turn, id, state, "EF-21"):
        turn.note(TraceRow("hit_effects", "EF-21", id, 0, 0, message("trace.unmark.gone", gone=(state,))))


def can_regain(turn: Adjudication, attack: Attack, id: str) -> bool:
    """EF-19, EF-69: the Dead regain no HP, and of Spells only Earth ones give it to a Construct."""
    entity = turn.state.entities[id]
    pool = pool_of(entity, LIFE)
    if fallen(entity) == "dead" or pool.current >= pool.maximum:
        return False
    return attack.spell is None or attack.spell.element == "earth" or not has_trait(entity, "construct")


def _points(turn: Adjudication, attack: Attack, id: str, points: int | None, rule: str) -> None:
    if not can_regain(turn, attack, id):
        return
    before = pool_of(turn.state.entities[id], LIFE).current
    restore(turn, id, LIFE, points, rule)
    after = pool_of(turn.state.entities[id], LIFE).current
    turn.note(
        TraceRow("hit_effects", rule, id, before, after, message("trace.heal", layer=LIFE, points=after - before))
    )


def _choose(turn: Adjudication, attack: Attack, id: str, time: int) -> None:
    """EF-77: each success gives one thing of those that are of use; the caster chooses."""
    assert attack.spell is not None
    assert attack.spell.chooses is not None
    choice = attack.spell.chooses
    entity = turn.state.entities[id]
    useful = [LIFE] if can_regain(turn, attack, id) else []
    useful += [state for state in choice.states if state in own_conditions(entity)]
    if not useful:
        return
    text = message("question.eldfall.choice", entity=attack.name, target=entity.name)
    chosen = _chosen(turn, attack, f"choice:{attack.actor}:{id}:{time}", "EF-77", text, tuple(useful))
    turn.note(TraceRow("hit_effects", "EF-77", id, 0, 0, message("trace.eldfall.state", state=chosen)))
    if chosen == LIFE:
        _points(turn, attack, id, choice.points, "EF-77")
    else:
        _cured(turn, id, chosen)


def _chosen(turn: Adjudication, attack: Attack, key: str, rule: str, text: Message, words: tuple[str, ...]) -> str:
    """The one word that there is, or that the caster chooses."""
    if len(words) == 1:
        return words[0]
    options = tuple(Option(word, message("option.eldfall.word", word=word)) for word in words)
    return stated(turn, attack, Question(key, attack.actor, rule, text, options, suggested=words[0]))


def _dispel(turn: Adjudication, attack: Attack, id: str) -> None:
    """EF-75: one thing is removed: a lasting Sorcery or Enchantment, or the creature itself."""
    entity = turn.state.entities[id]
    lasting = [e for e in entity.effects if _dispellable(turn, e.code)]
    there = list(dict.fromkeys(effect.code for effect in lasting))
    if is_creature(entity):
        there.append("creature")
    if not there:
        turn.note(TraceRow("hit_effects", "EF-75", id, 0, 0, message("trace.dispel.nothing"), False))
        return
    text = message("question.eldfall.dispel", entity=attack.name, target=entity.name)
    chosen = _chosen(turn, attack, f"dispel:{attack.actor}:{id}", "EF-75", text, tuple(there))
    if chosen == "creature":
        turn.note(TraceRow("hit_effects", "EF-60", id, 0, 0, message("trace.eldfall.is_spell")))
        leave(turn, id, "EF-75")
        return
    for effect in lasting:
        if effect.code == chosen:
            end_effect(turn, id, effect, "EF-75")
    turn.note(TraceRow("hit_effects", "EF-75", id, 0, 0, message("trace.dispel.ended", ended=(chosen,))))


def _dispellable(turn: Adjudication, code: str) -> bool:
    spell = turn.pack.spells.get(code)
    return spell is not None and spell.type in ("sorcery", "enchantment")


# What appears


def summon(turn: Adjudication, attack: Attack) -> None:
    """EF-59, EF-61: the creature appears under the caster's player, with AP equal to its Stamina."""
    assert attack.spell is not None
    code = attack.spell.creature
    _say_limits(turn, attack.actor)
    entity = _appears(turn, attack, code, {"creature": code})
    note = message("trace.eldfall.limit", limit=limit_of(entity), tier=int("summoning_limit" not in entity.facts))
    turn.note(TraceRow("summoning_limit", "EF-61", entity.id, 0, limit_of(entity), note))
    raise_points(turn, entity.id, ACTIVATION, stamina(turn, entity), "EF-59")


def _say_limits(turn: Adjudication, caster: str) -> None:
    """EF-62, EF-63: what the caster's creatures fill of its Stamina before the new one comes."""
    entity = turn.state.entities.get(caster)
    if entity is None:
        return
    total, most = limits_of(turn.state, caster), stamina(turn, entity)
    changed = any("summoning_limit" in creature.facts for creature in creatures_of(turn.state, caster))
    note = message("trace.eldfall.limits", sum=total, stamina=most, changed=int(changed))
    turn.note(TraceRow("summoning_limit", "EF-63" if changed else "EF-62", caster, total, total, note))


def place(turn: Adjudication, attack: Attack) -> None:
    """EF-55: one success places the Transmutation on the field."""
    keys: Facts = {"kind": TRANSMUTATION, "spell": attack.code}
    _appears(turn, attack, attack.code, keys)


def _appears(turn: Adjudication, attack: Attack, code: str, keys: Facts) -> Entity:
    state = turn.state
    id = attack.declared.called
    if not id or id in state.entities or id in state.used:
        id = next_id(turn, code)
    player = player_of(turn.start, attack.actor) or player_of(state, attack.actor)
    whole = {**keys, "player": player, "caster": attack.actor}
    entity = build_entity(
        turn.pack, id, whole, state.clock, state.serial, context_of({**state.entities, attack.actor: 0})
    )
    rule = "EF-55" if keys.get("kind") == TRANSMUTATION else "EF-59"
    turn.note(TraceRow("hit_effects", rule, id, 0, 0, message("trace.eldfall.appears", entity=id)))
    turn.change(EntityAdded(entity, rule))
    return turn.state.entities[id]


def next_id(turn: Adjudication, code: str) -> str:
    """The code with the next number that was never used."""
    number = 1
    while f"{code}_{number}" in turn.state.entities or f"{code}_{number}" in turn.state.used:
        number += 1
    return f"{code}_{number}"

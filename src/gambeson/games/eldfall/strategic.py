"""What a Strategic Phase brings beside effects that end: dated Transmutations, Toughness dice for States."""

from __future__ import annotations

from gambeson.games.eldfall.damage import toughness_test
from gambeson.games.eldfall.falling import settle_outside, wound
from gambeson.games.eldfall.models import DEAD, TRANSMUTATION, tables
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect
from gambeson.language.figures import own_conditions
from gambeson.mechanisms.creatures import leave
from gambeson.mechanisms.turns import player_of

FROZEN = "frozen"


def transmutations_end(turn: Adjudication, player: str) -> None:
    """EF-55: Transmutations whose text dates them leave as their caster's Strategic Phase begins."""
    for id, entity in tuple(turn.state.entities.items()):
        spell = turn.pack.spells.get(entity.facts.get("spell", ""))
        if entity.kind != TRANSMUTATION or spell is None or spell.lasts != "strategic":
            continue
        if player_of(turn.state, entity.facts.get("caster", id)) == player:
            leave(turn, id, "EF-55")


def frozen_tests(turn: Adjudication, player: str) -> None:
    """EF-54: a model under Deep Freeze tests Toughness as any player's Strategic Phase begins; success ends it."""
    for id in tuple(turn.state.entities):
        for effect in turn.state.entities[id].effects:
            if FROZEN not in effect.tags:
                continue
            key = f"{effect.code}:{id}:{player}:{turn.state.facts['turn']['number']}"
            if toughness_test(turn, turn.state.entities[id], key, effect.code, "EF-54", 0):
                end_effect(turn, id, effect, "EF-54")


def state_dice(turn: Adjudication, player: str) -> None:
    """EF-21: Bleeding and Poisoned models of the player throw a Toughness die each or suffer a Wound, at once."""
    for id in tuple(turn.state.entities):
        for state, modifier in tables(turn.pack).dice.items():
            entity = turn.state.entities.get(id)
            if entity is None or player_of(turn.state, id) != player:
                break
            states = own_conditions(entity)
            if state not in states or DEAD in states:
                continue
            key = f"{state}:{id}:{turn.state.facts['turn']['number']}"
            if not toughness_test(turn, entity, key, state, "EF-21", modifier):
                wound(turn, id, 1, "EF-21")
                settle_outside(turn)

"""The commands of players: activate, react, attack, cast, finish, convert, recover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from gambeson.games.eldfall.casting import Casting, free_id, has_value, known_spells, one_spell
from gambeson.games.eldfall.checks import (
    after_movement,
    allowed_by_states,
    commanded,
    first,
    open_sequence,
    own_sequence,
    own_strategic,
    owned,
)
from gambeson.games.eldfall.damage import toughness_test
from gambeson.games.eldfall.declaring import CAST, DODGE, NOTHING, WEAPON, Declared, declared_attack, declared_cast
from gambeson.games.eldfall.falling import ACTIVATION, LIFE, MANA, comes_under, end_sequence
from gambeson.games.eldfall.listing import activations, attacks, conversions, finishes, reactions, recoveries
from gambeson.games.eldfall.models import (
    INCAPACITATED,
    SEQUENCE,
    TRANSMUTATION,
    absent,
    against_fallen,
    bad_field,
    fallen,
    has_class,
    named,
    needs_stat,
    refused,
    states_and_tags,
    tables,
)
from gambeson.games.eldfall.resolution import nothing, pay_mana, resolve
from gambeson.games.eldfall.spell_checks import CASTING, WEAPONS, against
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import lose, restore
from gambeson.language.figures import pool_of
from gambeson.language.offers import Offer
from gambeson.mechanisms.phases import raise_points
from gambeson.mechanisms.turns import ACTIVE, REACTIVE, mark_done, phase_of, player_of, role_of, was_done
from gambeson.model.events import FactSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts

Checks: TypeAlias = Iterator[Refusal | None]
"""What checks say, one after the other; the first refusal counts, and later checks are not even made."""


class Checked(Struct, frozen=True, forbid_unknown_fields=True):
    """A command that is carried out on its fields as they are given, if no check refuses it."""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Facts, list[Refusal]]:
        """The fields, and the first refusal."""
        return fields, first(self.checks(turn, fields, by))

    def checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        """The checks in the order in which they are cited."""
        raise NotImplementedError


class Activate(Checked, frozen=True, forbid_unknown_fields=True, tag="activate"):
    """EF-04: opens an Activation Sequence, pays 1 AP and states the Movement."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return activations(turn, ids)

    def checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        """EF-19, EF-02, EF-01, EF-04, EF-03, EF-21: whether the model may be activated now."""
        model = fields["model"]
        yield commanded(turn, model, "model", by)
        entity = turn.state.entities[model]
        if phase_of(turn.state) != "tactical":
            yield refused("EF-02", "refusal.eldfall.not_tactical", phase=phase_of(turn.state) or None)
        if entity.kind != "model":
            yield refused("EF-01", "refusal.eldfall.no_model", "model", entity=entity.name)
        if role_of(turn.state, model) != ACTIVE:
            yield refused("EF-01", "refusal.eldfall.reactive", "model", player=player_of(turn.state, model))
        sequence = open_sequence(turn)
        if sequence is not None:
            yield refused("EF-04", "refusal.eldfall.other_sequence", model=named(turn.state, sequence["model"]))
        points = pool_of(entity, ACTIVATION).current
        if points < 1:
            yield refused("EF-03", "refusal.eldfall.points", "model", points=points)
        if fields["movement"] != "idle":
            for state in states_and_tags(entity):
                if state in tables(turn.pack).idle:
                    yield refused("EF-21", "refusal.eldfall.idle", "movement", state=state)

    def run(self, turn: Adjudication, prepared: Facts) -> None:
        """EF-03, EF-28: pay, change what is held, open the Sequence."""
        model = prepared["model"]
        _pay_point(turn, model, "EF-03")
        _change_hands(turn, model, prepared)
        record = {"model": model, "movement": prepared["movement"], "action": "", "reactions": (), "struck": ()}
        turn.change(FactSet("", SEQUENCE, record, "EF-04"))
        note = message("trace.eldfall.activated", movement=prepared["movement"])
        turn.note(TraceRow("sequence", "EF-04", model, 0, 0, note))


def _pay_point(turn: Adjudication, model: str, rule: str) -> None:
    before = pool_of(turn.state.entities[model], ACTIVATION).current
    turn.note(TraceRow("paid", rule, model, before, before - 1, message("trace.eldfall.point")))
    lose(turn, model, ACTIVATION, 1, rule, "cost")


def _change_hands(turn: Adjudication, model: str, fields: Facts) -> None:
    if "hands" in fields and fields["hands"] != turn.state.entities[model].facts.get("hands", ()):
        turn.change(FactSet(model, "hands", fields["hands"], "EF-28"))


class Reacting(Struct, frozen=True):
    """A Reaction that may be declared, and the casting in it."""

    record: Facts
    declared: Declared | None = None


class React(Struct, frozen=True, forbid_unknown_fields=True, tag="react"):
    """EF-06: a Reactive model declares a Normal Action while the Sequence's own Action is not declared yet."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return reactions(turn, ids)

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Reacting | None, list[Refusal]]:
        """EF-19, EF-06, EF-01, then what the Action needs."""
        refusals = first(self._checks(turn, fields, by))
        if refusals:
            return None, refusals
        action, model = fields["action"], fields["model"]
        given = dict(fields)
        sequence = turn.state.facts[SEQUENCE]
        if action in (DODGE, NOTHING):
            refusals = first([allowed_by_states(turn, model, action)])
            if action == DODGE and not refusals:
                needs_stat(turn, turn.state.entities[model], "agility")
            return Reacting(given), refusals
        if action == CAST:
            if "spell" not in given:
                bad_field(turn, "spell", message("fault.field.missing", field="spell"))
            known_spells(turn, given["spell"])
        if "targets" not in given and _takes_targets(turn, given):
            given["targets"] = (sequence["model"],)
            gone = absent(turn, sequence["model"], "targets")
            if gone is not None:
                return None, [gone]
        if action == WEAPON:
            declared = declared_attack(turn, model, given, REACTIVE)
            refusals = against(WEAPONS, turn, declared)
        else:
            several = one_spell(given)
            if several is not None:
                return None, [several]
            declared = declared_cast(turn, model, given, REACTIVE)
            refusals = against(CASTING, turn, declared) or free_id(turn, declared)
        if not refusals:
            has_value(turn, declared)
        return Reacting(given, declared), refusals

    def _checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        model = fields["model"]
        yield commanded(turn, model, "model", by)
        sequence = open_sequence(turn)
        entity = turn.state.entities[model]
        if sequence is None:
            yield refused("EF-06", "refusal.eldfall.nothing_to_react_to")
        elif sequence["action"]:
            yield refused("EF-06", "refusal.eldfall.action_declared", model=named(turn.state, sequence["model"]))
        if entity.kind != "model":
            yield refused("EF-01", "refusal.eldfall.no_model", "model", entity=entity.name)
        if role_of(turn.state, model) != REACTIVE:
            yield refused("EF-01", "refusal.eldfall.active", "model", player=player_of(turn.state, model))
        assert sequence is not None
        if any(entry["model"] == model for entry in sequence["reactions"]):
            yield refused("EF-06", "refusal.eldfall.second_reaction", "model", model=entity.name)
        points = pool_of(entity, ACTIVATION).current
        if points < 1:
            yield refused("EF-06", "refusal.eldfall.points", "model", points=points)
        if fields.get("no_line_of_sight") and fields["action"] in (WEAPON, CAST):
            yield refused(
                "EF-06", "refusal.eldfall.only_dodge", "no_line_of_sight", target=named(turn.state, sequence["model"])
            )

    def run(self, turn: Adjudication, prepared: Reacting) -> None:
        """EF-06, EF-40: pay, change what is held, and remember what was declared."""
        model = prepared.record["model"]
        _pay_point(turn, model, "EF-06")
        _change_hands(turn, model, prepared.record)
        if prepared.declared is not None:
            pay_mana(turn, prepared.declared)
        sequence = turn.state.facts[SEQUENCE]
        changed = {**sequence, "reactions": (*sequence["reactions"], prepared.record)}
        turn.change(FactSet("", SEQUENCE, changed, "EF-06"))
        note = message("trace.eldfall.reacts", action=prepared.record["action"])
        declared = prepared.declared
        wall = declared is not None and declared.spell is not None and declared.spell.type == TRANSMUTATION
        turn.note(TraceRow("reaction", "EF-57" if wall else "EF-06", model, 0, 0, note))


def _takes_targets(turn: Adjudication, fields: Facts) -> bool:
    """Whether a Reaction without `targets` goes at the activated model: not what takes no target."""
    if fields["action"] != CAST:
        return True
    code = turn.pack.spell_names.get(str(fields["spell"]).casefold(), "")
    return code in turn.pack.spells and turn.pack.spells[code].type not in ("conjuration", "transmutation")


class Attacking(Struct, frozen=True, forbid_unknown_fields=True, tag="attack"):
    """EF-04, EF-08: the Action of the open Sequence is an Attack with a weapon; it resolves with all Reactions."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return attacks(turn, ids)

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Declared | None, list[Refusal]]:
        """EF-19, EF-04, EF-21, EF-05, then the targets."""
        actor = fields["attacker"]
        refusals = first(self._checks(turn, fields, by))
        if refusals:
            return None, refusals
        declared = declared_attack(turn, actor, fields, ACTIVE)
        refusals = against(WEAPONS, turn, declared)
        if not refusals:
            has_value(turn, declared)
        return declared, refusals

    def _checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        actor = fields["attacker"]
        yield commanded(turn, actor, "attacker", by)
        yield own_sequence(turn, actor, WEAPON)

    def run(self, turn: Adjudication, prepared: Declared) -> None:
        """EF-17: resolve."""
        resolve(turn, prepared)


class Finish(Checked, frozen=True, forbid_unknown_fields=True, tag="finish"):
    """EF-04: closes the Sequence; with no Action declared it is Nothing, or Dodge."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return finishes(turn, ids)

    def checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        """EF-04; for a Dodge EF-21 and EF-05."""
        model = fields["model"]
        absent(turn, model, "model")
        yield owned(turn, model, by)
        sequence = open_sequence(turn)
        if sequence is None:
            yield refused("EF-04", "refusal.eldfall.no_sequence", model=named(turn.state, model))
        assert sequence is not None
        if sequence["model"] != model:
            yield refused("EF-04", "refusal.eldfall.other_sequence", model=named(turn.state, sequence["model"]))
        if fields["action"] == DODGE:
            if sequence["action"]:
                yield refused("EF-04", "refusal.eldfall.second_action", model=named(turn.state, model))
            yield against_fallen(turn, model, "model")
            yield allowed_by_states(turn, model, DODGE)
            yield after_movement(turn)
            needs_stat(turn, turn.state.entities[model], "agility")

    def run(self, turn: Adjudication, prepared: Facts) -> None:
        """EF-04, EF-18: resolve what was not resolved yet, then everything that the end of a Sequence brings."""
        if not turn.state.facts[SEQUENCE]["action"]:
            resolve(turn, nothing(prepared["model"], prepared["action"]))
        end_sequence(turn)


class Convert(Checked, frozen=True, forbid_unknown_fields=True, tag="convert"):
    """EF-36: a Mage turns Activation Points into Mana Counters."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return conversions(turn, ids)

    def checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        """EF-19, EF-36, then when, then how many."""
        model = fields["model"]
        yield commanded(turn, model, "model", by)
        entity = turn.state.entities[model]
        if not has_class(entity, "mage"):
            yield refused("EF-36", "refusal.eldfall.mage", "model")
        if role_of(turn.state, model) != ACTIVE:
            yield refused("EF-36", "refusal.eldfall.convert_reactive", "model")
        yield from self._when(turn, model)
        short = fields["points"] - pool_of(entity, ACTIVATION).current
        if short > 0:
            yield refused("EF-36", "refusal.eldfall.convert_short", "points", short=short)

    def _when(self, turn: Adjudication, model: str) -> Checks:
        """EF-38, EF-39: converting is free at any time of the own Turn, or as the readings have it."""
        sequence = open_sequence(turn)
        if turn.pack.readings["mana_conversion"] == "action":
            if sequence is None or sequence["model"] != model:
                yield refused("EF-38", "refusal.eldfall.convert_action", "model", model=named(turn.state, model))
            yield own_sequence(turn, model, "convert")
            yield allowed_by_states(turn, model, "convert")
            yield after_movement(turn)
        elif turn.pack.readings["convert_timing"] == "between_sequences" and sequence is not None:
            yield refused("EF-39", "refusal.eldfall.other_sequence", model=named(turn.state, sequence["model"]))

    def run(self, turn: Adjudication, prepared: Facts) -> None:
        """EF-36, EF-37: one for one, on top of what is there."""
        model, points = prepared["model"], prepared["points"]
        lose(turn, model, ACTIVATION, points, "EF-36", "cost")
        raise_points(turn, model, MANA, points, "EF-36")
        if turn.pack.readings["mana_conversion"] == "action":
            resolve(turn, nothing(model, "convert"))


class Recover(Checked, frozen=True, forbid_unknown_fields=True, tag="recover"):
    """EF-20: an Incapacitated model may once in its own Strategic Phase roll Toughness for 1 HP."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return recoveries(turn, ids)

    def checks(self, turn: Adjudication, fields: Facts, by: str) -> Checks:
        """EF-20."""
        model = fields["model"]
        yield owned(turn, model, by)
        entity = turn.state.entities[model]
        told = {"model": entity.name, "player": player_of(turn.state, model)}
        if not own_strategic(turn, model):
            yield refused("EF-20", "refusal.eldfall.recover_phase", **told)
        if fallen(entity) != INCAPACITATED:
            yield refused("EF-20", "refusal.eldfall.recover_standing", "model", **told)
        if was_done(turn.state, f"recover:{model}"):
            yield refused("EF-20", "refusal.eldfall.recover_again", "model", **told)
        needs_stat(turn, entity, "toughness")

    def run(self, turn: Adjudication, prepared: Facts) -> None:
        """EF-20: a die, with an ally in Base Contact one reroll; success gives 1 HP and Weakened."""
        model = prepared["model"]
        mark_done(turn, f"recover:{model}", "EF-20")
        entity = turn.state.entities[model]
        tries = 2 if prepared.get("ally_in_contact") else 1
        for number in range(tries):
            if toughness_test(turn, entity, f"recover:{model}:{number + 1}", "recover", "EF-20", 0):
                restore(turn, model, LIFE, 1, "EF-20")
                comes_under(turn, model, "weakened", "EF-20")
                return


__all__ = ["Activate", "Attacking", "Casting", "Convert", "Finish", "React", "Recover"]

"""cast: the Action of the open Sequence is a casting; or an Artificer applies an Enchantment to itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from gambeson.engine.entities import check_id
from gambeson.games.eldfall.checks import (
    all_there,
    artificer,
    first,
    own_sequence,
    own_strategic,
    owned,
    spell_needs,
)
from gambeson.games.eldfall.declaring import CAST, Declared, declared_cast, rolled_with, without_roll
from gambeson.games.eldfall.falling import bear
from gambeson.games.eldfall.listing import castings
from gambeson.games.eldfall.models import against_fallen, has_class, refused
from gambeson.games.eldfall.resolution import pay_mana, resolve
from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import not_among
from gambeson.language.offers import Offer
from gambeson.mechanisms.turns import ACTIVE, mark_done
from gambeson.model.errors import FieldFault
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Casting(Struct, frozen=True, forbid_unknown_fields=True, tag="eldfall.cast"):
    """EF-22: a model casts a Spell of the catalogue."""

    def offers(self, turn: Adjudication, ids: tuple[str, ...]) -> Iterable[Offer]:
        """What it proposes to the list of legal commands."""
        return castings(turn, ids)

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Declared | None, list[Refusal]]:
        """EF-34: the checks of a casting, in the order in which they are cited."""
        refusals = first(self._before(turn, fields, by))
        if refusals:
            return None, refusals
        caster = fields["caster"]
        if self.applies(turn, caster):
            declared = declared_cast(turn, caster, {"targets": (caster,), **fields}, ACTIVE)
            return declared, first(artificer(turn, declared))
        declared = declared_cast(turn, caster, fields, ACTIVE)
        refusals = first(spell_needs(turn, declared)) or free_id(turn, declared)
        if not refusals:
            has_value(turn, declared)
        return declared, refusals

    def _before(self, turn: Adjudication, fields: Facts, by: str) -> Any:
        caster = fields["caster"]
        known_spells(turn, fields["spell"])
        yield against_fallen(turn, caster, "caster")
        yield owned(turn, caster, by)
        yield all_there(turn, (*fields.get("targets", ()), *fields.get("mana_from", ())), "targets")
        if not self.applies(turn, caster):
            yield own_sequence(turn, caster, CAST)
        yield one_spell(fields)

    @staticmethod
    def applies(turn: Adjudication, caster: str) -> bool:
        """EF-53: whether an Artificer may apply an Enchantment instead of casting."""
        return own_strategic(turn, caster) and has_class(turn.state.entities[caster], "artificer")

    def run(self, turn: Adjudication, prepared: Declared) -> None:
        """EF-40, EF-17: pay, then resolve with all Reactions; an Artificer only applies."""
        if self.applies(turn, prepared.actor):
            mark_done(turn, f"apply:{prepared.actor}", "EF-53")
            bear(turn, prepared.actor, prepared.code, prepared.actor, "EF-53")
            note = message("trace.effect.begins", effect=prepared.code)
            turn.note(TraceRow("applied", "EF-53", prepared.actor, 0, 0, note))
            return
        pay_mana(turn, prepared)
        resolve(turn, prepared)


def known_spells(turn: Adjudication, given: Any) -> None:
    """Leave the command where a Spell is not in the catalogue."""
    for code in given if isinstance(given, tuple) else (given,):
        if str(code).casefold() not in turn.pack.spell_names:
            fault = not_among(str(code), tuple(turn.pack.spells))
            turn.refuse(Refusal(turn.pack.values_rule, message("refusal.field", field="spell", fault=fault), "spell"))


def one_spell(fields: Facts) -> Refusal | None:
    """EF-27: a casting names one Spell."""
    return refused("EF-27", "refusal.eldfall.one_spell", "spell") if isinstance(fields["spell"], tuple) else None


def free_id(turn: Adjudication, declared: Declared) -> list[Refusal]:
    """An id that a casting states for what appears must never have been used."""
    id = declared.called
    if not id:
        return []
    try:
        check_id(id, ("as",))
    except FieldFault as fault:
        said = message("refusal.field", field="as", fault=fault.message)
        return [Refusal(turn.pack.values_rule, said, "as")]
    if id in turn.state.entities or id in turn.state.used:
        return [Refusal(turn.pack.values_rule, message("refusal.add.used", id=id), "as")]
    return []


def has_value(turn: Adjudication, declared: Declared) -> None:
    """EF-07: leave the command where the attribute that would be rolled is absent."""
    if declared.spell is not None and declared.spell.creature:
        return
    if declared.out_of_reach or (declared.ids and all(without_roll(turn, declared, id) for id in declared.ids)):
        return
    rolled_with(turn, declared)

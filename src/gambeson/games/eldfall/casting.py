"""cast: the Action of the open Sequence is a casting; or an Artificer applies an Enchantment to itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.entities import check_id
from gambeson.games.eldfall.checks import commanded, first, own_sequence, own_strategic
from gambeson.games.eldfall.declaring import APPLY, CAST, Declared, declared_cast, without_roll
from gambeson.games.eldfall.falling import bear
from gambeson.games.eldfall.listing import castings
from gambeson.games.eldfall.models import has_class, needs_stat, refused
from gambeson.games.eldfall.resolution import pay_mana, resolve
from gambeson.games.eldfall.spell_checks import APPLYING, CASTING, against
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
        caster = fields["caster"]
        known_spells(turn, fields["spell"])
        refusals = first([commanded(turn, caster, "caster", by)])
        if refusals:
            return None, refusals
        applying = own_strategic(turn, caster) and has_class(turn.state.entities[caster], "artificer")
        refusals = first([None if applying else own_sequence(turn, caster, CAST), one_spell(fields)])
        if refusals:
            return None, refusals
        if applying:
            declared = declared_cast(turn, caster, {"targets": (caster,), **fields}, ACTIVE)
            return replace(declared, action=APPLY), against(APPLYING, turn, declared)
        declared = declared_cast(turn, caster, fields, ACTIVE)
        refusals = against(CASTING, turn, declared) or free_id(turn, declared)
        if not refusals:
            has_value(turn, declared)
        return declared, refusals

    def run(self, turn: Adjudication, prepared: Declared) -> None:
        """EF-40, EF-17: pay, then resolve with all Reactions; EF-53: an Artificer only applies."""
        if prepared.action == APPLY:
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
    needs_stat(turn, turn.state.entities[declared.actor], declared.attribute)

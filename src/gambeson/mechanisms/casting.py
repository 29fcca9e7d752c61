"""Casting: a spell of the catalogue is cast, paid for, and carried out deed by deed."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, lose
from gambeson.language.fields import not_among
from gambeson.language.figures import entries, pool_of, present, shown_effects
from gambeson.language.predicates import Formula, Predicate
from gambeson.language.procedure import strike
from gambeson.language.scope import Scope
from gambeson.language.written_deeds import Deed, Origin
from gambeson.mechanisms import modifications
from gambeson.model.events import Called
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts, Hit, Part


class Need(Struct, frozen=True, forbid_unknown_fields=True):
    """What must hold of the target, else the casting is refused.

    Of what every spell needs, some is asked `only_for` or `not_for` spells with one of these tags.
    """

    holds: Predicate
    rule: str
    text: str
    only_for: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()

    def asked(self, tags: tuple[str, ...]) -> bool:
        """Whether it is asked for a spell with these tags."""
        if self.only_for and not any(tag in tags for tag in self.only_for):
            return False
        return not any(tag in tags for tag in self.not_for)


class Spell(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the catalogue.

    `name` is what its effects are called; `level` its cost; `lasts` a written duration. `flag` is worn while its
    effect lasts. `reach` says whom it is cast on: `any` one target, the caster `self` or an`other`. `casts` are spells
    that it casts in turn, each by its own rules; `calls` are words of a hit that strikes the target. `points` is the
    number that its deeds call `points`. `modifications_rule` is cited for a modification that it does not have.
    """

    rule: str
    name: str = ""
    level: int = 0
    lasts: Any = None
    flag: str = ""
    tags: tuple[str, ...] = ()
    reach: Literal["any", "self", "other"] = "any"
    reach_rule: str = ""
    needs: tuple[Need, ...] = ()
    points: Formula | None = None
    does: tuple[Deed, ...] = ()
    casts: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    modifications: modifications.Modifications = {}
    modifications_rule: str = ""


class Cost(Struct, frozen=True, forbid_unknown_fields=True):
    """A caster who has a pool of `layer` pays the spell's level from it; with an item nothing is paid."""

    layer: str
    rule: str


class Casting(Struct, frozen=True, kw_only=True):
    """A casting that may go ahead."""

    spell: str
    caster: str
    target: str
    values: Facts
    pays: bool = False
    flagged: bool = True
    modifications: tuple[str, ...] = ()
    choices: Facts = {}


class Cast(Struct, frozen=True, forbid_unknown_fields=True, tag="cast"):
    """A spell of the catalogue is cast on one target (without `targets`, on the caster).

    `immune` names the target's list and the word in it that stops spells; `call` is shouted then. `recast`: a spell
    cast again on who bears it is `renew`ed or `replace`s the old one. `needs` is what every spell needs.
    """

    SPELL: ClassVar[Any] = Spell

    rule: str
    cost: Cost | None = None
    flag_rule: str = ""
    immune: str = ""
    immune_word: str = ""
    immune_rule: str = ""
    call: str = ""
    call_rule: str = ""
    recast: Literal["renew", "replace"] = "renew"
    recast_rule: str = ""
    needs: tuple[Need, ...] = ()
    modifying: modifications.Modifying | None = None

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Casting | None, list[Refusal]]:
        """Which spell on whom, and everything against it."""
        spell_code = turn.pack.spell_names.get(str(fields["spell"]).casefold())
        if spell_code is None:
            known = tuple(turn.pack.spells)
            reason = message("refusal.field", field="spell", fault=not_among(fields["spell"], known))
            return None, [Refusal("", reason, "spell")]
        spell: Spell = turn.pack.spells[spell_code]
        caster: str = fields["caster"]
        targets: tuple[str, ...] = fields.get("targets") or (caster,)
        refusals = self._reach(spell_code, spell, caster, targets)
        target = targets[0]
        entity = present(turn, target)
        scope = Scope(turn.pack, entity, values=fields)
        for need in (*self.needs, *spell.needs):
            if need.asked(spell.tags) and not need.holds.holds(scope):
                refusals.append(Refusal(need.rule, message(need.text, entity=entity.name, spell=spell_code), "targets"))
        pays = "item" not in fields and self._pays(turn, caster)
        if pays:
            refusals += self._price(turn, caster, spell_code, spell)
        named = modifications.known_as(turn, fields.get("modifications", ()))
        if self.modifying is not None:
            of, rule = spell.modifications, spell.modifications_rule
            refusals += modifications.against(self.modifying, spell_code, of, named, rule)
            refusals += modifications.against_choices(self.modifying, of, named, fields.get("choices", {}))
        return (
            Casting(
                spell=spell_code,
                caster=caster,
                target=target,
                values={key: value for key, value in fields.items() if isinstance(value, int)},
                pays=pays,
                flagged=fields.get("flag", "placed") != "missing" or not spell.flag,
                modifications=named,
                choices=fields.get("choices", {}),
            ),
            refusals,
        )

    def _reach(self, code: str, spell: Spell, caster: str, targets: tuple[str, ...]) -> list[Refusal]:
        rule = spell.reach_rule or spell.rule
        if len(targets) != 1:
            return [Refusal(rule, message("refusal.cast.one_target", spell=code), "targets")]
        if spell.reach == "self" and targets[0] != caster:
            return [Refusal(rule, message("refusal.cast.self", spell=code), "targets")]
        if spell.reach == "other" and targets[0] == caster:
            return [Refusal(rule, message("refusal.cast.other", spell=code), "targets")]
        return []

    def _pays(self, turn: Adjudication, caster: str) -> bool:
        return self.cost is not None and self.cost.layer in present(turn, caster).pools

    def _price(self, turn: Adjudication, caster: str, code: str, spell: Spell) -> list[Refusal]:
        assert self.cost is not None
        left = pool_of(present(turn, caster), self.cost.layer).current
        if left >= spell.level:
            return []
        reason = message("refusal.cast.price", spell=code, cost=spell.level, left=left, layer=self.cost.layer)
        return [Refusal(self.cost.rule, reason, "spell")]

    def run(self, turn: Adjudication, prepared: Casting) -> None:
        """Pay, see whether it takes hold, and carry it out."""
        spell: Spell = turn.pack.spells[prepared.spell]
        if prepared.pays and self.cost is not None and spell.level:
            note = message("trace.cast.paid", points=spell.level, layer=self.cost.layer)
            left = pool_of(present(turn, prepared.caster), self.cost.layer).current
            turn.note(TraceRow("cost", self.cost.rule, prepared.caster, left, left - spell.level, note))
            lose(turn, prepared.caster, self.cost.layer, spell.level, self.cost.rule, "cost")
        if not prepared.flagged:
            self._note(turn, prepared, self.flag_rule, message("trace.cast.no_flag", flag=spell.flag), False)
            return
        if self.immune_word and self.immune_word in entries(present(turn, prepared.target), self.immune):
            self._note(turn, prepared, self.immune_rule, message("trace.cast.immune"), False)
            turn.change(Called(prepared.target, self.call, self.call_rule))
            return
        self.carry_out(turn, prepared)

    def carry_out(self, turn: Adjudication, casting: Casting) -> None:
        """What the spell does, and the spells that it casts in turn, as long as the target is there."""
        spell: Spell = turn.pack.spells[casting.spell]
        if casting.target not in turn.state.entities:
            return
        self._note(turn, casting, spell.rule, message("trace.cast.spell", spell=casting.spell))
        if spell.calls:
            part = Part(0, turn.pack.words.plain)
            strike(turn, Hit(casting.target, (part,), spell.calls, source=casting.caster))
        if self.recast == "replace":
            self._end_old(turn, casting.target, spell.name)
        values = dict(casting.values)
        scope = Scope(turn.pack, present(turn, casting.target), values=values)
        if spell.points is not None:
            points = spell.points.value(scope)
            values["points"] = modifications.modified_points(
                turn, points, spell.modifications, casting.modifications, scope
            )
        extras = modifications.extras_given(
            turn, spell.modifications, casting.modifications, casting.choices, casting.caster, scope
        )
        facts: Facts = {"flag": spell.flag} if spell.flag else {}
        origin = Origin(
            target=casting.target,
            rule=spell.rule,
            name=spell.name or casting.spell,
            code=casting.spell,
            source=casting.caster,
            actor=casting.caster,
            lasts=spell.lasts,
            tags=spell.tags,
            facts=facts,
            values=values,
            extras=extras,
            renews=self.recast == "renew",
        )
        for deed in spell.does:
            if casting.target in turn.state.entities:
                deed.run(turn, origin)
        for other in spell.casts:
            self.carry_out(
                turn, Casting(spell=other, caster=casting.caster, target=casting.target, values=casting.values)
            )

    def _end_old(self, turn: Adjudication, target: str, name: str) -> None:
        for effect in shown_effects(present(turn, target)):
            if effect.name == name:
                end_effect(turn, target, effect, self.recast_rule)

    def _note(self, turn: Adjudication, casting: Casting, rule: str, note: Message, ran: bool = True) -> None:
        turn.note(TraceRow("cast", rule, casting.target, 0, 0, note, ran))

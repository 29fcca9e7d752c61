"""What is Kingdoms of Novitas' alone and no pack data can say, under its rule ids."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language import ledgers
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import HIDDEN, MAGIC, add_condition, begin
from gambeson.language.durations import ends
from gambeson.language.figures import conditions, entries, own_conditions, pool_of
from gambeson.language.pack import Lasting, Pack
from gambeson.language.scope import Blow
from gambeson.mechanisms.deeds import EndDeed, Origin
from gambeson.model.events import Called, EffectChanged, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Effect, Facts

IMMUNE = "killing_blow"
NO_EFFECT = "No Effect"
BLUNT, CURSED = "blunt", "cursed"
BODY = "body"


class Kill(Struct, frozen=True, forbid_unknown_fields=True, tag="kill"):
    """NV-26: a killing blow makes an entity with a torso wound dead at once."""

    rule: str

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[str, list[Refusal]]:
        """NV-26: there must be a torso wound, and life."""
        entity = turn.state.entities[fields["target"]]
        if "dead" in conditions(turn.pack, entity):
            return entity.id, [Refusal(self.rule, message("refusal.novitas.dead", entity=entity.name), "target")]
        if "torso" not in entries(entity, "wounds"):
            reason = message("refusal.novitas.no_torso_wound", entity=entity.name)
            return entity.id, [Refusal(self.rule, reason, "target")]
        return entity.id, []

    def run(self, turn: Adjudication, prepared: str) -> None:
        """NV-26: dead, unless immune to it; then No Effect (NV-11)."""
        entity = turn.state.entities[prepared]
        if IMMUNE in entries(entity, "immune"):
            turn.note(TraceRow("kill", self.rule, prepared, 0, 0, message("trace.kill.immune"), False))
            turn.change(Called(prepared, NO_EFFECT, self.rule))
            return
        turn.note(TraceRow("kill", self.rule, prepared, 0, 0, message("trace.kill.dead", entity=entity.name)))
        add_condition(turn, prepared, "dead", self.rule)


def blunt(turn: Adjudication, blow: Blow) -> None:
    """NV-44: what a blunt hit took from the body, and the wound, poison and disease it made, pass after a time."""
    template = turn.pack.lasting[BLUNT]
    ending = ends(template.lasts, turn.state.clock)
    if template.together:
        for effect in blow.entity.effects:
            if effect.code == BLUNT and effect.until not in ((), ending):
                turn.change(EffectChanged(blow.target, replace(effect, until=ending), template.rule))
    lost = blow.lost.get(BODY, 0)
    place = blow.noted.get("passing_wound")
    caught: tuple[str, ...] = blow.noted.get("passing_conditions", ())
    if not (lost or place or caught):
        return
    effect = replace(
        _hidden(BLUNT, template, blow.hit.source),
        until=ending,
        conditions=caught,
        lists={"wounds": (place,)} if place else {},
        ledger={f"{BODY}.{ledgers.RETURNS}": lost} if lost else {},
    )
    begin(turn, blow.target, effect, template.rule)
    turn.note(TraceRow(BLUNT, template.rule, blow.target, 0, lost, message("trace.novitas.blunt", points=lost)))


def curse(turn: Adjudication, blow: Blow) -> None:
    """NV-46: for a time body has a maximum of 1 and the points beyond it are out of reach; losses since then stay."""
    template = turn.pack.lasting[CURSED]
    ending = ends(template.lasts, turn.state.clock)
    there = next((effect for effect in blow.entity.effects if effect.code == CURSED), None)
    if there is not None or CURSED in own_conditions(blow.entity):
        blow.noted["landed"] = True
        if there is not None and there.until != ending:
            renewed = replace(there, until=ending, began=turn.state.clock)
            turn.change(EffectChanged(blow.target, renewed, template.rule))
        return
    before = pool_of(blow.entity, BODY)
    if before.maximum <= 1:
        blow.noted["in_vain"] = True
        turn.note(TraceRow(CURSED, template.rule, blow.target, 0, 0, message("trace.novitas.curse_in_vain"), False))
        return
    blow.noted["landed"] = True
    ledger, left = ledgers.withhold(turn, blow.target, BODY, 1)
    spell = turn.pack.words.spell in blow.words
    effect = replace(_hidden(CURSED, template, blow.hit.source), until=ending, ledger=ledger)
    begin(turn, blow.target, replace(effect, tags=(*effect.tags, MAGIC)) if spell else effect, template.rule)
    turn.change(PoolSet(blow.target, BODY, left, template.rule))
    note = message("trace.novitas.curse", points=before.current - left.current)
    turn.note(TraceRow(CURSED, template.rule, blow.target, before.current, left.current, note))


def _hidden(code: str, template: Lasting, source: str | None) -> Effect:
    return Effect(0, code, source, code, tags=(HIDDEN,), conditions=template.conditions)


def dispel(turn: Adjudication, blow: Blow) -> None:
    """NV-48: every magic on the target and its worn armor ends that is not permanent, conditions of spells too."""
    blow.noted["landed"] = True
    magic = tuple(name for name, layer in turn.pack.layers.items() if layer.magic)
    deed = EndDeed(tags=(MAGIC,), conditions=given_by_spells(turn.pack, blow), pools=magic, unless="permanent")
    rule = turn.pack.words.known["dispel"].rule
    deed.run(turn, Origin(target=blow.target, rule=rule, name="dispel", code="dispel"))


def given_by_spells(pack: Pack, blow: Blow) -> tuple[str, ...]:
    """NV-48: the conditions of spell words that are written on the target itself, where no call has brought them."""
    words = pack.words.known.values()
    of_spells = [marking.condition for word in words if word.spell == "yes" for marking in word.marks]
    return tuple(one for one in blow.entity.conditions if one in (*of_spells, CURSED))


COMMANDS = {"kill": Kill}
CODE = {"blunt": blunt, "curse": curse, "dispel": dispel}

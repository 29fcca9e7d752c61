"""Instead of 0: what keeps the last pool from being emptied by a hit, chosen before a point of it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.deciding import who_decides
from gambeson.language.deeds import end_effect
from gambeson.language.outcomes import Outcome
from gambeson.language.potency import bearing
from gambeson.language.predicates import Predicate
from gambeson.language.turns import whose_turn
from gambeson.model.events import EffectChanged
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import Effect

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.scope import Blow

NONE = "none"


class Spare(Struct, frozen=True, forbid_unknown_fields=True):
    """An attacker who spares the target: where `when` holds it is left with `to` points, and `outcome` happens."""

    when: Predicate
    outcome: Outcome
    to: int = 1


class Instead(Struct, frozen=True, forbid_unknown_fields=True):
    """Effects that bear `reads` (`to`, `optional`, `not_if_killed`, `recharge`) keep their bearer from 0.

    One that is not optional and alone works unasked; else the holder chooses, or with `chooses: turn_owner` whoever's
    turn runs. `kills` says which hits an effect with `not_if_killed` cannot stop. The chosen one ends, or with
    `recharge` is spent until that moment. Without any, `spare` is looked at.
    """

    stage: str
    rule: str
    reads: str
    kills: Predicate
    chooses: Literal["holder", "turn_owner"] = "holder"
    spare: Spare | None = None

    def left(self, turn: Adjudication, blow: Blow) -> int:
        """How many points are left of the pool (0: it is emptied)."""
        fitting = [
            effect
            for effect in bearing(blow.pack, blow.entity, self.reads)
            if not (effect.facts[self.reads].get("not_if_killed") and self.kills.holds(blow))
        ]
        effect = self._chosen(turn, blow, fitting)
        if effect is not None:
            return self._used(turn, blow, effect)
        if self.spare is not None and self.spare.when.holds(blow):
            note = message("trace.instead.spared", to=self.spare.to)
            turn.note(TraceRow(self.stage, self.spare.outcome.rule, blow.target, blow.amount, blow.amount, note))
            self.spare.outcome.happen(turn, blow.target)
            return self.spare.to
        return 0

    def _chosen(self, turn: Adjudication, blow: Blow, fitting: list[Effect]) -> Effect | None:
        if not fitting:
            return None
        needed = [effect for effect in fitting if not effect.facts[self.reads].get("optional")]
        if len(fitting) == 1 and needed:
            return fitting[0]
        names = tuple(dict.fromkeys(effect.name for effect in fitting))
        options = tuple(Option(name, message("option.instead", effect=name)) for name in names)
        if not needed:
            options += (Option(NONE, message("option.instead.none")),)
        decider, why = self._decider(turn, blow)
        (answer,) = turn.ask(
            Question(
                f"instead:{blow.target}{blow.values.get('via', '')}",
                decider,
                self.rule,
                message("question.instead", entity=blow.entity.name),
                options,
                why=why,
                suggested=(needed or fitting)[0].name,
            )
        )
        return next((effect for effect in fitting if effect.name == answer), None)

    def _decider(self, turn: Adjudication, blow: Blow) -> tuple[str, Any]:
        owner = whose_turn(turn) if self.chooses == "turn_owner" else ""
        return (owner, None) if owner else who_decides(turn, blow.entity)

    def _used(self, turn: Adjudication, blow: Blow, effect: Effect) -> int:
        to: int = effect.facts[self.reads]["to"]
        note = message("trace.instead.used", effect=effect.name, to=to)
        turn.note(TraceRow(self.stage, self.rule, blow.target, blow.amount, blow.amount, note))
        recharge = effect.facts[self.reads].get("recharge")
        if recharge:
            spent = replace(effect, facts={**effect.facts, "spent": recharge})
            turn.change(EffectChanged(blow.target, spent, self.rule))
        else:
            end_effect(turn, blow.target, effect, self.rule)
        return to

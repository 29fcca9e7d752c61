"""end: an effect, a condition or the source of a pool is ended."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import clear, end_effect, unmark
from gambeson.language.figures import own_conditions, shown_effects
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Ending(Struct, frozen=True):
    """What is ended on whom."""

    target: str
    effect: str


class End(Struct, frozen=True, forbid_unknown_fields=True, tag="end"):
    """Everything of that name on the target ends: `effects` and conditions, or `pools` of that source.

    `keeps_pools`: a pool whose source is ended stays to its own end.
    """

    rule: str
    ends: tuple[str, ...] = ("effects",)
    keeps_pools: bool = False
    text: str = "refusal.end.nothing"

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Ending, list[Refusal]]:
        """Find it."""
        entity = turn.state.entities[fields["target"]]
        there = self._there(turn, entity.id)
        wanted = fields["effect"]
        if wanted in there:
            return Ending(entity.id, wanted), []
        return Ending(entity.id, wanted), [
            Refusal(self.rule, message(self.text, effect=wanted, entity=entity.name, there=tuple(there)), "effect")
        ]

    def _there(self, turn: Adjudication, id: str) -> list[str]:
        entity = turn.state.entities[id]
        there: list[str] = []
        if "effects" in self.ends:
            there += [effect.name for effect in shown_effects(entity)]
            there += own_conditions(entity)
        if "pools" in self.ends:
            there += [pool.source for pool in entity.pools.values() if pool.source is not None and pool.current]
        return list(dict.fromkeys(there))

    def run(self, turn: Adjudication, prepared: Ending) -> None:
        """End all of that name."""
        target, wanted = prepared.target, prepared.effect
        entity = turn.state.entities[target]
        if "effects" in self.ends:
            for effect in entity.effects:
                if effect.name == wanted:
                    end_effect(turn, target, effect, self.rule)
            unmark(turn, target, wanted, self.rule)
        if "pools" in self.ends and not self.keeps_pools:
            for layer, pool in entity.pools.items():
                if pool.source == wanted and pool.effect is None:
                    clear(turn, target, layer, self.rule)
        turn.note(TraceRow("end", self.rule, target, 0, 0, message("trace.end", effect=wanted)))

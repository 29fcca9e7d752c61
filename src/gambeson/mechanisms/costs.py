"""Costs: points are paid straight out of a pool; a cost is no damage, so no stage runs and nothing answers it."""

from __future__ import annotations

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import lose
from gambeson.language.figures import pool_of
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Payment(Struct, frozen=True):
    """A cost that can be paid."""

    who: str
    points: int
    purpose: str


class Pay(Struct, frozen=True, forbid_unknown_fields=True, tag="pay"):
    """Costs come out of `layer` and no other; a layer that forbids `pay` says why itself.

    `leaves` is what must remain at least; `limit_rule` is cited where the cost is too high.
    """

    rule: str
    layer: str
    text: str
    limit_rule: str
    leaves: int = 0

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Payment, list[Refusal]]:
        """Whether it may come out of that layer, and whether there is enough."""
        payment = Payment(fields["who"], fields["points"], fields.get("for", ""))
        asked = fields.get("from", self.layer)
        entity = turn.state.entities[payment.who]
        if asked != self.layer:
            layer = turn.pack.layers.get(asked)
            against = layer.forbids.get("pay") if layer is not None else None
            rule, text = (against.rule, against.text) if against is not None else (self.rule, self.text)
            return payment, [Refusal(rule, message(text, layer=asked, entity=entity.name), "from")]
        left = pool_of(entity, self.layer).current
        if payment.points <= left - self.leaves:
            return payment, []
        reason = message("refusal.pay.limit", cost=payment.points, left=left, layer=self.layer, leaves=self.leaves)
        return payment, [Refusal(self.limit_rule, reason, "points")]

    def run(self, turn: Adjudication, prepared: Payment) -> None:
        """Take the points."""
        before = pool_of(turn.state.entities[prepared.who], self.layer).current
        after = before - prepared.points
        note = message("trace.pay", layer=self.layer, points=prepared.points, purpose=prepared.purpose)
        turn.note(TraceRow("pay", self.rule, prepared.who, before, after, note))
        lose(turn, prepared.who, self.layer, prepared.points, self.rule, "cost")

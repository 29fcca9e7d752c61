"""heal: lost points come back."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.grant import forbidden
from gambeson.language.adjudication import Adjudication
from gambeson.language.healing import Overheal, healed
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import Facts


class Healing(Struct, frozen=True):
    """What a heal does."""

    target: str
    layer: str
    points: int | None


class Heal(Struct, frozen=True, forbid_unknown_fields=True, tag="heal"):
    """Points of `layer` (else of the life layer) come back up to the maximum; `overheal` says what becomes of the excess."""

    rule: str
    overheal: Overheal | None = None

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Healing, list[Refusal]]:
        """Which pool, and how many points."""
        layer = fields.get("layer", turn.pack.life)
        entity = turn.state.entities[fields["target"]]
        refusals = forbidden(turn, "heal", layer, entity)
        if not refusals and layer not in entity.pools and turn.pack.layers[layer].absent == "none":
            refusals.append(Refusal(self.rule, message("refusal.heal.no_pool", entity=entity.name, layer=layer), "target"))
        points = fields.get("points")
        return Healing(fields["target"], layer, None if points == "all" else points), refusals

    def run(self, turn: Adjudication, prepared: Healing) -> None:
        """Restore, then see to the excess."""
        before = turn.state.entities[prepared.target].pools.get(prepared.layer)
        at = before.current if before else 0
        overhealed = healed(turn, prepared.target, prepared.layer, prepared.points, self.rule, self.overheal)
        after = turn.state.entities[prepared.target].pools.get(prepared.layer)
        now = after.current if after else 0
        turn.note(
            TraceRow("heal", self.rule, prepared.target, at, now, message("trace.heal", layer=prepared.layer, points=now - at))
        )
        if overhealed is not None:
            overhealed.settle(turn)

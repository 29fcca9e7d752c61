"""heal: lost points come back."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.grant import forbidden
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import take_up
from gambeson.language.healing import healed, in_front
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts


class Healing(Struct, frozen=True):
    """What a heal does."""

    target: str
    layer: str
    points: int | None
    source: str | None = None


class Heal(Struct, frozen=True, forbid_unknown_fields=True, tag="heal"):
    """Points of `layer` (else of the life layer) come back up to the maximum; what is too many the layer settles.

    Layers of `front` are healed in the life layer's place while they have a point left.
    """

    rule: str
    front: tuple[str, ...] = ()

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Healing, list[Refusal]]:
        """Which pool, and how many points."""
        layer = fields.get("layer") or in_front(turn, fields["target"], self.front)
        entity = turn.state.entities[fields["target"]]
        refusals = forbidden(turn, "heal", layer, entity)
        if not refusals and layer not in entity.pools and turn.pack.layers[layer].absent == "none":
            reason = message("refusal.heal.no_pool", entity=entity.name, layer=layer)
            refusals.append(Refusal(self.rule, reason, "target"))
        points = fields.get("points")
        return Healing(fields["target"], layer, None if points == "all" else points, fields.get("source")), refusals

    def run(self, turn: Adjudication, prepared: Healing) -> None:
        """Restore, then see to the excess."""
        offered = healed(turn, prepared.target, prepared.layer, prepared.points, self.rule, prepared.source)
        if offered is not None:
            take_up(turn, (offered,))

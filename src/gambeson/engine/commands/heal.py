"""heal: lost points come back."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.grant import forbidden
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import take_up
from gambeson.language.healing import healed
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts


class Healing(Struct, frozen=True):
    """What a heal does."""

    target: str
    layer: str
    points: int | None


class Heal(Struct, frozen=True, forbid_unknown_fields=True, tag="heal"):
    """Points of `layer` (else of the life layer) come back up to the maximum; the layer says what becomes of the excess."""

    rule: str

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
        offered = healed(turn, prepared.target, prepared.layer, prepared.points, self.rule)
        if offered is not None:
            take_up(turn, (offered,))

"""Mending: worn or natural armor is made whole again by hand, one pool at a time or all at once."""

from __future__ import annotations

from msgspec import Struct

from gambeson.engine.commands.grant import forbidden
from gambeson.language.adjudication import Adjudication
from gambeson.language.figures import pool_of
from gambeson.language.written_deeds import Origin, RestoreDeed
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts


class Mending(Struct, frozen=True):
    """What is mended on whom."""

    target: str
    layer: str


class Mend(Struct, frozen=True, forbid_unknown_fields=True, tag="mend"):
    """The pool of the layer that is named gets its lost points back, or with `all` those of all `layers`.

    A pool whose key `needs` is false cannot be mended.
    """

    rule: str
    layers: tuple[str, ...]
    all: bool = False
    needs: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Mending, list[Refusal]]:
        """Which pool, and whether it can be mended."""
        entity = turn.state.entities[fields["target"]]
        layer: str = fields.get("layer", "")
        refusals = forbidden(turn, "mend", layer, entity)
        pool = pool_of(entity, layer)
        if not refusals and not pool.maximum:
            refusals.append(
                Refusal(self.rule, message("refusal.mend.no_pool", entity=entity.name, layer=layer), "layer")
            )
        elif not refusals and self.needs and not pool.facts.get(self.needs, True):
            refusals.append(
                Refusal(self.rule, message("refusal.mend.not_this", entity=entity.name, layer=layer), "layer")
            )
        return Mending(entity.id, layer), refusals

    def run(self, turn: Adjudication, prepared: Mending) -> None:
        """Give the points back."""
        layers = self.layers if self.all else (prepared.layer,)
        origin = Origin(target=prepared.target, rule=self.rule, name="", code="")
        RestoreDeed(layers, all=True, needs=self.needs).run(turn, origin)

"""grant: an entity is given points of a layer."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import Grant, extras_of, grant
from gambeson.language.durations import until
from gambeson.language.fields import not_among
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts


class GrantPoints(Struct, frozen=True, forbid_unknown_fields=True, tag="grant"):
    """`rule` is cited for the points; the effect is tagged `tags`, or `permanent` where the field of that name is true.

    `unnamed` is the source where none is given; `carries` are fields that the pool keeps.
    """

    rule: str
    unnamed: str | None = None
    tags: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Grant, list[Refusal]]:
        """The grant."""
        layer = fields["layer"]
        refusals = forbidden(turn, "grant", layer, turn.state.entities[fields["target"]])
        return (
            Grant(
                target=fields["target"],
                layer=layer,
                points=fields["points"],
                rule=self.rule,
                source=fields.get("source", self.unnamed),
                extras=extras_of(fields.get("extras", ())),
                until=until(fields.get("until"), turn.state.clock),
                facts={key: fields[key] for key in self.carries if key in fields},
                tags=("permanent",) if fields.get("permanent") else self.tags,
            ),
            refusals,
        )

    def run(self, turn: Adjudication, prepared: Grant) -> None:
        """Give the points, asking whoever must choose."""
        grant(turn, prepared)


def forbidden(turn: Adjudication, verb: str, layer: str, entity: Any) -> list[Refusal]:
    """The refusal of a verb that this layer does not allow, if it does not."""
    definition = turn.pack.layers.get(layer)
    if definition is None:
        fault = message("refusal.field", field="layer", fault=not_among(layer, tuple(turn.pack.layers)))
        return [Refusal(turn.pack.values_rule, fault, "layer")]
    against = definition.forbids.get(verb)
    if against is None:
        return []
    return [Refusal(against.rule, message(against.text, layer=layer, entity=entity.name), "layer")]

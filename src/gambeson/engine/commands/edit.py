"""edit: the referee sets what is written on an entity; no rule is asked."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from gambeson.engine.entities import edited, entity_fields, plain_fields
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import end_effect, unmark
from gambeson.language.fields import check_fields, unknown_key
from gambeson.language.figures import own_conditions
from gambeson.language.pack import context_of
from gambeson.model.errors import FieldFault, dotted
from gambeson.model.events import EffectBegan, FactSet, PoolEnded, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import REFEREE, Effect, Facts, Pool, Protection


class Editing(Struct, frozen=True):
    """What an edit writes: pools (None: gone) and the other keys."""

    target: str
    pools: dict[str, Pool | None]
    keys: dict[str, Any]


class Edit(Struct, frozen=True, forbid_unknown_fields=True, tag="edit"):
    """A number sets a pool's current points, a mapping the keys it names; lists are replaced."""

    WRITES_ENTITIES: ClassVar[bool] = True

    rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Editing | None, list[Refusal]]:
        """Check the keys as where an entity is written down, caps aside."""
        pack, state = turn.pack, turn.state
        if by != REFEREE:
            return None, [Refusal(self.rule, message("refusal.edit.referee"), "by")]
        entity = state.entities[fields["target"]]
        context = context_of(state.entities)
        try:
            given = {key: value for key, value in fields.items() if key not in ("target", "pools")}
            keys = check_fields(plain_fields(entity_fields(pack)), given, context)
            written = fields.get("pools", {})
            if not isinstance(written, dict):
                raise FieldFault(("pools",), message("fault.field.record", allowed=tuple(pack.layers), got=str(written)[:60]))
            pools: dict[str, Pool | None] = {}
            for name, value in written.items():
                if name not in pack.layers:
                    raise FieldFault(("pools", name), unknown_key(name, pack.layers))
                pools[name] = edited(pack, entity, name, value, state.clock, context)
        except FieldFault as fault:
            reason = message("refusal.field", field=dotted(fault.path), fault=fault.message)
            return None, [Refusal(pack.values_rule, reason, dotted(fault.path))]
        return Editing(entity.id, pools, keys), []

    def run(self, turn: Adjudication, prepared: Editing) -> None:
        """Write it."""
        id = prepared.target
        touched = (*prepared.pools, *prepared.keys)
        name = turn.state.entities[id].name
        turn.note(TraceRow("edit", self.rule, id, 0, 0, message("trace.edit", entity=name, keys=touched)))
        for layer, pool in prepared.pools.items():
            old = turn.state.entities[id].pools.get(layer)
            if pool is None:
                if old is not None:
                    turn.change(PoolEnded(id, layer, self.rule))
            elif pool != old:
                turn.change(PoolSet(id, layer, pool, self.rule))
        for key, value in prepared.keys.items():
            match key:
                case "preventions":
                    self._preventions(turn, id, value)
                case "conditions":
                    self._conditions(turn, id, value)
                case _:
                    self._fact(turn, id, key, value)

    def _fact(self, turn: Adjudication, id: str, key: str, value: Any) -> None:
        entity = turn.state.entities[id]
        old = getattr(entity, key) if key in ("name", "kind") else entity.facts.get(key)
        if old != value:
            turn.change(FactSet(id, key, value, self.rule))

    def _conditions(self, turn: Adjudication, id: str, wanted: tuple[str, ...]) -> None:
        for condition in own_conditions(turn.state.entities[id]):
            if condition not in wanted:
                unmark(turn, id, condition, self.rule)
        there = own_conditions(turn.state.entities[id])
        own = turn.state.entities[id].conditions
        written = (*own, *(condition for condition in wanted if condition not in there))
        if written != own:
            turn.change(FactSet(id, "conditions", written, self.rule))

    def _preventions(self, turn: Adjudication, id: str, wanted: tuple[dict[str, Any], ...]) -> None:
        for effect in turn.state.entities[id].effects:
            if effect.protections:
                end_effect(turn, id, effect, self.rule)
        for prevention in wanted:
            protection = Protection(prevention["stops"], prevention["charges"])
            effect = Effect(
                turn.state.serial + 1,
                prevention["name"],
                began=turn.state.clock,
                tags=("magic",),
                protections=(protection,),
            )
            turn.change(EffectBegan(id, effect, self.rule))



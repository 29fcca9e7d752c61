"""edit: the referee sets what is written on an entity; no rule is asked."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.entities import PERMANENT, edited, effect_of_pool, entity_fields, plain_fields
from gambeson.language.adjudication import Adjudication
from gambeson.language.deeds import begin, effect_of, end_effect, hidden_entries, strip_entries, unmark
from gambeson.language.fields import ListField, RecordField, check_fields, unknown_key
from gambeson.language.figures import entries, own_conditions, present
from gambeson.language.lastings import written_effects
from gambeson.language.pack import context_of
from gambeson.model.errors import FieldFault, dotted
from gambeson.model.events import EffectBegan, FactSet, PoolEnded, PoolSet
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal, TraceRow
from gambeson.model.values import REFEREE, Effect, Facts, Pool, Protection


def _same(one: Effect, other: Effect) -> bool:
    """Whether two effects are of one name, source and end."""
    return (one.code, one.source, one.until) == (other.code, other.source, other.until)


class Editing(Struct, frozen=True):
    """What an edit writes: pools (None: gone) and the other keys."""

    target: str
    pools: dict[str, Pool | None]
    keys: dict[str, Any]


class Edit(Struct, frozen=True, forbid_unknown_fields=True, tag="edit"):
    """A number sets a pool's current points, a mapping the keys it names; lists are replaced.

    Where `keys` are given, only these can be edited beside pools. Effects can where the pack says how they are written
    on an entity (`start_effects`).
    """

    WRITES_ENTITIES: ClassVar[bool] = True

    rule: str = ""
    keys: tuple[str, ...] = ()

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Editing | None, list[Refusal]]:
        """Check the keys as where an entity is written down, caps aside."""
        pack, state = turn.pack, turn.state
        if by != REFEREE:
            return None, [Refusal(self.rule, message("refusal.edit.referee"), "by")]
        entity = state.entities[fields["target"]]
        context = context_of(state.entities)
        try:
            given = {key: value for key, value in fields.items() if key not in ("target", "pools")}
            editable = plain_fields(entity_fields(pack))
            if pack.start_effects is None:
                editable.pop("effects", None)
            if self.keys:
                editable = {key: field for key, field in editable.items() if key in self.keys}
            keys = check_fields(editable, given, context)
            written = fields.get("pools", {})
            if not isinstance(written, dict):
                wrong = message("fault.field.record", allowed=tuple(pack.layers), got=str(written)[:60])
                raise FieldFault(("pools",), wrong)
            pools: dict[str, Pool | None] = {}
            for name, value in written.items():
                if name not in pack.layers:
                    raise FieldFault(("pools", name), unknown_key(name, pack.layers))
                pools[name] = edited(pack, entity, name, value, state.clock, context)
            if "effects" in keys:
                written_effects(pack, keys["effects"])
        except FieldFault as fault:
            reason = message("refusal.field", field=dotted(fault.path), fault=fault.message)
            return None, [Refusal(fault.rule or pack.values_rule, reason, dotted(fault.path))]
        return Editing(entity.id, pools, keys), []

    def run(self, turn: Adjudication, prepared: Editing) -> None:
        """Write it."""
        id = prepared.target
        touched = (*prepared.pools, *prepared.keys)
        name = present(turn, id).name
        turn.note(TraceRow("edit", self.rule, id, 0, 0, message("trace.edit", entity=name, keys=touched)))
        for layer, pool in prepared.pools.items():
            old = present(turn, id).pools.get(layer)
            if pool is None:
                if old is not None:
                    turn.change(PoolEnded(id, layer, self.rule))
            elif pool != old:
                self._pool(turn, id, layer, pool, old)
        for key, value in sorted(prepared.keys.items(), key=lambda item: item[0] != "conditions"):
            if id not in turn.state.entities:
                return
            match key:
                case "preventions":
                    self._preventions(turn, id, value)
                case "conditions":
                    self._conditions(turn, id, value)
                case "effects":
                    self._effects(turn, id, value)
                case _:
                    self._fact(turn, id, key, value)

    def _pool(self, turn: Adjudication, id: str, layer: str, pool: Pool, old: Pool | None) -> None:
        """Set a pool; where its source or its end is another, so is the effect that gives it."""
        definition = turn.pack.layers[layer]
        origin = (pool.source, pool.until, pool.facts.get(PERMANENT))
        same = old is not None and origin == (old.source, old.until, old.facts.get(PERMANENT))
        if same or definition.grant == "pool":
            turn.change(PoolSet(id, layer, pool, self.rule))
            return
        loser = effect_of(present(turn, id), old.effect) if old is not None and old.effect is not None else None
        effect = effect_of_pool(definition, pool) if pool.current or definition.spent != "effect_ends" else None
        serial = begin(turn, id, effect, self.rule).serial if effect is not None else None
        turn.change(PoolSet(id, layer, replace(pool, effect=serial), self.rule))
        if loser is not None:
            end_effect(turn, id, loser, self.rule)

    def _fact(self, turn: Adjudication, id: str, key: str, value: Any) -> None:
        entity = present(turn, id)
        old = getattr(entity, key) if key in ("name", "kind") else entity.facts.get(key)
        figures = turn.pack.figures
        if isinstance(turn.pack.facts.get(key), RecordField) and old:
            value = {**old, **value}
        if figures is not None and key == figures.fact and old:
            value = {**old, **value}
        if isinstance(turn.pack.facts.get(key), ListField):
            strip_entries(turn, id, key, tuple(one for one in entries(entity, key) if one not in value), self.rule)
            brought = hidden_entries(present(turn, id), key)
            value = tuple(one for one in value if one not in brought)
        if old != value and (value or old is not None):
            turn.change(FactSet(id, key, value, self.rule))

    def _conditions(self, turn: Adjudication, id: str, wanted: tuple[str, ...]) -> None:
        for condition in own_conditions(present(turn, id)):
            if condition not in wanted:
                unmark(turn, id, condition, self.rule)
        there = own_conditions(present(turn, id))
        own = present(turn, id).conditions
        written = (*own, *(condition for condition in wanted if condition not in there))
        if written != own:
            turn.change(FactSet(id, "conditions", written, self.rule))

    def _effects(self, turn: Adjudication, id: str, listed: tuple[dict[str, Any], ...]) -> None:
        wanted = written_effects(turn.pack, listed)
        for effect in present(turn, id).effects:
            if effect.code in turn.pack.lasting and not any(_same(effect, other) for other in wanted):
                end_effect(turn, id, effect, self.rule)
        for effect in wanted:
            if not any(_same(effect, other) for other in present(turn, id).effects):
                begin(turn, id, effect, self.rule)

    def _preventions(self, turn: Adjudication, id: str, wanted: tuple[dict[str, Any], ...]) -> None:
        for effect in present(turn, id).effects:
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

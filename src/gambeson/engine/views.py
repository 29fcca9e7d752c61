"""What a seat may learn: the one place that decides it, for states, facts, traces, questions, answers and refusals.

What may be hidden is a closed list: an entity, the numbers of a pool, the dice of a roller. Two things follow from it.
Facts (log, rulings, open questions) are shown with what is hidden left out. Everything that looks ahead (previews,
odds, legal commands, the consequences of options, why a command would be refused) is worked out on `Sight.state`, the
table as far as the seat knows it, so that it cannot depend on anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.step import step
from gambeson.language.fields import Context
from gambeson.language.layers import check_pool, written_pool
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.events import (
    Called,
    ClockMoved,
    EffectBegan,
    EffectChanged,
    EffectEnded,
    EntityAdded,
    EntityRemoved,
    Event,
    FactSet,
    MomentReached,
    PoolEnded,
    PoolRaised,
    PoolReduced,
    PoolSet,
)
from gambeson.model.messages import Message, Parameter, message
from gambeson.model.outcomes import Done, Paused, Refusal, Rejected, TraceRow
from gambeson.model.questions import Option, Question
from gambeson.model.values import REFEREE, Effect, Entity, Extra, Pool, State, Until

_OfOne: TypeAlias = (
    PoolReduced
    | PoolRaised
    | PoolSet
    | PoolEnded
    | EffectBegan
    | EffectChanged
    | EffectEnded
    | FactSet
    | EntityRemoved
    | Called
)
"""Facts of one entity that is on the table."""

PLAYER, SCREEN = "player", "screen"

UNKNOWN = 1
"""The points of what stands in for a pool whose numbers a seat may not see."""

SPOKEN = ("hit",)
"""Commands that are declared aloud at the table: their fields say nothing of the target's own numbers."""


class Secrets(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the referee hides from everybody whose it is not.

    `entities` are not seen at all; `numbers` names entities and the layers whose points are hidden (none named: all);
    `rolls` names those whose dice are hidden: entity ids or `referee`.
    """

    entities: tuple[str, ...] = ()
    numbers: dict[str, tuple[str, ...]] = {}
    rolls: tuple[str, ...] = ()


class Viewer(Struct, frozen=True):
    """Who looks: the referee, a player with these entities, or the screen on the wall."""

    role: str
    entities: tuple[str, ...] = ()


EVERYTHING = Viewer(REFEREE)


class Sight:
    """What one viewer sees of a table under its secrets; `whole` where nothing is hidden from it.

    `entities` are those on the table, hidden ones included: their names are left out of what is said.
    """

    __slots__ = ("_entities", "_layers", "_names", "_rolls", "pack", "viewer", "whole")

    def __init__(self, pack: Pack, secrets: Secrets, viewer: Viewer, entities: Mapping[str, Entity]) -> None:
        own = () if viewer.role != PLAYER else viewer.entities
        self.pack = pack
        self.viewer = viewer
        everything = viewer.role == REFEREE
        self._entities = () if everything else tuple(id for id in secrets.entities if id not in own)
        self._layers: dict[str, tuple[str, ...]] = {}
        if not everything:
            for id, layers in secrets.numbers.items():
                if id not in own and id not in self._entities:
                    self._layers[id] = tuple(layer for layer in pack.layers if not layers or layer in layers)
        self._rolls = () if everything else tuple(id for id in secrets.rolls if id not in own)
        self._names = self._entities
        if self._entities:
            seen = {entity.name: True for id, entity in entities.items() if id not in self._entities}
            names = (entities[id].name for id in self._entities if id in entities)
            self._names += tuple(name for name in names if name not in seen)
        self.whole = not (self._entities or self._layers or self._rolls)

    # --- what there is ----------------------------------------------------------------------------------------

    def sees(self, id: str) -> bool:
        """Whether this entity is there, for this viewer."""
        return id not in self._entities

    def hidden_layers(self, id: str) -> tuple[str, ...]:
        """The layers of an entity whose numbers this viewer may not see."""
        return self._layers.get(id, ())

    def clear(self, id: str) -> bool:
        """Whether everything of this entity may be seen."""
        return id not in self._entities and id not in self._layers

    def state(self, state: State) -> State:
        """The table as far as this viewer knows it; the same object where it knows everything."""
        if self.whole:
            return state
        entities = {id: self.entity(entity) for id, entity in state.entities.items() if self.sees(id)}
        serials = (effect.serial for entity in entities.values() for effect in entity.effects)
        used = tuple(id for id in state.used if self.sees(id))
        return State(entities, state.clock, max(serials, default=0), used, self._without(state.facts))

    def entity(self, entity: Entity) -> Entity:
        """An entity that is seen, without what is hidden of it."""
        layers = self.hidden_layers(entity.id)
        pools = {layer: self._pool(pool) for layer, pool in entity.pools.items() if layer not in layers}
        pools.update({layer: self._unknown(layer) for layer in layers})
        effects = tuple(self._effect(entity.id, effect) for effect in entity.effects)
        return replace(
            entity,
            pools={layer: pools[layer] for layer in self.pack.layers if layer in pools},
            effects=effects,
            facts=self._without(entity.facts),
        )

    def _unknown(self, layer: str) -> Pool:
        """What stands in for a hidden pool of this layer, whatever is there."""
        definition = self.pack.layers[layer]
        return written_pool(check_pool(definition, UNKNOWN, Context(), ()), definition, None)

    def _pool(self, pool: Pool) -> Pool:
        return replace(
            pool,
            source=self._named(pool.source),
            extras=tuple(map(self._extra, pool.extras)),
            until=self._end(pool.until),
            facts=self._without(pool.facts),
        )

    def _extra(self, extra: Extra) -> Extra:
        """An extra without whatever of it is about somebody hidden."""
        facts = {key: value for key, value in extra.facts.items() if not mentions(value, self._names)}
        return extra if len(facts) == len(extra.facts) else replace(extra, facts=facts)

    def _effect(self, id: str, effect: Effect) -> Effect:
        return replace(
            effect,
            source=self._named(effect.source),
            until=tuple(end for end in map(self._end, effect.until) if end is not None),
            ledger={} if self.hidden_layers(id) else effect.ledger,
            facts=self._without(effect.facts),
        )

    def _named(self, name: str | None) -> str | None:
        return None if name in self._names else name

    def _end(self, end: Until | None) -> Until | None:
        return None if end is not None and end.whose in self._entities else end

    def _without(self, facts: Any) -> Any:
        """Plain data without what names a hidden entity."""
        if isinstance(facts, dict):
            return {key: self._without(value) for key, value in facts.items() if not self._hidden_name(key, value)}
        if isinstance(facts, tuple | list):
            return tuple(self._without(value) for value in facts if not self._hidden_name("", value))
        return facts

    def _hidden_name(self, key: Any, value: Any) -> bool:
        return key in self._entities or (isinstance(value, str) and value in self._names)

    # --- what happened ----------------------------------------------------------------------------------------

    def events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The facts that this viewer learns."""
        if self.whole:
            return tuple(events)
        seen = (self._event(event) for event in events)
        return tuple(event for event in seen if event is not None)

    def _event(self, event: Event) -> Event | None:
        match event:
            case ClockMoved():
                return event
            case EntityAdded(added, rule):
                return EntityAdded(self.entity(added), rule) if self.sees(added.id) else None
            case MomentReached(moment, whose, rule):
                if not whose:
                    return event
                seen = ",".join(id for id in whose.split(",") if self.sees(id))
                return MomentReached(moment, seen, rule) if seen else None
            case _:
                return self._event_of(event) if self.sees(event.entity) else None

    def _event_of(self, event: _OfOne) -> Event | None:
        """A fact of an entity that is seen."""
        match event:
            case PoolReduced() | PoolRaised() | PoolEnded():
                return None if event.layer in self.hidden_layers(event.entity) else event
            case PoolSet(entity, layer, pool, rule):
                return None if layer in self.hidden_layers(entity) else PoolSet(entity, layer, self._pool(pool), rule)
            case EffectBegan(entity, effect, rule):
                return EffectBegan(entity, self._effect(entity, effect), rule)
            case EffectChanged(entity, effect, rule):
                return EffectChanged(entity, self._effect(entity, effect), rule)
            case FactSet(entity, key, value, rule):
                return None if self._hidden_name(key, value) else FactSet(entity, key, self._without(value), rule)
            case EffectEnded() | EntityRemoved() | Called():
                return event

    def trace(self, rows: Iterable[TraceRow], answers: Iterable[Answer] = ()) -> tuple[TraceRow, ...]:
        """The steps of a ruling that this viewer may follow: those of what is clear, none where hidden dice fell."""
        if self.whole:
            return tuple(rows)
        if any(self._hidden_roll(answer) for answer in answers):
            return ()
        return tuple(
            replace(row, note=self.said(row.note) if row.note is not None else None)
            for row in rows
            if self.clear(row.entity)
        )

    def said(self, text: Message) -> Message:
        """A sentence without the names of what is hidden."""
        if self.whole:
            return text
        return Message(text.id, {name: self._param(value) for name, value in text.params.items()})

    def _param(self, value: Parameter) -> Parameter:
        if isinstance(value, str):
            return message("who.someone") if value in self._names else value
        if isinstance(value, tuple):
            return tuple(self._param(item) for item in value)
        return self.said(value) if isinstance(value, Message) else value

    def command(self, command: Command) -> Command | None:
        """A command as this viewer hears of it, without fields that would tell hidden numbers; None: not at all."""
        if self.whole or command.by in self.viewer.entities:
            return command
        if not self.sees(command.by) or any(self._names_hidden(value) for value in command.fields.values()):
            return None
        touched = tuple(id for id in self._layers if mentions(command.fields, (id,)))
        if not touched or command.name in SPOKEN:
            return command
        fields = {key: value for key, value in command.fields.items() if mentions(value, touched) and _ids_only(value)}
        return Command(command.name, fields, command.by)

    def _names_hidden(self, value: Any) -> bool:
        return mentions(value, self._entities)

    def answers(self, answers: Iterable[Answer]) -> tuple[Answer, ...]:
        """The answers that this viewer hears of; hidden dice show no faces."""
        if self.whole:
            return tuple(answers)
        heard = (answer for answer in answers if answer.by in self.viewer.entities or self._open_key(answer.key))
        return tuple(Answer(a.key, (), a.by) if self._hidden_roll(a) else a for a in heard)

    def _hidden_roll(self, answer: Answer) -> bool:
        if not isinstance(answer.value, tuple) or answer.by in self.viewer.entities:
            return False
        return answer.by in self._rolls or any(part in self._rolls for part in answer.key.split(":"))

    def _open_key(self, key: str) -> bool:
        return all(self.clear(part) for part in key.split(":"))

    # --- what is asked ----------------------------------------------------------------------------------------

    def questions(self, questions: Iterable[Question], command: Command) -> tuple[Question, ...]:
        """The open questions that this viewer knows of: its own, and those that tell of nothing hidden."""
        if self.whole:
            return tuple(questions)
        if self.command(command) is None:
            return tuple(self._asked(question) for question in questions if self._own(question))
        return tuple(
            self._asked(question) for question in questions if self._own(question) or self._open_question(question)
        )

    def _own(self, question: Question) -> bool:
        return question.decider in self.viewer.entities

    def _open_question(self, question: Question) -> bool:
        rollers = (question.decider, *(group.roller for group in question.dice)) if question.dice else ()
        if any(roller in self._rolls for roller in rollers):
            return False
        return self.clear(question.decider) and self._open_key(question.key)

    def _asked(self, question: Question) -> Question:
        options = tuple(
            Option(option.id, self.said(option.label)) for option in question.options if self.sees(option.id)
        )
        why = self.said(question.why) if question.why is not None else None
        return replace(question, text=self.said(question.text), options=options, why=why)

    # --- what would happen ------------------------------------------------------------------------------------

    def knows_enough(self, command: Command, outcome: Done | Paused | Rejected) -> bool:
        """Whether an outcome that was worked out on `state` rests on nothing that stands in for hidden numbers."""
        if not self._layers or isinstance(outcome, Rejected):
            return not self._layers or not mentions(command.fields, tuple(self._layers))
        if mentions(command.fields, tuple(self._layers)):
            return False
        if isinstance(outcome, Done) and any(_entity_of(event) in self._layers for event in outcome.events):
            return False
        if isinstance(outcome, Paused) and not all(self._open_key(question.key) for question in outcome.questions):
            return False
        return all(row.entity not in self._layers for row in outcome.trace)

    def refusal(self, state: State, command: Command, answers: tuple[Answer, ...], refusal: Refusal) -> Refusal:
        """Why a command is refused, as far as this viewer may know: for the reason that its own knowledge gives."""
        if self.whole:
            return refusal
        known = step(self.pack, self.state(state), command, answers)
        if not isinstance(known, Rejected):
            return NOT_NOW
        if known.refusal == refusal or not mentions(command.fields, tuple(self._layers)):
            return known.refusal
        return NOT_NOW

    def stranger(self, state: State, command: Command) -> Refusal | None:
        """Why a command that names something hidden is refused: as if that were not there. None: it names nothing."""
        if self.whole or not any(self._names_hidden(value) for value in command.fields.values()):
            return None
        known = step(self.pack, self.state(state), command)
        return known.refusal if isinstance(known, Rejected) else NOT_NOW


NOT_NOW = Refusal("", message("refusal.hidden"))
"""The refusal whose reason is not for this seat."""


def mentions(value: Any, ids: tuple[str, ...]) -> bool:
    """Whether plain data names one of these ids, as a value or a key."""
    if isinstance(value, str):
        return value in ids
    if isinstance(value, dict):
        return any(key in ids or mentions(entry, ids) for key, entry in value.items())
    return isinstance(value, tuple | list) and any(mentions(entry, ids) for entry in value)


def _ids_only(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(entry, str) for entry in value))


def _entity_of(event: Event) -> str:
    match event:
        case EntityAdded(entity, _):
            return entity.id
        case ClockMoved() | MomentReached():
            return ""
        case _:
            return event.entity

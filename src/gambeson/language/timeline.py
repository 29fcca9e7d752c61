"""Time: the clock goes from due moment to due moment, and named moments end what lasts until them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.deeds import add_condition, clear, effect_of, end_effect
from gambeson.language.durations import SECONDS
from gambeson.language.figures import present
from gambeson.language.reserve import come_up
from gambeson.language.scope import Scope
from gambeson.language.turns import clocked, is_timed
from gambeson.model.events import ClockMoved, EffectChanged, MomentReached, PoolRaised
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.values import Effect, Entity, Pool, Until

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.pack import Moment

DEFAULT, ANY = "default", "any"
MOST_DUE = 100_000
"""Moments that one command may bring at the most."""


class Due(Struct, frozen=True, order=True):
    """Something that is over at a second: ordered by time, by the order within one second, and by age."""

    at: int
    order: int
    serial: int
    entity: str
    layer: str = ""


def pass_time(turn: Adjudication, to: int, rule: str) -> None:
    """Move the clock to `to` (seconds); everything that is due on the way happens at its own second, in order."""
    reached = dict.fromkeys(turn.pack.moments, turn.state.clock)
    for _ in range(MOST_DUE):
        dues = _next_dues(turn, to)
        moment, at = _next_moment(turn, to, reached)
        if not dues and moment == "":
            break
        if dues and (moment == "" or dues[0].at <= at):
            _move(turn, dues[0].at, rule)
            for due in dues:
                if _stands(turn, due):
                    _over(turn, due, rule)
        else:
            if not _brings(turn, moment):
                at = _last_time(turn.pack.moments[moment], dues[0].at - 1 if dues else to)
            reached[moment] = at
            _move(turn, at, rule)
            reach(turn, moment)
        come_up(turn)
    else:
        turn.refuse(turn.pack.too_large("clock"))
    _move(turn, to, rule)


def _move(turn: Adjudication, to: int, rule: str) -> None:
    if turn.state.clock != to:
        turn.change(ClockMoved(to, rule))


def _next_dues(turn: Adjudication, to: int) -> list[Due]:
    """Everything that is over at the nearest second, in order."""
    found: list[Due] = []
    for entity in turn.state.entities.values():
        for effect in entity.effects:
            for end in effect.until:
                if end.due <= to and clocked(turn, end):
                    found.append(Due(end.due, _order(turn, effect), effect.serial, entity.id))
                    to = end.due
        for layer, pool in entity.pools.items():
            last = pool.until if pool.effect is None else None
            if last is not None and last.due <= to and clocked(turn, last):
                found.append(Due(last.due, 1, 0, entity.id, layer))
                to = last.due
    return sorted(due for due in found if due.at == to)


def _stands(turn: Adjudication, due: Due) -> bool:
    """Whether something is still to end then, after what ended before it in the same second."""
    entity = turn.state.entities.get(due.entity)
    if entity is None or due.layer:
        return entity is not None and due.layer in entity.pools
    effect = effect_of(entity, due.serial)
    return effect is not None and any(end.due == due.at and clocked(turn, end) for end in effect.until)


def _order(turn: Adjudication, effect: Effect) -> int:
    template = turn.pack.lasting.get(effect.code)
    return template.order if template is not None else 1


def _over(turn: Adjudication, due: Due, rule: str) -> None:
    entity = present(turn, due.entity)
    if due.layer:
        turn.note(TraceRow("time", rule, entity.id, 0, 0, message("trace.pool_over", layer=due.layer)))
        clear(turn, entity.id, due.layer, rule)
        return
    effect = next(effect for effect in entity.effects if effect.serial == due.serial)
    template = turn.pack.lasting.get(effect.code)
    cited = template.then_rule or template.rule if template is not None else rule
    if template is not None and template.unless is not None and template.unless.holds(Scope(turn.pack, entity)):
        turn.change(EffectChanged(entity.id, replace(effect, until=()), cited))
        return
    turn.note(TraceRow("time", cited, entity.id, 0, 0, message("trace.effect_over", effect=effect.name)))
    end_effect(turn, entity.id, effect, cited)
    if template is not None:
        for condition in template.then:
            add_condition(turn, entity.id, condition, cited)


def _next_moment(turn: Adjudication, to: int, reached: dict[str, int]) -> tuple[str, int]:
    """The next moment that the clock brings by itself, and when; ("", 0) if none comes by then.

    `reached` says until when each has been seen to: what is due at its second comes before it.
    """
    moments = turn.pack.moments.items()
    timed = [(next_time(moment, reached[name]), name) for name, moment in moments if moment.every is not None]
    at, name = min(timed, default=(to + 1, ""), key=lambda one: one[0])
    return (name, at) if at <= to else ("", 0)


def _brings(turn: Adjudication, name: str) -> bool:
    """Whether anything would come of this moment: something that lasts until it, or a layer that it fills."""
    moment = turn.pack.moments[name]
    for entity in turn.state.entities.values():
        if any(_ends_at(moment, end) for effect in entity.effects for end in effect.until):
            return True
        for layer, pool in entity.pools.items():
            if layer in moment.fills and pool.current < pool.maximum:
                return True
            if pool.effect is None and _pool_ends_at(turn, moment, layer, pool):
                return True
    return False


def next_time(moment: Moment, clock: int) -> int:
    """The next second after `clock` at which the clock brings this moment."""
    return (clock // _period(moment) + 1) * _period(moment)


def _last_time(moment: Moment, to: int) -> int:
    """The last second up to `to` at which the clock brings this moment."""
    return to // _period(moment) * _period(moment)


def _period(moment: Moment) -> int:
    unit, count = next(iter(moment.every.items()))
    return SECONDS[unit] * int(count)


def reach(turn: Adjudication, name: str, who: tuple[str, ...] | None = None) -> None:
    """A moment comes, for all or for some entities: what lasts until it ends, oldest first; layers fill.

    What was spent until then works again.
    """
    moment = turn.pack.moments[name]
    turn.change(MomentReached(name, "" if who is None else ",".join(who), moment.rule))
    ids = tuple(turn.state.entities) if who is None else who
    ending = [
        (effect.serial, id, effect)
        for id in ids
        for effect in present(turn, id).effects
        if any(_ends_at(moment, end) for end in effect.until)
    ]
    for _, id, effect in sorted(ending, key=lambda entry: entry[0]):
        turn.note(TraceRow(name, moment.rule, id, 0, 0, message("trace.effect_over", effect=effect.name)))
        end_effect(turn, id, effect, moment.rule)
    for id in ids:
        if id not in turn.state.entities:
            continue
        end_pools(turn, present(turn, id), name, moment)
        clear_layers(turn, id, moment)
        end_lowering(turn, id, moment)
        if id not in turn.state.entities:
            continue
        for layer in moment.fills:
            pool = present(turn, id).pools.get(layer)
            if pool is not None and pool.current < pool.maximum:
                turn.change(PoolRaised(id, layer, pool.maximum - pool.current, moment.fills_rule or moment.rule))
    recharge(turn, moment, ids)


def clear_layers(turn: Adjudication, id: str, moment: Moment) -> None:
    """Points of the layers that a moment clears are gone: all of them, or those that no time and no turn ends."""
    for layer, which in moment.clears.items():
        entity = turn.state.entities.get(id)
        pool = entity.pools.get(layer) if entity is not None else None
        if entity is None or pool is None:
            continue
        effect = effect_of(entity, pool.effect) if pool.effect is not None else None
        ends = (*(effect.until if effect is not None else ()), *((pool.until,) if pool.until is not None else ()))
        if which == "all" or not any(is_timed(end) for end in ends):
            note = message("trace.pool_over", layer=layer)
            turn.note(TraceRow("time", moment.clears_rule or moment.rule, id, pool.current, 0, note))
            clear(turn, id, layer, moment.clears_rule or moment.rule)


def end_lowering(turn: Adjudication, id: str, moment: Moment) -> None:
    """Effects that lower the figure which a moment names are over."""
    entity = turn.state.entities.get(id)
    for effect in entity.effects if entity is not None and moment.lowering else ():
        if any(c.figure == moment.lowering and (c.add < 0 or c.times < 0) for c in effect.changes):
            note = message("trace.effect_over", effect=effect.name)
            turn.note(TraceRow("time", moment.rule, id, 0, 0, note))
            end_effect(turn, id, effect, moment.rule)


def recharge(turn: Adjudication, moment: Moment, who: tuple[str, ...]) -> None:
    """What was spent until this moment can be used again."""
    for id in who if moment.recharges else ():
        for effect in present(turn, id).effects:
            if effect.facts.get("spent") == moment.recharges:
                facts = {key: value for key, value in effect.facts.items() if key != "spent"}
                turn.change(EffectChanged(id, replace(effect, facts=facts), moment.rule))


def end_pools(turn: Adjudication, entity: Entity, name: str, moment: Moment) -> None:
    """The entity's pools that last until this moment are gone."""
    for layer, pool in entity.pools.items():
        if pool.effect is None and _pool_ends_at(turn, moment, layer, pool):
            note = message("trace.pool_over", layer=layer)
            turn.note(TraceRow(name, moment.rule, entity.id, pool.current, 0, note))
            clear(turn, entity.id, layer, moment.rule)


def _pool_ends_at(turn: Adjudication, moment: Moment, layer: str, pool: Pool) -> bool:
    if turn.pack.layers[layer].spent != "gone":
        return False
    return DEFAULT in moment.ends if pool.until is None else _ends_at(moment, pool.until)


def _ends_at(moment: Moment, end: Until) -> bool:
    return ANY in moment.ends or (end.kind == "moment" and end.moment in moment.ends)

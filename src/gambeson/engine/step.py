"""One command against one state: a pure function. The same pack, state, command and answers give the same outcome."""

from __future__ import annotations

from typing import Any

from gambeson.engine.adjudication import Pause, Refuse, Turn
from gambeson.language.expressions import NotComputable, TooLarge
from gambeson.language.fields import Context, check_fields, faults_of, not_among, unknown_entity
from gambeson.language.layers import EMPTY_POOL
from gambeson.language.pack import CommandSpec, Pack
from gambeson.language.reserve import come_up
from gambeson.language.scope import Scope
from gambeson.model.commands import Answer, Command, Read
from gambeson.model.errors import Endless, FieldFault, dotted
from gambeson.model.messages import message
from gambeson.model.outcomes import Done, Outcome, Paused, Refusal, Rejected
from gambeson.model.values import REFEREE, Facts, State


def step(pack: Pack, state: State, command: Command, answers: tuple[Answer | Read, ...] = ()) -> Outcome:
    """Work a command out: Done with the new state, Paused with what must be answered, or Rejected with the same state.

    An answer counts only where its question is asked again with that option; others are left aside.
    """
    admitted = _admitted(pack, state, command)
    if isinstance(admitted, Rejected):
        return admitted
    spec, fields = admitted
    turn = Turn(pack, state, answers)
    try:
        refusals = _barred(turn, spec, fields) if spec.bars else []
        prepared, against = spec.does.prepare(turn, fields, command.by)
        refusals += against
        if refusals:
            return Rejected(state, pack.first(refusals))
        spec.does.run(turn, prepared)
        if pack.reserves:
            come_up(turn)
    except Pause as pause:
        return Paused(pause.questions, turn.trace(), pause.rolled)
    except Refuse as refuse:
        return Rejected(state, refuse.refusal)
    except (TooLarge, NotComputable):
        return Rejected(state, pack.too_large(command.name))
    except (Endless, RecursionError):
        return Rejected(state, Refusal("", message("refusal.endless", game=pack.game), command.name))
    target = fields.get("target")
    return Done(turn.state.frozen(), tuple(turn._events), turn.trace(), target if isinstance(target, str) else "")


def refusal_of(pack: Pack, state: State, command: Command) -> Refusal | None:
    """Why a command is refused by its fields and checks alone, None where it may go ahead; nothing is carried out."""
    admitted = _admitted(pack, state, command)
    if isinstance(admitted, Rejected):
        return admitted.refusal
    spec, fields = admitted
    turn = Turn(pack, state, ())
    try:
        refusals = _barred(turn, spec, fields) if spec.bars else []
        refusals += spec.does.prepare(turn, fields, command.by)[1]
    except Refuse as refuse:
        return refuse.refusal
    except (TooLarge, NotComputable):
        return pack.too_large(command.name)
    return pack.first(refusals) if refusals else None


def _admitted(pack: Pack, state: State, command: Command) -> tuple[CommandSpec, Facts] | Rejected:
    """The command of the pack and its fields, checked; or why it is none."""
    spec = pack.commands.get(command.name)
    if spec is None:
        return Rejected(state, Refusal("", not_among(command.name, tuple(pack.commands)), command.name))
    if command.by != REFEREE and command.by not in state.entities:
        return Rejected(state, Refusal(pack.ids_rule, unknown_entity(command.by, (REFEREE, *state.entities)), "by"))
    if spec.referee and command.by != REFEREE:
        return Rejected(state, Refusal(pack.values_rule, message("refusal.referee_only", command=command.name), "by"))
    context = Context(state.entities)
    try:
        if spec.writes_entities:
            fields = _with_keys(spec, command.fields, context)
        else:
            fields = check_fields(spec.fields, command.fields, context, (), spec.needed)
    except FieldFault as fault:
        left = _left(pack, state, command.fields, fault)
        if left is not None:
            return Rejected(state, left)
        own = {key: value for key, value in command.fields.items() if key in spec.fields or not spec.writes_entities}
        faults = faults_of(spec.fields, own, context) or (fault,)
        return Rejected(state, pack.first([_field_refusal(pack, spec, fault) for fault in faults]))
    return spec, fields


def _with_keys(spec: CommandSpec, given: Facts, context: Context) -> Facts:
    """The fields of a command that writes entities, checked; the keys of an entity it checks itself."""
    own = {key: value for key, value in given.items() if key in spec.fields}
    rest = {key: value for key, value in given.items() if key not in spec.fields}
    return {**check_fields(spec.fields, own, context), **rest}


def _left(pack: Pack, state: State, given: Facts, fault: FieldFault) -> Refusal | None:
    """The refusal of an id that has left the table, where the pack has a rule for it."""
    if not pack.gone_rule:
        return None
    value: Any = given
    for at in fault.path:
        if isinstance(value, dict):
            value = value.get(at, at) if not isinstance(value.get(at), int) else at
        elif isinstance(value, tuple) and isinstance(at, int) and at < len(value):
            value = value[at]
    if not isinstance(value, str) or value not in state.used:
        return None
    return Refusal(pack.gone_rule, message("refusal.gone", entity=value), dotted(fault.path))


def _field_refusal(pack: Pack, spec: CommandSpec, fault: FieldFault) -> Refusal:
    field = spec.fields.get(str(fault.path[0])) if fault.path else None
    rule = fault.rule or (field.rule if field is not None else "") or pack.values_rule
    return Refusal(rule, message("refusal.field", field=dotted(fault.path), fault=fault.message), dotted(fault.path))


def _barred(turn: Turn, spec: CommandSpec, fields: Facts) -> list[Refusal]:
    refusals = []
    entities = turn.state.entities
    for bar in spec.bars:
        if bar.unless_field in fields:
            continue
        touched = fields.get(bar.field)
        for id in (touched,) if isinstance(touched, str) else touched if isinstance(touched, tuple) else ():
            entity = entities.get(id)
            if entity is not None and bar.when.holds(Scope(turn.pack, entity, EMPTY_POOL, fields)):
                refusals.append(Refusal(bar.rule, message(bar.text, entity=entity.name, id=id), bar.field))
    return refusals

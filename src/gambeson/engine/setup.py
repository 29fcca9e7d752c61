"""The first state of a table: its entities as they are written down, with all that follows from what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gambeson.engine.adjudication import Turn
from gambeson.engine.entities import build_entity, check_id, check_newcomer
from gambeson.language.expressions import NotComputable, TooLarge
from gambeson.language.pack import Pack, context_of
from gambeson.model.errors import Endless, Fault, FieldFault, Unusable
from gambeson.model.events import EntityAdded
from gambeson.model.messages import message
from gambeson.model.values import State, frozen

MOST_ENTITIES = 5_000
MANY_FAULTS = 100


def first_state(pack: Pack, entities: Mapping[str, Any], clock: int = 0) -> State:
    """The state with these entities, who may name each other. Raises Unusable with paths below `entities`."""
    if len(entities) > MOST_ENTITIES:
        raise Unusable((Fault(("entities",), message("fault.entity.many", most=MOST_ENTITIES)),))
    turn = Turn(pack, State(clock=clock), ())
    known = context_of(dict.fromkeys(map(str, entities)))
    faults: list[Fault] = []
    for id, keys in entities.items():
        try:
            check_id(id, ())
            entity = build_entity(pack, id, frozen(keys), clock, turn.state.serial, known)
            check_newcomer(turn, entity)
            turn.change(EntityAdded(entity, ""))
        except FieldFault as fault:
            faults.append(Fault(("entities", id, *fault.path), fault.message))
            if len(faults) >= MANY_FAULTS:
                break
        except (TooLarge, NotComputable):
            faults.append(Fault(("entities", id), pack.too_large(str(id)).reason))
        except (Endless, RecursionError):
            faults.append(Fault(("entities", id), message("refusal.endless", game=pack.game)))
            break
    if faults:
        raise Unusable(tuple(faults))
    return turn.state.frozen()

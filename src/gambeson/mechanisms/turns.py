"""Turns of players: whose Turn it is, which phase, who has which role, and what was done once already in this Turn."""

from __future__ import annotations

from typing import Any, Protocol

from gambeson.language.adjudication import Adjudication
from gambeson.model.events import FactSet
from gambeson.model.values import Entity, Facts

TURN = "turn"
"""The fact of the table that holds the Turn: `player`, `phase`, `number`, `players` in order, `done` once already."""
LEFT = "left"
"""The fact of the table that remembers the player of each entity that left."""
PLAYER = "player"
ACTIVE, REACTIVE = "active", "reactive"


class Standing(Protocol):
    """A state, or a working copy of one."""

    @property
    def entities(self) -> dict[str, Entity]:
        """The entities by their ids."""
        ...

    @property
    def facts(self) -> Facts:
        """The facts of the table."""
        ...


def player_of(state: Standing, id: str) -> str:
    """The player of an entity, also of one that left; "" if nobody's."""
    entity = state.entities.get(id)
    if entity is not None:
        return str(entity.facts.get(PLAYER, ""))
    return str(state.facts.get(LEFT, {}).get(id, ""))


def same_side(state: Standing, one: str, other: str) -> bool:
    """Whether two entities are of one player."""
    return player_of(state, one) == player_of(state, other)


def active_player(state: Standing) -> str:
    """Whose Turn it is; "" before the first."""
    return str(state.facts.get(TURN, {}).get("player", ""))


def phase_of(state: Standing) -> str:
    """The phase of the Turn; "" before the first."""
    return str(state.facts.get(TURN, {}).get("phase", ""))


def role_of(state: Standing, id: str) -> str:
    """`active` or `reactive`; "" before the first Turn."""
    player = active_player(state)
    if not player:
        return ""
    return ACTIVE if player_of(state, id) == player else REACTIVE


def players_of(state: Standing) -> tuple[str, ...]:
    """The players in the order of their Turns: as they first appear among the entities."""
    known: list[str] = list(state.facts.get(TURN, {}).get("players", ()))
    for entity in state.entities.values():
        player = entity.facts.get(PLAYER)
        if player is not None and player not in known:
            known.append(player)
    return tuple(known)


def was_done(state: Standing, key: str) -> bool:
    """Whether this was done already in this Turn."""
    return key in state.facts.get(TURN, {}).get("done", ())


def mark_done(turn: Adjudication, key: str, rule: str) -> None:
    """Remember to the end of the Turn that this was done."""
    record: dict[str, Any] = dict(turn.state.facts.get(TURN, {}))
    record["done"] = (*record.get("done", ()), key)
    turn.change(FactSet("", TURN, record, rule))


def remember_player(turn: Any, event: Any) -> None:
    """A watcher of entities that leave: their player stays known, for what belongs to them and outlasts them."""
    before: Entity | None = turn.start.entities.get(event.entity)
    player = before.facts.get(PLAYER) if before is not None else None
    if player is not None:
        turn.change(FactSet("", LEFT, {**turn.state.facts.get(LEFT, {}), event.entity: player}, event.rule))

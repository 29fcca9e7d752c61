"""Who sits at a table: the referee, and each player that the entities on it name."""

from __future__ import annotations

from gambeson.mechanisms.turns import active_player, player_of, players_of
from gambeson.model.values import REFEREE, State

Seats = dict[str, tuple[str, ...] | None]
"""The entities of each seat by its name; None: all of them, by the referee."""


def seats_of(state: State) -> Seats:
    """The seats of a table: its players in the order of their Turns, then the referee."""
    players = {name: tuple(id for id in state.entities if player_of(state, id) == name) for name in players_of(state)}
    seats: Seats = {name: ids for name, ids in players.items() if ids}
    return {**seats, REFEREE: None}


def active_seat(state: State) -> str:
    """The seat whose Turn it is; the referee's where nobody has a Turn."""
    player = active_player(state)
    return player if player in seats_of(state) else REFEREE

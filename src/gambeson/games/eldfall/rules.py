"""Eldfall: its commands and functions by the names that the pack gives them; the rules stand in the modules beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gambeson.games.eldfall.commands import Activate, Attacking, Casting, Convert, Finish, React, Recover
from gambeson.games.eldfall.falling import healed
from gambeson.games.eldfall.hits import HitWounds
from gambeson.games.eldfall.models import Spell, Tables
from gambeson.games.eldfall.strategic import frozen_tests, state_dice, transmutations_end
from gambeson.mechanisms.turns import remember_player

COMMANDS = {
    "activate": Activate,
    "react": React,
    "attack": Attacking,
    "eldfall.cast": Casting,
    "finish": Finish,
    "convert": Convert,
    "recover": Recover,
    "hit.wounds": HitWounds,
}
CODE: dict[str, Callable[..., Any]] = {
    "transmutations_end": transmutations_end,
    "frozen_tests": frozen_tests,
    "state_dice": state_dice,
    "healed": healed,
    "remember_player": remember_player,
}

__all__ = ["CODE", "COMMANDS", "Spell", "Tables"]

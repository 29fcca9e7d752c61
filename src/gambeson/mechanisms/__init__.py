"""General procedures that data alone can't say, each with a data face that packs fill in."""

from __future__ import annotations

from gambeson.mechanisms.befalling import Befall
from gambeson.mechanisms.bestow import Bestow
from gambeson.mechanisms.casting import Cast
from gambeson.mechanisms.costs import Pay
from gambeson.mechanisms.creatures import Dismiss
from gambeson.mechanisms.ending import EndEffects
from gambeson.mechanisms.in_other_words import InOtherWords
from gambeson.mechanisms.mending import Mend
from gambeson.mechanisms.own_turns import OwnTurn
from gambeson.mechanisms.phases import AdvancePhases
from gambeson.mechanisms.rests import Rest

MECHANISMS = {
    "advance.phases": AdvancePhases,
    "befall": Befall,
    "bestow": Bestow,
    "cast": Cast,
    "dismiss": Dismiss,
    "end_effects": EndEffects,
    "in_other_words": InOtherWords,
    "mend": Mend,
    "own_turn": OwnTurn,
    "pay": Pay,
    "rest": Rest,
}
"""What a pack may name under `does`, beside the commands of the engine."""

"""The commands that every game has."""

from __future__ import annotations

from gambeson.engine.commands.add import Add
from gambeson.engine.commands.advance import Advance
from gambeson.engine.commands.edit import Edit
from gambeson.engine.commands.end import End
from gambeson.engine.commands.grant import GrantPoints
from gambeson.engine.commands.heal import Heal
from gambeson.engine.commands.hit import HitCalled, HitParts
from gambeson.engine.commands.remove import Remove
from gambeson.engine.commands.wait import Wait

COMMANDS = {
    "hit.parts": HitParts,
    "hit.called": HitCalled,
    "grant": GrantPoints,
    "heal": Heal,
    "end": End,
    "add": Add,
    "remove": Remove,
    "edit": Edit,
    "wait": Wait,
    "advance": Advance,
}
"""What a pack may name under `does`."""

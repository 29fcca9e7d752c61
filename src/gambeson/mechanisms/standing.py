"""The standing mechanisms that a pack may list under `standing`."""

from __future__ import annotations

from typing import TypeAlias

from gambeson.mechanisms.bounds import Bounds
from gambeson.mechanisms.dying import Dying
from gambeson.mechanisms.held import Concentration
from gambeson.mechanisms.leaving import Leaving
from gambeson.mechanisms.maximum import Maximum
from gambeson.mechanisms.summons import Summons
from gambeson.mechanisms.worn import Worn

StandingKind: TypeAlias = Bounds | Concentration | Dying | Leaving | Maximum | Summons | Worn
"""Every kind that a pack may name under `kind` there."""

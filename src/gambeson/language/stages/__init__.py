"""The stage kinds of damage procedures: one small class in one file each."""

from __future__ import annotations

from typing import TypeAlias

from gambeson.language.stages.absorb import Absorb
from gambeson.language.stages.adjust import Adjust
from gambeson.language.stages.at_zero import AtZero
from gambeson.language.stages.call import CallStage
from gambeson.language.stages.check import Check
from gambeson.language.stages.code import Code
from gambeson.language.stages.immunity import Immunity
from gambeson.language.stages.limit import Limit
from gambeson.language.stages.mark import MarkStage
from gambeson.language.stages.merge import Merge
from gambeson.language.stages.move import Deliver, Move
from gambeson.language.stages.note import Note
from gambeson.language.stages.prevent import Prevent
from gambeson.language.stages.reduce import Reduce
from gambeson.language.stages.requirement import Requirement
from gambeson.language.stages.retaliate import Retaliate
from gambeson.language.stages.riders import Riders
from gambeson.language.stages.save import Save
from gambeson.language.stages.scale import Scale
from gambeson.language.stages.threshold import Threshold
from gambeson.language.stages.total import Total
from gambeson.language.stages.until_hit import UntilHit
from gambeson.language.stages.wound import Wound

StageKind: TypeAlias = (
    Absorb
    | Adjust
    | AtZero
    | CallStage
    | Check
    | Code
    | Immunity
    | Limit
    | MarkStage
    | Merge
    | Move
    | Deliver
    | Note
    | Prevent
    | Reduce
    | Requirement
    | Retaliate
    | Riders
    | Save
    | Scale
    | Threshold
    | Total
    | UntilHit
    | Wound
)
"""Every kind that a pack may name under `kind`."""

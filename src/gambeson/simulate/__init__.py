"""Many fights and exact odds, from the very rules that referee one fight."""

from gambeson.simulate.program import Unlowered

__all__ = ["Unlowered"]

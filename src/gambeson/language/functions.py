"""Functions of a game's own rules.py as packs name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Function:
    """A function that a pack names: what the pack says, and what is called."""

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.name = name
        self.call = call

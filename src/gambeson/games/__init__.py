"""The games: one folder a game. Only `load` reads files and joins data with code."""

from __future__ import annotations

from gambeson.games.loading import available, load, texts

__all__ = ["available", "load", "texts"]

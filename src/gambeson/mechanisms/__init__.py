"""General procedures that data alone can't say, each with a data face that packs fill in."""

from __future__ import annotations

from gambeson.mechanisms.casting import Cast

MECHANISMS = {"cast": Cast}
"""What a pack may name under `does`, beside the commands of the engine."""

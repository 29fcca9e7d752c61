"""For authors of packs: the scenario runner and the strategies that gambeson's own tests use."""

from __future__ import annotations

from gambeson.testing.running import Played, play_file, play_text
from gambeson.testing.scenarios import Scenario, Step, read_scenario

__all__ = ["Played", "Scenario", "Step", "play_file", "play_text", "read_scenario"]

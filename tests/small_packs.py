"""Small games of a few lines, written for one test each: what they declare, and a table to play them at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gambeson import Table
from gambeson.games import load, loading, remembering

RULES: dict[str, Any] = {"AA-01": {"status": "reading", "source": "this test"}}
HIT: dict[str, Any] = {
    "does": "hit.parts",
    "with": {"rule": "AA-01"},
    "fields": {
        "target": {"type": "entity", "required": True},
        "damage": {"type": "number", "required": True},
        "traits": {"type": "list", "of": {"type": "word"}},
        "source": {"type": "entity", "free": True},
    },
}
WOUND: dict[str, Any] = {"stage": "life", "kind": "absorb", "rule": "AA-01", "layer": "life"}


def small(**sections: Any) -> dict[str, Any]:
    """A game with one layer `life`, one stage and the command `hit`, and these sections besides."""
    data: dict[str, Any] = {
        "format": 1,
        "game": "small",
        "life": "life",
        "layers": {"life": {"rule": "AA-01"}},
        "procedure": [WOUND],
        "commands": {"hit": HIT, "edit": {"with": {"rule": "AA-01"}, "fields": {"target": HIT["fields"]["target"]}}},
        "rules": RULES,
    }
    for name, section in sections.items():
        both = isinstance(section, dict) and isinstance(data.get(name), dict)
        data[name] = {**data[name], **section} if both else section
    return data


def write(folder: Path, data: dict[str, Any] | str) -> Path:
    """The pack in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
    (folder / "pack.yaml").write_text(text, "utf-8")
    return folder


def table(folder: Path, entities: dict[str, Any], **sections: Any) -> Table:
    """A table of a small game with these entities."""
    return Table(load(write(folder / "small", small(**sections))), entities=entities)


def points(table: Table, id: str, layer: str = "life") -> int:
    """The points that an entity has in a layer."""
    pool = table.state.entities[id].pools.get(layer)
    return pool.current if pool is not None else 0


def start_anew() -> None:
    """Forget what this process has loaded, as the end of a process does."""
    for module in (loading, remembering):
        for held in vars(module).values():
            if hasattr(held, "cache_clear"):
                held.cache_clear()

"""Which of the six dyes each layer of a game wears, and which of its words are places on a body."""

from __future__ import annotations

import functools
from typing import Any

from gambeson.games.documents import read_file
from gambeson.games.loading import folder_of
from gambeson.language.fields import Field, ListField, WordField
from gambeson.language.pack import Pack

DYES = ("magic", "worn", "natural", "life", "wards", "points")
"""Classes of the stylesheet: woad, steel, fern, madder, orchil, walnut."""

PARTS = ("torso", "right_arm", "left_arm", "right_leg", "left_leg")
"""The parts of the figure."""

ARMS = ("pale", "bend", "cross", "bars")
"""Devices on the shields of games, for games that name none."""


@functools.lru_cache(maxsize=32)
def _page(folder: str) -> dict[str, Any]:
    path = folder_of(folder) / "page.yaml"
    data = read_file(path).data if path.is_file() else {}
    return data if isinstance(data, dict) else {}


def dye(pack: Pack, layer: str) -> str:
    """The dye of a layer: what the game says, else the life layer is red and the others take turns."""
    named = _page(pack.folder).get("dyes", {}).get(layer)
    if named in DYES:
        return str(named)
    if layer == pack.life:
        return "life"
    others = [name for name in DYES if name != "life"]
    return others[[name for name in pack.layers if name != pack.life].index(layer) % len(others)]


def arms(folder: str) -> tuple[str, str]:
    """The shield of a game: its dye and its device."""
    named = _page(folder)
    return str(named.get("dye", "steel")), str(named.get("device", ARMS[len(folder) % len(ARMS)]))


def name(folder: str, lang: str) -> tuple[str, str]:
    """What a game is called, and what it is in a few words."""
    page = _page(folder)
    return str(page.get("name", {}).get(lang, folder)), str(page.get("tag", {}).get(lang, ""))


def short(pack: Pack, layer: str, lang: str) -> str:
    """A label of at most nine letters, "" where the game has none."""
    return str(_page(pack.folder).get("short", {}).get(lang, {}).get(layer, ""))


def lesser(pack: Pack) -> tuple[str, ...]:
    """Layers that stand in the details of a card only."""
    return tuple(_page(pack.folder).get("lesser", ()))


def told(pack: Pack) -> tuple[str, ...]:
    """Facts that stand on a card as words."""
    return tuple(_page(pack.folder).get("chips", ()))


def _places(field: Field | None) -> tuple[str, ...]:
    return field.of if isinstance(field, WordField) else ()


def is_figure(places: tuple[str, ...]) -> bool:
    """Whether these are the places of the figure."""
    return bool(places) and set(places) == set(PARTS)


def wounded_fact(pack: Pack) -> str:
    """The fact that lists places of the figure, "" where the game has none."""
    for name, field in pack.facts.items():
        if isinstance(field, ListField) and is_figure(_places(field.of)):
            return name
    return ""


def locations(pack: Pack) -> tuple[str, ...]:
    """Where a blow may land, as far as the game asks."""
    spec = pack.commands.get("hit")
    return _places(spec.fields.get("location")) if spec is not None else ()

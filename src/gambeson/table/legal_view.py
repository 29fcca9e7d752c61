"""Legal commands and chances as programs read them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gambeson.engine.legal import Choice, Entry
from gambeson.engine.odds import Change, Odds
from gambeson.games import texts
from gambeson.language.texts import Texts
from gambeson.table.json_view import plain
from gambeson.table.seats import seats_of
from gambeson.table.table import Table


def legal_json(table: Table, lang: str) -> dict[str, list[dict[str, Any]]]:
    """What each seat may do now and what it may not, by the names of the seats."""
    said = texts(table.pack.folder, lang)
    return {
        name: [entry_json(entry, said) for entry in table.legal(ids)] for name, ids in seats_of(table.state).items()
    }


def entry_json(entry: Entry, said: Texts) -> dict[str, Any]:
    """A command that somebody may give, with its open fields; or why not."""
    shown: dict[str, Any] = {
        "command": entry.command,
        "actor": entry.actor or None,
        "fields": plain(entry.fields),
        "open": [choice_json(choice) for choice in entry.open],
        "costs": dict(entry.costs),
        "legal": entry.legal,
    }
    if entry.refusal is not None:
        shown["rule"] = entry.refusal.rule or None
        shown["reason"] = said.say(entry.refusal.reason)
    return shown


def choice_json(choice: Choice) -> dict[str, Any]:
    """An open field: its values, and for a list how many and which may stand first."""
    shown: dict[str, Any] = {"field": choice.field, "values": plain(choice.values), "optional": choice.optional}
    if choice.listed:
        shown |= {"least": choice.least, "most": choice.most}
        if choice.first:
            shown["first"] = plain(choice.first)
    return shown


def odds_json(odds: Odds, said: Texts) -> dict[str, Any]:
    """Every way in which a command may end: its chance as a fraction and a number, and what it does to whom."""
    shown: dict[str, Any] = {
        "chances": [
            {
                "chance": str(chance.chance),
                "value": float(chance.chance),
                "changes": [change_json(change) for change in chance.changes],
            }
            for chance in odds.chances
        ]
    }
    if odds.refusal is not None:
        shown |= {"rule": odds.refusal.rule or None, "reason": said.say(odds.refusal.reason)}
    return shown


def totals_json(odds: Odds) -> dict[str, Any]:
    """For each entity the points it may lose or get by layer, and the States and effects that may come, with their
    chances."""
    changes = [change for way in odds.chances for change in way.changes]
    found: dict[str, Any] = {}
    for id in dict.fromkeys(change.entity for change in changes):
        own = [change for change in changes if change.entity == id]
        layers = dict.fromkeys(layer for change in own for layer, _ in change.lost)
        came = dict.fromkeys(layer for change in own for layer, _ in change.gained)
        words = dict.fromkeys(word for change in own for word in (*change.states, *change.effects))
        found[id] = {
            "lost": {layer: {str(n): _chance(c) for n, c in odds.lost(id, layer).items()} for layer in layers},
            "gained": {layer: {str(n): _chance(c) for n, c in odds.gained(id, layer).items()} for layer in came},
            "comes": {word: _chance(odds.having(id, word)) for word in words},
        }
    return found


def _chance(chance: Fraction) -> dict[str, Any]:
    return {"chance": str(chance), "value": float(chance)}


def change_json(change: Change) -> dict[str, Any]:
    """What became of one entity; what did not happen is left out."""
    whole = {
        "entity": change.entity,
        "lost": dict(change.lost),
        "gained": dict(change.gained),
        "figures": dict(change.figures),
        "states": list(change.states),
        "freed": list(change.freed),
        "effects": list(change.effects),
        "ended": list(change.ended),
        "left": change.left,
        "joined": change.joined,
    }
    return {key: value for key, value in whole.items() if value}

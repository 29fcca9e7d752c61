"""What phones that show a table are sent: the cards that look different, what is open, what was ruled last."""

from __future__ import annotations

import functools
import re
from typing import Any

from gambeson.engine.views import PLAYER, SCREEN, Secrets, Sight, Viewer
from gambeson.model.values import REFEREE
from gambeson.server.feeds import Feed, FeedKind, place
from gambeson.server.page.asking import Asker, may_act, may_strike
from gambeson.server.page.cards import Card, Drawer
from gambeson.server.page.clocks import time_of
from gambeson.server.page.drawing import Words, part, words
from gambeson.server.page.dyes import active_of, phases_of, unlisted
from gambeson.server.page.telling import Teller
from gambeson.table.seeing import may_undo
from gambeson.table.table import Table

MOVING = "wait"
"""The command that moves the clock of a game."""

NAMED = 2
"""So many entities of a seat are named in the line below the title."""

PARTS = ("asks", "phases", "last", "line")
"""What is swapped beside the cards."""


class Scene:
    """What the table's own screen shows, in parts that can be swapped."""

    def __init__(self, table: Table, sight: Sight, id: str, lang: str) -> None:
        self.t: Words = words(table.pack.folder, lang)
        self.id = id
        self.table = table
        self.sight = sight
        self.cards = Drawer(table, sight, self.t).cards()
        self.may_strike = may_strike(table, sight)
        self.may_move = sight.viewer.role == REFEREE and MOVING in table.pack.commands

    def values(self) -> dict[str, Any]:
        """Everything that the templates of the parts read."""
        sight, table = self.sight, self.table
        return {
            "id": self.id,
            "cards": self.cards,
            "asks": Asker(table, sight, self.t).asks(),
            "last": Teller(table, sight, self.t).newest(),
            "undone": Teller(table, sight, self.t).undone(),
            "line": self.line(),
            **turn_of(table, sight, self.t),
            "may_strike": self.may_strike,
            "may_move": self.may_move,
            "may_act": may_act(sight),
            "may_undo": may_undo(table, sight),
            "version": table.version,
        }

    def line(self) -> str:
        """The line below the title: the time of day, the phase, whose turn it is."""
        pack, state = self.table.pack, self.table.state
        told = [self.t("you", name=name) for name in self._you()]
        if "time" in pack.clock:
            time = time_of(state.clock)
            told.append(time if self.sight.viewer.role == SCREEN else self.t("clock.game", time=time))
        elif state.clock:
            told.append(self.t("minutes", n=state.clock // 60))
        known = self.sight.state(state).facts
        told += [text for text in (self._fact(known, key) for key in known) if text]
        return " · ".join(told)

    def _you(self) -> tuple[str, ...]:
        """Whom a player's seat plays, where that is few enough to be named."""
        viewer, entities = self.sight.viewer, self.table.state.entities
        if viewer.role != PLAYER or len(viewer.entities) > NAMED:
            return ()
        names = [self.t.person(entities[id], id) for id in viewer.entities if id in entities]
        return (", ".join(names),) if names else ()

    def _fact(self, facts: dict[str, Any], key: str) -> str:
        """A fact of the whole table, in words, where it is a plain one."""
        value = facts[key]
        if isinstance(value, dict):
            value = unlisted(self.table.pack, key, value)
            inner = [self._plain(entry) for entry in value.values() if isinstance(entry, str) and entry]
            return ", ".join(inner[:2])
        return self._plain(value) if isinstance(value, str) and value else ""

    def _plain(self, value: str) -> str:
        entity = self.table.state.entities.get(value)
        return self.t.person(entity, value) if entity is not None else self.t.term(value)


def turn_of(table: Table, sight: Sight, t: Words) -> dict[str, Any]:
    """The phases of the turn, and who is active in it (an id, "": nobody)."""
    facts = sight.state(table.state).facts
    return {"phases": phases_of(table.pack, facts, t.said), "active": active_of(table.pack, facts)}


class PageFeed(Feed):
    """Sends HTML: each part of the screen that looks different, to be swapped in by its id."""

    def __init__(self, id: str, table: Table, secrets: Secrets, viewer: Viewer, lang: str, interval: float) -> None:
        self._id = id
        self._order: list[str] = []
        self._drawn: dict[str, str] = {}
        super().__init__(table, secrets, viewer, lang, interval)

    def _remember(self, table: Table, sight: Sight) -> None:
        self._version = table.version
        self._draw(table, sight)

    def _draw(self, table: Table, sight: Sight) -> tuple[Scene, dict[str, str]]:
        """Draw the screen; gives it and the parts that look different from what was drawn before."""
        scene = Scene(table, sight, self._id, self.lang)
        drawn = {card.dom: _card(scene, card) for card in scene.cards}
        values = scene.values()
        for name in PARTS:
            drawn[name] = part(f"part/{name}.html", scene.t, oob=True, **values)
        changed = {name: html for name, html in drawn.items() if self._drawn.get(name) != html}
        order = [card.dom for card in scene.cards]
        if order != self._order:
            changed = {name: html for name, html in changed.items() if name not in order}
            changed["cards"] = _list(drawn, order)
        self._order, self._drawn = order, drawn
        return scene, changed

    def send(self, table: Table, secrets: Secrets, revision: int, now: float) -> None:
        """Send every reader what looks different."""
        if not self.subscribers or self._version == table.version:
            return
        _, changed = self._draw(table, self._sight(table, secrets))
        self._version = table.version
        message = _event(table.version, revision, changed.values())
        self._last = now
        for subscriber in self.subscribers:
            subscriber.put(message)

    def whole(self, table: Table, secrets: Secrets, revision: int) -> bytes:
        """The whole screen as a message."""
        self._draw(table, self._sight(table, secrets))
        parts = [self._drawn[name] for name in PARTS]
        return _event(table.version, revision, [*parts, _list(self._drawn, self._order)])

    def since(self, table: Table, secrets: Secrets, revision: int, seen: tuple[int, int] | None) -> bytes:
        """What a reader that comes needs first: nothing where it has seen this version, else the whole screen."""
        if seen == (table.version, revision):
            return b": all is seen\n\n"
        return self.whole(table, secrets, revision)


def _card(scene: Scene, card: Card) -> str:
    may = {"may_strike": scene.may_strike, "may_move": scene.may_move}
    return part("part/card.html", scene.t, card=card, id=scene.id, oob=True, **may)


def _list(drawn: dict[str, str], order: list[str]) -> str:
    inner = "".join(drawn[dom].replace(' hx-swap-oob="outerMorph"', "", 1) for dom in order)
    return f'<section id="cards" class="stack cards" hx-swap-oob="outerMorph">{inner}</section>'


def _event(version: int, revision: int, parts: Any) -> bytes:
    html = re.sub(r"[\r\n]+", " ", "".join(map(str, parts)))
    return b"id: %s\ndata: %s\n\n" % (place(version, revision).encode(), html.encode())


@functools.lru_cache(maxsize=4_096)
def kind(id: str) -> FeedKind:
    """Makes the feeds of the pages of one table; always the same object for the same table."""
    return functools.partial(PageFeed, id)

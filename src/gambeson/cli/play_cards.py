"""The state as cards: what everybody has left, what ends when, what must be worn and what may be shouted."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from gambeson.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from gambeson.games import texts
from gambeson.language.durations import said as said_until
from gambeson.language.fields import FlagField
from gambeson.language.figures import conditions, entries, flags, shown_effects, shown_figures
from gambeson.language.pack import Pack
from gambeson.language.scope import Scope
from gambeson.language.stages.call import CallStage
from gambeson.language.stages.immunity import Immunity
from gambeson.model.values import Effect, Entity, Extra, Pool, State, Until
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.words import Speaker

LONGEST_BAR = 12
HIDDEN = "hidden"
DAY = 24 * 60


class CardLine(Struct, frozen=True):
    """One line of a card and how it is painted."""

    text: str
    style: str = ""


class Card(Struct, frozen=True):
    """One entity, ready to be shown; `brief` is the same in one line."""

    title: str
    lines: tuple[CardLine, ...]
    brief: str


def show_cards(out: Output, pack: Pack, state: State, ids: Iterable[str]) -> None:
    """Print the cards of these entities: side by side on a terminal, one below the other elsewhere."""
    maker = Cards(pack, state, out.lang)
    cards = [maker.card(state.entities[id]) for id in ids]
    if out.colours:
        _panels(cards, out.width)
        return
    for card in cards:
        out.print(card.title)
        for line in card.lines:
            out.print(line.text, line.style, "  ")


def show_overview(out: Output, pack: Pack, state: State) -> None:
    """Print one line for each entity."""
    maker = Cards(pack, state, out.lang)
    for entity in state.entities.values():
        card = maker.card(entity)
        told = textwrap.fill(f"{card.title}: {card.brief}", out.width, subsequent_indent="    ")
        out.print(told.replace(card.title, out.painted(card.title, BOLD), 1))


def time_shown(pack: Pack, state: State, lang: str) -> str:
    """The time of day, or the minutes that have passed; "" where a game has no clock or nothing passed."""
    minutes = state.clock // 60
    if "time" in pack.clock:
        return f"{minutes % DAY // 60:02}:{minutes % 60:02}"
    return texts(pack.folder, lang).say("play.card.passed", minutes=minutes) if minutes else ""


def _panels(cards: list[Card], width: int) -> None:
    from rich.columns import Columns
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    panels = []
    for card in cards:
        body = Text.from_ansi("\n".join(f"\x1b[{line.style or '0'}m{line.text}\x1b[0m" for line in card.lines))
        panels.append(Panel(body, title=Text(card.title, style="bold"), title_align="left", expand=False))
    Console(width=width, highlight=False).print(Columns(panels, padding=(0, 1)))


class Cards:
    """Makes the cards of one state in one language."""

    def __init__(self, pack: Pack, state: State, lang: str) -> None:
        self.pack = pack
        self.state = state
        self.said = texts(pack.folder, lang)
        self.speaker = Speaker(Ruling(pack, DONE, state, state), lang)
        encoding = (sys.stdout.encoding or "").lower()
        self.full, self.hollow = ("█", "░") if encoding.startswith("utf") else ("#", ".")
        self.shouts = tuple(stage.text for stage in pack.procedure if isinstance(stage, CallStage))
        self.immunities = tuple(
            stage for stage in pack.procedure if isinstance(stage, Immunity) and stage.stops == "hit"
        )

    def card(self, entity: Entity) -> Card:
        """Everything that a referee must see of an entity."""
        name = self.said.named(entity.name)
        title = name if name.casefold() == entity.id.casefold() else f"{name} ({entity.id})"
        if len(self.pack.kinds) > 1:
            title = f"{title} · {self.said.term(entity.kind)}"
        listed = tuple(self._conditions(entity))
        effects = tuple(self._effects(entity))
        worn = tuple(self.said.term(flag) for flag in flags(self.pack, entity))
        lines = [
            *self._pools(entity),
            *self._figures(entity),
            *self._facts(entity),
            *(CardLine(text, RED) for text in listed),
            *(CardLine(text) for text in effects),
            *(CardLine(text, DIM) for text in self._may_shout(entity)),
        ]
        if worn:
            lines.append(CardLine(self.said.say("play.card.flags", flags=worn), CYAN))
        brief = [*self._points(entity), *self._marked(entity), *listed, *effects, *worn]
        return Card(title, tuple(lines), " · ".join(brief) or self.said.say("play.card.nothing"))

    # --- pools ------------------------------------------------------------------------------------------------

    def _there(self, entity: Entity) -> list[tuple[str, Pool]]:
        """The pools that the entity has, in the order of the layers."""
        pools = [(layer, entity.pools[layer]) for layer in self.pack.layers if layer in entity.pools]
        return [(layer, pool) for layer, pool in pools if pool.maximum or layer == self.pack.life]

    def _points(self, entity: Entity) -> Iterator[str]:
        for layer, pool in self._there(entity):
            yield f"{self.said.term(layer)} {_of(pool)}"

    def _pools(self, entity: Entity) -> Iterator[CardLine]:
        there = self._there(entity)
        width = max((len(self.said.term(layer)) for layer, _ in there), default=0)
        bars = max((min(pool.maximum, LONGEST_BAR) for _, pool in there), default=0)
        for layer, pool in there:
            head = f"{self.said.term(layer):{width}}  {self._bar(pool):{bars}} {_of(pool)}"
            yield CardLine(
                " · ".join((head, *self._about(layer, pool, entity))), _colour(pool, layer == self.pack.life)
            )

    def _bar(self, pool: Pool) -> str:
        length = min(pool.maximum, LONGEST_BAR)
        full = pool.current if pool.maximum <= LONGEST_BAR else -(-pool.current * length // pool.maximum)
        return self.full * full + self.hollow * (length - full)

    def _about(self, layer: str, pool: Pool, entity: Entity) -> Iterator[str]:
        if not pool.current:
            return
        effect = next((effect for effect in entity.effects if effect.serial == pool.effect), None)
        if pool.source:
            yield self._who(pool.source)
        ends = effect.until if effect is not None else (pool.until,) if pool.until is not None else ()
        yield from map(self._until, ends)
        yield from map(self._extra, pool.extras)
        for key, field in self.pack.layers[layer].keys.items():
            value = pool.facts.get(key)
            if value in (None, "", False, ()) or value == field.default or _everything(field, value):
                continue
            yield self.said.term(key) if value is True else f"{self.said.term(key)}: {self.speaker.value(field, value)}"

    def _extra(self, extra: Extra) -> str:
        facts = [self.speaker.plain(fact) for fact in extra.facts.values() if fact not in (None, "")]
        return " ".join((self.said.term(extra.name), *facts))

    def _who(self, source: str) -> str:
        entity = self.state.entities.get(source)
        return self.said.named(entity.name) if entity is not None else self.said.term(source)

    # --- what lasts -------------------------------------------------------------------------------------------

    def _until(self, end: Until) -> str:
        until = self.said.say(said_until(end, self.state.clock, self._who))
        return self.said.say("play.card.left", until=until) if end.kind == "clock" else until

    def _lasting(self, what: str, ends: tuple[Until, ...]) -> str:
        return self.said.say("play.card.lasting", what=what, until=tuple(map(self._until, ends))) if ends else what

    def _conditions(self, entity: Entity) -> Iterator[str]:
        """The conditions, those of one effect together with the time that they have left."""
        there = conditions(self.pack, entity)
        told: list[str] = []
        for effect in entity.effects:
            own = [condition for condition in effect.conditions if condition in there and condition not in told]
            if own:
                told += own
                yield self._lasting(", ".join(map(self.said.term, own)), effect.until)
        rest = [condition for condition in there if condition not in told]
        if rest:
            yield ", ".join(map(self.said.term, rest))

    def _effects(self, entity: Entity) -> Iterator[str]:
        given = [pool.effect for pool in entity.pools.values() if pool.current]
        shown = shown_effects(entity)
        for effect in entity.effects:
            if effect not in shown and (effect.conditions or not any(end.kind == "clock" for end in effect.until)):
                continue
            alone = not (effect.conditions or effect.protections or effect.lists or effect.changes)
            if (effect.serial in given and alone) or (effect.conditions and effect.name in self.pack.lasting):
                continue
            yield self._lasting(self._effect(effect), effect.until)

    def _effect(self, effect: Effect) -> str:
        charges = sum(protection.charges for protection in effect.protections)
        name = self.said.term(effect.name)
        source = effect.source if effect.source in self.state.entities else None
        return self.said.say(
            "play.card.effect", name=name, charges=charges, source=self._who(source) if source is not None else None
        )

    def _may_shout(self, entity: Entity) -> Iterator[str]:
        """Which blows do nothing to the entity, so that it may answer them with a shout."""
        if not self.shouts:
            return
        words: tuple[str, ...] = ()
        for stage in self.immunities:
            inborn = (one for one in stage.inborn if one.when.holds(Scope(self.pack, entity)))
            words += (*entries(entity, stage.reads), *(word for one in inborn for word in one.words))
        if words:
            yield self.said.say("play.card.shouts", calls=self.shouts, why=None, words=tuple(dict.fromkeys(words)))
        for effect in entity.effects:
            for protection in effect.protections:
                why = self.said.term(effect.name)
                yield self.said.say("play.card.shouts", calls=self.shouts, why=why, words=protection.stops)

    # --- the rest ---------------------------------------------------------------------------------------------

    def _figures(self, entity: Entity) -> Iterator[CardLine]:
        figures = shown_figures(self.pack, entity)
        if figures:
            yield CardLine(", ".join(f"{self.said.term(name)} {value}" for name, value in figures.items()))

    def _marked(self, entity: Entity) -> Iterator[str]:
        for name in self.pack.always_shown:
            value = self._fact(entity, name)
            if value:
                yield f"{self.said.term(name)}: {self.speaker.value(self.pack.facts[name], value)}"

    def _facts(self, entity: Entity) -> Iterator[CardLine]:
        for name, field in self.pack.facts.items():
            value = self._fact(entity, name)
            shouted = bool(self.shouts) and any(name == stage.reads for stage in self.immunities)
            if value in (None, "", False, (), {}) or shouted or self._is_figures(name):
                continue
            term = self.said.term(name)
            text = term if value is True else f"{term}: {self.speaker.value(field, value)}"
            yield CardLine(text, RED if name in self.pack.always_shown else DIM)

    def _fact(self, entity: Entity, name: str) -> Any:
        value = entity.facts.get(name)
        return entries(entity, name) if isinstance(value, tuple) or value is None else value

    def _is_figures(self, name: str) -> bool:
        return self.pack.figures is not None and name == self.pack.figures.fact


def _of(pool: Pool) -> str:
    return f"{pool.current}/{pool.maximum}"


def _everything(field: Any, value: Any) -> bool:
    """Whether a list names everything that it may name."""
    inner = getattr(field, "of", None)
    return isinstance(value, tuple) and not isinstance(inner, FlagField) and set(value) == set(getattr(inner, "of", ()))


def _colour(pool: Pool, life: bool) -> str:
    if not pool.current:
        return f"{BOLD};{RED}" if life else DIM
    if not life:
        return CYAN
    return GREEN if pool.current * 2 > pool.maximum else YELLOW

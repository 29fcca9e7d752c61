"""Entities as cards: what is left in each layer, what lasts until when, what is urgent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from gambeson.engine.views import PLAYER, Sight
from gambeson.language.durations import said as said_until
from gambeson.language.fields import ListField
from gambeson.language.figures import conditions, entries, flags, preventions, shown_effects, shown_figures
from gambeson.language.pack import Pack
from gambeson.model.values import Effect, Entity, Pool, State, Until
from gambeson.server.page.clocks import due_of, minutes_of, running, taken_off, time_of
from gambeson.server.page.drawing import Words
from gambeson.server.page.dyes import active_of, dye, lesser, meaning, short, spent, told, wounded_fact
from gambeson.table.health import health
from gambeson.table.json_view import plain
from gambeson.table.table import Table

MOST_CHANNELS = 12
"""Points that are drawn one by one; more are one bar."""

HALF = 2


class Bar(Struct, frozen=True):
    """One layer of one entity: numbers, channels, words for those who cannot see it."""

    layer: str
    label: str
    name: str
    dye: str
    current: int
    maximum: int
    word: str = ""
    none: bool = False
    before: int | None = None

    @property
    def taken(self) -> int:
        """How much is gone."""
        return max(0, self.maximum - self.current)

    @property
    def channels(self) -> bool:
        """Whether each point is drawn."""
        return 0 < self.maximum <= MOST_CHANNELS

    @property
    def width(self) -> int:
        """How full it is, in even per cent; a single point of many still shows."""
        if self.maximum <= 0:
            return 0
        share = min(100, self.current * 100 // self.maximum)
        return max(2, share // 2 * 2) if self.current else 0

    @property
    def long(self) -> bool:
        """Whether the figure needs smaller letters."""
        return len(f"{self.current}{self.maximum}") > len("99100")


class Chip(Struct, frozen=True):
    """A word beside the figures: its icon, its kind (`bad`, `good`, `flag` or plain).

    `ends` is when it is over, and it counts down to that; `gone` is when it need not be shown any more (both in
    seconds since 1970, 0: never). `left` is how many seconds of the game that is away; `rule` is what it means.
    """

    icon: str
    text: str
    kind: str = ""
    ends: int = 0
    gone: int = 0
    left: int = 0
    rule: str = ""

    @property
    def shown(self) -> str:
        """Minutes and seconds."""
        return minutes_of(self.left)


class Clock(Struct, frozen=True):
    """Something that will get worse when its time is up; `ends` is when that is, where it runs by itself.

    `late` is said in place of what is left when the time is up and nobody has moved the clock of the game.
    """

    title: str
    detail: str
    left: int
    ends: int = 0
    late: str = ""

    @property
    def shown(self) -> str:
        """Minutes and seconds."""
        return minutes_of(self.left)

    @property
    def minutes(self) -> int:
        """By how much the clock of the game must be moved until then."""
        return -(-self.left // 60)


class Line(Struct, frozen=True):
    """A line of the details: a name and what there is to say."""

    name: str
    text: str


class Card(Struct, frozen=True):
    """One entity as the page draws it."""

    id: str
    dom: str
    name: str
    bars: tuple[Bar, ...]
    chips: tuple[Chip, ...]
    figure: bool
    wounds: tuple[str, ...]
    clock: Clock | None
    lines: tuple[Line, ...]
    down: bool
    over: bool
    own: bool
    deciding: bool
    wounded: str = ""
    active: bool = False
    you: bool = False

    @property
    def rank(self) -> int:
        """Yourself, then the most urgent: a running clock, life at 0, who decides or is active; the dead last."""
        if self.you:
            return -1
        return self.urgency

    @property
    def urgency(self) -> int:
        """The most urgent first: a running clock, life at 0, who decides or is active, one's own; the dead last."""
        if self.over:
            return 5
        if self.clock is not None:
            return 0
        if self.down:
            return 1
        return 2 if self.deciding or self.active else 3 if self.own else 4

    @property
    def urgent(self) -> bool:
        """Whether it stands out."""
        return self.urgency < HALF


def dom_id(id: str) -> str:
    """An id for the document that no name can break."""
    return "e" + hashlib.sha256(id.encode("utf-8", "replace")).hexdigest()[:10]


class Drawer:
    """Makes the cards of one table for one viewer in one language."""

    def __init__(self, table: Table, sight: Sight, t: Words, state: State | None = None) -> None:
        self.pack: Pack = table.pack
        self.sight = sight
        self.t = t
        self.real = state if state is not None else table.state
        self.known = sight.state(self.real)
        self.columns = columns(self.pack, self.known)
        self.deciders = tuple(question.decider for question in table.waiting.paused.questions) if table.waiting else ()
        self._wounded = wounded_fact(self.pack)
        self._running = running(table)
        self._active = active_of(self.pack, self.known.facts)
        self._taken_off = taken_off(table)

    def cards(self) -> list[Card]:
        """Every card, the most urgent first."""
        return sorted((self.card(id) for id in self.known.entities), key=lambda card: card.rank)

    def card(self, id: str) -> Card:
        """One card."""
        entity, real = self.known.entities[id], self.real.entities[id]
        hidden = self.sight.hidden_layers(id)
        life = entity.pools.get(self.pack.life)
        shown = conditions(self.pack, real)
        over = any(condition in self._last() for condition in shown)
        wounds = tuple(str(place) for place in entries(entity, self._wounded)) if self._wounded else ()
        clock = self._clock(entity)
        return Card(
            id=id,
            dom=dom_id(id),
            name=self.t.person(entity, id),
            bars=tuple(self.bar(entity, real, layer, layer in hidden) for layer in self.columns),
            chips=tuple(self._chips(entity, real, hidden, shown, wounds, clock)),
            figure=bool(self._wounded),
            wounds=wounds,
            clock=clock,
            lines=tuple(self._lines(entity, real, hidden)),
            down=life is not None and life.current == 0 and self.pack.life not in hidden,
            over=over,
            own=self.sight.viewer.role == PLAYER and id in self.sight.viewer.entities,
            deciding=id in self.deciders and self.sight.clear(id),
            wounded=", ".join(self.t.term(place) for place in wounds),
            active=bool(id) and id == self._active,
            you=self.sight.viewer.role == PLAYER and self.sight.viewer.entities == (id,),
        )

    def _last(self) -> tuple[str, ...]:
        """Conditions that come when a clock has run out: nothing is urgent any more."""
        return tuple(condition for lasting in self.pack.lasting.values() for condition in lasting.then)

    def bar(self, entity: Entity, real: Entity, layer: str, hidden: bool) -> Bar:
        """One layer."""
        pool = entity.pools.get(layer)
        common: dict[str, Any] = {
            "layer": layer,
            "label": short(self.pack, layer, self.t.said.lang) or self.t.term(layer),
            "name": self.t.term(layer),
            "dye": dye(self.pack, layer),
        }
        if hidden:
            return Bar(current=0, maximum=0, word=self._word(real, layer), **common)
        if pool is None or (pool.current == 0 and pool.maximum == 0):
            return Bar(current=0, maximum=0, none=True, **common)
        return Bar(current=pool.current, maximum=pool.maximum, **common)

    def _word(self, real: Entity, layer: str) -> str:
        """The word in place of hidden numbers: of life how it looks from outside, of other layers nothing."""
        word = health(self.pack, real, layer)
        return self.t(f"health.{word}") if word else self.t("health.hidden")

    def _clock(self, entity: Entity) -> Clock | None:
        """The first thing that will get worse by time."""
        running = []
        for effect in entity.effects:
            kind = self.pack.lasting.get(effect.code or effect.name)
            ends = [end.due for end in effect.until if end.kind == "clock"]
            if kind is not None and kind.then and ends:
                running.append((min(ends) - self.known.clock, effect, kind.then))
        if not running:
            return None
        left, effect, then = min(running, key=lambda found: found[0])
        named = ", ".join(self.t.term(name) for name in (effect.conditions or (effect.name,)))
        after = ", ".join(self.t.term(name) for name in then)
        at, out = self.known.clock + left, self._running.ends(effect, self.known.clock)
        timed = self.timed and not out
        detail = self.t("clock.at", what=after, time=time_of(at)) if timed else self.t("clock.then", what=after)
        return Clock(named, detail, max(0, left), out, self.t("clock.late", what=after))

    @property
    def timed(self) -> bool:
        """Whether the game has a time of day."""
        return "time" in self.pack.clock

    def until(self, effect: Effect | Pool) -> str:
        """When something ends, in words."""
        ends = effect.until if isinstance(effect, Effect) else (effect.until,) if effect.until is not None else ()
        if not ends or ends[0] is None:
            return ""
        end = ends[0]
        if end.kind == "clock" and self.timed:
            return self.t("until.time", time=time_of(end.due))
        return self.t.said.say(said_until(end, self.known.clock, self._said))

    def _chips(
        self,
        entity: Entity,
        real: Entity,
        hidden: tuple[str, ...],
        shown: Iterable[str],
        wounds: tuple[str, ...],
        clock: Clock | None,
    ) -> Iterable[Chip]:
        t = self.t
        if self.pack.flags:
            for flag in flags(self.pack, real):
                yield Chip("flag", t("flag.wear", flag=t.term(flag)), "flag")
            for flag, gone in self._taken_off.get(entity.id, {}).items():
                yield Chip("flag", t("flag.off", flag=t.term(flag)), "flag off", gone=gone)
        for place in wounds:
            yield Chip("wound", t.term(place), "bad")
        if self.pack.life not in hidden:
            yield from self._spent(entity, shown)
        for condition in shown:
            if clock is None or t.term(condition) not in clock.title.split(", "):
                yield self._condition(entity, condition)
        if self.pack.preventions:
            yield from self._preventing(entity)
        for layer, pool in entity.pools.items():
            if layer in hidden or not pool.current:
                continue
            if pool.source and pool.effect is None:
                yield Chip("layer", t("pool.from", layer=t.term(layer), source=t.term(pool.source)))
            for extra in pool.extras:
                yield Chip("thorn", self._extra(extra.name, extra.facts), "good")
        for effect in shown_effects(entity):
            if effect.conditions and set(effect.conditions) <= set(shown):
                continue
            if effect.protections and self.pack.preventions:
                continue
            yield self._lasting("time", t.term(effect.name), effect)
        for key in told(self.pack):
            value = self._value(entity, key)
            if value:
                yield Chip("shield", t.term(key) if value is True else f"{t.term(key)}: {self._said(value)}")

    def _preventing(self, entity: Entity) -> Iterable[Chip]:
        """What stops whole hits, those of one name and one end together: how often, and until when."""
        found: dict[tuple[str, tuple[Until, ...]], tuple[Effect, int]] = {}
        for effect, charges in preventions(entity):
            key = (effect.name, effect.until)
            found[key] = (effect, found.get(key, (effect, 0))[1] + charges)
        for effect, charges in found.values():
            yield self._lasting("shield", f"{self.t.term(effect.name)} ×{charges}", effect, "good")

    def _lasting(self, icon: str, name: str, effect: Effect, kind: str = "", rule: str = "") -> Chip:
        """Something with its end: what runs by itself counts down, the rest says until when."""
        ends = self._running.ends(effect, self.known.clock)
        said = "" if ends else self.until(effect)
        text = self.t("effect.until", name=name, until=said) if said else name
        return Chip(icon, text, kind, ends, left=max(0, due_of(effect) - self.known.clock) if ends else 0, rule=rule)

    def _condition(self, entity: Entity, condition: str) -> Chip:
        """A condition: until when, and the rule that says what it means."""
        name, rule = self.t.term(condition), meaning(self.pack, condition)
        for effect in entity.effects:
            if condition in effect.conditions and effect.until:
                return self._lasting("drop", name, effect, "bad", rule)
        if condition in self._last() or condition in self.pack.conditions:
            return Chip("drop", name, "bad", rule=rule)
        return Chip("drop", self.t("condition.open", name=name), "bad", rule=rule)

    def _spent(self, entity: Entity, shown: Iterable[str]) -> Iterable[Chip]:
        """What a game says of whoever has no point of life left."""
        text, rule = spent(self.pack, shown, self.t.said.lang)
        pool = entity.pools.get(self.pack.life)
        if text and pool is not None and pool.current == 0:
            yield Chip("drop", text, "bad", rule=rule)

    def _value(self, entity: Entity, key: str) -> Any:
        """A fact with what effects add to it."""
        return plain(entries(entity, key) if isinstance(self.pack.facts.get(key), ListField) else entity.facts.get(key))

    def of_pool(self, pool: Pool) -> list[str]:
        """What there is to say of a pool beside its points: where it is from, what goes with it, when it ends."""
        parts = [self.t("pool.source", source=self.t.term(pool.source))] if pool.source else []
        parts += [self._extra(extra.name, extra.facts) for extra in pool.extras]
        ends = self.until(pool)
        return [*parts, ends] if ends else parts

    def _extra(self, name: str, facts: Mapping[str, Any]) -> str:
        told = " ".join(self.t.term(value) if isinstance(value, str) else str(value) for value in facts.values())
        return f"{self.t.term(name)} {told}".strip()

    def _lines(self, entity: Entity, real: Entity, hidden: tuple[str, ...]) -> Iterable[Line]:
        t = self.t
        for layer, pool in entity.pools.items():
            if layer in hidden:
                yield Line(t.term(layer), self._word(real, layer))
                continue
            parts = [t("pool.of", current=pool.current, maximum=pool.maximum)]
            parts += self.of_pool(pool)
            parts += [self._fact(key, value) for key, value in pool.facts.items() if value not in (None, False, "")]
            yield Line(t.term(layer), "; ".join(parts))
        for effect in shown_effects(entity):
            source = t("pool.source", source=t.term(effect.source)) if effect.source else ""
            yield Line(t.term(effect.name), "; ".join(text for text in (self.until(effect), source) if text))
        for key in self.pack.facts:
            if key in entity.facts and not (self.pack.figures is not None and key == self.pack.figures.fact):
                yield Line(t.term(key), self._said(plain(entity.facts[key])))
        figures = shown_figures(self.pack, entity) if not hidden else {}
        if figures:
            yield Line(t("figures"), ", ".join(f"{t.term(name)} {value}" for name, value in figures.items()))

    def _fact(self, key: str, value: Any) -> str:
        return self.t.term(key) if value is True else f"{self.t.term(key)}: {self._said(plain(value))}"

    def _said(self, value: Any) -> str:
        match value:
            case bool():
                return self.t("yes") if value else self.t("no")
            case str():
                named = self.known.entities.get(value)
                return named.name if named is not None else self.t.term(value)
            case list():
                return ", ".join(map(self._said, value))
            case dict():
                return ", ".join(f"{self.t.term(str(key))}: {self._said(entry)}" for key, entry in value.items())
            case None:
                return "–"
            case _:
                return str(value)


def columns(pack: Pack, state: State) -> tuple[str, ...]:
    """The layers that have a column on every card: those that anybody here has, in the order of the game."""
    had = {layer: True for entity in state.entities.values() for layer, pool in entity.pools.items() if pool.maximum}
    return tuple(layer for layer in pack.layers if (layer in had or layer == pack.life) and layer not in lesser(pack))

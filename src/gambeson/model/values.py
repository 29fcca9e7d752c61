"""The things on a table: entities with their pools and effects, and the state that holds them. All frozen."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

LARGEST_FIGURE = 1_000_000_000
"""No figure in a state may exceed this; a command that would compute a larger one is refused."""

REFEREE = "referee"
"""Who acts when nobody else is named; may answer every question and undo everything."""

Facts: TypeAlias = dict[str, Any]
"""Values of the fields that a game declares: whole numbers, texts, true/false, None, tuples and dicts of these."""


class Until(Struct, frozen=True, gc=False, omit_defaults=True):
    """One way in which something ends.

    `kind` is `moment` (the `count`-th time that moment is reached, for `whose` entity if it belongs to one),
    `clock` (when the clock shows `due`, in seconds), `hit` (the next hit), `spent` (with its last point) or `ended`
    (only by hand).
    """

    kind: str
    moment: str = ""
    whose: str = ""
    count: int = 1
    due: int = 0


class Extra(Struct, frozen=True, gc=False, omit_defaults=True):
    """An additional effect tied to one pool and lost with it."""

    name: str
    facts: Facts = {}


class Pool(Struct, frozen=True, gc=False, omit_defaults=True):
    """Points of one layer. `effect` is the serial of the effect that gave them; `facts` are the layer's own keys.

    `base` is the maximum without effects, where effects change it.
    """

    current: int
    maximum: int
    source: str | None = None
    effect: int | None = None
    extras: tuple[Extra, ...] = ()
    until: Until | None = None
    facts: Facts = {}
    base: int | None = None


class Protection(Struct, frozen=True, omit_defaults=True):
    """Something that stops whole hits with one of the words in `stops` and none of those in `but`, `charges` times."""

    stops: tuple[str, ...]
    charges: int = 1
    but: tuple[str, ...] = ()


class Change(Struct, frozen=True, omit_defaults=True):
    """What something does to a figure while it lasts: adds `add` (also negative), then halves or doubles it.

    `times` counts doublings where positive and halvings where negative. With `up_to`, the addition lifts the figure
    to that at most, after all other additions, or before them if it comes `first`.
    """

    figure: str
    add: int = 0
    times: int = 0
    up_to: int = 0
    first: bool = False


class Effect(Struct, frozen=True, omit_defaults=True):
    """Something that lasts on an entity.

    `serial` is given by the state and never reused. `ledger` says what the effect gave and still has to take
    back (`body.maximum`: 2); `tags` are words that rules filter by; `lists` add entries to list-valued facts and
    `changes` change figures while it lasts.
    """

    serial: int
    name: str
    source: str | None = None
    code: str = ""
    until: tuple[Until, ...] = ()
    began: int = 0
    tags: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    lists: dict[str, tuple[Any, ...]] = {}
    changes: tuple[Change, ...] = ()
    protections: tuple[Protection, ...] = ()
    ledger: dict[str, int] = {}
    facts: Facts = {}


class Entity(Struct, frozen=True, gc=False, omit_defaults=True):
    """A creature, an object or a model that can be protected, hurt or cast."""

    id: str
    name: str
    kind: str
    pools: dict[str, Pool] = {}
    effects: tuple[Effect, ...] = ()
    conditions: tuple[str, ...] = ()
    facts: Facts = {}


class State(Struct, frozen=True, gc=False, omit_defaults=True):
    """Everything on a table at one version. `clock` counts seconds; `used` are ids that have left the table."""

    entities: dict[str, Entity] = {}
    clock: int = 0
    serial: int = 0
    used: tuple[str, ...] = ()
    facts: Facts = {}


class Part(Struct, frozen=True, gc=False):
    """One share of a hit's damage."""

    amount: int
    type: str


class Hit(Struct, frozen=True, gc=False):
    """One damaging blow as it was declared. `words` are traits and the words called; `facts` the game's own fields."""

    target: str
    parts: tuple[Part, ...]
    words: tuple[str, ...] = ()
    location: str | None = None
    source: str | None = None
    facts: Facts = {}


_PLAIN = (str, int, bool, type(None))


def frozen(value: Any) -> Any:
    """The same plain data with every list made a tuple, as states hold it."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, dict):
        return {key: item if item.__class__ in _PLAIN else frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple([item if item.__class__ in _PLAIN else frozen(item) for item in value])
    return value

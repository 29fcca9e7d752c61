"""Layers: the kinds of pool that a game defines, with what stacks, caps, ends and restores them."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from gambeson.language.fields import Context as FieldContext
from gambeson.language.fields import Field, Fields, NumberField, RecordField, TextField, UntilField, check_fields
from gambeson.language.predicates import Predicate
from gambeson.model.errors import FieldFault, Path
from gambeson.model.messages import message
from gambeson.model.values import LARGEST_FIGURE, Extra, Pool


class Cap(Struct, frozen=True, forbid_unknown_fields=True):
    """The most points that a pool may have (none: no limit) where `when` holds; the first that holds counts."""

    points: int | None = None
    when: Predicate | None = None


class Forbidden(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a command may not touch a layer: the rule and the text of the refusal."""

    rule: str
    text: str


class Excess(Struct, frozen=True, forbid_unknown_fields=True):
    """Points healed beyond the maximum become points of `layer`: `one_for_one`, `halved` (down) or `none`.

    Their source is `source`; with `source: healing` it is that of the healing.
    """

    layer: str
    rule: str
    gives: Literal["one_for_one", "halved", "none"] = "one_for_one"
    source: str = "overheal"
    stacking: str = ""
    """What these points do to old ones, where not what that layer says."""
    kinds: tuple[str, ...] = ()
    """Only entities of these kinds, if there are any."""

    def points(self, excess: int) -> int:
        """How many points an excess gives."""
        return {"one_for_one": excess, "halved": excess // 2, "none": 0}[self.gives]


class Reserve(Struct, frozen=True, forbid_unknown_fields=True):
    """Points that lose against greater ones wait in their effect, `unnamed` without one, until the layer is empty."""

    rule: str
    unnamed: str


class Layer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of pool.

    `absent` is `zero` where an entity without such a pool counts as having 0 points, else `none`. `stacking` says
    what a new pool does to an old one with points: `choose` (the holder keeps or takes), `greatest`, `latest`,
    `sum`, `refill` (the sum within the larger of the old maximum and the new points). `spent`: what the last point
    leaves: `gone` (an empty layer), `stays` (0 of its maximum) or `effect_ends` (0 of its maximum, and the effect that
    gave it ends). `grant` is `pool` (only the points begin), `effect` (an
    effect named by the source begins with them) or `raise` (an effect raises current and maximum together; at its
    end both fall back, or with `raise_ends: clamp` current is only cut to the maximum). `body_keys` are keys that
    stay when a new pool replaces the old one. `starts` gives kinds of entity the points that they have where none are
    written. `excess` says what becomes of points healed beyond the maximum.
    A layer that is `required` must be written on every entity, with a maximum of `least` at least. An edit of its
    number by hand `clears` source, effect and extras or `keeps` them; with `edit_raises` it also raises the maximum
    where the number is larger. `named_effect`: a pool that is written down may name the effect that gave it.
    `figured`: effects change its maximum, the figure `LAYER.maximum`.
    `raises`: points raise maximum and current `each` within the cap, or `together`. `again`: a raise by a source that
    has raised it already `adds` to it, `renews` its time or `replaces` it; `again_rule` is cited then. `flag` is worn
    while an effect that gives points lasts.
    """

    rule: str
    absent: Literal["zero", "none"] = "zero"
    stacking: Literal["choose", "greatest", "latest", "sum", "refill"] = "choose"
    stacking_rule: str = ""
    spent: Literal["gone", "stays", "effect_ends"] = "stays"
    spent_rule: str = ""
    grant: Literal["pool", "effect", "raise"] = "pool"
    cap: tuple[Cap, ...] = ()
    cap_rule: str = ""
    cap_text: str = "fault.pool.above_cap"
    keys: Fields = {}
    body_keys: tuple[str, ...] = ()
    raise_ends: Literal["subtract", "clamp"] = "subtract"
    extras: Field | None = None
    until: UntilField | None = None
    sourced: bool = False
    forbids: dict[str, Forbidden] = {}
    starts: dict[str, int] = {}
    excess: Excess | None = None
    required: bool = False
    least: int = 0
    edits: Literal["keeps", "clears"] = "keeps"
    edit_raises: bool = False
    named_effect: bool = False
    figured: bool = False
    raises: Literal["each", "together"] = "each"
    again: Literal["adds", "renews", "replaces"] = "adds"
    again_rule: str = ""
    reserve: Reserve | None = None
    flag: str = ""


EMPTY_POOL = Pool(0, 0)
"""What an absent pool counts as."""


def pool_fields(layer: Layer) -> Fields:
    """The keys that a pool of this layer may have where an entity is written down."""
    fields: dict[str, Field] = {"current": NumberField(), "maximum": NumberField(least=layer.least)}
    if layer.named_effect:
        fields["effect"] = TextField()
    if layer.sourced:
        fields["source"] = TextField()
    if layer.extras is not None:
        fields["extras"] = layer.extras
    if layer.until is not None:
        fields["until"] = layer.until
    return {**fields, **layer.keys}


def check_pool(layer: Layer, value: Any, context: FieldContext, path: Path) -> dict[str, Any]:
    """A pool as written: a number is current and maximum; a mapping has its keys. Raises FieldFault."""
    if isinstance(value, dict):
        given = RecordField(fields=pool_fields(layer)).check(value, context, path)
        if "current" not in given and "maximum" not in given:
            raise FieldFault((*path, "current"), message("fault.field.missing", field="current"))
    else:
        given = {"current": NumberField().check(value, context, path), **check_fields(layer.keys, {}, context)}
    return given


def written_pool(given: dict[str, Any], layer: Layer, until: Any) -> Pool:
    """The pool that a checked record describes; `until` is its end, counted from the clock of the table."""
    current = given.get("current", given.get("maximum", 0))
    extras = tuple(
        Extra(extra["name"], {key: fact for key, fact in extra.items() if key != "name"})
        for extra in given.get("extras", ())
    )
    facts = {key: given[key] for key in layer.keys if key in given}
    return Pool(current, given.get("maximum", current), given.get("source"), None, extras, until, facts)


def cap_of(layer: Layer, scope: Any) -> int | None:
    """The most points that the pool in `scope` may have, or None."""
    for cap in layer.cap:
        if cap.when is None or cap.when.holds(scope):
            return cap.points
    return None


def bounded(pool: Pool) -> bool:
    """Whether a pool keeps the law 0 <= current <= maximum <= the largest figure."""
    return 0 <= pool.current <= pool.maximum <= LARGEST_FIGURE


def empty() -> Pool:
    """What an absent pool counts as."""
    return EMPTY_POOL

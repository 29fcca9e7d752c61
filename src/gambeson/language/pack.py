"""A pack: one game as data, joined with the little code that it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

from gambeson.language.arithmetic import Rounding
from gambeson.language.effects import EffectRules
from gambeson.language.fields import Context, Fields
from gambeson.language.lastings import StartEffects
from gambeson.language.layers import Layer
from gambeson.language.predicates import Predicate
from gambeson.language.rules import Rule, Variant
from gambeson.language.standing import Standing
from gambeson.language.turns import OwnTurns
from gambeson.language.words import CallReader, Words
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Change, Facts

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.language.procedure import Planned
    from gambeson.language.stages.base import Stage


class Silent(Struct, frozen=True, forbid_unknown_fields=True):
    """Who cannot choose for itself: these kinds, and whoever has one of these conditions.

    `chooses` is `controller` (the entity's controller, else the referee) or `greater` (the larger stands unasked).
    """

    kinds: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    chooses: Literal["controller", "greater"] = "controller"
    rule: str = ""


class Bar(Struct, frozen=True, forbid_unknown_fields=True):
    """Who a command may not touch: the entity in `field` for whom `when` holds, except with a field `unless_field`."""

    field: str
    when: Predicate
    rule: str
    text: str
    unless_field: str = ""


class CommandSpec(Struct, frozen=True):
    """A command of the game: its fields, whom it may not touch, and what does it.

    `needed` are the fields that must be there or have a default (see `needed_of`). A command that `writes_entities`
    takes the keys of an entity beside its fields.
    """

    fields: Fields
    needed: Fields
    does: Doer
    bars: tuple[Bar, ...] = ()
    writes_entities: bool = False
    referee: bool = False
    """Whether only the referee may give it."""
    source: Any = None
    """Where what does it comes from while it is not made; else None."""


class Doer(Protocol):
    """What a command does: `prepare` reads its fields and says every reason against it, `run` carries it out."""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Any, list[Refusal]]:
        """What `run` needs, and the refusals; changes nothing."""
        ...

    def run(self, turn: Adjudication, prepared: Any) -> None:
        """Carry the command out."""
        ...


class Lasting(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of effect that the game's rules begin by themselves.

    `lasts` is a written duration, `then` the conditions that follow when its time is up, `order` its place among
    effects that end at the same second. `changes` and `lists` are what it does to figures and lists while it lasts.
    `running` is the condition whose time it is: without it the time stops. Where `unless` holds when the time is up,
    it stays for good. `together`: another of its kind starts the time of all anew.
    """

    rule: str
    conditions: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    lists: dict[str, tuple[Any, ...]] = {}
    lasts: Any = None
    then: tuple[str, ...] = ()
    then_rule: str = ""
    order: int = 1
    tags: tuple[str, ...] = ()
    running: str = ""
    unless: Predicate | None = None
    together: bool = False


class Follow(Struct, frozen=True, forbid_unknown_fields=True):
    """A standing rule: the effect `begins` is on an entity exactly while `holds` does.

    It is looked at after the facts that it `watches` change.
    """

    rule: str
    begins: str
    holds: Predicate
    watches: tuple[str, ...]


class Moment(Struct, frozen=True, forbid_unknown_fields=True):
    """A point of the game's timeline.

    `ends` lists the written durations that end there (`default`: of what has no duration of its own; `any`: of
    everything). `every` says how often the clock brings it, as a written duration; `fills` are layers that are
    full again then. `clears` are layers whose points go then: `all`, or the `untimed` that no time and no turn
    ends. `lowering` names a figure: effects that lower it end. `recharges`: what was spent until then works again.
    """

    rule: str
    ends: tuple[str, ...] = ()
    every: Any = None
    fills: tuple[str, ...] = ()
    fills_rule: str = ""
    clears: dict[str, str] = {}
    clears_rule: str = ""
    lowering: str = ""
    recharges: str = ""


class Figures(Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of an entity: the `fact` that holds them as written, and what a kind has unless it says otherwise."""

    fact: str
    defaults: dict[str, dict[str, int]] = {}


class Pack(Struct, frozen=True):
    """Everything that the engine knows of a game. `readings` are the variants in force, `hash` names the exact rules,
    `folder` is the name or path by which the pack was loaded."""

    game: str
    hash: str
    folder: str
    rules: dict[str, Rule]
    variants: dict[str, Variant]
    readings: dict[str, str]
    kinds: tuple[str, ...]
    facts: Fields
    layers: dict[str, Layer]
    life: str
    conditions: dict[str, Predicate]
    flags: dict[str, Predicate]
    procedure: tuple[Stage, ...]
    plan: tuple[Planned, ...]
    reserves: tuple[str, ...]
    """The layers that have a reserve."""
    words: Words
    reader: CallReader | None
    commands: dict[str, CommandSpec]
    silent: Silent | None
    lasting: dict[str, Lasting]
    follows: tuple[Follow, ...]
    moments: dict[str, Moment]
    spells: dict[str, Any]
    spell_names: dict[str, str]
    open_rules: dict[str, str]
    clock: Fields
    types: tuple[str, ...] = ()
    other_types: bool = False
    type_names: dict[str, str] = {}
    traits: tuple[str, ...] = ()
    values_rule: str = ""
    lowest: bool = True
    preventions: bool = False
    always_shown: tuple[str, ...] = ()
    rounds_later: bool = False
    condition_changes: dict[str, tuple[Change, ...]] = {}
    figure_rounding: Rounding = "down"
    watchers: dict[str, tuple[Callable[..., None], ...]] = {}
    effects: EffectRules | None = None
    standing: tuple[Standing, ...] = ()
    own_turns: OwnTurns | None = None
    ids_rule: str = ""
    licence: tuple[str, ...] = ()
    """Lines that travel with the pack and every page that shows its rules, word for word."""
    figures: Figures | None = None
    profile_key: str = ""
    """The key of an entity that names one of the `profiles`, whose keys it takes where it says nothing else."""
    profiles: dict[str, Any] = {}
    start_effects: StartEffects | None = None
    """How effects are written on an entity of a file, if they may be."""
    tables: Any = None
    """Data that only the game's own code reads, in the shape that it declares."""
    gone_rule: str = ""
    """The rule by which an entity that has left is refused."""
    source: Any = None
    """Where parts that are not made yet come from; None once all are."""

    def whole(self) -> Pack:
        """The pack, once nothing of it is left to be made: parts of one that was loaded are made when they are asked.

        To be called before a pack is copied or compared as a value."""
        return self

    def called(self, name: str) -> str:
        """The code of the entry of the catalogue that is called so, in any language and letter case; else the name."""
        return name if name in self.spells else self.spell_names.get(name.casefold(), name)

    def too_large(self, field: str) -> Refusal:
        """The refusal of a command that would compute a figure above the bound."""
        return Refusal(self.values_rule, message("refusal.too_large", field=field, most=LARGEST_FIGURE), field)

    def first(self, refusals: list[Refusal]) -> Refusal:
        """Of several refusals the one that is cited: the lowest rule id, or the first in the order of checks."""
        if not self.lowest:
            return refusals[0]
        return min(refusals, key=lambda refusal: refusal.rule or "~")


def context_of(entities: Any) -> Context:
    """What field checks may look at on this table."""
    return Context(entities)

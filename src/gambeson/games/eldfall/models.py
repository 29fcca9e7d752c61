"""What stands on a model and in the catalogue: spells, the game's tables, attributes, traits, sides."""

from __future__ import annotations

import re
from typing import Any, NoReturn, Protocol

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import unknown_entity
from gambeson.language.figures import figure, own_conditions, written_figure
from gambeson.language.pack import Pack
from gambeson.mechanisms.turns import Standing
from gambeson.model.messages import Message, message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Change, Entity

TRANSMUTATION = "transmutation"
SEQUENCE = "sequence"
"""The fact of the table that holds the open Sequence: `model`, `movement`, `action`, `reactions`, `struck`."""
LEAVING = "leaving"
"""The fact of the table that names the casters whose creatures leave at the end of the next Sequence (EF-67)."""
STAR = "star"
INCAPACITATED, DEAD, CROUCHED = "incapacitated", "dead", "crouched"
HALF = Change("", times=-1)


class ExtraMana(Struct, frozen=True, forbid_unknown_fields=True):
    """EF-42: what a Spell offers for more mana."""

    mana: int
    strike: int = 0


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing of several that a success gives: points, or the cure of one State."""

    points: int
    states: tuple[str, ...]


class Spell(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Spell of the catalogue.

    `power` is a number, an attribute or `star` (✦); `strike` a number or `stamina`; `reach` inches, 0, or `aura`.
    What a Hit or an Assist success brings: the effect `bears` (the kind of its own code), `heals` points (or `all`),
    `cures` States, `chooses` one thing, `dispels`. On a critical Hit it has the traits of `critical` too. A Ritual
    calls the `creature`; a Transmutation stands until `lasts` and may state an `armor`.
    """

    rule: str
    craft: str
    level: int
    element: str
    type: str
    modes: tuple[str, ...] = ()
    power: int | str | None = None
    reach: int | str = 16
    template: bool = False
    strike: int | str = 1
    traits: dict[str, int] = {}
    critical: dict[str, int] = {}
    mana_cost: int = 0
    extra: ExtraMana | None = None
    bears: bool = False
    heals: int | str = 0
    cures: tuple[str, ...] = ()
    chooses: Choice | None = None
    dispels: bool = False
    creature: str = ""
    lasts: str = ""
    armor: int | None = None


class Only(Struct, frozen=True, forbid_unknown_fields=True):
    """EF-21: what a State still `allows`, and the text of the refusal of everything else."""

    allows: tuple[str, ...]
    text: str


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The game's numbers and lists that no single card holds.

    `never`: States that a model with that trait never has; `untouched`: traits of Attacks that do nothing to it;
    `leave`: who leaves the field at 0 HP; `only`: what a State or an effect's tag still allows; `idle`: those that
    allow no movement; `dice`: States that ask for a Toughness die, with its modifier; `attributes`: what a class
    casts with; `bonus`: a class' plus with an Element; `critical`: up to which face a class is critical.
    """

    sizes: tuple[str, ...]
    never: dict[str, tuple[str, ...]]
    untouched: dict[str, tuple[str, ...]]
    leave: tuple[str, ...]
    only: dict[str, Only]
    idle: tuple[str, ...]
    dice: dict[str, int]
    attributes: dict[str, tuple[str, ...]]
    bonus: dict[str, dict[str, int]]
    critical: dict[str, int]


def tables(pack: Pack) -> Tables:
    """The game's tables."""
    found: Tables = pack.tables
    return found


def refused(rule: str, id: str, field: str = "", /, **params: Any) -> Refusal:
    """A refusal with the text of this id; what the parameters name fills its blanks."""
    return Refusal(rule, Message(id, params), field)


def bad_field(turn: Adjudication, field: str, fault: Message) -> NoReturn:
    """Leave the command: a field is wrong."""
    turn.refuse(Refusal(turn.pack.values_rule, message("refusal.field", field=field, fault=fault), field))


def named(state: Standing, id: str) -> str:
    """What people call it."""
    entity = state.entities.get(id)
    return entity.name if entity is not None else id


def absent(turn: Adjudication, id: str, field: str) -> Refusal | None:
    """EF-19: the refusal of a model that left the field; an id that never was is a wrong field."""
    if id in turn.state.entities:
        return None
    if id in turn.state.used:
        return Refusal(turn.pack.gone_rule, message("refusal.gone", entity=id), field)
    bad_field(turn, field, unknown_entity(id, turn.state.entities))


def fallen(entity: Entity) -> str:
    """EF-19: `incapacitated` or `dead`, if it is."""
    states = own_conditions(entity)
    return DEAD if DEAD in states else INCAPACITATED if INCAPACITATED in states else ""


def against_fallen(turn: Adjudication, id: str, field: str) -> Refusal | None:
    """EF-19: the refusal of a model that left or is fallen."""
    gone = absent(turn, id, field)
    if gone is not None:
        return gone
    entity = turn.state.entities[id]
    state = fallen(entity)
    if state == DEAD:
        return refused("EF-19", "refusal.eldfall.dead", field, entity=entity.name)
    return refused("EF-19", "refusal.eldfall.incapacitated", field, entity=entity.name) if state else None


def has_class(entity: Entity, name: str) -> bool:
    """Whether the model has a class."""
    return name in entity.facts.get("classes", ())


def has_trait(entity: Entity, name: str) -> bool:
    """Whether the model has a trait."""
    return name in entity.facts.get("traits", ())


def tagged(entity: Entity, tag: str) -> bool:
    """Whether an effect with this tag is on the model."""
    return any(tag in effect.tags for effect in entity.effects)


def states_and_tags(entity: Entity) -> tuple[str, ...]:
    """Every State of the model and every tag of its effects."""
    return (*own_conditions(entity), *(tag for effect in entity.effects for tag in effect.tags))


def untouched(pack: Pack, entity: Entity, word: str) -> bool:
    """EF-69: whether a trait of an Attack does nothing to the model."""
    untouched = tables(pack).untouched
    return any(word in untouched.get(trait, ()) for trait in entity.facts.get("traits", ()))


def can_be(pack: Pack, entity: Entity, state: str) -> bool:
    """EF-69: whether the model can have a State."""
    never = tables(pack).never
    return not any(state in never.get(trait, ()) for trait in entity.facts.get("traits", ()))


def stat(turn: Adjudication, entity: Entity, name: str, *more: Change) -> int:
    """EF-07: an attribute as it is now, with these plus, minus and halvings; an absent one is a wrong field."""
    return figure(turn.pack, entity, name, needs_stat(turn, entity, name), more)


def needs_stat(turn: Adjudication, entity: Entity, name: str) -> int:
    """An attribute as printed; an absent one is a wrong field."""
    written = written_figure(turn.pack, entity, name)
    if written is None:
        bad_field(turn, f"{entity.id}.stats.{name}", message("fault.field.missing", field=f"stats.{name}"))
    return written


def stamina(turn: Adjudication, entity: Entity) -> int:
    """The modified Stamina."""
    return stat(turn, entity, "stamina")


_POWER = re.compile(r"([a-z]+)(?:\s*([+-])\s*(\d+))?\Z")


def _name_and_number(written: str) -> tuple[str, int]:
    """An attribute with a plus or minus, taken apart."""
    found = _POWER.match(written)
    assert found is not None
    name, sign, number = found.groups()
    return name, int(number or 0) * (-1 if sign == "-" else 1)


def power_of(turn: Adjudication, entity: Entity, written: int | str | None) -> int | None:
    """EF-16: the Power, from an attribute as States and effects change it, or as printed."""
    if written is None or written == STAR:
        return None
    if isinstance(written, int):
        return written
    name, plus = (written, 0) if written.isalpha() else _name_and_number(written)
    if turn.pack.readings["power_reads"] == "printed":
        printed = written_figure(turn.pack, entity, name)
        if printed is not None:
            return max(0, printed + plus)
    return max(0, stat(turn, entity, name) + plus)


def smaller(pack: Pack, one: Entity, other: Entity, by: int = 1) -> bool:
    """Whether one model is at least so many Sizes smaller than the other."""
    sizes = tables(pack).sizes
    return sizes.index(one.facts.get("size", "medium")) + by <= sizes.index(other.facts.get("size", "medium"))


class Named(Protocol):
    """What a Resistance is asked about: an Attack with all that may be named of it."""

    @property
    def words(self) -> tuple[str, ...]:
        """Types, Element, traits."""
        ...


def resisted(entity: Entity, level: int, attack: Named) -> tuple[str, ...]:
    """EF-71: the names of Resistances of this level that match what an Attack is; of one name the higher counts."""
    levels: dict[str, int] = entity.facts.get("resistances", {})
    for effect in entity.effects:
        for entry in effect.lists.get("resistances", ()):
            levels = {**levels, **{name: max(own, levels.get(name, 0)) for name, own in entry.items()}}
    if level not in levels.values():
        return ()
    words = attack.words
    return tuple(name for name, own in levels.items() if own == level and name in words)


def armor_of(turn: Adjudication, entity: Entity) -> int | None:
    """The modified Armor; None where a Transmutation states none."""
    written = written_figure(turn.pack, entity, "armor")
    if written is None:
        spell = turn.pack.spells.get(entity.facts.get("spell", ""))
        written = spell.armor if spell is not None else None
    return None if written is None else figure(turn.pack, entity, "armor", written)


def is_creature(entity: Entity) -> bool:
    """EF-60: whether the model is a summoned creature, and so a Spell."""
    return entity.kind != TRANSMUTATION and "caster" in entity.facts


def traits_of(listed: tuple[Any, ...] | dict[str, int]) -> dict[str, int]:
    """Traits as words, or as `{name: X}`, as one mapping."""
    if isinstance(listed, dict):
        return dict(listed)
    found: dict[str, int] = {}
    for entry in listed:
        found.update(entry if isinstance(entry, dict) else {entry: 0})
    return found

"""An Attack, a casting or another Action as it is declared: read from the fields of a command or of a Reaction."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from msgspec import Struct

from gambeson.games.eldfall.models import (
    CROUCHED,
    HALF,
    TRANSMUTATION,
    Spell,
    bad_field,
    fallen,
    has_class,
    stamina,
    stat,
    tables,
)
from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import not_among
from gambeson.language.figures import own_conditions
from gambeson.mechanisms.turns import ACTIVE, REACTIVE, same_side
from gambeson.model.messages import message
from gambeson.model.values import Change, Entity, Facts

MOST_SPLITS = 500
MOST_DICE = 200
WEAPON, CAST, DODGE, NOTHING = "attack", "cast", "dodge", "nothing"


class Declared(Struct, frozen=True, kw_only=True):
    """What a model does: with what, at whom (dice for each target, 0: not said), and what players state of the board.

    `blind` is no Line of Sight.
    """

    actor: str
    role: str
    action: str
    code: str = ""
    spell: Spell | None = None
    weapon: Facts = {}
    mode: str = ""
    attribute: str = ""
    targets: tuple[tuple[str, int], ...] = ()
    modifier: int = 0
    blind: bool = False
    out_of_reach: bool = False
    ground: bool = False
    mana: int = 0
    mana_from: dict[str, int] = {}
    choices: tuple[str, ...] = ()
    called: str = ""
    place: str = ""
    hands: tuple[str, ...] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The targets."""
        return tuple(id for id, _ in self.targets)

    @property
    def template(self) -> bool:
        """EF-33: whether one die is rolled for all targets."""
        return self.spell.template if self.spell is not None else bool(self.weapon.get("template"))

    @property
    def written_power(self) -> Any:
        """The Power as printed."""
        return self.spell.power if self.spell is not None else self.weapon["power"]

    @property
    def price(self) -> int:
        """EF-40, EF-42: the Mana Counters that it costs."""
        return self.mana + (self.spell.mana_cost if self.spell is not None else 0)


def declared_cast(turn: Adjudication, actor: str, fields: Facts, role: str) -> Declared:
    """A casting, its field values checked."""
    code: str = turn.pack.spell_names[str(fields["spell"]).casefold()]
    spell: Spell = turn.pack.spells[code]
    entity = turn.state.entities[actor]
    mode = fields.get("mode", spell.modes[0] if spell.modes else "")
    if mode and mode not in spell.modes:
        bad_field(turn, "mode", not_among(mode, spell.modes))
    mana = fields.get("mana", 0)
    offered = (0, spell.extra.mana) if spell.extra is not None else (0,)
    if mana not in offered:
        bad_field(turn, "mana", not_among(str(mana), tuple(map(str, offered))))
    return Declared(
        actor=actor,
        role=role,
        action=CAST,
        code=code,
        spell=spell,
        mode=mode,
        attribute=fields.get("attribute", casting_attributes(turn, entity)[0]),
        targets=_targets(turn, fields, spell.template, spell.type),
        modifier=fields.get("modifier", 0),
        blind=fields.get("no_line_of_sight", False),
        out_of_reach=fields.get("out_of_reach", False),
        ground=fields.get("ground", False),
        mana=mana,
        mana_from=fields.get("mana_from", {}),
        choices=fields.get("choices", ()),
        called=fields.get("as", ""),
        place=fields.get("place", ""),
        hands=fields.get("hands"),
    )


def declared_attack(turn: Adjudication, actor: str, fields: Facts, role: str) -> Declared:
    """An Attack with a weapon, its field values checked."""
    weapons: dict[str, Facts] = turn.state.entities[actor].facts.get("weapons", {})
    code = fields.get("weapon", "")
    if code not in weapons:
        bad_field(turn, "weapon", not_among(code, tuple(weapons)))
    weapon = weapons[code]
    return Declared(
        actor=actor,
        role=role,
        action=WEAPON,
        code=code,
        weapon=weapon,
        mode=weapon["mode"],
        attribute=_weapon_attribute(weapon, role),
        targets=_targets(turn, fields, bool(weapon.get("template")), ""),
        modifier=fields.get("modifier", 0),
        blind=fields.get("no_line_of_sight", False),
        out_of_reach=fields.get("out_of_reach", False),
    )


def _weapon_attribute(weapon: Facts, role: str) -> str:
    """EF-08: what a weapon is used with."""
    if weapon["mode"] == "ranged":
        return "accuracy"
    return "defense" if role == REACTIVE else "offense"


def _targets(turn: Adjudication, fields: Facts, template: bool, type: str) -> tuple[tuple[str, int], ...]:
    given = fields.get("targets", ())
    if isinstance(given, dict):
        if template:
            bad_field(turn, "targets", message("fault.eldfall.template_dice"))
        return tuple(given.items())
    if not given and type not in ("conjuration", "transmutation"):
        bad_field(turn, "targets", message("fault.field.missing", field="targets"))
    return tuple((id, 0) for id in given)


def casting_attributes(turn: Adjudication, entity: Entity) -> tuple[str, ...]:
    """EF-23: what the model may cast with, the usual one first."""
    found = [name for cls, names in tables(turn.pack).attributes.items() if has_class(entity, cls) for name in names]
    return tuple(dict.fromkeys(found)) or ("intellect",)


def is_attack(turn: Adjudication, declared: Declared) -> bool:
    """EF-29: aimed at enemies, from a template, or with a weapon it is an Attack; at own models an Assist."""
    if declared.spell is None or declared.template:
        return True
    return any(aimed_at_enemy(turn, declared, id) for id in declared.ids)


def aimed_at_enemy(turn: Adjudication, declared: Declared, id: str) -> bool:
    """Whether a target is not of the own side; a Transmutation with Power against it counts as one (EF-56)."""
    entity = turn.state.entities.get(id)
    if entity is not None and entity.kind == TRANSMUTATION and declared.written_power is not None:
        return True
    return not same_side(turn.state, declared.actor, id)


def strike(turn: Adjudication, declared: Declared) -> int:
    """EF-09: the number of dice: in the Reactive Role 1 unless the profile says otherwise, bought dice on top."""
    entity = turn.state.entities[declared.actor]
    printed: int | str
    if declared.spell is not None:
        printed = declared.spell.strike if declared.role == ACTIVE else 1
    elif declared.role == ACTIVE:
        printed = declared.weapon["strike"]
    else:
        printed = declared.weapon.get("reactive_strike", 1)
    dice = stamina(turn, entity) if printed == "stamina" else int(printed)
    if declared.spell is not None and declared.spell.extra is not None and declared.mana:
        dice += declared.spell.extra.strike
    if CROUCHED in own_conditions(entity) and is_attack(turn, declared):
        return 1
    return max(1, dice)


def rolled_with(turn: Adjudication, declared: Declared) -> int:
    """EF-07, EF-08, EF-23: the value that the dice must not exceed."""
    entity = turn.state.entities[declared.actor]
    plus = declared.modifier
    if declared.spell is not None:
        for cls, bonus in tables(turn.pack).bonus.items():
            if has_class(entity, cls):
                plus += bonus.get(declared.spell.element, 0)
    else:
        plus += declared.weapon.get("attribute_modifier", {}).get(declared.attribute, 0)
    more = (Change("", add=plus), HALF) if declared.blind else (Change("", add=plus),)
    return stat(turn, entity, declared.attribute, *more)


def splits(dice: int, targets: int) -> tuple[tuple[int, ...], ...]:
    """Every way to give each of the targets at least one of the dice, most on the first ones first."""
    found: list[tuple[int, ...]] = []
    for cut in combinations(range(1, dice), targets - 1):
        edges = (0, *cut, dice)
        found.append(tuple(b - a for a, b in pairwise(edges)))
        if len(found) > MOST_SPLITS:
            break
    return tuple(sorted(found, reverse=True))


def without_roll(turn: Adjudication, declared: Declared, id: str) -> bool:
    """EF-31: no dice for an Enchanter's Enchantment on own models, nor for a Vitalist's Healing of those that stand."""
    if declared.spell is None or is_attack(turn, declared):
        return False
    caster, target = turn.state.entities[declared.actor], turn.state.entities[id]
    if declared.spell.type == "enchantment":
        return has_class(caster, "enchanter")
    if declared.spell.type != "healing" or target.kind == TRANSMUTATION:
        return False
    return has_class(caster, "vitalist") and not fallen(target)

"""An Attack, a casting or another Action as it is declared: read from the fields of a command or of a Reaction."""

from __future__ import annotations

from itertools import combinations, pairwise

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
from gambeson.mechanisms.turns import ACTIVE, REACTIVE, player_of
from gambeson.model.messages import message
from gambeson.model.values import Change, Entity, Facts

MOST_SPLITS = 500
MOST_DICE = 200
WEAPON, CAST, APPLY, DODGE, NOTHING = "attack", "cast", "apply", "dodge", "nothing"


class Declared(Struct, frozen=True, kw_only=True):
    """What a model does: with what, at whom, and what players state of the board.

    `shares` are the dice for each of the targets `ids`, where that was said; `enemies` tells of each target whether
    it counts as an enemy. `attacks`: it is an Attack, else an Assist (EF-29). `strike` is how many dice there are, in
    the Reactive Role 1 unless the profile says otherwise (EF-09); of a `template` one for all targets (EF-33).
    `power` is written as on the card, `price` in Mana Counters (EF-40, EF-42). `blind` is no Line of Sight.
    """

    actor: str
    role: str
    action: str
    code: str = ""
    spell: Spell | None = None
    weapon: Facts = {}
    mode: str = ""
    attribute: str = ""
    ids: tuple[str, ...] = ()
    shares: tuple[int, ...] = ()
    enemies: tuple[bool, ...] = ()
    attacks: bool = False
    strike: int = 1
    template: bool = False
    power: int | str | None = None
    modifier: int = 0
    blind: bool = False
    out_of_reach: bool = False
    ground: bool = False
    mana: int = 0
    price: int = 0
    mana_from: dict[str, int] = {}
    choices: tuple[str, ...] = ()
    called: str = ""
    place: str = ""
    hands: tuple[str, ...] | None = None


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
    ids, shares = _targets(turn, fields, spell.template, spell.type)
    enemies = _enemies(turn, actor, ids, spell.power)
    attacks = spell.template or True in enemies
    bought = spell.extra.strike if spell.extra is not None and mana else 0
    return Declared(
        actor=actor,
        role=role,
        action=CAST,
        code=code,
        spell=spell,
        mode=mode,
        attribute=fields.get("attribute") or casting_attributes(turn, entity)[0],
        ids=ids,
        shares=shares,
        enemies=enemies,
        attacks=attacks,
        strike=_strike(turn, entity, spell.strike if role == ACTIVE else 1, bought, attacks),
        template=spell.template,
        power=spell.power,
        modifier=fields.get("modifier", 0),
        blind=fields.get("no_line_of_sight", False),
        out_of_reach=fields.get("out_of_reach", False),
        ground=fields.get("ground", False),
        mana=mana,
        price=mana + spell.mana_cost,
        mana_from=fields.get("mana_from", {}),
        choices=fields.get("choices", ()),
        called=fields.get("as", ""),
        place=fields.get("place", ""),
        hands=fields.get("hands"),
    )


def declared_attack(turn: Adjudication, actor: str, fields: Facts, role: str) -> Declared:
    """An Attack with a weapon, its field values checked."""
    entity = turn.state.entities[actor]
    weapons: dict[str, Facts] = entity.facts.get("weapons", {})
    code = fields.get("weapon", "")
    if code not in weapons:
        bad_field(turn, "weapon", not_among(code, tuple(weapons)))
    weapon = weapons[code]
    template = bool(weapon.get("template"))
    ids, shares = _targets(turn, fields, template, "")
    printed = weapon["strike"] if role == ACTIVE else weapon.get("reactive_strike", 1)
    return Declared(
        actor=actor,
        role=role,
        action=WEAPON,
        code=code,
        weapon=weapon,
        mode=weapon["mode"],
        attribute=_weapon_attribute(weapon, role),
        ids=ids,
        shares=shares,
        enemies=_enemies(turn, actor, ids, weapon["power"]),
        attacks=True,
        strike=_strike(turn, entity, printed, 0, True),
        template=template,
        power=weapon["power"],
        modifier=fields.get("modifier", 0),
        blind=fields.get("no_line_of_sight", False),
        out_of_reach=fields.get("out_of_reach", False),
    )


def _weapon_attribute(weapon: Facts, role: str) -> str:
    """EF-08: what a weapon is used with."""
    if weapon["mode"] == "ranged":
        return "accuracy"
    return "defense" if role == REACTIVE else "offense"


def _targets(turn: Adjudication, fields: Facts, template: bool, type: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The targets, and the dice for each where that is said."""
    given = fields.get("targets", ())
    if isinstance(given, dict):
        if template:
            bad_field(turn, "targets", message("fault.eldfall.template_dice"))
        return tuple(given), tuple(given.values())
    if not given and type not in ("conjuration", "transmutation"):
        bad_field(turn, "targets", message("fault.field.missing", field="targets"))
    return tuple(given), ()


def _enemies(turn: Adjudication, actor: str, ids: tuple[str, ...], power: int | str | None) -> tuple[bool, ...]:
    """Which targets are not of the own side; a Transmutation with Power against it counts as an enemy (EF-56)."""
    state = turn.state
    player = player_of(state, actor)
    found = []
    for id in ids:
        entity = state.entities.get(id)
        wall = power is not None and entity is not None and entity.kind == TRANSMUTATION
        found.append(wall or player_of(state, id) != player)
    return tuple(found)


def casting_attributes(turn: Adjudication, entity: Entity) -> tuple[str, ...]:
    """EF-23: what the model may cast with, the usual one first."""
    classes = entity.facts.get("classes")
    found = (
        [name for cls, names in tables(turn.pack).attributes.items() if cls in classes for name in names]
        if classes
        else ()
    )
    return tuple(dict.fromkeys(found)) or ("intellect",)


def _strike(turn: Adjudication, entity: Entity, printed: int | str, bought: int, attacks: bool) -> int:
    """EF-09: the number of dice: what is printed, bought dice on top; of the Crouched one where they attack."""
    if attacks and CROUCHED in own_conditions(entity):
        return 1
    return max(1, (stamina(turn, entity) if printed == "stamina" else int(printed)) + bought)


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
    more = (Change("", add=plus),) if plus else ()
    return stat(turn, entity, declared.attribute, *more, *((HALF,) if declared.blind else ()))


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
    if declared.spell is None or declared.attacks:
        return False
    caster, target = turn.state.entities[declared.actor], turn.state.entities[id]
    if declared.spell.type == "enchantment":
        return has_class(caster, "enchanter")
    if declared.spell.type != "healing" or target.kind == TRANSMUTATION:
        return False
    return has_class(caster, "vitalist") and not fallen(target)

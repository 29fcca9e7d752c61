"""Random legal games of eldfall: commands that are legal, some that are not, and what has occurred in them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct, field

from gambeson.engine.legal import Choice, offers, tried
from gambeson.language.figures import own_conditions, pool_of
from gambeson.language.offers import Offer
from gambeson.mechanisms.creatures import creatures_of
from gambeson.mechanisms.turns import same_side
from gambeson.model.commands import Command
from gambeson.model.events import EntityAdded
from gambeson.model.questions import Question
from gambeson.model.values import Entity, State
from gambeson.table import Ruling, Table


class Seen(Struct):
    """What occurred in the games that were played, and how often each rule was cited."""

    spells: Counter[str] = field(default_factory=Counter)
    creatures: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    refusals: int = 0
    games: int = 0


def thrown(dice: random.Random) -> Callable[[Question], tuple[int, ...]]:
    """Real dice, a little luckier than real, so that rare things happen."""

    def throw(question: Question) -> tuple[int, ...]:
        return tuple(
            1 if dice.random() < 0.1 else dice.randint(1, group.sides)
            for group in question.dice
            for _ in range(group.count)
        )

    return throw


# What may come of a command


def promises(state: State, name: str, fields: dict[str, Any], target: str) -> Iterator[str]:
    """The rarer rules that a casting or an Attack at this target may well bring up."""
    entity = state.entities[target]
    spell = fields.get("spell", "")
    sequence: dict[str, Any] = state.facts.get("sequence") or {}
    reacts = {entry["model"]: entry["action"] for entry in sequence.get("reactions", ())}.get(target, "")
    borne = [effect.code for effect in entity.effects]
    if spell in borne:
        yield from ("EF-49", "EF-50")
    if spell == "dispel_magic":
        yield from ("EF-75",) if borne else ()
        yield from ("EF-60", "EF-75") if "caster" in entity.facts else ()
    if spell == "hastened_recovery" and (own_conditions(entity) or _hurt(entity)):
        yield "EF-77"
    if reacts == "dodge":
        yield "EF-14"
        yield from ("EF-70",) if "protective_barrier" in borne else ()
        yield from ("EF-48",) if spell in ("deep_freeze", "soul_leech", "curse_of_decay") else ()
    if reacts in ("attack", "cast") and name in ("attack", "cast"):
        yield from ("EF-12", "EF-13")


def _hurt(entity: Entity) -> bool:
    pool = pool_of(entity, "hit_points")
    return pool.current < pool.maximum


OFTEN = 3
"""How often something must have occurred until it is no longer preferred."""


def wanted(table: Table, name: str, offer: Offer, seen: Seen) -> bool:
    """Whether an offer may bring something that has hardly occurred yet: its Spell, or a rule."""
    spell = offer.fields.get("spell", "")
    if spell and seen.spells[spell] < OFTEN:
        return True
    if any(seen.rules[rule] < OFTEN for rule in promised_by(table.state, offer)):
        return True
    return any(targets_wanted(table, name, offer.fields, open.values, seen) for open in offer.open if open.listed)


def promised_by(state: State, offer: Offer) -> Iterator[str]:
    """The rarer rules that an offer may bring up whatever it is aimed at."""
    sequence: dict[str, Any] = state.facts.get("sequence") or {}
    own = state.entities.get(offer.actor)
    if offer.fields.get("spell", "").startswith("summon"):
        if any(entry["action"] == "attack" for entry in sequence.get("reactions", ())):
            yield "EF-68"
        if any("summoning_limit" in creature.facts for creature in creatures_of(state, offer.actor)):
            yield "EF-63"
    if own is not None and offer.fields.get("action") == "dodge":
        yield from ("EF-70",) if any(effect.code == "protective_barrier" for effect in own.effects) else ()


def targets_wanted(
    table: Table, name: str, fields: dict[str, Any], values: tuple[str, ...], seen: Seen
) -> tuple[str, ...]:
    """The targets that promise a rule which has hardly been cited."""
    state = table.state
    return tuple(id for id in values if any(seen.rules[rule] < OFTEN for rule in promises(state, name, fields, id)))


def filled(table: Table, name: str, fields: dict[str, Any], choice: Choice, dice: random.Random, seen: Seen) -> Any:
    """A value for an open field: of targets rather those that promise something new."""
    if not choice.listed:
        return dice.choice(choice.values)
    may_be_first = choice.first or choice.values
    first = dice.choice(targets_wanted(table, name, fields, may_be_first, seen) or may_be_first)
    others = [other for other in choice.values if other != first]
    return (first, *dice.sample(others, min(dice.randint(choice.least, choice.most) - 1, len(others))))


# Commands

OPEN = {"cast": 14, "react": 12, "attack": 7, "finish": 2}
RESOLVED = {"finish": 10}
TACTICAL = {"activate": 20, "advance": 1}
QUIET = {"advance": 6, "cast": 3, "recover": 3, "dismiss": 3}
LITTLE = 0.3
"""How seldom a command is tried where it does not belong: then it is refused, and the rule has occurred."""


def weights(state: State) -> dict[str, float]:
    """Which commands are likely where the table stands; `convert` is possible everywhere."""
    sequence = state.facts.get("sequence")
    if sequence is not None:
        likely = RESOLVED if sequence["action"] else OPEN
    else:
        likely = TACTICAL if state.facts["turn"]["phase"] == "tactical" else QUIET
    names = ("advance", "activate", "react", "attack", "cast", "finish", "convert", "dismiss", "recover")
    return {name: likely.get(name, 1.0 if name == "convert" else LITTLE) for name in names}


def whoever(state: State, name: str, dice: random.Random) -> str:
    """Whose command it is: mostly of the model whose Sequence is open, or in a Reaction of an enemy."""
    ids = list(state.entities)
    sequence = state.facts.get("sequence")
    if sequence is None or sequence["model"] not in state.entities or dice.random() < 0.1:
        return dice.choice(ids)
    if name in ("cast", "attack", "finish"):
        return str(sequence["model"])
    enemies = [id for id in ids if not same_side(state, id, sequence["model"])]
    return dice.choice(enemies if name == "react" and enemies else ids)


def stated(table: Table, name: str, fields: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """What players may state besides, of the board or of payment, whether the rules allow it or not."""
    ids = tuple(table.state.entities)
    ways: list[dict[str, Any]] = []
    if name in ("cast", "attack", "react"):
        ways += [{"no_line_of_sight": True}, {"modifier": dice.randint(-6, 4)}]
        if fields.get("action", name) in ("cast", "attack"):
            ways += [{"out_of_reach": True}, {"targets": tuple(dice.sample(ids, min(len(ids), 4)))}]
    if "spell" in fields:
        ways += [{"attribute": dice.choice(["intellect", "morale", "toughness"])}, {"spell": (fields["spell"], "ward")}]
        if name == "cast":
            payers = dice.sample(ids, min(2, len(ids)))
            price = table.pack.spells[fields["spell"]].mana_cost + fields.get("mana", 0)
            ways += [{"mana_from": dict(zip(payers, (price, 0), strict=False))}, {"ground": True}]
    if name in ("activate", "react"):
        ways += [{"hands": dice.choice([(), ("shield", "weapon"), ("weapon",)])}]
    if name == "recover":
        ways += [{"ally_in_contact": True}]
    return dice.choice(ways) if ways else {}


TRIES = 6
"""How many proposals of one command are tried before another command."""


def offered(table: Table, dice: random.Random, seen: Seen) -> Iterator[tuple[str, dict[str, Any]]]:
    """Legal commands, at random; refusals met on the way count as seen."""
    likely = weights(table.state)
    for _ in range(1_000):
        name = dice.choices(list(likely), list(likely.values()))[0]
        for offer in proposals(table, name, dice, seen):
            entry = tried(table.pack, table.state, name, offer)
            if entry.refusal is not None:
                seen.rules[entry.refusal.rule] += 1
                continue
            fields = dict(entry.fields)
            for choice in entry.open:
                if not choice.optional or dice.random() < 0.4:
                    fields[choice.field] = filled(table, name, fields, choice, dice, seen)
            yield name, fields
            break
    raise AssertionError("nothing is legal")


def proposals(table: Table, name: str, dice: random.Random, seen: Seen) -> list[Offer]:
    """Some proposals of one command, rather those that promise something new."""
    found = list(offers(table.pack, table.state, name, (whoever(table.state, name, dice),)))
    if name == "react":
        action = dice.choice(["dodge", "dodge", "attack", "attack", "cast", "nothing"])
        found = [offer for offer in found if offer.fields["action"] == action]
    new = [offer for offer in found if wanted(table, name, offer, seen)] if dice.random() < 0.7 else []
    return dice.sample(new or found, min(TRIES, len(new or found)))


def step_of(table: Table, dice: random.Random, seen: Seen) -> Ruling:
    """One command: what is offered is accepted, and what is not legal is refused and changes nothing."""
    if dice.random() < 0.08:
        found = by_the_referee(table, dice)
        if found is not None:
            return found
    for name, fields in offered(table, dice, seen):
        more = stated(table, name, fields, dice) if dice.random() < 0.25 else {}
        before = table.state
        ruling = table.submit(Command(name, {**fields, **more}))
        assert before is ruling.before
        if ruling.refusal is not None:
            assert more, (name, fields, ruling.refusal)
            assert ruling.after is before is table.state
            seen.rules.update((ruling.refusal.rule, "EF-34"))
            seen.refusals += 1
            continue
        if "spell" in fields:
            seen.spells[fields["spell"]] += 1
        return ruling
    raise AssertionError("nothing is legal")


def by_the_referee(table: Table, dice: random.Random) -> Ruling | None:
    """A command that only the referee gives."""
    id = dice.choice(tuple(table.state.entities))
    entity = table.state.entities[id]
    if entity.kind == "transmutation":
        return None
    match dice.choice(["hit", "power", "heal", "grant", "end"]):
        case "hit":
            return table.do("hit", target=id, damage=dice.randint(1, 2))
        case "power":
            return table.do(
                "hit", target=id, power=dice.randint(5, 15), hits=dice.randint(1, 3), critical=dice.random() < 0.3
            )
        case "heal":
            ruling = table.do("heal", target=id, points=1)
            assert "rejected" != ruling.status or "dead" in own_conditions(entity)
            return ruling
        case "grant":
            return table.do("grant", target=id, layer=dice.choice(["activation", "mana"]), points=1)
        case _:
            return table.do("end", target=id, effect=entity.effects[0].code) if entity.effects else None


def remember(ruling: Ruling, seen: Seen) -> None:
    """What a ruling has brought."""
    seen.rules.update(row.rule for row in ruling.trace)
    seen.rules.update(event.rule for event in ruling.events)
    for event in ruling.events:
        if isinstance(event, EntityAdded):
            what = event.entity.facts.get("creature") or event.entity.facts.get("spell")
            seen.creatures[str(what)] += 1
    if ruling.command is not None and ruling.command.name == "advance" and mana_stays(ruling):
        seen.rules["EF-37"] += 1


def mana_stays(ruling: Ruling) -> bool:
    """EF-37: whether somebody had mana when a Turn ended; then it is there still, but of those that fell (EF-43)."""
    phases = [row.stage for row in ruling.trace]
    if "end" not in phases:
        return False
    kept = False
    for id, entity in ruling.before.entities.items():
        after = ruling.after.entities.get(id)
        had = pool_of(entity, "mana").current
        if after is None or not had or any(row.rule == "EF-43" and row.entity == id for row in ruling.trace):
            continue
        assert had == pool_of(after, "mana").current
        kept = True
    return kept

"""srd5 against small models of its rules that share no code with it: points, maxima, durations, turns and rests in
random order (S5-05 to S5-10, S5-36, S5-37, S5-47 to S5-51, S5-55), and blows among entities bound to each other
(S5-39, S5-42 to S5-45)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from gambeson import Table
from gambeson.table.json_view import entity_json

SECONDS = {"hours": 3600, "minutes": 60, "rounds": 6}
IN_TURNS = ("turn_start", "turn_end")


@dataclass
class Lasting:
    """An effect or the points of a grant: when it began, whose it is, and what is left of its duration."""

    begun: int
    source: str
    until: list[Any] | None
    name: str = ""
    maximum: int = 0
    halves: bool = False
    points: int = 0
    of: int | None = None

    def in_time(self) -> bool:
        return self.until is not None and self.until[0] in ("seconds", *IN_TURNS)


@dataclass
class Body:
    points: int = 100
    temporary: Lasting | None = None
    effects: list[Lasting] = field(default_factory=list)

    def maximum(self) -> int:
        whole = 100 + sum(effect.maximum for effect in self.effects)
        for effect in self.effects:
            whole //= 2 if effect.halves else 1
        return whole


class Model:
    """Two creatures, a clock and a running turn."""

    def __init__(self, readings: dict[str, str]) -> None:
        self.readings = readings
        self.bodies = {"a": Body(), "b": Body()}
        self.running: str | None = None
        self.begun = 0

    def fallen(self, body: Body, before: int) -> None:
        now = body.maximum()
        if now < before and self.readings["maximum_bonus_ends"] == "subtract" and body.points >= 1:
            body.points = max(1, body.points - (before - now))
        body.points = min(body.points, now)

    def end(self, body: Body, gone: Lasting) -> None:
        if gone is body.temporary:
            body.temporary = None
        elif gone in body.effects:
            if body.temporary is not None and body.temporary.of == gone.begun:
                body.temporary = None
            before = body.maximum()
            body.effects.remove(gone)
            self.fallen(body, before)

    def lasting(self) -> list[tuple[str, Body, Lasting]]:
        """Everything with a duration of its own; points of an effect go with it."""
        found = []
        for id, body in self.bodies.items():
            found += [(id, body, effect) for effect in body.effects if effect.until]
            if body.temporary is not None and body.temporary.of is None and body.temporary.until:
                found.append((id, body, body.temporary))
        return found

    def time(self, seconds: int) -> None:
        due = []
        for _, body, one in self.lasting():
            assert one.until is not None
            if one.until[0] == "seconds":
                left, step, at = one.until[1], seconds, 1
            elif one.until[0] in IN_TURNS and self.readings["turns_while_waiting"] == "count":
                left, step, at = one.until[2] * 6, seconds // 6, 2
            else:
                continue
            if left <= seconds:
                due.append((left, one.begun, body, one))
            else:
                one.until[at] -= step
        for _, _, body, one in sorted(due, key=lambda entry: entry[:2]):
            self.end(body, one)

    def moment(self, moment: str, who: str) -> None:
        due = []
        for id, body, one in self.lasting():
            assert one.until is not None
            if one.until[:2] == [moment, who]:
                one.until[2] -= 1
                over = one.until[2] <= 0
            elif one.until[0] == "seconds" and moment == "turn_start" and self.owner(id, one) == who:
                one.until[1] -= 6 if self.readings["turns_while_waiting"] == "count" else 0
                over = one.until[1] <= 0
            else:
                over = False
            due += [(one.begun, body, one)] if over else []
        for _, body, one in sorted(due, key=lambda entry: entry[0]):
            self.end(body, one)

    def owner(self, holder: str, one: Lasting) -> str:
        return one.source if one.source in self.bodies else holder

    def turn(self, who: str) -> None:
        if self.running:
            self.moment("turn_end", self.running)
        self.running = who
        self.moment("turn_start", who)

    def rest(self, who: list[str], kind: str, heals: int | None) -> None:
        if self.readings["rest_clock"] == "moves":
            self.time({"short": 60, "long": 480}[kind] * 60)
        words = {"short": ["any_rest"], "long": ["any_rest", "long_rest"]}[kind]
        newer = self.readings["edition"] == "5.2"
        for body in map(self.bodies.__getitem__, who):
            for effect in [e for e in body.effects if e.until and e.until[0] in words]:
                self.end(body, effect)
            held = body.temporary
            over = kind == "long" and (newer or held is None or not held.in_time())
            if over or (held is not None and held.until == ["any_rest"]):
                body.temporary = None
        for body in map(self.bodies.__getitem__, who):
            for effect in [e for e in body.effects if kind == "long" and newer and (e.maximum < 0 or e.halves)]:
                self.end(body, effect)
        for id in who:
            self.heal(id, 10**9 if heals is None else heals)

    def heal(self, id: str, points: int) -> None:
        body = self.bodies[id]
        body.points = max(body.points, min(body.maximum(), body.points + points))

    def hit(self, id: str, points: int) -> None:
        body = self.bodies[id]
        if body.temporary is not None:
            absorbed = min(points, body.temporary.points)
            body.temporary.points -= absorbed
            points -= absorbed
            if body.temporary.points == 0:
                body.temporary = None
        body.points -= points

    def grant(self, id: str, fields: dict[str, Any], until: list[Any] | None, answer: str) -> None:
        body = self.bodies[id]
        self.begun += 1
        source, changes = fields.get("source", ""), fields.get("changes", {})
        own, points = deepcopy(until), fields.get("points", 0)
        if "effect" in fields:
            change = changes.get("maximum", 0)
            halves = isinstance(change, dict)
            before = body.maximum()
            body.effects.append(Lasting(self.begun, source, own, fields["effect"], 0 if halves else change, halves))
            self.fallen(body, before)
            body.points += max(0, min(changes.get("current", 0), body.maximum() - before))
        if points and (body.temporary is None or answer == "take"):
            of = self.begun if "effect" in fields else None
            body.temporary = Lasting(self.begun, source, own, points=points, of=of)


def duration(random: Random) -> tuple[Any, list[Any] | None]:
    """A duration as it is written, and as the model counts it."""
    kind = random.choice(["none", "none", "word", "time", "turns"])
    if kind == "word":
        word = random.choice(["long_rest", "any_rest"])
        return word, [word]
    if kind == "time":
        unit, count = random.choice(["hours", "minutes", "rounds"]), random.choice([1, 2, 9])
        return {unit: count}, ["seconds", count * SECONDS[unit]]
    if kind == "turns":
        moment, who, count = random.choice(IN_TURNS), random.choice("ab"), random.randint(1, 3)
        return {moment: who, "count": count}, [moment, who, count]
    return None, None


def a_grant(random: Random, number: int) -> tuple[dict[str, Any], list[Any] | None]:
    written, until = duration(random)
    fields: dict[str, Any] = {"until": written} if written else {}
    if random.random() < 0.7:
        fields["effect"] = f"e{number}"
        if random.random() < 0.5:
            fields["changes"] = {"maximum": random.choice([-20, -5, 5, 30, {"divide": 2}])}
            if fields["changes"]["maximum"] in (5, 30):
                fields["changes"]["current"] = random.randint(1, 40)
    if "effect" not in fields or random.random() < 0.6:
        fields["points"] = random.randint(1, 12)
    if random.random() < 0.7:
        fields["source"] = random.choice(["a", "b", "a trap"])
    return fields, until


def one_step(random: Random, table: Table, model: Model, number: int) -> str:
    """Do one thing at the table and in the model; gives the status."""
    id = random.choice("ab")
    match random.choice(["grant", "grant", "hit", "heal", "wait", "turn", "over", "rest"]):
        case "grant":
            fields, until = a_grant(random, number)
            answer = random.choice(["keep", "take"])
            asked = "points" in fields and model.bodies[id].temporary is not None
            model.grant(id, fields, until, answer)
            ruling = table.do("grant", target=id, **fields)
            assert ("paused" if asked else "done") == ruling.status
            return table.answer(answer).status if asked else ruling.status
        case "hit":
            points = random.randint(0, max(0, min(15, model.bodies[id].points - 1)))
            model.hit(id, points)
            return table.hit(id, points).status
        case "heal":
            points = random.randint(0, 20)
            model.heal(id, points)
            return table.do("heal", target=id, points=points).status
        case "wait":
            unit, count = random.choice(["hours", "minutes", "rounds"]), random.randint(1, 3)
            model.time(count * SECONDS[unit])
            wait: dict[str, Any] = {unit: count}
            return table.do("wait", **wait).status
        case "over" if model.running is not None:
            who, model.running = model.running, None
            model.moment("turn_end", who)
            return table.do("advance", to="turn_end", who=who).status
        case "rest":
            kind, who_rest = random.choice(["short", "long"]), random.choice([["a"], ["b"], ["a", "b"]])
            heals = random.choice([None, random.randint(0, 30)])
            model.rest(who_rest, kind, heals if heals is not None else (None if kind == "long" else 0))
            given: dict[str, Any] = {} if heals is None else {"heals": heals}
            return table.do("rest", who=who_rest, kind=kind, **given).status
        case _:
            model.turn(id)
            return table.do("advance", to="turn_start", who=id).status


def shown(table: Table, id: str) -> tuple[int, int, int, list[str]]:
    entity = entity_json(table.pack, table.state.entities[id], table.state.clock)
    pools = entity["pools"]
    effects = sorted(effect["name"] for effect in entity["effects"])
    points = pools["hit_points"]
    return points["current"], points["maximum"], pools.get("temporary", {"current": 0})["current"], effects


def expected(body: Body) -> tuple[int, int, int, list[str]]:
    temporary = body.temporary.points if body.temporary is not None else 0
    return body.points, body.maximum(), temporary, sorted(effect.name for effect in body.effects)


@pytest.mark.parametrize("seed", range(60))
def test_points_and_durations_agree_with_the_model(seed: int) -> None:
    random = Random(seed)
    readings = {
        "edition": random.choice(["5.1", "5.2"]),
        "turns_while_waiting": random.choice(["count", "still"]),
        "rest_clock": random.choice(["moves", "still"]),
        "maximum_bonus_ends": random.choice(["clamp", "subtract"]),
    }
    table = Table("srd5", variants=readings, entities={id: {"pools": {"hit_points": 100}} for id in "ab"})
    model = Model(readings)
    before: list[Model] = []
    for number in range(25):
        if before and random.random() < 0.1:
            model = before.pop()
            assert "done" == table.undo().status
        else:
            before.append(deepcopy(model))
            assert "done" == one_step(random, table, model, number)
        for id, body in model.bodies.items():
            assert expected(body) == shown(table, id)


# Blows among entities bound to each other


@dataclass
class Bound:
    """An entity with links; `web` is whether it still concentrates."""

    kind: str
    temporary: int
    bonus: int
    transfers: list[tuple[str, int]]
    shares: list[str]
    thorns: list[int]
    web: bool
    points: int = 1000

    def written(self) -> dict[str, Any]:
        changes: list[dict[str, Any]] = [{"transfers": {"to": to, "divide": by}} for to, by in self.transfers]
        changes += [{"shares": {"to": to}} for to in self.shares]
        changes += [{"thorns": {"points": points, "type": "fire"}} for points in self.thorns]
        return {
            "kind": self.kind,
            "pools": {"hit_points": 1000, "temporary": self.temporary},
            "effects": [{"name": f"e{at}", "changes": change} for at, change in enumerate(changes)],
            "stats": {"concentration": self.bonus},
        }


class Circle:
    """Four that are bound to each other, and the dice that their checks took."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rolls: list[int] = []
        self.all = {id: self._one(id) for id in "abcd"}

    def _one(self, id: str) -> Bound:
        random = self.random
        others = [other for other in "abcd" if other != id]
        creature = random.random() < 0.85
        return Bound(
            "creature" if creature else "object",
            random.choice([0, random.randint(1, 9)]) if creature else 0,
            random.randint(-3, 5),
            [(random.choice(others), random.randint(1, 3)) for _ in range(random.choice([0, 1, 2]))],
            [random.choice(others) for _ in range(random.choice([0, 1, 2]))],
            [random.randint(0, 30) for _ in range(random.choice([0, 1, 2]))],
            creature and random.random() < 0.6,
        )

    def moved(self, id: str, points: int) -> None:
        """Stages 13 to 17 of moved damage: the pools, then the check."""
        one = self.all[id]
        absorbed = min(one.temporary, points)
        one.temporary -= absorbed
        one.points -= points - absorbed
        if one.web and points > 0:
            self.rolls.append(self.random.randint(1, 20))
            one.web = self.rolls[-1] + one.bonus >= max(10, points // 2)

    def struck(self, id: str, points: int, attacker: str | None) -> None:
        """A whole hit; thorns strike the attacker of a melee hit, if there is one."""
        one, over = self.all[id], []
        for to, by in one.transfers:
            leaves = -(-points // by)
            points -= leaves
            over += [(to, leaves)] if leaves else []
        self.moved(id, points)
        for to, leaves in (*over, *((to, points) for to in one.shares if points)):
            self.moved(to, leaves)
        if attacker is not None and self.all[attacker].kind == "creature":
            for thorns in one.thorns:
                self.struck(attacker, thorns, None)


@pytest.mark.parametrize("seed", range(120))
def test_blows_among_the_bound_agree_with_the_model(seed: int) -> None:
    random = Random(seed)
    circle = Circle(random)
    webs = {id: [{"name": "web", "source": id, "concentration": True}] for id, one in circle.all.items() if one.web}
    entities = {id: one.written() for id, one in circle.all.items()}
    for id, web in webs.items():
        entities[id]["effects"] += web
    table = Table("srd5", entities=entities)
    target, attacker, points, melee = random.choice("abcd"), random.choice("abcd"), random.randint(0, 80), seed % 4 > 0

    circle.struck(target, points, attacker if melee else None)
    fields: dict[str, Any] = {"rolls": circle.rolls} if circle.rolls else {}
    ruling = table.do("hit", target=target, source=attacker, damage=points, traits=["melee"] if melee else [], **fields)

    assert "done" == ruling.status
    for id, one in circle.all.items():
        entity = table.state.entities[id]
        pools = {layer: pool.current for layer, pool in entity.pools.items()}
        assert (one.points, one.temporary) == (pools["hit_points"], pools.get("temporary", 0))
        assert one.web == any(effect.name == "web" for effect in entity.effects)

"""What casting and odds cost: a full cast with rolls and trace against hits, and exact odds of many dice.

The cast is one of a Spell that is rolled for, dodged against and rolled for damage, from its command to its events,
with its dice given and its trace whole; a hit goes through shield, wards and life, once with three types, a parry and
thorns that are rolled for, once as a plain number. All are timed in many small
batches, in turn, and medians are compared. The odds are of 5 dice against 3 with damage, and another's dodge.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from gambeson.engine.odds import odds
from gambeson.engine.setup import first_state
from gambeson.engine.step import step
from gambeson.games import load
from gambeson.language.dice import Faces
from gambeson.language.pack import Pack
from gambeson.model.commands import Answer, Command
from gambeson.model.outcomes import Done, Paused
from gambeson.model.values import State
from gambeson.table import Table

BATCHES, REPEATS, ODDS = 200, 20, 9


def seconds(run: Callable[[], object]) -> float:
    """Seconds of processor time of one call, as the mean over one batch; what else runs does not count."""
    began = time.process_time()
    for _ in range(REPEATS):
        run()
    return (time.process_time() - began) / REPEATS


def cast() -> tuple[Table, Command, tuple[Answer, ...]]:
    """A mage casts at an orc that dodges; the answers to everything that is asked."""
    entities: dict[str, Any] = {
        "mage": {"player": "red", "affinity": ["fire"], "stats": {"stamina": 2, "intellect": 14}},
        "orc": {"player": "blue", "stats": {"stamina": 2, "agility": 8, "armor": 3}, "pools": {"hit_points": 3}},
    }
    table = Table("eldfall", entities=entities)
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="mage")
    table.do("react", model="orc", action="dodge")
    command = Command("cast", {"caster": "mage", "spell": "ignite", "targets": ("orc",)})
    answers = _answered(table.pack, table.state, command, ((9, 12), (15,), (4, 3), (2, 5)))
    outcome = step(table.pack, table.state, command, answers)
    assert isinstance(outcome, Done)
    assert outcome.state.entities["orc"].pools["hit_points"].current < 3
    return table, command, answers


def _answered(pack: Pack, state: State, command: Command, throws: tuple[Faces, ...]) -> tuple[Answer, ...]:
    """The answers to everything that is asked, each throw cut to its dice."""
    faces = iter(throws)
    answers: tuple[Answer, ...] = ()
    outcome = step(pack, state, command)
    while isinstance(outcome, Paused):
        for question in outcome.questions:
            count = sum(group.count for group in question.dice)
            answers += (Answer(question.key, next(faces)[:count]),)
        outcome = step(pack, state, command, answers)
    return answers


def clash() -> tuple[Table, Command]:
    """Five dice, four of them against three that strike back, one at a target that dodges."""
    fighter: dict[str, Any] = {"stamina": 2, "offense": 13, "defense": 12, "armor": 3, "agility": 10}
    entities: dict[str, Any] = {
        "knight": {"player": "red", "stats": fighter, "pools": {"hit_points": 5},
                   "weapons": {"blade": {"power": 12, "strike": 5}}},
        "orc": {"player": "blue", "stats": fighter, "pools": {"hit_points": 5},
                "weapons": {"axe": {"power": 13, "reactive_strike": 3}}},
        "goblin": {"player": "blue", "stats": fighter, "pools": {"hit_points": 3}},
    }  # fmt: skip
    table = Table("eldfall", entities=entities)
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="knight")
    table.do("react", model="orc", action="attack", weapon="axe")
    table.do("react", model="goblin", action="dodge")
    return table, Command("attack", {"attacker": "knight", "weapon": "blade", "targets": {"orc": 4, "goblin": 1}})


def main() -> None:
    """Measure and print."""
    pack = load("pokrovy")
    thorns = [{"name": "thorns", "dice": "2d4", "type": "fire"}]
    pools = {"shield": 2, "wards": {"current": 4, "maximum": 4, "extras": thorns}, "vyn": 10}
    orc = {"pools": {"wards": {"current": 2, "maximum": 2}, "vyn": 9}}
    struck = first_state(pack, {"anna": {"pools": pools, "reductions": {"fire": 2}, "resistant": ["cold"]}, "orc": orc})
    hit = Command("hit", {"target": "anna", "damage": 6})
    parts = ({"amount": 9, "type": "fire"}, {"amount": 6, "type": "cold"}, {"amount": 3, "type": "slashing"})
    blow = Command("hit", {"target": "anna", "damage": parts, "traits": ("melee",), "source": "orc", "parry": 2})
    thrown = _answered(pack, struck, blow, ((3, 4),))
    table, command, answers = cast()

    def whole_cast() -> None:
        for count in range(len(answers) + 1):
            step(table.pack, table.state, command, answers[:count])

    runs: tuple[Callable[[], object], ...] = (
        lambda: step(pack, struck, hit),
        lambda: step(pack, struck, blow, thrown),
        lambda: step(table.pack, table.state, command, answers),
        whole_cast,
    )
    batches = [[seconds(run) for run in runs] for _ in range(BATCHES)]
    plain, rich, full, asked = (statistics.median(column) for column in zip(*batches, strict=True))
    print(f"a plain hit on wards            {plain * 1e6:8.1f} µs")
    print(f"a hit of three types, and thorns{rich * 1e6:8.1f} µs")
    print(
        f"a full cast, its dice given     {full * 1e6:8.1f} µs"
        f"   {full / plain:5.2f} times the plain hit (at most 5), {full / rich:5.2f} times the other"
    )
    print(f"the same, asking for each roll  {asked * 1e6:8.1f} µs")

    fight, attack = clash()
    taken = []
    for _ in range(ODDS):
        began = time.perf_counter()
        found = odds(fight.pack, fight.state, attack)
        taken.append(time.perf_counter() - began)
    assert sum(way.chance for way in found.chances) == 1
    print(f"5 dice against 3 and a dodge    {statistics.median(taken) * 1e3:8.1f} ms   (below 1000), exactly")


if __name__ == "__main__":
    main()

"""A marshal's weekend, 60 characters and 2,000 commands: single commands at its end, the save and its loading."""

from __future__ import annotations

import random
import statistics
import time

from gambeson import Table
from gambeson.table.saving import restore, save

CHARACTERS, COMMANDS, LAST = 60, 2_000, 200
CALLS = ("1", "2", "3", "4", "2 silver", "3 pierce", "1 poison", "2 blunt", "pin", "2 slay", "curse", "left arm wound")
SPELLS = ("magic_armor", "toughness", "spirit_shield", "heal_body", "mend_armor", "restore_limb", "purify_spirit")
LOCATIONS = ("torso", "left_arm", "right_arm", "left_leg", "right_leg")


def main() -> None:
    """Play, measure and print."""
    dice = random.Random(7)
    pools = {"magic_armor": 2, "physical_armor": {"current": 3, "covers": ["torso"]}, "natural_armor": 1, "body": 4}
    ids = [f"c{i}" for i in range(CHARACTERS)]
    table = Table("novitas", entities={id: {"name": f"Воин {id}", "pools": pools} for id in ids})
    times: list[float] = []
    done = 0
    while done < COMMANDS:
        who, other = dice.choice(ids), dice.choice(ids)
        began = time.perf_counter()
        match dice.randrange(10):
            case 0:
                ruling = table.do("wait", minutes=dice.randint(1, 3))
            case 1 | 2:
                ruling = table.do("cast", caster=other, spell=dice.choice(SPELLS), targets=(who,))
            case 3:
                wounds = table.state.entities[who].facts.get("wounds", ())
                ruling = table.do("edit", target=who, wounds=(), conditions=()) if wounds else table.hit(who, "1")
            case _:
                ruling = table.hit(who, dice.choice(CALLS), location=dice.choice(LOCATIONS))
        if table.waiting is not None:
            table.answer(table.waiting.paused.questions[0].options[0].id)
        times.append(time.perf_counter() - began)
        done += ruling.status != "rejected"
    written = save(table)
    began = time.perf_counter()
    again = restore(written)
    loading = time.perf_counter() - began
    assert again.state == table.state
    last = times[-LAST:]
    print(f"commands accepted          {done:7,}")
    print(f"slowest of the last {LAST}    {max(last) * 1e3:7.2f} ms  (under 5)")
    print(f"median of them             {statistics.median(last) * 1e3:7.3f} ms")
    print(f"save file                  {len(written) / 1e6:7.2f} MB  (under 2)")
    print(f"loading it                 {loading * 1e3:7.0f} ms  (under 300)")


if __name__ == "__main__":
    main()

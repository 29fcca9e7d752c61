"""Random legal games of eldfall: whatever is offered is accepted, laws hold after every input, everything occurs."""

from __future__ import annotations

import os
import random

import pytest

from gambeson.games import load
from gambeson.language.figures import own_conditions, shown_figures
from gambeson.model.values import State
from gambeson.table import Ruling, Table
from tests.eldfall_armies import army, varied
from tests.eldfall_playing import Seen, remember, step_of, thrown

DEFINITIONS = {
    "EF-22": "says what words mean",
    "EF-35": "says what mana is for",
}
"""Rules that decide nothing, and why no ruling cites them."""


def play(dice: random.Random, seen: Seen, commands: int = 40) -> None:
    """One game, with readings at random; laws are checked after every input."""
    table = Table(varied(dice), entities=army(dice), dice=thrown(dice))
    table.do("advance", to="tactical", player=dice.choice(["red", "blue"]))
    for _ in range(commands):
        ruling = step_of(table, dice, seen)
        while table.waiting is not None:
            question = table.waiting.paused.questions[0]
            seen.rules[question.rule] += 1
            ruling = table.answer(dice.choice(question.options).id)
            assert "rejected" != ruling.status, ruling.refusal
        remember(ruling, seen)
        laws(table, ruling)
        seen.commands += 1
    assert table.state == table.replayed()
    seen.games += 1


def laws(table: Table, ruling: Ruling) -> None:
    """What must hold whatever was done."""
    for entity in table.state.entities.values():
        for pool in entity.pools.values():
            assert 0 <= pool.current <= pool.maximum
        assert len({effect.code for effect in entity.effects}) == len(entity.effects)
        assert {"incapacitated", "dead"} - set(own_conditions(entity))
        if not entity.effects and not entity.conditions and entity.kind == "model":
            assert {"stamina": 2, "armor": 0, **entity.facts.get("stats", {})} == shown_figures(table.pack, entity)
    if ruling.status == "rejected":
        assert ruling.before is ruling.after
    elif ruling.command is not None and ruling.command.name == "finish":
        at_rest(table.state)


def at_rest(state: State) -> None:
    """After a Sequence nobody stands at 0 HP, no Sorcery lasts, and no creature outlives its caster's fall."""
    assert state.facts.get("sequence") is None
    for entity in state.entities.values():
        states = own_conditions(entity)
        if entity.kind == "model" and not entity.pools["hit_points"].current:
            assert "incapacitated" in states or "dead" in states
        assert not any(end.moment == "sequence_end" for effect in entity.effects for end in effect.until)


def never(seen: Seen) -> dict[str, list[str]]:
    """What never occurred."""
    pack = load("eldfall")
    return {
        "spells": [code for code in pack.spells if not seen.spells[code]],
        "creatures": [code for code in pack.profiles if not seen.creatures[code]],
        "rules": [id for id in pack.rules if not seen.rules[id] and id not in DEFINITIONS],
    }


def report(seen: Seen) -> str:
    """What was played, what never occurred and why, and the rules that occurred least (shown with `pytest -s`)."""
    rules = sorted(((id, times) for id, times in seen.rules.items() if id), key=lambda entry: entry[1])
    lines = [
        f"{seen.games} games, {seen.commands} commands, {seen.refusals} refused on purpose",
        f"{len(seen.spells)} spells, {len(seen.creatures)} creatures and Transmutations, {len(rules)} rules occurred",
        *(f"never: {kind} {', '.join(names)}" for kind, names in never(seen).items() if names),
        *(f"never: {id}, for it {why}" for id, why in DEFINITIONS.items()),
        "least: " + ", ".join(f"{id} {times}" for id, times in rules[:12]),
    ]
    return "\n".join(lines)


def played(games: int) -> Seen:
    """So many games, and then on until everything has occurred, but no more than ten times as many."""
    seen = Seen()
    while seen.games < games or (any(never(seen).values()) and seen.games < 10 * games):
        seed = int(os.environ.get("ELDFALL_SEED", random.randrange(2**32)))
        try:
            play(random.Random(seed), seen)
        except Exception as error:
            raise AssertionError(f"game with seed {seed} (ELDFALL_SEED={seed} plays it again)") from error
    print(f"\n{report(seen)}")
    return seen


def test_two_hundred_random_games_keep_every_law_and_reach_everything() -> None:
    seen = played(200)

    assert {"spells": [], "creatures": [], "rules": []} == never(seen), report(seen)


@pytest.mark.long
def test_ten_thousand_random_games_keep_every_law_and_reach_everything() -> None:
    seen = played(10_000)

    assert {"spells": [], "creatures": [], "rules": []} == never(seen), report(seen)

"""Keep or take by looking ahead: against every policy there is, and alike in kernels, chains and the referee."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from msgspec.structs import replace

np = pytest.importorskip("numpy", reason="looking ahead needs numpy")

from gambeson.engine.step import step  # noqa: E402
from gambeson.model.commands import Answer, Command  # noqa: E402
from gambeson.model.outcomes import Done, Paused  # noqa: E402
from gambeson.model.values import State  # noqa: E402
from gambeson.simulate.decisions import Entangled, TooFarAhead  # noqa: E402
from gambeson.simulate.exact import Solver  # noqa: E402
from gambeson.simulate.fighters import starts  # noqa: E402
from gambeson.simulate.fights import Fight  # noqa: E402
from gambeson.simulate.playing import refereed, simulate, solved  # noqa: E402
from gambeson.simulate.program import Unlowered  # noqa: E402
from gambeson.simulate.referee import NoPolicy, Referee  # noqa: E402
from tests.simulate.agreement import by_program, by_referee, program, read  # noqa: E402

POLICIES = ("greater", "keep", "take", "best")
WARDS: dict[str, Any] = {
    "game": "pokrovy",
    "target": {
        "pools": {"wards": {"current": 5, "extras": [{"name": "as_owner"}]}, "vyn": 4},
        "resistant": ["fire"],
    },
    "hits": [{"damage": [{"amount": "1d4", "type": "fire"}], "weight": 3}, {"damage": [{"amount": 1, "type": "cold"}]}],
    "heal": {"points": 4, "every": 2},
    "until": {"spent": "wards"},
}


def wards(policy: str, **changed: Any) -> Fight:
    simulation = read({**WARDS, "policy": {"keep_or_take": policy}, **changed})
    assert simulation is not None
    return simulation.cells[0].fight


MANY = {"damage": [{"amount": "1d2", "type": type} for type in ("fire", "cold", "acid", "force", "holy", "dark")]}


class Whole:
    """The fight as a graph, through the rules alone: where each blow leads, and where each answer does."""

    def __init__(self, fight: Fight) -> None:
        self.fight = fight
        self.judge = Referee(fight, 1)
        self.heal = fight.heal
        self.leads: dict[Any, list[tuple[float, Any]]] = {}
        self.asked: dict[Any, dict[str, Any]] = {}
        self.states: dict[str, State] = {}
        self.first = (0, self._kept(fight.state))
        waiting = [self.first]
        while waiting:
            at = waiting.pop()
            if at not in self.leads:
                self.leads[at] = [(chance, self._after(at, state)) for chance, state in self._blows(at[1])]
                for _, lead in self.leads[at]:
                    waiting += [lead] if lead in self.leads or lead[0] in (0, 1) else []
                    waiting += self.asked[lead].values() if lead in self.asked else []

    def _kept(self, state: State) -> str:
        """What tells a state from others."""
        key = repr(state.entities["target"].pools)
        self.states.setdefault(key, state)
        return key

    def _blows(self, key: str) -> list[tuple[float, State]]:
        found = []
        state = self.states[key]
        total = float(sum(blows.weight for blows in self.fight.hits["target"]))
        for blows in self.fight.hits["target"]:
            ranges = [range(1, one.dice.sides + 1) if one.dice else (one.number,) for one in blows.amounts]
            throws = list(itertools.product(*ranges))
            for amounts in throws:
                outcome = step(self.fight.pack, state, blows.command("target", amounts))
                assert isinstance(outcome, Done)
                found.append((float(blows.weight) / total / len(throws), outcome.state))
        return found

    def _after(self, at: tuple[int, str], state: State) -> Any:
        """The state before the next blow, "over", or a question that is asked first."""
        if self.judge.over(state, "target") or self.judge.down(state, "target"):
            return ("over",)
        assert self.heal is not None
        phase = (at[0] + 1) % self.heal.every
        if phase:
            return (phase, self._kept(state))
        command = Command("heal", {"target": "target", "points": self.heal.points})
        outcome = step(self.fight.pack, state, command)
        if isinstance(outcome, Done):
            return (phase, self._kept(outcome.state))
        assert isinstance(outcome, Paused)
        asked = ("asked", self._kept(state))
        if asked not in self.asked:
            self.asked[asked] = {}
            for answer in ("keep", "take"):
                done = step(self.fight.pack, state, command, (Answer(outcome.questions[0].key, answer),))
                assert isinstance(done, Done)
                self.asked[asked][answer] = (phase, self._kept(done.state))
        return asked

    def blows(self, policy: dict[Any, str]) -> float:
        """The expected number of blows from the start under one policy."""
        number = {state: at for at, state in enumerate(self.leads)}
        matrix, ones = np.eye(len(number)), np.ones(len(number))
        for state, leads in self.leads.items():
            for chance, lead in leads:
                there = self.asked[lead][policy[lead]] if lead in self.asked else lead
                if there != ("over",):
                    matrix[number[state], number[there]] -= chance
        return float(np.linalg.solve(matrix, ones)[number[self.first]])


def mean(fight: Fight) -> float:
    found = solved(fight, Solver(program(fight))).mean
    assert found is not None
    return found


def test_no_policy_lasts_longer_than_the_best() -> None:
    whole = Whole(wards("best"))
    asked = list(whole.asked)
    assert 5 <= len(asked) <= 12

    all_of_them = [
        whole.blows(dict(zip(asked, answers, strict=True)))
        for answers in itertools.product(("keep", "take"), repeat=len(asked))
    ]

    assert abs(max(all_of_them) - mean(wards("best"))) < 1e-9
    for simple in ("keep", "take"):
        assert abs(whole.blows(dict.fromkeys(asked, simple)) - mean(wards(simple))) < 1e-9


def test_looking_ahead_beats_the_simple_policies() -> None:
    means = {policy: mean(wards(policy)) for policy in POLICIES}

    assert all(means["best"] > means[policy] + 0.1 for policy in ("greater", "keep", "take")), means


@pytest.mark.parametrize("until", [{"spent": "wards"}, "down", {"hits": 7}], ids=str)
def test_the_answers_are_the_same_in_every_engine(until: Any) -> None:
    fight = wards("best", until=until)
    fight = replace(fight, most=min(25, fight.most))
    written = program(fight)

    assert by_referee(fight, written, 9, 30) == by_program(fight, written, 9, 30)


@pytest.mark.parametrize("hits", [3, 4, 9])
def test_where_blows_are_counted_the_best_stands_most_often(hits: int) -> None:
    """The chance to stand after N blows, for the best and for every simple policy."""
    harmed = {"pools": {"wards": {"current": 4, "extras": [{"name": "as_owner"}]}, "vyn": 4}, "vulnerable": ["cold"]}
    kinds = [{"damage": [{"amount": "1d4", "type": "cold"}]}, {"damage": "1d2"}]
    falls = {
        policy: solved(fight, Solver(program(fight))).ended
        for policy in POLICIES
        for fight in (wards(policy, until={"hits": hits}, target=harmed, hits=kinds),)
    }

    assert all(falls["best"] <= falls[policy] + 1e-12 for policy in POLICIES)


def test_machine_code_reads_the_same_answers() -> None:
    pytest.importorskip("numba", reason="compiled simulations need numba")
    simulation = read({**WARDS, "policy": {"keep_or_take": "best"}, "trials": 100_000})
    assert simulation is not None
    outcome = simulate(simulation).cells[0].outcome

    assert outcome.mean is not None
    assert outcome.standard_error
    assert abs(outcome.mean - mean(wards("best"))) < 5 * outcome.standard_error


def test_looking_too_far_ahead_is_refused() -> None:
    large = {"pools": {"wards": 3_000, "vyn": 4_000}}
    fight = wards("best", target=large, heal={"points": 900, "every": 2})
    written = program(fight)

    with pytest.raises(TooFarAhead) as refused:
        Solver(written).curve(fight, 0, starts(fight, written))

    assert refused.value.states > 4_000_000


def test_nobody_looks_ahead_where_a_blow_harms_both() -> None:
    thorny = {
        "pools": {"wards": {"current": 5, "extras": [{"name": "thorns", "dice": "1d4", "type": "fire"}]}, "vyn": 9}
    }
    fight = wards(
        "best",
        target=thorny,
        hits=[{"damage": "1d4", "traits": ["melee"]}],
        against={"pools": {"vyn": 9}, "hits": [{"damage": "1d4"}]},
        until="down",
    )
    written = program(fight)

    with pytest.raises(Entangled):
        Solver(written).duel(fight, starts(fight, written))


def test_without_a_program_nobody_looks_ahead() -> None:
    """More parts than programs put in order; the referee then asks for a policy."""
    variants = {"part_order": "largest_first", "same_type_parts": "separate"}
    fight = wards("best", variants=variants, hits=[MANY], target={"pools": {"wards": 90, "vyn": 4}})
    with pytest.raises(Unlowered):
        program(fight)
    with pytest.raises(NoPolicy):
        refereed(fight, 1).play(0)

"""Sampling: the same bits for any threads and any split, and what is interrupted is told as such."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numba", reason="compiled simulations need numba")

from gambeson.simulate import compiling, sampling
from gambeson.simulate.chance import mixed
from gambeson.simulate.fighters import starts, thresholds
from gambeson.simulate.playing import simulate
from tests.simulate.agreement import program, read

DOCUMENT = {
    "game": "novitas",
    "target": {"pools": {"magic_armor": 3, "body": 4}},
    "hits": [{"damage": "1d4", "weight": 3}, {"damage": "2d3", "traits": ["pierce"]}],
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_CACHE", str(tmp_path_factory.getbasetemp() / "kernels"))


def test_splitmix_is_the_published_one() -> None:
    assert 0xE220A8397B1DCDAF == mixed(0x9E3779B97F4A7C15)
    assert 0x6E789E6AA1B965F4 == mixed(2 * 0x9E3779B97F4A7C15 & (1 << 64) - 1)


def test_threads_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = read({**DOCUMENT, "trials": 50_000})
    assert simulation is not None
    results = []
    for threads, block in ((1, 1 << 12), (2, 64), (3, 1000)):
        monkeypatch.setattr(sampling, "FIRST_BLOCK", block)
        results.append(simulate(simulation, threads=threads).cells)

    assert results[0] == results[1] == results[2]


def test_an_interruption_gives_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = read(DOCUMENT)
    assert simulation is not None
    fight = simulation.cells[0].fight
    written = program(fight)
    call = compiling.compiled(written).call

    def interrupted(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    counts = sampling.sample(
        written,
        call,
        starts(fight, written),
        thresholds(fight),
        seed=1,
        trials=10**9,
        most=fight.most,
        shown=interrupted,
    )

    assert counts.partial
    assert 0 < counts.trials < 10**9
    assert sum(counts.tally.values()) == counts.trials


def test_kept_machine_code_is_used_again_and_a_damaged_one_is_not() -> None:
    simulation = read({**DOCUMENT, "seed": 5})
    assert simulation is not None
    written = program(simulation.cells[0].fight)
    compiling.compiled(written)
    assert compiling.compiled(written).cached
    for path in Path(compiling.folder()).glob("*.o"):
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert not compiling.compiled(written).cached


def test_a_comparison_uses_the_same_random_numbers() -> None:
    simulation = read({**DOCUMENT, "compare": {"variants": {"no_effect": "no_impact"}}, "trials": 5_000})
    assert simulation is not None
    cell = simulate(simulation).cells[0]

    assert cell.compared is not None
    assert cell.difference is not None
    assert (0.0, 0.0) == (cell.difference.mean, cell.difference.standard_error)
    assert cell.compared.distribution == cell.outcome.distribution

"""Simulation files: every fault at its line and column."""

from __future__ import annotations

import pytest

from gambeson.games.documents import read_text
from gambeson.games.loading import texts
from gambeson.model.errors import Unusable, dotted
from gambeson.simulate.files import read_simulation

SOUND = """\
game: novitas
target: {pools: {magic_armor: 2, body: 3}}
hits:
  - {damage: 1d4, weight: 9}
  - {damage: 2, traits: [pierce]}
"""

FAULTS = [
    ("trails: 5\n", "trails", 6, "trials"),
    ("trials: 0\n", "trials", 6, "exact"),
    ("seed: -1\n", "seed", 6, "0"),
    ("until: dead\n", "until", 6, "down"),
    ("until: {spent: shield}\n", "until.spent", 6, "magic_armor"),
    ("policy: {keep_or_take: most}\n", "policy.keep_or_take", 6, "greater"),
    ("heal: {points: 2, evry: 3}\n", "heal.evry", 6, "every"),
    ("vary: {magic_armor: 0..9}\n", "vary.magic_armor", 6, "4"),
    ("vary: {hits.7.weight: [1]}\n", "vary.hits.7.weight", 6, "hits"),
    ("vary: {magic_armor: many}\n", "vary.magic_armor", 6, "0..4"),
    ("order: alternate\n", "order", 6, "against"),
    ("compare: {rules: x}\n", "compare", 6, "variants"),
    ("compare: {variants: {helmet: huge}}\n", "compare.variants.helmet", 6, "cap_five"),
    ("against: {pools: {body: 3}}\n", "against.hits", 6, "kinds of hit"),
]


@pytest.mark.parametrize(("more", "path", "line", "says"), FAULTS)
def test_a_fault_stands_where_it_is_written(more: str, path: str, line: int, says: str) -> None:
    with pytest.raises(Unusable) as unusable:
        read_simulation(read_text(SOUND + more, "file.yaml"))

    (fault,) = unusable.value.faults
    assert (path, "file.yaml", line) == (dotted(fault.path), fault.file, fault.line)
    assert fault.column >= 1
    for lang in ("en", "ru"):
        assert "fault." not in texts("novitas", lang).say(fault.message)
    assert says in texts("novitas", "en").say(fault.message)


@pytest.mark.parametrize(
    ("hit", "path", "says"),
    [
        ("{damage: 1d0}", "hits.0.damage", "1"),
        ("{damage: 1, weight: -2}", "hits.0.weight", "weight"),
        ("{damage: 1, traits: [sharp]}", "hits.0.traits.0", "pierce"),
        ("{damage: 1, target: anna}", "hits.0.target", "target"),
        ("{call: 2 5}", "hits.0", "NV-02"),
    ],
)
def test_a_bad_hit_is_said_by_the_game(hit: str, path: str, says: str) -> None:
    with pytest.raises(Unusable) as unusable:
        read_simulation(read_text(f"game: novitas\ntarget: {{pools: {{body: 3}}}}\nhits: [{hit}]\n", "file.yaml"))

    fault = unusable.value.faults[0]
    assert path == dotted(fault.path)
    assert says in texts("novitas", "en").say(fault.message)


def test_the_down_cannot_be_beaten_down() -> None:
    text = "game: novitas\ntarget: {pools: {body: 3}, wounds: [torso]}\nhits: [{damage: 1}]\n"
    with pytest.raises(Unusable) as unusable:
        read_simulation(read_text(text))

    assert ("target",) == unusable.value.faults[0].path


def test_what_is_varied_is_multiplied_out() -> None:
    simulation = read_simulation(
        read_text(SOUND + "vary: {magic_armor: 0..2, variants.helmet: [cap_five, within_cap]}\n")
    )

    assert 6 == len(simulation.cells)
    assert {"magic_armor": 0, "variants.helmet": "within_cap"} == simulation.cells[1].vary
    assert "within_cap" == simulation.cells[1].fight.pack.readings["helmet"]

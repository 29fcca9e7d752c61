"""Simulation files: every fault at its line and column."""

from __future__ import annotations

from fractions import Fraction

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
    ("until: {condition: asleep}\n", "until.condition", 6, "poisoned"),
    ("until: {condition: [poisoned]}\n", "until.condition", 6, "poisoned"),
    ("until: {hits: 0}\n", "until.hits", 6, "10000"),
    ("until: {spent: [body]}\n", "until.spent", 6, "body"),
    ("policy: {keep_or_tak: greater}\n", "policy.keep_or_tak", 6, "keep_or_take"),
    ("policy: {keep_or_take: [greater]}\n", "policy.keep_or_take", 6, "best"),
    ("policy: greater\n", "policy", 6, "mapping"),
    ("heal: {points: 1, layer: shield}\n", "heal.layer", 6, "body"),
    ("heal: {points: -1}\n", "heal.points", 6, "0"),
    ("heal: {points: 1, every: 0}\n", "heal.every", 6, "1"),
    ("vary: {magic_armour: [0, 2]}\n", "vary.magic_armour", 6, "magic_armor"),
    ("vary: {magic_armor: 0..9999999999}\n", "vary.magic_armor", 6, "10000"),
    ("vary: {magic_armor: 0..4, body: 0..3000, hits.0.weight: 0..3000}\n", "vary", 6, "10000"),
    ("vary: {magic_armor: []}\n", "vary.magic_armor", 6, "0..4"),
    ("vary: [magic_armor]\n", "vary", 6, "mapping"),
    ("vary: {hits.0.damage.x: [1]}\n", "vary.hits.0.damage.x", 6, "hits.1.weight"),
    ("compare: {game: nowhere}\n", "compare.game", 6, "novitas"),
    ("compare: {variants: {helmets: cap_five}}\n", "compare.variants.helmets", 6, "helmet"),
    ("variants: {helmets: cap_five}\n", "variants.helmets", 6, "helmet"),
    ("seed: 9223372036854775808\n", "seed", 6, "9223372036854775807"),
    ("seed: 1.5\n", "seed", 6, "1.5"),
    (f"trials: 1{'0' * 30}\n", "trials", 6, "exact"),
    ("against: {pools: {body: 3}, hits: [{damage: 1}], oder: at_once}\n", "against.oder", 6, "order"),
    ("against: {pools: {bodi: 3}, hits: [{damage: 1}]}\n", "against.pools.bodi", 6, "body"),
    ("against: {pools: {body: 3}, hits: [{damage: 1}]}\nuntil: {spent: magic_armor}\n", "until.spent", 7, "against"),
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
        ("{damage: 1, location: tail}", "hits.0.location", "torso"),
        ("{damage: [{amount: 1, type: sharp}]}", "hits.0.damage.0.type", "poison"),
        ("{damage: 1000000d1000000}", "hits.0.damage", "1000"),
        ("{damage: 1d6+9999999999999}", "hits.0.damage", "1000000000"),
        ("{damage: -1}", "hits.0.damage", "-1"),
        ("{damage: 1, weight: .nan}", "hits.0.weight", "weight"),
        ("{damage: 1, weight: 1.0e+300}", "hits.0.weight", "weight"),
        ("{damage: 1, weight: 0}", "hits", "weights"),
        ("{damage: 1, weight: yes}", "hits.0.weight", "weight"),
        ("5", "hits.0", "mapping"),
        ("", "hits", "list"),
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


def test_weights_may_be_fractions() -> None:
    text = "game: novitas\ntarget: {pools: {body: 3}}\nhits: [{damage: 1, weight: 0.1}, {damage: 2, weight: 0}]\n"
    kinds = read_simulation(read_text(text)).cells[0].fight.hits["target"]

    assert [Fraction(1, 10), Fraction(0)] == [kind.weight for kind in kinds]


def test_conditions_of_riders_and_rules_may_be_waited_for() -> None:
    """What a hit brings, what words leave, what falling to 0 leaves, and what follows from figures."""
    riders = "riders: [{condition: prone, when: damage}]"
    for game, pool, hit, condition in (
        ("srd5", "hit_points: 9", f"damage: 1, {riders}", "prone"),
        ("srd5", "hit_points: 9", "damage: 1", "unconscious"),
        ("novitas", "body: 4", "call: 1 poison", "poisoned"),
        ("pokrovy", "vyn: 9", "damage: 1", "down"),
    ):
        text = f"game: {game}\ntarget: {{pools: {{{pool}}}}}\nhits: [{{{hit}}}]\nuntil: {{condition: {condition}}}\n"
        assert condition == read_simulation(read_text(text)).cells[0].fight.until.name


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

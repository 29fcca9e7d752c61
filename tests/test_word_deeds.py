"""What called words do by deeds of the pack, and what befalls by command, in a small game that is none of the games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gambeson import Table
from tests.small_packs import WOUND, points, table

TOM: dict[str, Any] = {"tom": {"pools": {"life": 9}}}
CALL: dict[str, Any] = {
    "does": "hit.called",
    "with": {"rule": "AA-01"},
    "fields": {
        "target": {"type": "entity", "required": True},
        "call": {"type": "text", "required": True},
        "source": {"type": "entity", "free": True},
    },
}
WAIT: dict[str, Any] = {"with": {"rule": "AA-01"}, "fields": {"minutes": {"type": "number", "required": True}}}
MARKING: dict[str, Any] = {"stage": "words", "kind": "mark", "rule": "AA-01", "passes": "'soft' in hit.words"}
HURTING: dict[str, Any] = {
    "stage": "place",
    "kind": "wound",
    "rule": "AA-01",
    "writes": "wounds",
    "beyond": "trunk",
    "passes": "'soft' in hit.words",
}


def shouted(folder: Path, known: dict[str, Any], entities: dict[str, Any] | None = None, **sections: Any) -> Table:
    """A game whose blows are called, with these words beside the plain one."""
    words = {"rule": "AA-01", "known": {"normal": {"kind": "damage"}, **known}}
    commands = {"hit": CALL, "wait": WAIT, **sections.pop("commands", {})}
    sections.setdefault("procedure", [WOUND, MARKING])
    return table(folder, entities or TOM, words=words, commands=commands, **sections)


BENT = {"bent": {"rule": "AA-01", "lasts": {"minutes": 5}, "conditions": ["bent"]}}
BEND = {"kind": "effect", "alone": 0, "does": [{"deed": "withhold", "layer": "life", "leaves": 3, "begins": "bent"}]}


def test_a_word_puts_points_out_of_reach_for_a_time(tmp_path: Path) -> None:
    played = shouted(tmp_path, {"bend": BEND}, lasting=BENT)
    played.do("hit", target="tom", call="bend")
    assert (3, 3) == _life(played)
    assert ("bent",) == played.state.entities["tom"].effects[0].conditions
    played.do("hit", target="tom", call="2")
    played.do("wait", minutes=5)
    assert (7, 9) == _life(played)
    assert () == played.state.entities["tom"].effects


def test_what_is_out_of_reach_is_empty_where_the_pool_was_not_full(tmp_path: Path) -> None:
    played = shouted(tmp_path, {"bend": BEND}, {"tom": {"pools": {"life": {"current": 8, "maximum": 9}}}}, lasting=BENT)
    played.do("hit", target="tom", call="bend")
    assert (0, 3) == _life(played)


def test_done_again_only_the_time_starts_anew(tmp_path: Path) -> None:
    played = shouted(tmp_path, {"bend": BEND}, lasting=BENT)
    played.do("hit", target="tom", call="bend")
    played.do("wait", minutes=4)
    played.do("hit", target="tom", call="bend")
    played.do("wait", minutes=4)
    assert (3, 3) == _life(played)
    played.do("wait", minutes=1)
    assert (9, 9) == _life(played)


@pytest.mark.parametrize(("call", "life", "shouts"), [("bend", 3, 1), ("bend", 4, 0), ("bend mend", 3, 1)])
def test_what_can_never_be_is_in_vain(tmp_path: Path, call: str, life: int, shouts: int) -> None:
    shout = {"stage": "shout", "kind": "call", "rule": "AA-01", "text": "Ha", "when": "noted.in_vain"}
    mend = {"kind": "effect", "alone": 0, "does": [{"deed": "restore", "layers": ["life"]}]}
    played = shouted(
        tmp_path,
        {"bend": BEND, "mend": mend},
        {"tom": {"pools": {"life": life}}},
        lasting=BENT,
        procedure=[WOUND, MARKING, shout],
    )
    ruling = played.do("hit", target="tom", call=call)
    assert shouts == len(ruling.calls)


SOFT = {"kind": "modifier", "does": [{"deed": "pass", "begins": "soft", "layer": "life"}]}
SICK = {"kind": "damage", "marks": [{"condition": "sick", "rule": "AA-01", "passes": True}]}
WOUNDS = {"wounds": {"type": "list", "of": {"type": "word"}}}


def softly(folder: Path, together: bool = False) -> Table:
    """A game in which harm may pass: points of life, a place that is wounded, sickness."""
    lasting = {"soft": {"rule": "AA-01", "lasts": {"minutes": 10}, "together": together}}
    known = {"soft": SOFT, "rot": SICK}
    return shouted(folder, known, lasting=lasting, facts=WOUNDS, procedure=[WOUND, HURTING, MARKING])


def test_what_a_soft_blow_did_passes(tmp_path: Path) -> None:
    played = softly(tmp_path)
    played.do("hit", target="tom", call="1")
    played.do("hit", target="tom", call="12 soft rot")
    assert (0, 9) == _life(played)
    (effect,) = played.state.entities["tom"].effects
    assert ({"wounds": ("trunk",)}, ("sick",)) == (effect.lists, effect.conditions)
    played.do("wait", minutes=10)
    assert (8, 9) == _life(played)
    assert () == played.state.entities["tom"].effects


def test_a_soft_blow_that_does_nothing_leaves_nothing(tmp_path: Path) -> None:
    played = shouted(tmp_path, {"soft": SOFT}, lasting={"soft": {"rule": "AA-01"}}, procedure=[MARKING])
    played.do("hit", target="tom", call="4 soft")
    assert () == played.state.entities["tom"].effects


@pytest.mark.parametrize(("together", "left"), [(False, 8), (True, 7)])
def test_soft_blows_pass_each_by_itself_or_together(tmp_path: Path, together: bool, left: int) -> None:
    played = softly(tmp_path, together)
    played.do("hit", target="tom", call="1 soft")
    played.do("wait", minutes=6)
    played.do("hit", target="tom", call="1 soft")
    played.do("wait", minutes=4)
    assert left == points(played, "tom")
    played.do("wait", minutes=6)
    assert 9 == points(played, "tom")


BREAK = {"deed": "end", "tags": ["magic"], "of_spells": True, "pools": ["bark"], "unless": "grown"}
CHARM = {"kind": "effect", "alone": 0, "spell": "yes"}
LAYERS = {
    "life": {"rule": "AA-01"},
    "bark": {"rule": "AA-01", "grant": "effect", "keys": {"grown": {"type": "flag"}}},
}


def test_a_word_ends_magic_and_what_words_of_spells_brought(tmp_path: Path) -> None:
    known = {
        "break": {**CHARM, "does": [BREAK]},
        "stun": {**CHARM, "marks": [{"condition": "stunned", "rule": "AA-01", "spell_tags": ["magic"]}]},
        "trip": {"kind": "effect", "alone": 0, "marks": [{"condition": "prone", "rule": "AA-01"}]},
        "bend": {**BEND, "spell": "yes"},
    }
    tom = {"conditions": ["stunned", "tired"], "pools": {"life": 9, "bark": 2}}
    played = shouted(tmp_path, known, {"tom": tom}, lasting=BENT, layers=LAYERS)
    played.do("hit", target="tom", call="trip")
    played.do("hit", target="tom", call="bend")
    played.do("hit", target="tom", call="break")
    entity = played.state.entities["tom"]
    assert ("tired",) == entity.conditions
    assert ["prone"] == [effect.name for effect in entity.effects]
    assert (9, 0) == (points(played, "tom"), points(played, "tom", "bark"))


def test_what_grew_there_is_not_ended(tmp_path: Path) -> None:
    tom = {"pools": {"life": 9, "bark": {"current": 2, "grown": True}}}
    played = shouted(tmp_path, {"break": {**CHARM, "does": [BREAK]}}, {"tom": tom}, layers=LAYERS)
    played.do("hit", target="tom", call="break")
    assert 2 == points(played, "tom", "bark")


def test_what_a_word_begins_lasts_as_the_word_says(tmp_path: Path) -> None:
    bless = {**CHARM, "lasts": {"minutes": 2}, "does": [{"deed": "grant", "layer": "bark", "points": 3}]}
    played = shouted(tmp_path, {"bless": bless}, layers=LAYERS)
    played.do("hit", target="tom", call="bless", source="an owl")
    assert 3 == points(played, "tom", "bark")
    assert ("magic",) == played.state.entities["tom"].effects[0].tags
    played.do("wait", minutes=2)
    assert 0 == points(played, "tom", "bark")


def _life(played: Table) -> tuple[int, int]:
    pool = played.state.entities["tom"].pools["life"]
    return pool.current, pool.maximum


FELL: dict[str, Any] = {
    "does": "befall",
    "with": {
        "rule": "AA-01",
        "step": "axe",
        "immune": "proof",
        "immune_word": "axes",
        "call": "Clang",
        "outcomes": [{"rule": "AA-01", "when": "target.life = 0", "marks": ["felled"], "unmarks": ["upright"]}],
    },
    "fields": {"target": {"type": "entity", "required": True}},
}


def felling(folder: Path, tom: dict[str, Any]) -> Table:
    """A game in which trees without life are felled."""
    proof = {"proof": {"type": "list", "of": {"type": "word"}}}
    return shouted(folder, {}, {"tom": tom}, facts=proof, commands={"fell": FELL})


def test_the_outcome_that_holds_befalls_the_target(tmp_path: Path) -> None:
    played = felling(tmp_path, {"pools": {"life": 0}, "conditions": ["upright"]})
    ruling = played.do("fell", target="tom")
    assert ("felled",) == played.state.entities["tom"].conditions
    assert [("axe", True)] == [(row.stage, row.ran) for row in ruling.trace]


def test_whoever_is_immune_is_spared_and_that_is_shouted(tmp_path: Path) -> None:
    played = felling(tmp_path, {"pools": {"life": 0}, "proof": ["axes"]})
    ruling = played.do("fell", target="tom")
    assert () == played.state.entities["tom"].conditions
    assert ("Clang",) == tuple(ruling.calls)


def test_where_no_outcome_holds_nothing_befalls(tmp_path: Path) -> None:
    played = felling(tmp_path, {"pools": {"life": 1}})
    ruling = played.do("fell", target="tom")
    assert ("rejected", "AA-01") == (ruling.status, ruling.rule)

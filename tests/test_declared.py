"""What a pack names must be declared, else it cannot be loaded: rules would act on what is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gambeson.games import load
from gambeson.model.errors import Unusable
from tests.small_packs import HIT, WOUND, small, table, write

ADVANCE: dict[str, Any] = {"with": {"rule": "AA-01"}, "fields": {"to": {"type": "word", "of": ["night", "noon"]}}}
NIGHT: dict[str, Any] = {"rule": "AA-01", "fills": ["shell"], "clears": {"skin": "all"}}
REST: dict[str, Any] = {"with": {"rule": "AA-01", "heal_rule": "AA-01", "moments": {"long": "dawn"}}, "fields": {}}

SAY: dict[str, Any] = {
    "does": "in_other_words", "with": {"command": "shout", "reads": "how", "fields": {}}, "fields": {},
}  # fmt: skip
GIVE: dict[str, Any] = {
    "does": "bestow", "with": {"rule": "AA-01", "effect_rule": "AA-01", "concentration_rule": "AA-01"}, "fields": {},
}  # fmt: skip

HEAL: dict[str, Any] = {"with": {"rule": "AA-01"}, "fields": {"layer": {"type": "word", "of": ["life", "soul"]}}}
STRANGE: dict[str, Any] = {
    "rule": "AA-01",
    "layer": "life",
    "changes": {"most": {"kind": "figure", "of": "life.maximum"}},
    "fields": {"changes": {"type": "record", "fields": {"most": {"type": "number"}, "gain": {"type": "number"}}}},
}


def word(**deed: Any) -> dict[str, Any]:
    """A table of words with one deed."""
    return {"words": {"rule": "AA-01", "known": {"zap": {"kind": "effect", "does": [deed]}}}}


@pytest.mark.parametrize(
    ("sections", "paths"),
    [
        ({"life": "soul"}, ["life"]),
        ({"procedure": [{**WOUND, "layer": "soul"}]}, ["procedure.0.layer"]),
        ({"follows": [{"rule": "AA-01", "begins": "x", "holds": "true", "watches": []}]}, ["follows.0.begins"]),
        ({"moments": {"night": NIGHT}}, ["moments.night.fills.0", "moments.night.clears.skin"]),
        (
            {"moments": {"night": {"rule": "AA-01"}}, "commands": {"advance": ADVANCE}},
            ["commands.advance.fields.to.of.1"],
        ),
        ({"commands": {"hit": HIT, "rest": REST}}, ["commands.rest.with.moments.long"]),
        (
            word(deed="withhold", layer="soul", begins="x"),
            ["words.known.zap.does.0.layer", "words.known.zap.does.0.begins"],
        ),
        (word(deed="pass", begins="x"), ["words.known.zap.does.0.begins"]),
        (word(deed="end", tags=["magic"], pools=["soul"]), ["words.known.zap.does.0.pools.0"]),
        (word(deed="restore", layers=["life", "soul"]), ["words.known.zap.does.0.layers.1"]),
        ({"spells": {"nap": {"rule": "AA-01", "casts": ["dream"]}}}, ["spells.nap.casts.0"]),
        ({"commands": {"hit": HIT, "say": SAY}}, ["commands.say.with.command"]),
        ({"lasting": {"glow": {"rule": "AA-01", "lasts": {}}}}, ["lasting.glow.lasts"]),
        ({"lasting": {"glow": {"rule": "AA-01", "lasts": [{"minutes": 1}, {"days": 2}]}}}, ["lasting.glow.lasts.1"]),
        ({"moments": {"night": {"rule": "AA-01", "every": 6}}}, ["moments.night.every"]),
        ({"commands": {"hit": {**HIT, "does": "hit.called"}}}, ["commands.hit.with"]),
        ({"commands": {"hit": HIT, "give": GIVE}}, ["commands.give.with"]),
        ({"standing": [{"kind": "worn", "rule": "AA-01"}]}, ["standing.0"]),
        ({"commands": {"hit": HIT, "heal": HEAL}}, ["commands.heal.fields.layer.of.1"]),
        ({"effects": STRANGE}, ["effects.fields.changes.fields.gain"]),
        (
            {"layers": {"life": {"rule": "AA-01", "excess": {"layer": "soul", "rule": "AA-01"}}}},
            ["layers.life.excess.layer"],
        ),
    ],
)
def test_what_is_named_and_not_declared_is_a_fault_at_its_place(
    tmp_path: Path, sections: dict[str, Any], paths: list[str]
) -> None:
    with pytest.raises(Unusable) as unusable:
        load(write(tmp_path / "small", small(**sections)))
    faults = unusable.value.faults
    assert paths == [".".join(map(str, fault.path)) for fault in faults]
    assert all(fault.line for fault in faults)


def test_a_pack_over_a_game_names_what_the_game_declares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    write(tmp_path / "small", small())
    over = {"format": 1, "extends": "small", "stages": [{"add": {**WOUND, "stage": "again"}, "after": "life"}]}
    assert 2 == len(load(write(tmp_path / "over", over)).procedure)


ANY_WORD: dict[str, Any] = {"type": "word", "required": True}
PHASES: dict[str, Any] = {"rule": "AA-01", "phases": {"dawn": {"rule": "AA-01"}}}
RESTING: dict[str, Any] = {"rule": "AA-01", "heal_rule": "AA-01", "moments": {"long": "night"}}
CHOP: dict[str, Any] = {"command": "hit", "reads": "how", "fields": {"hard": {"target": "nobody"}}}
SUCCESS: dict[str, Any] = {"type": "flag", "default": True}
FREE: dict[str, dict[str, Any]] = {
    "advance": {"with": {"rule": "AA-01"}, "fields": {"to": ANY_WORD}},
    "on": {"does": "advance.phases", "with": PHASES, "fields": {"to": ANY_WORD, "player": {"type": "word"}}},
    "rest": {
        "with": RESTING,
        "fields": {"who": ANY_WORD, "kind": ANY_WORD, "success": {"type": "flag", "default": True}},
    },
    "chop": {"does": "in_other_words", "with": CHOP, "fields": {"how": ANY_WORD}},
    "turn": {"does": "own_turn", "with": {"rule": "AA-01"}, "fields": {"to": ANY_WORD, "who": ANY_WORD}},
}


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("advance", {"to": "noon"}),
        ("on", {"to": "noon", "player": "north"}),
        ("rest", {"who": "all", "kind": "short"}),
        ("chop", {"how": "hard"}),
        ("chop", {"how": "softly"}),
        ("turn", {"to": "dawn", "who": "tom"}),
    ],
)
def test_what_a_field_lets_through_and_nothing_is_there_for_is_refused(
    tmp_path: Path, command: str, fields: dict[str, Any]
) -> None:
    played = table(
        tmp_path,
        {"tom": {"player": "north", "pools": {"life": 5}}},
        facts={"player": {"type": "word"}},
        moments={"night": {"rule": "AA-01"}},
        commands={"hit": HIT, **FREE},
    )
    assert "rejected" == played.do(command, **fields).status


def test_an_effect_that_the_pack_does_not_have_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(Unusable):
        table(tmp_path, {"tom": {"effects": ["glow"], "pools": {"life": 5}}}, start_effects={"until": []})

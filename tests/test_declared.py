"""What a pack names must be declared, else it cannot be loaded: rules would act on what is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gambeson.games import load
from gambeson.model.errors import Unusable
from tests.small_packs import HIT, WOUND, small, write

ADVANCE: dict[str, Any] = {"with": {"rule": "AA-01"}, "fields": {"to": {"type": "word", "of": ["night", "noon"]}}}
NIGHT: dict[str, Any] = {"rule": "AA-01", "fills": ["shell"], "clears": {"skin": "all"}}
REST: dict[str, Any] = {"with": {"rule": "AA-01", "heal_rule": "AA-01", "moments": {"long": "dawn"}}, "fields": {}}


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
    assert all(fault.line and fault.message.params["allowed"] is not None for fault in faults)


def test_a_pack_over_a_game_names_what_the_game_declares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMBESON_PACKS", str(tmp_path))
    write(tmp_path / "small", small())
    over = {"format": 1, "extends": "small", "stages": [{"add": {**WOUND, "stage": "again"}, "after": "life"}]}
    assert 2 == len(load(write(tmp_path / "over", over)).procedure)

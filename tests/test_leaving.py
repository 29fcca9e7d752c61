"""Whoever leaves the table in the middle of a command: nothing more is done to it, and nothing breaks."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambeson import Table
from gambeson.engine.adjudication import Turn
from gambeson.games import load
from gambeson.language import deeds, ledgers
from gambeson.language.healing import healed
from gambeson.language.outcomes import Outcome
from gambeson.language.words import Mark
from gambeson.language.written_deeds import (
    EffectDeed,
    EndDeed,
    Origin,
    RestoreDeed,
    UnmarkDeed,
    WithholdDeed,
)
from gambeson.model.events import EntityRemoved
from gambeson.model.values import Effect, State
from tests.small_packs import HIT, WOUND, small, table, write
from tests.test_mechanisms import BESTOW, EFFECTS

TARGET: dict[str, Any] = {"type": "entity", "required": True}
LASTING: dict[str, Any] = {"bent": {"rule": "AA-01", "lasts": {"minutes": 5}, "conditions": ["bent"]}}
DEEDS: list[dict[str, Any]] = [
    {"deed": "end", "tags": ["magic"], "of_spells": True, "pools": ["bark"]},
    {"deed": "withhold", "layer": "life", "leaves": 0, "begins": "bent"},
    {"deed": "grant", "layer": "bark", "points": 3},
    {"deed": "grant", "layer": "life", "points": 2},
    {"deed": "grant", "layer": "sap", "points": 2, "full": {"proof": ["zap"]}},
    {"deed": "restore", "layers": ["life", "bark"], "all": True},
    {"deed": "restore", "layers": ["life", "bark"]},
    {"deed": "effect", "stops": ["zap"], "conditions": ["shiny"], "lists": {"proof": ["zap"]}},
    {"deed": "unmark", "conditions": ["bent", "shiny"]},
    {"deed": "unmark", "fact": "proof", "entries": ["zap"], "conditions": ["shiny"]},
]
CAST: dict[str, Any] = {
    "with": {"rule": "AA-01", "cost": {"layer": "life", "rule": "AA-01"}},
    "fields": {
        "caster": TARGET,
        "spell": {"type": "text", "required": True},
        "targets": {"type": "list", "single": True, "of": {"type": "entity"}},
    },
}
SUMMONED: dict[str, Any] = {
    "type": "record",
    "fields": {
        "effect": {"type": "word"},
        "source": {"type": "entity", "free": True},
        "when_broken": {"type": "word", "of": ["leaves", "stays"]},
    },
}
SUMMONS: dict[str, Any] = {
    "kind": "summons", "rule": "AA-01", "reads": "summoned", "life": "life", "uncontrolled": "wild",
}  # fmt: skip
OAK: dict[str, Any] = {"summoned": {"effect": "bond", "source": "tom"}, "pools": {"life": 4}}


def grove(folder: Path, spells: dict[str, Any], **sections: Any) -> Table:
    """A game in which a called oak leaves when its life is gone."""
    commands = {"hit": HIT, "cast": CAST, **sections.pop("commands", {})}
    return table(
        folder,
        {"tom": {"pools": {"life": 9}}, "oak": OAK},
        spells=spells,
        commands=commands,
        standing=[SUMMONS],
        facts={"summoned": SUMMONED, "proof": {"type": "list", "of": {"type": "word"}}},
        layers={"life": {"rule": "AA-01"}, "bark": {"rule": "AA-01"}, "sap": {"rule": "AA-01", "grant": "effect"}},
        lasting=LASTING,
        **sections,
    )


@pytest.mark.parametrize("after", DEEDS, ids=lambda deed: "-".join(map(str, deed.values()))[:40])
def test_no_deed_is_done_to_who_has_left(tmp_path: Path, after: dict[str, Any]) -> None:
    played = grove(tmp_path, {"fell": {"rule": "AA-01", "does": [DEEDS[1], after], "casts": ["again"]},
                              "again": {"rule": "AA-01", "does": [after]}})  # fmt: skip
    ruling = played.do("cast", caster="tom", spell="fell", targets="oak")
    assert ("done", ["tom"]) == (ruling.status, list(played.state.entities))
    assert played.replayed() == played.state


def test_who_pays_with_its_life_casts_nothing_any_more(tmp_path: Path) -> None:
    played = grove(tmp_path, {"grow": {"rule": "AA-01", "level": 4, "does": [DEEDS[2]]}})
    ruling = played.do("cast", caster="oak", spell="grow")
    assert ("done", ["tom"]) == (ruling.status, list(played.state.entities))


def test_an_edit_that_lets_one_leave_writes_no_more(tmp_path: Path) -> None:
    edit = {"edit": {"with": {"rule": "AA-01"}, "fields": {"target": TARGET}}}
    played = grove(tmp_path, {}, commands=edit)
    ruling = played.do("edit", target="oak", pools={"life": 0, "sap": 3, "bark": 2}, conditions=["bent"])
    assert ("done", ["tom"]) == (ruling.status, list(played.state.entities))


def test_effects_are_edited_only_where_the_pack_says_how_they_are_written(tmp_path: Path) -> None:
    played = grove(tmp_path, {}, effects=EFFECTS)
    ruling = played.do("edit", target="tom", effects=[])
    assert "rejected" == ruling.status
    assert "effects" in str(ruling.reason())


def _marked(turn: Turn) -> None:
    deeds.mark(turn, "oak", Mark("bent", "AA-01"), None)


ORIGIN = Origin(target="oak", rule="AA-01", name="zap", code="zap")
GIVEN = deeds.Grant(target="oak", layer="life", points=3, rule="AA-01")
EFFECT = Effect(1, "moss", ledger={"life.maximum": 2, "life.current": 1, "bark.returns": 3})


OUTCOME = Outcome("AA-01", marks=("bent",), tag="down", restores=2, adds={"counts.falls": 1})


@pytest.mark.parametrize(
    "verb",
    [
        lambda turn: deeds.grant(turn, GIVEN),
        lambda turn: deeds.grant(turn, deeds.Grant(target="oak", layer="sap", points=3, rule="AA-01")),
        lambda turn: deeds.restore(turn, "oak", "life", None, "AA-01"),
        lambda turn: deeds.lose(turn, "oak", "life", 3, "AA-01", "cost"),
        lambda turn: deeds.clear(turn, "oak", "life", "AA-01"),
        lambda turn: deeds.begin(turn, "oak", EFFECT, "AA-01"),
        lambda turn: deeds.end_effect(turn, "oak", EFFECT, "AA-01"),
        lambda turn: ledgers.close(turn, "oak", EFFECT, "AA-01"),
        lambda turn: ledgers.give(turn, "oak", "life", 2, 2, "AA-01"),
        _marked,
        lambda turn: deeds.unmark(turn, "oak", "bent", "AA-01"),
        lambda turn: deeds.unwrite(turn, "oak", "bent", "AA-01"),
        lambda turn: deeds.strip_entries(turn, "oak", "proof", ("zap",), "AA-01"),
        lambda turn: deeds.add_condition(turn, "oak", "bent", "AA-01"),
        lambda turn: healed(turn, "oak", "life", 3, "AA-01"),
        lambda turn: OUTCOME.happen(turn, "oak"),
        lambda turn: EndDeed(("magic",), of_spells=True, pools=("bark",)).run(turn, ORIGIN),
        lambda turn: WithholdDeed("life", "bent").run(turn, ORIGIN),
        lambda turn: RestoreDeed(("life", "bark"), all=True).run(turn, ORIGIN),
        lambda turn: EffectDeed(conditions=("bent",)).run(turn, ORIGIN),
        lambda turn: UnmarkDeed(fact="proof", entries=("zap",)).run(turn, ORIGIN),
    ],
)  # fmt: skip
def test_a_verb_on_who_has_left_writes_nothing(tmp_path: Path, verb: Callable[[Turn], object]) -> None:
    played = grove(tmp_path, {})
    turn = Turn(played.pack, played.state, ())
    turn.change(EntityRemoved("oak", "AA-01"))
    before = turn.state.frozen()
    verb(turn)
    assert before == turn.state.frozen()
    assert 1 == len(turn._events)


# Any game of this kind, any order


def any_grove(rng: random.Random) -> dict[str, Any]:
    """Sections of a game in which many things make creatures leave."""
    stackings = ["latest", "greatest", "sum", "refill", "choose"]
    extras = {"type": "list", "of": {"type": "cases", "key": "name", "others": True,
                                     "cases": {"as": {"most": {"type": "number", "from": -100}}}}}  # fmt: skip
    layers = {
        "life": {"rule": "AA-01", "figured": rng.random() < 0.5, "grant": rng.choice(["raise", "pool"]),
                 "excess": {"layer": "bark", "rule": "AA-01"}},
        "bark": {"rule": "AA-01", "spent": "gone", "stacking": rng.choice(stackings), "extras": extras},
        "sap": {"rule": "AA-01", "grant": "effect", "stacking": rng.choice(stackings),
                "spent": rng.choice(["gone", "stays", "effect_ends"])},
    }  # fmt: skip
    dying = {"kind": "dying", "rule": "AA-01", "layer": "life", "wake_rule": "AA-01", "wakes": ["felled"],
             "drained": [{"rule": "AA-01", "marks": ["gone"]}], "starts": [{"rule": "AA-01", "marks": ["felled"]}],
             "replaces": {"gone": ["felled"]}}  # fmt: skip
    standing: list[dict[str, Any]] = [
        {"kind": "maximum", "rule": "AA-01", "layer": "life", "falls": rng.choice(["clamp", "subtract"])},
        {"kind": "worn", "rule": "AA-01"},
        {"kind": "bounds", "rule": "AA-01", "layer": "bark", "life": "life", "when_rule": "AA-01",
         "when": {"asleep": ["asleep"]}, "own": ["sap"]},
        {"kind": "concentration", "rule": "AA-01", "condition": "rapt", "broken_by": ["asleep"]},
        {"kind": "leaving", "rule": "AA-01"}, SUMMONS, dying,
    ]  # fmt: skip
    rng.shuffle(standing)
    passes = "'soft' in hit.words"
    procedure = [
        {"stage": "bark", "kind": "absorb", "rule": "AA-01", "layer": "bark"},
        {**WOUND, "instead": {"stage": "fall", "rule": "AA-01", "reads": "saves", "kills": "false"}},
        {"stage": "mark", "kind": "mark", "rule": "AA-01", "immune": "proof", "passes": passes},
        {"stage": "spikes", "kind": "retaliate", "rule": "AA-01", "roll_rule": "AA-01", "extra": "spikes",
         "bears": "spikes", "answers": "normal", "kinds": ["creature"]},
    ]  # fmt: skip
    known = {
        "normal": {"kind": "damage"},
        "soft": {"kind": "modifier", "does": [{"deed": "pass", "begins": "bent", "layer": "life"}]},
        "zap": {"kind": "effect", "alone": 0, "spell": "yes", "does": rng.sample(DEEDS, 3),
                "marks": [{"condition": "zapped", "rule": "AA-01", "lasts": {"minutes": 1}}]},
        "zip": {"kind": "effect", "does": rng.sample(DEEDS, 2),
                "marks": [{"condition": "zipped", "rule": "AA-01", "passes": True}]},
    }  # fmt: skip
    spells = {
        f"s{at}": {"rule": "AA-01", "level": rng.choice([0, 1]), "lasts": rng.choice([None, "night", {"minutes": 3}]),
                   "tags": rng.choice([[], ["magic"]]), "does": rng.sample(DEEDS, rng.randint(1, 4)),
                   **({"calls": ["zap"]} if rng.random() < 0.3 else {})}
        for at in range(3)
    }  # fmt: skip
    spells["s3"] = {"rule": "AA-01", "casts": ["s0", "s1", "s2"]}
    glow = {
        "rule": "AA-01",
        "begins": "glow",
        "holds": "target.life > 3",
        "watches": ["effects", "conditions", "pools"],
    }
    night = {"rule": "AA-01", "ends": ["night", "default"], "fills": ["life"], "clears": {"bark": "all"},
             "lowering": "life.maximum", "every": {"hours": 1}}  # fmt: skip
    return {
        "layers": layers, "standing": standing, "procedure": procedure, "spells": spells, "follows": [glow],
        "words": {"rule": "AA-01", "known": known}, "moments": {"night": night}, "commands": COMMANDS,
        "lasting": {**LASTING, "glow": {"rule": "AA-01", "conditions": ["glow"]}},
        "effects": {**EFFECTS, "extras": ["most"]}, "own_turns": {"rule": "AA-01", "counts": True},
        "facts": {"summoned": SUMMONED, "proof": {"type": "list", "of": {"type": "word"}}},
    }  # fmt: skip


def _command(does: str, fields: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"does": does, "with": {"rule": "AA-01", **given}, "fields": fields}


TURNS = ["turn_start", "turn_end"]
DOWN = {"rule": "AA-01", "marks": ["felled", "asleep"], "tag": "down"}
COMMANDS: dict[str, Any] = {
    "cast": CAST,
    "hit": _command("hit.called", {"target": TARGET, "call": {"type": "text"}, "source": {"type": "entity"}}),
    "grow": {**BESTOW, "fields": {**BESTOW["fields"], "layer": {"type": "word", "of": ["bark", "sap", "life"]}}},
    "wait": _command("wait", {"minutes": {"type": "number"}}),
    "heal": _command("heal", {"target": TARGET, "points": {"type": "number"}}),
    "turn": _command("own_turn", {"to": {"type": "word", "of": TURNS}, "who": TARGET}, grant_rule="AA-01"),
    "rest": _command(
        "rest", {"who": {"type": "word", "default": "all"}, "kind": {"type": "word", "default": "long"},
                 "success": {"type": "flag", "default": True}},
        heal_rule="AA-01", moments={"long": "night"}, restores=["long"], clock={"long": {"minutes": 30}},
        lets_go=["long"], wakes=["long"], woken="magic"),
    "fell": _command("befall", {"target": TARGET}, outcomes=[DOWN]),
    "edit": _command("edit", {"target": TARGET}),
    "remove": {"fields": {"id": TARGET}},
}  # fmt: skip


CALLS = ["2", "9 zap", "zip", "3 soft zip", "zap zip"]


def any_command(rng: random.Random, ids: list[str]) -> tuple[str, dict[str, Any]]:
    """One command on somebody of these."""
    who = [rng.choice(ids) for _ in range(3)]
    sets: list[dict[str, Any]] = [{"pools": {"life": 0}}, {"pools": {"bark": 0, "life": 2}}, {"conditions": ["asleep"]},
            {"conditions": [], "pools": {"sap": 3, "life": 0}}]  # fmt: skip
    changes = rng.choice([{}, {"most": -20}, {"most": -3}, {"spikes": {"points": 9}}, {"saves": {"to": 1}}])
    grown = {
        "target": list(dict.fromkeys(who)), "effect": rng.choice(["bond", "moss"]), "source": rng.choice(ids),
        "concentration": rng.random() < 0.5, "points": rng.choice([0, 2, 5]),
        "layer": rng.choice(["bark", "sap", "life"]),
        "ends_with": rng.choice(["own_pool", "any_pool"]), "ends_when": rng.choice([[], ["asleep"], ["source_zero"]]),
        "changes": changes, "until": rng.choice([{"turn_end": who[0]}, {"minutes": 2}]),
    }  # fmt: skip
    every: list[tuple[str, dict[str, Any]]] = [
        ("hit", {"target": who[0], "call": rng.choice(CALLS), "source": who[1]}),
        ("cast", {"caster": who[0], "spell": rng.choice(["s0", "s1", "s2", "s3"]), "targets": who[1]}),
        ("grow", grown), ("wait", {"minutes": rng.choice([1, 70])}), ("heal", {"target": who[0], "points": 20}),
        ("turn", {"to": rng.choice(["turn_start", "turn_end"]), "who": who[0]}), ("rest", {}),
        ("fell", {"target": who[0]}), ("edit", {"target": who[0], **rng.choice(sets)}), ("remove", {"id": who[0]}),
    ]  # fmt: skip
    return rng.choice(every)


@given(st.randoms(use_true_random=False))
def test_whoever_leaves_whenever_every_command_comes_to_its_end(rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pack = load(write(Path(folder) / "small", small(**any_grove(rng))))
    bond = {"effect": "bond", "source": "tom", "when_broken": rng.choice(["leaves", "stays"])}
    entities: dict[str, Any] = {"tom": {"pools": {"life": 9}}, "ann": {"pools": {"life": {"current": 3, "maximum": 9}}}}
    for id in ("oak", "elm", "ash"):
        bark = {"current": 1, "extras": [{"name": "as", "most": -1}] if rng.random() < 0.5 else []}
        entities[id] = {"pools": {"life": rng.choice([1, 4]), "bark": bark}, "summoned": bond}
    played = Table(pack, entities=entities)
    for _ in range(12):
        if played.state.entities:
            name, fields = any_command(rng, list(played.state.entities))
            ruling = played.do(name, **fields)
            while ruling.status == "paused":
                question = ruling.questions[0]
                faces = [1] * sum(group.count for group in question.dice)
                ruling = played.answer(rng.choice(question.options).id) if question.options else played.roll(faces)
    assert isinstance(played.state, State)
    assert played.replayed() == played.state

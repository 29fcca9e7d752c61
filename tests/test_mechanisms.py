"""Each general mechanism, proved by a small pack of its own that is not one of the games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.small_packs import HIT, WOUND, points, table

CHANGES: dict[str, Any] = {
    "type": "record",
    "fields": {
        "most": {"type": "number", "from": -100},
        "armor": {"type": "map", "keys": {"type": "word"}, "values": {"type": "number"}},
        "spikes": {
            "type": "record",
            "fields": {"points": {"type": "number"}, "type": {"type": "word", "default": "any"}},
        },
        "sends": {"type": "record", "fields": {"to": {"type": "entity"}, "divide": {"type": "number", "default": 2}}},
        "saves": {
            "type": "record",
            "fields": {"to": {"type": "number"}, "optional": {"type": "flag", "default": False}},
        },
    },
}
FIELDS: dict[str, Any] = {
    "source": {"type": "entity", "free": True},
    "until": {"type": "until", "of": ["night"], "units": ["minutes"], "turns": ["turn_start", "turn_end"]},
    "concentration": {"type": "flag"},
    "keeps_pool": {"type": "flag"},
    "ends_with": {"type": "word", "of": ["own_pool", "any_pool"]},
    "ends_when": {"type": "list", "of": {"type": "word"}},
    "repeats": {"type": "record", "fields": {"turn_start": {"type": "entity"}}},
    "changes": CHANGES,
    "points": {"type": "number"},
    "layer": {"type": "word", "of": ["bark"]},
}
EFFECTS: dict[str, Any] = {
    "rule": "AA-01",
    "layer": "bark",
    "fields": FIELDS,
    "changes": {
        "most": {"kind": "figure", "of": "life.maximum"},
        "armor": {"kind": "figures", "of": "armor"},
        "spikes": {"kind": "borne", "of": "spikes"},
        "sends": {"kind": "borne", "of": "sends"},
        "saves": {"kind": "borne", "of": "saves"},
    },
}
BESTOW: dict[str, Any] = {
    "does": "bestow",
    "with": {"rule": "AA-01", "effect_rule": "AA-01", "concentration_rule": "AA-01", "broken_by": ["asleep"]},
    "fields": {
        "target": {"type": "list", "single": True, "required": True, "of": {"type": "entity"}},
        "effect": {"type": "word"},
        **FIELDS,
    },
}
LAYERS: dict[str, Any] = {
    "life": {"rule": "AA-01", "figured": True},
    "bark": {"rule": "AA-01", "spent": "gone", "stacking": "latest"},
}
BARK: dict[str, Any] = {"stage": "bark", "kind": "absorb", "rule": "AA-01", "layer": "bark"}
LIVES: dict[str, Any] = {"tom": {"pools": {"life": 10}}, "ann": {"pools": {"life": 10}}}


def forest(folder: Path, entities: dict[str, Any] | None = None, **sections: Any) -> Any:
    """A game of bark and branches: effects with points, changes and ends."""
    commands = {"hit": HIT, "grow": BESTOW, **sections.pop("commands", {})}
    sections.setdefault("procedure", [BARK, WOUND])
    return table(folder, entities or LIVES, layers=LAYERS, effects=EFFECTS, commands=commands, **sections)


def test_a_maximum_is_a_figure_that_effects_change(tmp_path: Path) -> None:
    played = forest(tmp_path, standing=[{"kind": "maximum", "rule": "AA-01", "layer": "life"}])
    played.do("grow", target="tom", effect="sap", changes={"most": -4})
    assert 6 == points(played, "tom")
    assert 6 == played.state.entities["tom"].pools["life"].maximum
    assert 10 == played.state.entities["tom"].pools["life"].base


def test_points_go_with_an_effect_that_lives_on_them(tmp_path: Path) -> None:
    bounds = {"kind": "bounds", "rule": "AA-01", "layer": "bark", "life": "life", "when_rule": "AA-01"}
    played = forest(tmp_path, standing=[bounds])
    played.do("grow", target="tom", effect="moss", points=3, ends_with="own_pool")
    assert ["moss"] == [effect.name for effect in played.state.entities["tom"].effects]
    played.hit("tom", 3)
    assert () == played.state.entities["tom"].effects


def test_concentration_ends_with_a_condition_of_the_source(tmp_path: Path) -> None:
    rule = {"kind": "concentration", "rule": "AA-01", "condition": "singing", "broken_by": ["asleep"]}
    played = forest(tmp_path, standing=[rule])
    played.do("grow", target="ann", effect="song", source="tom", concentration=True, points=2)
    assert ("singing",) == played.state.entities["tom"].conditions
    played.do("edit", target="tom", conditions=["asleep"])
    assert ("asleep",) == played.state.entities["tom"].conditions
    assert (0, ()) == (points(played, "ann", "bark"), played.state.entities["ann"].effects)


def test_a_check_after_damage_holds_or_breaks_it(tmp_path: Path) -> None:
    rule = {"kind": "concentration", "rule": "AA-01", "condition": "singing", "broken_by": ["asleep"]}
    check = {
        "stage": "check", "kind": "check", "rule": "AA-01", "sides": 6, "bonus": 1, "against": "lost.life",
        "when": "'singing' in target.conditions and lost.life > 0",
    }  # fmt: skip
    played = forest(tmp_path, standing=[rule], procedure=[BARK, WOUND, check])
    played.do("grow", target="ann", effect="song", source="tom", concentration=True)
    assert "paused" == played.hit("tom", 4).status
    assert "done" == played.roll((3,)).status
    assert ["song"] == [effect.name for effect in played.state.entities["ann"].effects]
    played.do("hit", target="tom", damage=5, rolls=(3,))
    assert () == played.state.entities["ann"].effects


def test_moved_damage_arrives_once(tmp_path: Path) -> None:
    stages = [
        {"stage": "send", "kind": "move", "rule": "AA-01", "reads": "sends", "rounding": "down"},
        WOUND,
        {"stage": "arrive", "kind": "deliver", "rule": "AA-01", "enters": "send"},
    ]
    played = forest(tmp_path, procedure=stages)
    played.do("grow", target="tom", effect="root", changes={"sends": {"to": "ann"}})
    played.do("grow", target="ann", effect="root", changes={"sends": {"to": "tom"}})
    played.hit("tom", 5)
    assert (7, 8) == (points(played, "tom"), points(played, "ann"))


def test_effects_strike_back(tmp_path: Path) -> None:
    spikes = {
        "stage": "spikes", "kind": "retaliate", "rule": "AA-01", "roll_rule": "AA-01", "extra": "spikes",
        "bears": "spikes", "answers": "touch", "kinds": ["creature"],
    }  # fmt: skip
    played = forest(tmp_path, procedure=[WOUND, spikes])
    played.do("grow", target="tom", effect="thistle", changes={"spikes": {"points": 3}})
    played.hit("tom", 1, source="ann", traits=["touch"])
    assert (9, 7) == (points(played, "tom"), points(played, "ann"))


def test_something_instead_of_zero(tmp_path: Path) -> None:
    instead = {"stage": "fall", "rule": "AA-01", "reads": "saves", "kills": "false"}
    fall = {
        "stage": "fall", "kind": "at_zero", "rule": "AA-01", "layer": "life", "taken": "all",
        "falls": [{"marks": ["felled"], "rule": "AA-01"}],
    }  # fmt: skip
    stages = [{"stage": "all", "kind": "note", "rule": "AA-01", "name": "all"}, {**WOUND, "instead": instead}, fall]
    played = forest(tmp_path, procedure=stages)
    played.do("grow", target="tom", effect="seed", changes={"saves": {"to": 2}})
    played.hit("tom", 30)
    assert (2, ()) == (points(played, "tom"), played.state.entities["tom"].conditions)
    played.hit("tom", 30)
    assert (0, ("felled",)) == (points(played, "tom"), played.state.entities["tom"].conditions)


def test_a_rotting_stump_is_counted_to_the_end(tmp_path: Path) -> None:
    rot = {"type": "record", "default": {"rings": 0}, "fields": {"rings": {"type": "number", "default": 0}}}
    dying = {
        "kind": "dying", "rule": "AA-01", "layer": "life", "wake_rule": "AA-01", "wakes": ["felled"],
        "clears": ["rot.rings"],
        "starts": [{"marks": ["felled"], "rule": "AA-01"}],
        "tallies": [{"of": "rot.rings", "most": 2, "outcome": {"marks": ["dust"], "rule": "AA-01"}}],
        "replaces": {"dust": ["felled"]},
    }  # fmt: skip
    stages = [
        {"stage": "all", "kind": "note", "rule": "AA-01", "name": "all"},
        WOUND,
        {
            "stage": "rot", "kind": "at_zero", "rule": "AA-01", "layer": "life", "taken": "all",
            "falls": [{"marks": ["felled"], "rule": "AA-01"}],
            "below": [{"adds": {"rot.rings": 1}, "rule": "AA-01"}],
        },
    ]  # fmt: skip
    heal = {"heal": {"with": {"rule": "AA-01"}, "fields": {"target": {"type": "entity"}, "points": {"type": "number"}}}}
    entities = {"tom": {"pools": {"life": {"current": 0, "maximum": 10}}}}
    played = forest(tmp_path, entities, facts={"rot": rot}, standing=[dying], procedure=stages, commands=heal)
    assert ("felled",) == played.state.entities["tom"].conditions
    played.hit("tom", 1)
    played.do("heal", target="tom", points=1)
    assert ((), 0) == (played.state.entities["tom"].conditions, played.state.entities["tom"].facts["rot"]["rings"])
    played.hit("tom", 1)
    played.hit("tom", 1)
    played.hit("tom", 1)
    assert ("dust",) == played.state.entities["tom"].conditions


def test_a_summoned_creature_goes_with_its_effect(tmp_path: Path) -> None:
    bond = {"type": "record", "fields": {"effect": {"type": "word"}, "source": {"type": "entity", "free": True}}}
    rule = {"kind": "summons", "rule": "AA-01", "reads": "bond", "life": "life", "uncontrolled": "wild"}
    end = {"end": {"does": "end_effects", "with": {"rule": "AA-01"}, "fields": {"effect": {"type": "text"}}}}
    entities = {**LIVES, "ent": {"pools": {"life": 3}, "bond": {"effect": "call", "source": "tom"}}}
    played = forest(tmp_path, entities, facts={"bond": bond}, standing=[rule], commands=end)
    played.do("grow", target="tom", effect="call", source="tom")
    played.do("end", effect="call")
    assert ["tom", "ann"] == list(played.state.entities)


def test_turns_end_effects_and_repeat_points(tmp_path: Path) -> None:
    turn = {
        "turn": {
            "does": "own_turn",
            "with": {"rule": "AA-01", "grant_rule": "AA-01"},
            "fields": {"to": {"type": "word", "of": ["turn_start", "turn_end"]}, "who": {"type": "entity"}},
        }
    }
    played = forest(tmp_path, own_turns={"rule": "AA-01"}, commands=turn)
    played.do("grow", target="tom", effect="dew", points=2, repeats={"turn_start": "tom"}, until={"turn_end": "ann"})
    assert 0 == points(played, "tom", "bark")
    played.do("turn", to="turn_start", who="tom")
    assert 2 == points(played, "tom", "bark")
    played.do("turn", to="turn_start", who="ann")
    played.do("turn", to="turn_end", who="ann")
    assert (0, ()) == (points(played, "tom", "bark"), played.state.entities["tom"].effects)


def test_all_rest_together(tmp_path: Path) -> None:
    rest = {
        "rest": {
            "with": {
                "rule": "AA-01", "heal_rule": "AA-01", "moments": {"long": "night"}, "restores": ["long"],
                "clock": {"long": {"hours": 8}},
                "unfit": [{"when": "'asleep' in target.conditions", "rule": "AA-01", "text": "refusal.rest.hours"}],
            },
            "fields": {
                "who": {"type": "word", "of": ["all"]},
                "kind": {"type": "word", "of": ["long"]},
                "success": {"type": "flag", "default": True},
            },
        }
    }  # fmt: skip
    moments = {"night": {"rule": "AA-01", "ends": ["night"], "clears": {"bark": "untimed"}}}
    played = forest(tmp_path, moments=moments, commands=rest)
    played.do("grow", target="tom", effect="moss", points=3, until="night")
    played.do("grow", target="ann", points=3)
    played.hit("ann", 5)
    played.do("rest", who="all", kind="long")
    assert (8 * 3600, ()) == (played.state.clock, played.state.entities["tom"].effects)
    assert (0, 10) == (points(played, "ann", "bark"), points(played, "ann"))


def resting(folder: Path, **given: Any) -> Any:
    """A game in which trees rest at night."""
    who = {"type": "either", "of": [{"type": "word", "of": ["all"]}, {"type": "list", "of": {"type": "entity"}}]}
    rest = {
        "with": {
            "rule": "AA-01",
            "heal_rule": "AA-01",
            "moments": {"long": "night"},
            "clock": {"long": {"hours": 8}},
            **given,
        },
        "fields": {
            "who": {**who, "required": True},
            "kind": {"type": "word", "of": ["long"], "default": "long"},
            "success": {"type": "flag", "default": True},
            "heals": {"type": "number"},
            "hours": {"type": "number"},
        },
    }
    tired = {"life": {"current": 4, "maximum": 10}, "bark": 2}
    entities = {"tom": {"pools": tired}, "ann": {"pools": tired, "conditions": ["restless"]}}
    moments = {"night": {"rule": "AA-01", "clears": {"bark": "all"}}}
    return forest(folder, entities, moments=moments, commands={"rest": rest})


@pytest.mark.parametrize(
    ("keeps_from", "left"),
    [("rest", ((10, 0), (4, 2))), ("moment", ((10, 0), (10, 2))), ("points", ((10, 0), (4, 0)))],
)
def test_who_is_unfit_is_kept_from_a_rest_or_from_a_part_of_it(
    tmp_path: Path, keeps_from: str, left: tuple[tuple[int, int], ...]
) -> None:
    when = "'restless' in target.conditions"
    unfit = [{"when": when, "rule": "AA-01", "text": "refusal.befall.nothing", "keeps_from": keeps_from}]
    played = resting(tmp_path, restores=["long"], unfit=unfit)
    played.do("rest", who="all")
    assert left == tuple((points(played, id), points(played, id, "bark")) for id in ("tom", "ann"))
    named = played.do("rest", who=["ann"])
    assert ("rejected" if keeps_from == "rest" else "done") == named.status


@pytest.mark.parametrize(
    ("shortened", "hours", "left"), [({}, 3, 4), ({"long": 2}, 1, 4), ({"long": 2}, 2, 7), ({"long": 0}, 0, 7)]
)
def test_a_broken_off_rest_gives_its_points_where_enough_of_it_passed(
    tmp_path: Path, shortened: dict[str, int], hours: int, left: int
) -> None:
    played = resting(tmp_path, restores=["long"], shortened=shortened)
    played.do("rest", who="all", success=False, heals=3, hours=hours)
    assert (hours * 3600, left, 2) == (played.state.clock, points(played, "tom"), points(played, "tom", "bark"))


def worn(folder: Path, extra: dict[str, Any]) -> Any:
    """A game in which bark has knots that change the tree while they are there."""
    changes: dict[str, Any] = {"most": {"type": "number", "from": -100}}
    cases = {"type": "cases", "key": "name", "cases": {"knot": changes, "saves": {"to": {"type": "number"}}}}
    bark = {**LAYERS["bark"], "extras": {"type": "list", "of": cases}}
    fall = {**WOUND, "instead": {"stage": "fall", "rule": "AA-01", "reads": "saves", "kills": "false"}}
    tom = {"pools": {"life": 10, "bark": {"current": 2, "extras": [extra]}}}
    return table(
        folder,
        {"tom": tom},
        layers={**LAYERS, "bark": bark},
        effects={**EFFECTS, "extras": ["saves"]},
        standing=[{"kind": "worn", "rule": "AA-01"}, {"kind": "maximum", "rule": "AA-01", "layer": "life"}],
        procedure=[{**BARK, "bypassed_by": ["sharp"]}, fall],
    )


def test_an_extra_changes_its_bearer_while_its_pool_has_a_point(tmp_path: Path) -> None:
    played = worn(tmp_path, {"name": "knot", "most": -4})
    assert (6, 6) == (points(played, "tom"), played.state.entities["tom"].pools["life"].maximum)
    played.hit("tom", 1)
    assert 6 == played.state.entities["tom"].pools["life"].maximum
    played.hit("tom", 1)
    assert (6, 10) == (points(played, "tom"), played.state.entities["tom"].pools["life"].maximum)
    assert () == played.state.entities["tom"].effects


def test_an_extra_that_is_used_up_leaves_its_pool(tmp_path: Path) -> None:
    played = worn(tmp_path, {"name": "saves", "to": 3})
    played.do("hit", target="tom", damage=40, traits=["sharp"])
    pool = played.state.entities["tom"].pools["bark"]
    assert (3, 2, ()) == (points(played, "tom"), pool.current, pool.extras)
    played.do("hit", target="tom", damage=40, traits=["sharp"])
    assert 0 == points(played, "tom")


@pytest.mark.parametrize("counts", [False, True])
def test_turns_of_one_who_has_left_become_time(tmp_path: Path, counts: bool) -> None:
    commands = {
        "wait": {"with": {"rule": "AA-01"}, "fields": {"rounds": {"type": "number"}}},
        "remove": {"fields": {"id": {"type": "entity", "required": True}}},
    }
    own_turns = {"rule": "AA-01", "seconds": 6, "counts": counts}
    standing = [{"kind": "leaving", "rule": "AA-01"}]
    played = forest(tmp_path, commands=commands, standing=standing, own_turns=own_turns)
    played.do("grow", target="tom", effect="dew", until={"turn_end": "ann", "count": 3})
    played.do("grow", target="tom", points=4, until={"turn_start": "ann", "count": 2})
    played.do("remove", id="ann")
    (effect,) = played.state.entities["tom"].effects
    pool = played.state.entities["tom"].pools["bark"]
    assert pool.until is not None
    assert (["moment"] if counts else ["clock"]) * 2 == [effect.until[0].kind, pool.until.kind]
    played.do("wait", rounds=2)
    assert (0, 1) == (points(played, "tom", "bark"), len(played.state.entities["tom"].effects))
    played.do("wait", rounds=1)
    assert () == played.state.entities["tom"].effects


@pytest.mark.parametrize(
    ("when", "damage", "bark", "lands"),
    [("hit", 0, 0, True), ("damage", 0, 0, False), ("damage", 2, 5, True), ("loss", 2, 5, False), ("loss", 6, 5, True)],
)
def test_a_condition_rides_on_a_hit(tmp_path: Path, when: str, damage: int, bark: int, lands: bool) -> None:
    riders = {
        "stage": "riders",
        "kind": "riders",
        "rule": "AA-01",
        "reads": "bears",
        "taken": "all",
        "layers": ["life"],
    }
    each = {"condition": {"type": "word"}, "when": {"type": "word"}}
    fields = {**HIT["fields"], "bears": {"type": "list", "of": {"type": "record", "fields": each}}}
    note = {"stage": "all", "kind": "note", "rule": "AA-01", "name": "all"}
    played = table(
        tmp_path,
        {"tom": {"pools": {"life": 10, "bark": bark}}},
        layers=LAYERS,
        procedure=[note, BARK, WOUND, riders],
        commands={"hit": {**HIT, "fields": fields}},
    )
    played.do("hit", target="tom", damage=damage, bears=[{"condition": "sticky", "when": when}])
    assert (("sticky",) if lands else ()) == played.state.entities["tom"].conditions

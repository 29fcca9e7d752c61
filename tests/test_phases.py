"""Phases, Turns and creatures by a small pack of their own: nothing about them belongs to one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambeson.table import Table

PACK = """
format: 1
game: watches
kinds: [model]
life: breath
facts:
  player: {type: word, required: true}
  stats: {type: record, fields: {vigour: {type: number}}}
  caster: {type: entity, free: true}
  tier: {type: number}
figures: {fact: stats, defaults: {model: {vigour: 3}}}
layers:
  breath: {rule: WA-01, absent: none, starts: {model: 4}}
  steps: {rule: WA-01, stacking: sum}
lasting:
  blessing: {rule: WA-02, lasts: dawn, changes: [{figure: vigour, add: 2}]}
start_effects: {until: [dawn], needs_source: [dawn]}
commands:
  advance:
    does: advance.phases
    with:
      rule: WA-01
      phases:
        dawn:
          rule: WA-01
          does:
            - {deed: ends, rule: WA-02, until: dawn, whose: source}
            - {deed: deal, rule: WA-01, layer: steps, figure: vigour, kinds: [model]}
        dusk: {rule: WA-01, does: [{deed: discard, rule: WA-01, layer: steps}]}
    fields:
      to: {type: word, of: [dawn, dusk], required: true}
      player: {type: word}
  dismiss:
    with: {rule: WA-02, phase: dawn, once: true, once_rule: WA-02}
    fields:
      caster: {type: entity, required: true}
      creature: {type: entity, required: true}
rules:
  WA-01: {status: source, source: made up}
  WA-02: {status: source, source: made up}
"""


@pytest.fixture
def watches(tmp_path: Path) -> Table:
    (tmp_path / "pack.yaml").write_text(PACK, "utf-8")
    entities = {
        "anna": {"player": "north", "effects": [{"name": "blessing", "source": "boris"}]},
        "boris": {"player": "south", "stats": {"vigour": 1}},
        "owl": {"player": "south", "caster": "boris", "tier": 1},
    }
    return Table(tmp_path, entities=entities)


def steps(table: Table, id: str) -> int:
    pool = table.state.entities[id].pools.get("steps")
    return pool.current if pool is not None else 0


def test_a_phase_deals_points_by_a_figure_that_effects_change(watches: Table) -> None:
    watches.do("advance", to="dawn", player="north")

    assert 4 == watches.state.entities["anna"].pools["breath"].current
    assert 5 == steps(watches, "anna")
    assert 1 == steps(watches, "boris")


def test_an_effect_ends_in_the_phase_of_its_sources_player(watches: Table) -> None:
    watches.do("advance", to="dawn", player="north")
    assert 1 == len(watches.state.entities["anna"].effects)
    watches.do("advance", to="dawn", player="south")

    assert not watches.state.entities["anna"].effects


def test_points_are_discarded_and_the_next_player_follows(watches: Table) -> None:
    watches.do("advance", to="dusk", player="north")
    assert 0 == steps(watches, "anna")
    watches.do("advance", to="dawn", player="south")

    assert "south" == watches.state.facts["turn"]["player"]
    assert "WA-01" == watches.do("advance", to="dawn").rule


def test_a_creature_is_let_go_in_the_phase_of_its_casters_player(watches: Table) -> None:
    watches.do("advance", to="dawn", player="north")
    assert "WA-02" == watches.do("dismiss", caster="boris", creature="owl").rule
    watches.do("advance", to="dawn", player="south")
    watches.do("dismiss", caster="boris", creature="owl")

    assert "owl" not in watches.state.entities


def test_a_seat_is_offered_what_its_entities_may_do(watches: Table) -> None:
    watches.do("advance", to="dawn", player="south")
    offered = {entry.command: entry.legal for entry in watches.legal(("boris", "owl"))}

    assert {"advance": True, "dismiss": True} == offered
    assert {"advance": False} == {entry.command: entry.legal for entry in watches.legal(("anna",))}

"""Refusals of eldfall: each occurs in a scenario, with the rules that it cites and the field that it points at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambeson.games import texts
from gambeson.model.outcomes import Refusal
from gambeson.testing import play_file

CASES = Path(__file__).parent / "cases" / "eldfall"
FIELDS: dict[str, set[tuple[str, str]]] = {
    "action_declared": {("EF-06", "")},
    "activated": {("EF-06", "targets")},
    "active": {("EF-01", "model")},
    "affinity": {("EF-24", "spell")},
    "artificer": {("EF-53", "spell"), ("EF-53", "targets")},
    "attack": {("EF-29", "targets")},
    "attribute": {("EF-23", "attribute")},
    "blinded": {("EF-21", "")},
    "convert_action": {("EF-38", "model")},
    "convert_reactive": {("EF-36", "model")},
    "convert_short": {("EF-36", "points")},
    "craft": {("EF-25", "spell")},
    "dead": {("EF-19", "model")},
    "dead_heal": {("EF-19", "target")},
    "enchantment": {("EF-47", "spell")},
    "engaged": {("EF-21", "")},
    "frozen": {("EF-21", "")},
    "ground": {("EF-33", "ground")},
    "hands": {("EF-28", "spell")},
    "hands_reacting": {("EF-28", "spell")},
    "healing": {("EF-46", "spell")},
    "hit": {("", "damage")},
    "idle": {("EF-21", "movement")},
    "immobilized": {("EF-21", "")},
    "incapacitated": {("EF-19", "attacker"), ("EF-19", "caster"), ("EF-19", "model")},
    "mage": {("EF-36", "model")},
    "mana": {("EF-40", "spell"), ("EF-42", "mana")},
    "many_dice": {("EF-09", "targets")},
    "mixed": {("EF-29", "targets")},
    "movement": {("EF-05", "")},
    "no_model": {("EF-01", "model"), ("EF-55", "target")},
    "no_sequence": {("EF-04", "")},
    "no_target": {("EF-26", "targets"), ("EF-55", "targets")},
    "not_tactical": {("EF-02", "")},
    "not_yours": {("EF-01", "by")},
    "nothing_to_react_to": {("EF-06", "")},
    "one_spell": {("EF-27", ""), ("EF-27", "spell")},
    "one_target": {("EF-26", "targets")},
    "only_dodge": {("EF-06", "no_line_of_sight")},
    "other_sequence": {("EF-04", ""), ("EF-39", "")},
    "own_model": {("EF-09", "targets")},
    "payer": {("EF-44", "mana_from")},
    "payer_short": {("EF-40", "mana_from")},
    "points": {("EF-03", "model"), ("EF-06", "model")},
    "powerless": {("EF-56", "targets")},
    "reactive": {("EF-01", "model")},
    "recover_again": {("EF-20", "model")},
    "recover_phase": {("EF-20", "")},
    "recover_standing": {("EF-20", "model")},
    "ritual": {("EF-58", "spell")},
    "same_enchantment": {("EF-50", "targets")},
    "second_action": {("EF-04", "")},
    "second_reaction": {("EF-06", "model")},
    "sight": {("EF-32", "no_line_of_sight")},
    "strike_dice": {("EF-09", "targets"), ("EF-26", "targets")},
    "strike_targets": {("EF-09", "targets"), ("EF-26", "targets")},
    "sum": {("EF-44", "mana_from")},
    "summoning_limit": {("EF-62", "spell")},
    "template_first": {("EF-29", "targets")},
    "template_self": {("EF-33", "targets")},
    "transmutation": {("EF-57", "spell")},
    "transmutation_target": {("EF-56", "target"), ("EF-56", "targets")},
}
"""Each refusal of the game's own: the rules that it cites and the field that has to be changed (none: the moment)."""
WRONG = {
    "as", "damage", "effects.0.source", "hits", "mana", "mana_from.nobody", "mode", "model", "player", "points",
    "spell", "targets", "targets.0", "weapon",
}  # fmt: skip
"""Fields whose values some scenario gives wrongly."""


def refusals() -> Iterator[Refusal]:
    for path in sorted(CASES.glob("*.yaml")):
        for step in play_file(path).steps:
            if step.ruling.refusal is not None:
                yield step.ruling.refusal


def test_every_refusal_of_the_game_occurs_with_its_rules_and_points_at_its_field() -> None:
    prefix = "refusal.eldfall."
    seen: dict[str, set[tuple[str, str]]] = {id: set() for id in texts("eldfall", "en").ids if id.startswith(prefix)}

    for refusal in refusals():
        if refusal.reason.id.startswith(prefix):
            seen[refusal.reason.id].add((refusal.rule, refusal.field))

    assert {prefix + id: places for id, places in FIELDS.items()} == seen


def test_a_wrong_value_points_at_its_field() -> None:
    fields = {refusal.field for refusal in refusals() if refusal.reason.id in ("refusal.field", "refusal.add.used")}

    assert WRONG == {field for field in fields if ".stats." not in field}

"""hit: Wounds or Hits from outside what the game models: a Stratagem, an extra Hit, a fall."""

from __future__ import annotations

from msgspec import Struct

from gambeson.games.eldfall.attacks import Attack
from gambeson.games.eldfall.declaring import WEAPON, Declared
from gambeson.games.eldfall.falling import settle_outside, wound
from gambeson.games.eldfall.models import TRANSMUTATION, armor_of, named, refused
from gambeson.games.eldfall.resolution import carry_out
from gambeson.language.adjudication import Adjudication
from gambeson.language.fields import shown
from gambeson.mechanisms.creatures import leave
from gambeson.mechanisms.turns import ACTIVE
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Facts

MOST_HITS = 200


class HitWounds(Struct, frozen=True, forbid_unknown_fields=True, tag="hit.wounds"):
    """EF-18, EF-70: Wounds enter at stage 12, Hits with Power at stage 4."""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Facts, list[Refusal]]:
        """EF-56: what is struck, and with what."""
        if ("damage" in fields) == ("power" in fields):
            return fields, [Refusal(turn.pack.values_rule, message("refusal.eldfall.hit"), "damage")]
        if fields.get("hits", 1) > MOST_HITS:
            fault = message("fault.field.number", least=1, most=MOST_HITS, got=shown(fields["hits"]))
            return fields, [Refusal(turn.pack.values_rule, message("refusal.field", field="hits", fault=fault), "hits")]
        entity = turn.state.entities[fields["target"]]
        if entity.kind == TRANSMUTATION and armor_of(turn, entity) is None:
            return fields, [refused("EF-56", "refusal.eldfall.transmutation_target", "target", target=entity.name)]
        return fields, []

    def run(self, turn: Adjudication, prepared: Facts) -> None:
        """EF-17: it takes effect; without a Sequence its consequences come at once (EF-67)."""
        target = prepared["target"]
        if "damage" in prepared:
            if turn.state.entities[target].kind == TRANSMUTATION and prepared["damage"]:
                leave(turn, target, "EF-56")
            elif turn.state.entities[target].kind != TRANSMUTATION:
                wound(turn, target, prepared["damage"], "EF-18")
        else:
            carry_out(turn, (_attack(turn, prepared),))
        settle_outside(turn)


def _attack(turn: Adjudication, fields: Facts) -> Attack:
    """The Hits as an Attack that has passed stage 3."""
    weapon: Facts = {"power": fields["power"], "strike": 1, "mode": "ranged", "traits": fields.get("traits", ())}
    declared = Declared(
        actor="",
        role=ACTIVE,
        action=WEAPON,
        code="hit",
        weapon=weapon,
        mode="ranged",
        ids=(fields["target"],),
        attacks=True,
        power=fields["power"],
    )
    attack = Attack(turn, declared)
    attack.actor = fields.get("source", "")
    attack.by = turn.state.entities.get(attack.actor)
    attack.name = named(turn.state, attack.actor)
    attack.types = tuple(dict.fromkeys(fields.get("types", ())))
    hits = fields.get("hits", 1)
    critical = fields.get("critical", 0)
    criticals = min(hits, critical if type(critical) is int else hits if critical else 0)
    attack.hits[fields["target"]] = (True,) * criticals + (False,) * (hits - criticals)
    attack.rolled = attack.succeeded = True
    return attack

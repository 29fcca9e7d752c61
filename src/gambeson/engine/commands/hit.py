"""hit: a blow is declared, in numbers and types or as it was called, and goes through the procedure."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.part_calls import read_parts
from gambeson.language.procedure import strike
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Facts, Hit, Part

_OWN = ("target", "damage", "call", "traits", "location", "source")


def _facts(fields: Facts) -> Facts:
    facts = {}
    for key, value in fields.items():
        if key not in _OWN:
            facts[key] = value
    return facts


class HitParts(Struct, frozen=True, forbid_unknown_fields=True, tag="hit.parts"):
    """A blow of amounts and types: `damage` is a number (of the type `untyped`) or lists parts; or `call` says them.

    `negative_rule` is cited for an amount below 0 in a call.
    """

    untyped: str = "untyped"
    rule: str = ""
    negative_rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Hit | None, list[Refusal]]:
        """Read the parts."""
        traits: tuple[str, ...] = fields.get("traits", ())
        if "call" in fields and "damage" in fields:
            return None, [Refusal(self.rule, message("refusal.hit.both"), "call")]
        if "call" in fields:
            read = read_parts(fields["call"], turn.pack, self.untyped, self.negative_rule)
            if isinstance(read, Refusal):
                return None, [read]
            parts, called = read
            traits = tuple(dict.fromkeys((*traits, *called)))
        elif "damage" in fields:
            damage = fields["damage"]
            parts = (
                (Part(damage, self.untyped),)
                if isinstance(damage, int)
                else tuple(Part(part["amount"], part.get("type", self.untyped)) for part in damage)
            )
        else:
            return None, [Refusal(self.rule, message("refusal.hit.no_damage"), "damage")]
        if sum(part.amount for part in parts) > LARGEST_FIGURE:
            return None, [turn.pack.too_large("damage")]
        return Hit(fields["target"], parts, traits, fields.get("location"), fields.get("source"), _facts(fields)), []

    def run(self, turn: Adjudication, prepared: Hit) -> None:
        """Strike."""
        strike(turn, prepared)


class HitCalled(Struct, frozen=True, forbid_unknown_fields=True, tag="hit.called"):
    """A blow as it is shouted: at most one number and words of the pack's table; nothing at all is a plain blow.

    `calls` are words that every such hit carries, for a command that is a hit of its own kind.
    `unknown_words`: with unknown damage, the words that are known are `checked` or `ignored`.
    """

    rule: str
    unknown_words: Literal["checked", "ignored"] = "checked"
    calls: tuple[str, ...] = ()
    parts_rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Hit | None, list[Refusal]]:
        """Read the call, and work out what it deals and whether it is a spell."""
        reader = turn.pack.reader
        assert reader is not None
        damage = fields.get("damage")
        number: int | None = None
        words: tuple[str, ...] = ()
        refusals: list[Refusal] = []
        if "call" in fields:
            read = reader.read(fields["call"])
            if isinstance(read, tuple):
                refusals += read
            else:
                number, words = read.number, read.words
            if damage is not None and (damage != "unknown" or number is not None):
                refusals.append(Refusal(self.rule, message("refusal.hit.call_and_damage"), "damage"))
        unknown = damage == "unknown"
        typed: tuple[str, ...] = ()
        if damage is not None and not unknown:
            number, typed = self._number(damage, refusals)
        more = (*typed, *fields.get("traits", ()), *self.calls)
        struck = reader.struck(tuple(dict.fromkeys((*words, *more))) if more else words, number, unknown)
        refusals += struck.against
        if refusals:
            return None, refusals
        if unknown and self.unknown_words == "ignored":
            struck = reader.struck((), None, True)
        facts = _facts(fields)
        if unknown:
            facts["unknown"] = True
        if struck.wound:
            facts["wound"] = struck.wound
        where, source = fields.get("location"), fields.get("source")
        return Hit(fields["target"], (struck.part,), struck.words, where, source, facts), []

    def _number(self, damage: Any, refusals: list[Refusal]) -> tuple[int, tuple[str, ...]]:
        """The number and the type of stated damage, which is a number or parts."""
        if isinstance(damage, int):
            return damage, ()
        if len(damage) > 1:
            refusals.append(Refusal(self.parts_rule or self.rule, message("refusal.hit.one_number"), "damage"))
        type = damage[0].get("type")
        return damage[0]["amount"], (type,) if type else ()

    def run(self, turn: Adjudication, prepared: Hit) -> None:
        """Strike."""
        strike(turn, prepared)

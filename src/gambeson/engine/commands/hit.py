"""hit: a blow is declared, in numbers and types or as it was called, and goes through the procedure."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from gambeson.language.adjudication import Adjudication
from gambeson.language.part_calls import read_parts
from gambeson.language.procedure import strike
from gambeson.language.words import Call, Words, unknown_number
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.values import LARGEST_FIGURE, Facts, Hit, Part

_OWN = ("target", "damage", "call", "traits", "location", "source")


def _facts(fields: Facts) -> Facts:
    return {key: value for key, value in fields.items() if key not in _OWN}


class HitParts(Struct, frozen=True, forbid_unknown_fields=True, tag="hit.parts"):
    """A blow of amounts and types: `damage` is a number (of the type `untyped`) or a list of parts; or `call` says them.

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
    unknown_words: str = "checked"
    calls: tuple[str, ...] = ()
    parts_rule: str = ""

    def prepare(self, turn: Adjudication, fields: Facts, by: str) -> tuple[Hit | None, list[Refusal]]:
        """Read the call, and work out what it deals and whether it is a spell."""
        words = turn.pack.words
        damage = fields.get("damage")
        call = Call(None, ())
        refusals: list[Refusal] = []
        if "call" in fields:
            assert turn.pack.reader is not None
            read = turn.pack.reader.read(fields["call"])
            if isinstance(read, tuple):
                refusals += read
            else:
                call = read
            if damage is not None and (damage != "unknown" or call.number is not None):
                refusals.append(Refusal(self.rule, message("refusal.hit.call_and_damage"), "damage"))
        number, typed = self._number(damage, call, refusals)
        named = tuple(dict.fromkeys((*call.words, *typed, *fields.get("traits", ()), *self.calls)))
        unknown = damage == "unknown"
        refusals += self._against(words, named, number is not None or unknown)
        if refusals:
            return None, refusals
        return self._hit(words, fields, named, number, unknown), []

    def _number(self, damage: Any, call: Call, refusals: list[Refusal]) -> tuple[int | None, tuple[str, ...]]:
        if isinstance(damage, int):
            return damage, ()
        if isinstance(damage, tuple):
            if len(damage) > 1:
                refusals.append(Refusal(self.parts_rule or self.rule, message("refusal.hit.one_number"), "damage"))
            type = damage[0].get("type")
            return damage[0]["amount"], (type,) if type else ()
        return call.number, ()

    def _against(self, words: Words, named: tuple[str, ...], numbered: bool) -> list[Refusal]:
        refusals = []
        known = [(word, words.known[word]) for word in named if word in words.known]
        if numbered:
            for word, entry in known:
                if entry.number == "refused":
                    if entry.kind == "wound":
                        refusals.append(Refusal(words.wound_rule, message("refusal.call.wound_number"), "call"))
                    else:
                        refusals.append(Refusal(words.number_rule, unknown_number(word), "call"))
        modifiers = tuple(word for word, entry in known if entry.kind == "modifier")
        if words.modifiers == "one" and len(modifiers) > 1:
            allowed = tuple(word for word, entry in words.known.items() if entry.kind == "modifier")
            refusals.append(Refusal(words.modifiers_rule, message("refusal.call.modifiers", allowed=allowed), "call"))
        if len([word for word, entry in known if entry.kind == "wound"]) > 1:
            refusals.append(Refusal(words.wound_rule, message("refusal.call.wound_place"), "call"))
        return refusals

    def _hit(self, words: Words, fields: Facts, named: tuple[str, ...], number: int | None, unknown: bool) -> Hit:
        facts = _facts(fields)
        entries = [words.known[word] for word in named if word in words.known]
        if unknown:
            facts["unknown"] = True
            if self.unknown_words == "ignored":
                named, entries = (), []
            amount = 0
        elif number is not None:
            amount = number
        else:
            amount = 0 if any(entry.alone == 0 for entry in entries) else 1
        wound = next((entry.location for entry in entries if entry.kind == "wound"), "")
        carried = [word for word in named if word != words.spell]
        damaging = [word for word in carried if word in words.known and words.known[word].kind == "damage"]
        if (amount or (unknown and named)) and not damaging:
            carried.append(words.plain)
        if wound:
            facts["wound"] = wound
            carried.append(words.wound)
        spell = words.spell in named or any(entry.spell == "yes" for entry in entries)
        if spell and not any(entry.spell == "never" for entry in entries):
            carried.append(words.spell)
        type = damaging[0] if damaging else words.plain
        return Hit(
            fields["target"], (Part(amount, type),), tuple(carried), fields.get("location"), fields.get("source"), facts
        )

    def run(self, turn: Adjudication, prepared: Hit) -> None:
        """Strike."""
        strike(turn, prepared)


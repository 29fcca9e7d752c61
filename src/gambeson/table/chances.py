"""Chances as people read them: per cent and fractions, each way a command may end, and what matters of each entity."""

from __future__ import annotations

import math
from fractions import Fraction

from msgspec import Struct

from gambeson.engine.odds import Change, Odds
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.model.values import State
from gambeson.table.rulings import DONE, Ruling
from gambeson.table.words import Speaker


class Share(Struct, frozen=True):
    """Something that may come, with its exact chance."""

    what: str
    chance: Fraction


class Total(Struct, frozen=True):
    """Everything that may become of one figure: what it is about and its shares."""

    about: str
    shares: tuple[Share, ...]


def percent(chance: Fraction, said: Texts) -> str:
    """A chance with two digits after the point; what is possible is never 0 and what may fail never 100."""
    hundredths = math.floor(chance * 10_000 + Fraction(1, 2))
    sign = ""
    if hundredths == 0 and chance > 0:
        sign, hundredths = "<", 1
    elif hundredths == 10_000 and chance < 1:
        sign, hundredths = ">", 9_999
    return said.say("odds.percent", sign=sign, whole=str(hundredths // 100), part=f"{hundredths % 100:02}")


class Told:
    """Says odds at one state in one language."""

    def __init__(self, pack: Pack, state: State, lang: str) -> None:
        self.speaker = Speaker(Ruling(pack, DONE, state, state), lang)
        self.said = self.speaker.said

    def ways(self, odds: Odds) -> tuple[Share, ...]:
        """Each way with its chance, the likeliest first; those that read alike are one."""
        found: dict[str, Fraction] = {}
        for way in odds.chances:
            what = "; ".join(map(self.change, way.changes)) or self.said.say("odds.nothing")
            found[what] = found.get(what, Fraction(0)) + way.chance
        return tuple(Share(what, chance) for what, chance in sorted(found.items(), key=lambda pair: -pair[1]))

    def change(self, change: Change) -> str:
        """What becomes of one entity."""
        say = self.said.say
        parts = [say("odds.lost", layer=self.said.term(layer), points=points) for layer, points in change.lost]
        parts += [say("odds.gained", layer=self.said.term(layer), points=points) for layer, points in change.gained]
        parts += [say("odds.figure", figure=self.said.term(name), value=value) for name, value in change.figures]
        parts += [say("odds.joins")] if change.joined else []
        parts += [say("odds.leaves")] if change.left else []
        parts += map(self.said.term, change.states)
        parts += [say("odds.freed", state=self.said.term(state)) for state in change.freed]
        parts += [say("odds.begins", effect=self.said.term(effect)) for effect in change.effects]
        parts += [say("odds.ends", effect=self.said.term(effect)) for effect in change.ended]
        return say("odds.change", who=self.speaker.name(change.entity), what=tuple(parts))

    def totals(self, odds: Odds) -> tuple[Total, ...]:
        """For each entity and layer the points lost and got, and the chance of each State and effect."""
        changes = [change for way in odds.chances for change in way.changes]
        found: list[Total] = []
        for id in dict.fromkeys(change.entity for change in changes):
            own = [change for change in changes if change.entity == id]
            name = self.speaker.name(id)
            for layer in dict.fromkeys(layer for change in own for layer, _ in change.lost):
                about = self.said.say("odds.points_lost", who=name, layer=self.said.term(layer))
                shares = tuple(Share(str(points), chance) for points, chance in odds.lost(id, layer).items())
                found.append(Total(about, shares))
            for layer in dict.fromkeys(layer for change in own for layer, _ in change.gained):
                about = self.said.say("odds.points_gained", who=name, layer=self.said.term(layer))
                shares = tuple(Share(str(points), chance) for points, chance in odds.gained(id, layer).items())
                found.append(Total(about, shares))
            words = dict.fromkeys(word for change in own for word in (*change.states, *change.effects))
            if words:
                shares = tuple(Share(self.said.term(word), odds.having(id, word)) for word in words)
                found.append(Total(self.said.say("odds.comes", who=name), shares))
        return tuple(found)

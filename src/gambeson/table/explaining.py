"""A ruling in words, as a good referee speaks: what came in, what each step did, what is left, what to shout."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from gambeson.games.loading import rule_texts
from gambeson.language.durations import said as said_until
from gambeson.language.figures import conditions, flags, shown_effects
from gambeson.language.layers import empty
from gambeson.language.stages.call import CallStage
from gambeson.model.commands import Command
from gambeson.model.events import Called, ClockMoved, EffectBegan, EffectEnded, FactSet, MomentReached
from gambeson.model.messages import message
from gambeson.model.outcomes import TraceRow
from gambeson.model.questions import Question
from gambeson.model.values import Effect, Entity, Pool
from gambeson.table.rulings import DONE, REJECTED, Ruling
from gambeson.table.words import Speaker

WIDTH = 100
"""Where lines are broken, unless told otherwise."""

HEAD, WHO, STEP, ASIDE, LEFT, SHOUT, REFUSED, QUESTION, OPTION = (
    "head", "who", "step", "aside", "left", "shout", "refused", "question", "option",
)  # fmt: skip

SHOUTED = "trace.call"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Line(Struct, frozen=True):
    """One line of an explanation: what kind of thing it says, the rule that it cites, and the words."""

    kind: str
    text: str
    rule: str = ""


def explained(ruling: Ruling, lang: str, width: int = WIDTH) -> str:
    """The ruling in words, in `lang` (en, ru), plain text broken at `width` characters (0: not at all)."""
    lines = explanation(ruling, lang)
    column = rule_column(lines)
    return "\n".join(written(line, column, width) for line in lines)


def rule_column(lines: tuple[Line, ...]) -> int:
    """How wide the column with the rule ids is."""
    return max((len(line.rule) for line in lines), default=0)


def written(line: Line, column: int, width: int = WIDTH) -> str:
    """One line as it is printed, with its rule in the column on the left."""
    text = _CONTROL.sub(" ", line.text)
    if line.kind == HEAD:
        first = after = ""
    elif line.kind == WHO:
        first = after = "  "
    else:
        first = f"  {line.rule:{column}}  " if column else "  "
        after = " " * len(first)
    if line.kind == OPTION:
        first, after = first + "  ", after + "  "
    if not width:
        return first + text
    return textwrap.fill(
        text,
        max(width, len(first) + 20),
        initial_indent=first,
        subsequent_indent=after if line.kind != HEAD else "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def explanation(ruling: Ruling, lang: str, kept: bool = True) -> tuple[Line, ...]:
    """The lines of the explanation, in order; without `kept` nothing is said of what stays as it was."""
    speaker = Speaker(ruling, lang)
    lines: list[Line] = []
    if ruling.command is not None:
        lines.append(Line(HEAD, speaker.command(ruling.command)))
    lines += _steps(speaker, ruling)
    if ruling.status == REJECTED:
        lines += _refusal(speaker, ruling, lang)
    elif ruling.status == DONE:
        lines += _outcome(speaker, ruling, kept)
    for question in ruling.questions:
        lines += _question(speaker, question)
    return tuple(lines)


# Steps


def _main(ruling: Ruling) -> str:
    """Whom the first line names already: the target, or whoever the steps begin with; "" where it names nobody."""
    if ruling.target:
        return ruling.target
    first = next((row.entity for row in ruling.trace if row.entity), "")
    return first if ruling.command is not None and _named(ruling.command, first) else ""


def _named(command: Command, id: str) -> bool:
    """Whether a command names an entity in one of its fields."""
    return any(value == id or (isinstance(value, tuple) and value == (id,)) for value in command.fields.values())


def _steps(speaker: Speaker, ruling: Ruling) -> Iterator[Line]:
    """The rows, those of each entity together as long as they follow each other; others than the target are named."""
    main = _main(ruling)
    whose = main
    block: list[TraceRow] = []
    for row in ruling.trace:
        entity = row.entity or whose
        if entity != whose:
            yield from _block(speaker, block)
            block = []
            whose = entity
            yield Line(WHO, f"{speaker.name(entity)}:")
        block.append(row)
    yield from _block(speaker, block)


def _block(speaker: Speaker, rows: list[TraceRow]) -> Iterator[Line]:
    said = speaker.said
    stages = {stage.stage: stage for stage in speaker.pack.procedure}
    idle: dict[str, list[str]] = {}
    silent = False
    for row in rows:
        stage = said.term(row.stage)
        note = said.say(row.note) if row.note is not None else ""
        if not row.ran and isinstance(stages.get(row.stage), CallStage):
            silent = True
        elif not row.ran:
            idle.setdefault(note, []).append(stage)
        elif row.note is None or row.note.id != SHOUTED:
            text = said.say("explain.step", stage=stage, note=note) if note and note != stage else stage
            if row.before != row.after and row.stage in stages:
                text = f"{text}; {said.say('explain.damage', before=row.before, after=row.after)}"
            yield Line(STEP, text, row.rule)
    if idle:
        groups = [
            said.say("explain.skipped", stages=tuple(names), note=note) if note else ", ".join(names)
            for note, names in idle.items()
        ]
        yield Line(ASIDE, said.say("explain.nothing_to_do", stages="; ".join(groups)))
    if silent:
        yield Line(ASIDE, said.say("explain.no_shout"))


# What is left


def _outcome(speaker: Speaker, ruling: Ruling, kept: bool) -> list[Line]:
    said = speaker.said
    lines: list[Line] = []
    gone = [row.entity for row in ruling.trace if row.note is not None and row.note.id == "trace.remove"]
    for id in dict.fromkeys((*ruling.before.entities, *ruling.after.entities)):
        before, after = ruling.before.entities.get(id), ruling.after.entities.get(id)
        if id in gone:
            continue
        if before is not after or id == ruling.target:
            name = speaker.name(id)
            told = _Change(speaker, ruling, before, after, kept).lines()
            lines += [Line(LEFT, said.say("explain.after", entity=name, what=what), rule) for rule, what in told]
    lines += _time(speaker, ruling)
    shouts = [event for event in ruling.events if isinstance(event, Called)]
    idle = not ruling.events and ruling.before is ruling.after
    if ruling.command is not None and (idle or not (kept or lines)):
        lines.append(Line(LEFT, said.say("explain.unchanged")))
    for event in shouts:
        text = said.say("explain.shout", calls=event.text)
        if event.entity != _main(ruling):
            text = said.say("explain.after", entity=speaker.name(event.entity), what=text)
        lines.append(Line(SHOUT, text, event.rule))
    return lines


def _time(speaker: Speaker, ruling: Ruling) -> Iterator[Line]:
    for event in ruling.events:
        if isinstance(event, MomentReached):
            yield Line(LEFT, speaker.said.say("explain.moment", moment=event.moment), event.rule)
    moved = [event for event in ruling.events if isinstance(event, ClockMoved)]
    if moved:
        minutes = moved[-1].to // 60 % (24 * 60)
        clock = speaker.said.say("explain.clock", hours=f"{minutes // 60:02}", minutes=f"{minutes % 60:02}")
        yield Line(LEFT, clock, moved[-1].rule)


class _Change:
    """What became of one entity, as (rule, words)."""

    def __init__(
        self, speaker: Speaker, ruling: Ruling, before: Entity | None, after: Entity | None, kept: bool
    ) -> None:
        self.speaker = speaker
        self.kept = kept
        self.said = speaker.said
        self.ruling = ruling
        self.before = before
        self.after = after

    def lines(self) -> list[tuple[str, str]]:
        """Everything that changed, by kind."""
        if self.after is None:
            return [("", self.said.say("explain.left"))]
        pools = self._pools(self.before, self.after)
        if self.before is None:
            return [("", self.said.say("explain.joined", what=pools))] if pools else []
        told = [("", pools)] if pools else []
        told += self._extras(self.before, self.after)
        told += self._facts(self.before, self.after)
        told += self._effects(self.before, self.after)
        told += self._conditions(self.before, self.after)
        told += self._flags(self.before, self.after)
        return told

    def _pools(self, before: Entity | None, after: Entity) -> str:
        """The pools that changed, and of whoever was struck or joined the others too."""
        whole = before is None or (self.kept and after.id == self.ruling.target and self._struck())
        shown = []
        for layer in self.speaker.pack.layers:
            old = (before.pools.get(layer) if before is not None else None) or empty()
            new = after.pools.get(layer) or empty()
            if before is not None and (old.current, old.maximum) != (new.current, new.maximum):
                shown.append(self._pool(layer, old, new))
            elif whole and new.current:
                shown.append(self.said.say("explain.same", name=self.said.term(layer), points=new.current))
        return ", ".join(shown)

    def _struck(self) -> bool:
        """Whether a hit went through the damage procedure."""
        stages = [stage.stage for stage in self.speaker.pack.procedure]
        return any(row.stage in stages for row in self.ruling.trace)

    def _pool(self, layer: str, old: Pool, new: Pool) -> str:
        of = new.maximum if old.maximum != new.maximum and new.maximum != new.current else None
        return self.said.say("explain.change", name=self.said.term(layer), before=old.current, after=new.current, of=of)

    def _extras(self, before: Entity, after: Entity) -> Iterator[tuple[str, str]]:
        for layer, pool in before.pools.items():
            left = after.pools.get(layer) or empty()
            kept = left.extras if left.current else ()
            gone = [self.said.term(extra.name) for extra in pool.extras if extra not in kept]
            if gone:
                yield "", self.said.say("explain.extras_gone", name=self.said.term(layer), extras=tuple(gone))

    def _facts(self, before: Entity, after: Entity) -> Iterator[tuple[str, str]]:
        for key, field in self.speaker.pack.facts.items():
            old, new = before.facts.get(key), after.facts.get(key)
            if old == new:
                continue
            rule = self._rule_of(key)
            name = self.said.term(key)
            if isinstance(new or old, tuple):
                gained = tuple(entry for entry in new or () if entry not in (old or ()))
                lost = tuple(entry for entry in old or () if entry not in (new or ()))
                for id, entries in (("explain.gained", gained), ("explain.lost", lost)):
                    if entries:
                        yield rule, self._entries(id, key, entries, self.speaker.value(field, entries))
            else:
                was, now = (self.speaker.value(field, None if value == {} else value) for value in (old, new))
                yield rule, self.said.say("explain.change", name=name, before=was, after=now, of=None)

    def _entries(self, id: str, key: str, entries: tuple[Any, ...], told: str | int) -> str:
        """What a list gained or lost, in the game's own words for this list where it has some."""
        own = f"{id}_of.{key}"
        if self.said.has(own):
            return self.said.say(own, n=len(entries), entries=told)
        return self.said.say(id, name=self.said.term(key), entries=told)

    def _rule_of(self, key: str) -> str:
        rules = [
            e.rule for e in self.ruling.events if isinstance(e, FactSet) and e.entity == self._id() and e.key == key
        ]
        return rules[-1] if rules else ""

    def _id(self) -> str:
        return (self.after or self.before or Entity("", "", "")).id

    def _effects(self, before: Entity, after: Entity) -> Iterator[tuple[str, str]]:
        old = {effect.serial: effect for effect in shown_effects(before)}
        new = {effect.serial: effect for effect in shown_effects(after)}
        for serial, effect in old.items():
            if serial not in new:
                yield self._ended(serial), self.said.say("explain.ended", what=self.said.term(effect.name))
        for serial, effect in new.items():
            if serial not in old:
                yield self._began(serial), self.said.say("explain.began", what=self._lasting(effect))
            elif effect.protections != old[serial].protections and effect.protections:
                charges = max(protection.charges for protection in effect.protections)
                yield "", self.said.say("explain.charges", effect=self.said.term(effect.name), charges=charges)

    def _lasting(self, effect: Effect) -> str:
        return self._until(self.said.term(effect.name), effect)

    def _until(self, what: str, effect: Effect) -> str:
        if not effect.until:
            return what
        until = said_until(effect.until[0], self.ruling.after.clock, self.speaker.name)
        return self.said.say("explain.lasting", what=what, until=until)

    def _began(self, serial: int) -> str:
        rules = [e.rule for e in self.ruling.events if isinstance(e, EffectBegan) and e.effect.serial == serial]
        return rules[0] if rules else ""

    def _ended(self, serial: int) -> str:
        rules = [e.rule for e in self.ruling.events if isinstance(e, EffectEnded) and e.serial == serial]
        return rules[0] if rules else ""

    def _conditions(self, before: Entity, after: Entity) -> Iterator[tuple[str, str]]:
        pack = self.speaker.pack
        old, new = conditions(pack, before), conditions(pack, after)
        gone = tuple(self.said.term(condition) for condition in old if condition not in new)
        if gone:
            yield self._rule_of("conditions"), self.said.say("explain.not_any_more", conditions=gone)
        by_source: dict[tuple[str, int], list[str]] = {}
        sources = {effect.serial: effect for effect in after.effects}
        for condition in new:
            if condition not in old:
                serial = next((e.serial for e in after.effects if condition in e.conditions), 0)
                rule = self._began(serial) if serial else self._rule_of("conditions")
                by_source.setdefault((rule, serial), []).append(self.said.term(condition))
        for (rule, serial), names in by_source.items():
            now = self.said.say("explain.now", conditions=tuple(names))
            yield rule, self._until(now, sources[serial]) if serial else now

    def _flags(self, before: Entity, after: Entity) -> Iterator[tuple[str, str]]:
        pack = self.speaker.pack
        if not pack.flags:
            return
        old, new = flags(pack, before), flags(pack, after)
        for id, names in (
            ("explain.flag_on", [flag for flag in new if flag not in old]),
            ("explain.flag_off", [flag for flag in old if flag not in new]),
        ):
            if names:
                yield "", self.said.say(id, flags=tuple(map(self.said.term, names)))


# Refusals and questions


def _refusal(speaker: Speaker, ruling: Ruling, lang: str) -> Iterator[Line]:
    refusal = ruling.refusal
    assert refusal is not None
    yield Line(REFUSED, speaker.said.say("explain.refused", reason=speaker.said.say(refusal.reason)), refusal.rule)
    title = rule_texts(speaker.pack.folder, lang).get(refusal.rule, {}).get("title") if refusal.rule else None
    if title:
        yield Line(ASIDE, speaker.said.say("explain.cited", rule=refusal.rule, title=title))


def _question(speaker: Speaker, question: Question) -> Iterator[Line]:
    said = speaker.said
    asked = said.say(question.text)
    if question.kind != "roll":  # who rolls stands beside the dice
        asked = said.say("explain.paused", question=asked, decider=speaker.name(question.decider))
    yield Line(QUESTION, asked, question.rule)
    if question.why is not None:
        yield Line(ASIDE, said.say(question.why))
    for option in question.options:
        label = said.say(option.label)
        yield Line(OPTION, said.say("explain.option", id=option.id, label=label) if label != option.id else label)
    for group in question.dice:
        dice = message("dice.group", count=group.count, sides=group.sides)
        yield Line(OPTION, said.say("explain.dice", dice=dice, roller=speaker.name(group.roller)))

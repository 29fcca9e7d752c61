"""Dice that fell for a command: who threw what, and what the throws came to."""

from __future__ import annotations

from collections.abc import Iterable

from gambeson.model.commands import Answer
from gambeson.server.page.drawing import Words
from gambeson.server.page.dyes import thrown_steps
from gambeson.table.rulings import Ruling
from gambeson.table.words import Speaker


def fell(ruling: Ruling, answers: Iterable[Answer], t: Words) -> tuple[str, ...]:
    """The faces of each throw by who threw, then what the steps say that read them; `answers` as a seat hears them."""
    speaker = Speaker(ruling, t.said.lang)
    faces: dict[str, list[str]] = {}
    for answer in answers:
        if isinstance(answer.value, tuple) and answer.value:
            who = next((part for part in answer.key.split(":") if part in ruling.before.entities), "")
            faces.setdefault(who, []).append(", ".join(map(str, answer.value)))
    if not faces:
        return ()
    told = [t("roll.fell", who=speaker.name(who) if who else None, faces="; ".join(own)) for who, own in faces.items()]
    steps = thrown_steps(ruling.pack)
    read = [row for row in ruling.trace if row.ran and row.stage in steps and row.note is not None]
    several = len({row.entity for row in read}) > 1
    for row in read:
        assert row.note is not None
        name = speaker.name(row.entity) if several and row.entity else None
        told.append(t("roll.read", who=name, step=t.term(row.stage), note=t.said.say(row.note)))
    return tuple(told)

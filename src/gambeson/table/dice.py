"""Dice thrown by a seeded generator, for rolls that nobody enters."""

from __future__ import annotations

import random

from gambeson.model.questions import Question
from gambeson.table.working import Dice


def seeded(seed: int) -> Dice:
    """A thrower of dice; the same seed throws the same faces in the same order."""
    generator = random.Random(seed)

    def throw(question: Question) -> tuple[int, ...]:
        return tuple(generator.randint(1, group.sides) for group in question.dice for _ in range(group.count))

    return throw

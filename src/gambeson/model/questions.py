"""What the rules ask people: choices among options, and dice."""

from __future__ import annotations

from msgspec import Struct

from gambeson.model.messages import Message


class Option(Struct, frozen=True):
    """One legal answer to a choice."""

    id: str
    label: Message


class DiceGroup(Struct, frozen=True):
    """Dice of one size thrown by one person: `count` dice with faces 1 to `sides`.

    `at` is whom they are thrown at, where the dice of one question go at several.
    """

    count: int
    sides: int
    roller: str
    at: str = ""


class Question(Struct, frozen=True):
    """A choice (with `options`) or a roll (with `dice`).

    `key` is made of ids and stays the same whenever the rules ask the same thing again. `why` says why this
    person decides, `suggested` the option that is shown first; it is never taken without an answer.
    """

    key: str
    decider: str
    rule: str
    text: Message
    options: tuple[Option, ...] = ()
    dice: tuple[DiceGroup, ...] = ()
    why: Message | None = None
    suggested: str = ""

    @property
    def kind(self) -> str:
        """`roll` or `choice`."""
        return "roll" if self.dice else "choice"

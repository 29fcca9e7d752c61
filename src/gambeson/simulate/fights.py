"""The values of a simulation: kinds of hit, fights, cells."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msgspec import Struct

from gambeson.games.documents import Document
from gambeson.language.dice import Dice
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.values import State, frozen
from gambeson.simulate.ends import Until
from gambeson.simulate.healing import Healing

SIDE = ("target", "against")
TRIALS, SEED = 1_000_000, 1
LONGEST_FIGHT = 10_000
"""Blows after which a fight that has not ended is left."""


class Amount(Struct, frozen=True):
    """A number or dice, of a part of a blow."""

    number: int = 0
    dice: Dice | None = None

    @property
    def most(self) -> int:
        """The most that it can be."""
        return self.number if self.dice is None else max(0, self.dice.count * self.dice.sides + self.dice.plus)

    @property
    def least(self) -> int:
        """The least that it can be; dice never come to less than 0."""
        return self.number if self.dice is None else max(0, self.dice.count + self.dice.plus)


class Blows(Struct, frozen=True):
    """One kind of hit: the fields of the command without damage, its amounts, and its weight."""

    fields: dict[str, Any]
    damage: Any
    amounts: tuple[Amount, ...]
    weight: Fraction
    said: str

    def command(self, target: str, amounts: tuple[int, ...], source: str | None = None) -> Command:
        """The blow as a command, with these amounts."""
        fields = {**self.fields, "target": target}
        if source is not None:
            fields["source"] = source
        if self.damage is not None:
            rest = iter(amounts)
            fields["damage"] = _filled(self.damage, rest)
        return Command("hit", frozen(fields))


def _filled(damage: Any, amounts: Any) -> Any:
    if isinstance(damage, Amount):
        return next(amounts)
    if isinstance(damage, list):
        return [{**part, "amount": next(amounts)} if "amount" in part else part for part in damage]
    return damage


class Fight(Struct, frozen=True):
    """One cell of a simulation, ready to be played."""

    pack: Pack
    state: State
    hits: dict[str, tuple[Blows, ...]]
    until: Until
    policy: dict[str, str]
    heal: Healing | None
    order: str
    most: int
    """Blows after which it is left."""

    @property
    def sides(self) -> tuple[str, ...]:
        """Who is struck, in order."""
        return SIDE if self.order else SIDE[:1]


class Cell(Struct, frozen=True):
    """One cell: what is varied there, the fight, and the fight that it is compared with."""

    vary: dict[str, Any]
    fight: Fight
    compared: Fight | None


class Simulation(Struct, frozen=True):
    """A simulation that can be played; `trials` None: exactly."""

    title: str
    cells: tuple[Cell, ...]
    trials: int | None
    seed: int
    vary: dict[str, tuple[Any, ...]]
    document: Document

    @property
    def pack(self) -> Pack:
        """The game."""
        return self.cells[0].fight.pack

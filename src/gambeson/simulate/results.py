"""What came of a simulation: for each cell how many blows it took, what the layers absorbed, and how sure that is."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

QUANTILES = (5, 50, 95)
CERTAIN = 1.959963984540054
"""Standard errors on each side of a mean between which it lies with a chance of 95 in 100."""


class Outcome(Struct, frozen=True):
    """What came of one fight, played many times or worked out exactly.

    `distribution`: the chance that the end came with blow n. `mean`, `sd` and `quantiles` are of the fights that
    ended, None where none did; `standard_error` is that of the mean (0: exact). `absorbed` is what each layer lost on
    average, `wins` in a duel the chances of the sides and of both falling.
    """

    distribution: dict[int, float]
    ended: float
    absorbed: dict[str, float]
    trials: int = 0
    wins: dict[str, float] | None = None
    states: int = 0

    @property
    def mean(self) -> float | None:
        """Blows to the end."""
        return sum(n * chance for n, chance in self.distribution.items()) / self.ended if self.ended else None

    @property
    def sd(self) -> float | None:
        """The spread of the blows to the end."""
        mean = self.mean
        if mean is None:
            return None
        squares = sum((n - mean) ** 2 * chance for n, chance in self.distribution.items())
        return math.sqrt(squares / self.ended)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean."""
        sd = self.sd
        if sd is None:
            return None
        return sd / math.sqrt(self.trials * self.ended) if self.trials else 0.0

    def quantile(self, percent: int) -> int | None:
        """The blow by which so many of a hundred fights that end have ended."""
        so_far, wanted = 0.0, self.ended * percent / 100
        for n, chance in sorted(self.distribution.items()):
            so_far += chance
            if so_far >= wanted * (1 - 1e-12):
                return n
        return None

    def survival(self) -> list[tuple[int, float]]:
        """The chance that the end has not come after each blow, from before the first on."""
        left, found = 1.0, [(0, 1.0)]
        for n in range(1, max(self.distribution, default=0) + 1):
            left -= self.distribution.get(n, 0.0)
            found.append((n, max(0.0, left)))
        return found

    def as_json(self) -> dict[str, Any]:
        """The outcome for programs."""
        found: dict[str, Any] = {
            "mean": self.mean,
            "sd": self.sd,
            "quantiles": {str(percent): self.quantile(percent) for percent in QUANTILES},
            "distribution": {str(n): chance for n, chance in self.distribution.items()},
            "ended": self.ended,
            "absorbed": self.absorbed,
            "standard_error": self.standard_error,
        }
        return found | ({"wins": self.wins} if self.wins is not None else {})


class Difference(Struct, frozen=True):
    """By how much the blows of the compared fight are more, on the same random numbers."""

    mean: float
    standard_error: float


class CellResult(Struct, frozen=True):
    """One cell of a simulation."""

    vary: dict[str, Any]
    outcome: Outcome
    compared: Outcome | None = None
    difference: Difference | None = None

    def as_json(self) -> dict[str, Any]:
        """The cell for programs."""
        found = {"vary": self.vary, **self.outcome.as_json()}
        if self.compared is not None and self.difference is not None:
            own = {"mean": self.difference.mean, "standard_error": self.difference.standard_error}
            found |= {"compared": self.compared.as_json(), "difference": own}
        return found


class Result(Struct, frozen=True):
    """A whole simulation. `engine` is `local`, `referee` or `exact`; `seconds` is the playing or solving alone."""

    version: str
    game: str
    ruleset: str
    engine: str
    trials: int | None
    seconds: float
    compile_seconds: float
    partial: bool
    cells: tuple[CellResult, ...]
    title: str = ""

    def as_json(self) -> dict[str, Any]:
        """The result for programs; `trials` is null for exact answers."""
        return {
            "gambeson": self.version,
            "game": self.game,
            "ruleset": self.ruleset,
            "engine": self.engine,
            "trials": self.trials,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
            "partial": self.partial,
            "cells": [cell.as_json() for cell in self.cells],
        }

    def as_csv(self) -> str:
        """One line a cell."""
        cells = [{key: "" if value is None else value for key, value in _flat(cell).items()} for cell in self.cells]
        columns = list(dict.fromkeys(key for cell in cells for key in cell))
        stream = io.StringIO()
        writer = csv.DictWriter(stream, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(cells)
        return stream.getvalue()

    def as_parquet(self) -> bytes:
        """One row a cell, with the columns of the CSV. Raises ModuleNotFoundError without pyarrow."""
        import pyarrow as arrow
        from pyarrow import parquet

        cells = [_flat(cell) for cell in self.cells]
        columns = dict.fromkeys(key for cell in cells for key in cell)
        kept = {}
        for name in columns:
            values = [cell.get(name) for cell in cells]
            alike = len({type(value) for value in values if value is not None}) <= 1
            kept[name] = values if alike else [None if value is None else str(value) for value in values]
        stream = arrow.BufferOutputStream()
        parquet.write_table(arrow.table(kept), stream)
        content: bytes = stream.getvalue().to_pybytes()
        return content


def _flat(cell: CellResult) -> dict[str, Any]:
    flat: dict[str, Any] = {f"vary.{name}": value for name, value in cell.vary.items()}
    flat |= _flat_outcome(cell.outcome, "")
    if cell.compared is not None and cell.difference is not None:
        flat |= _flat_outcome(cell.compared, "compared.")
        flat |= {"difference": cell.difference.mean, "difference.standard_error": cell.difference.standard_error}
    return flat


def _flat_outcome(outcome: Outcome, prefix: str) -> dict[str, Any]:
    flat: dict[str, Any] = {
        "mean": outcome.mean,
        "sd": outcome.sd,
        "standard_error": outcome.standard_error,
        "ended": outcome.ended,
        **{f"quantile.{percent}": outcome.quantile(percent) for percent in QUANTILES},
        **{f"absorbed.{layer}": points for layer, points in outcome.absorbed.items()},
        **{f"wins.{side}": chance for side, chance in (outcome.wins or {}).items()},
    }
    return {f"{prefix}{key}": value for key, value in flat.items()}


def counted(tally: Mapping[int, int], trials: int) -> dict[int, float]:
    """Counts as chances."""
    return {n: number / trials for n, number in sorted(tally.items())} if trials else {}

"""Effects as people write them: what a pack lets an effect change while it lasts, made a value."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from gambeson.language.dice import parse_dice
from gambeson.language.durations import ends
from gambeson.language.fields import Fields
from gambeson.language.potency import ADDS_UP, SUM
from gambeson.model.values import Change, Effect, Extra, Facts

CONCENTRATION, KEEPS_POOL = "concentration", "keeps_pool"
"""Tags of effects: its source must concentrate on it; its points outlive it."""

FLAGS = (CONCENTRATION, KEEPS_POOL, ADDS_UP)
CARRIED = ("ends_with", "ends_when")
GRANTING = ("layer", "points", "extras", "absorbs")


class Changing(Struct, frozen=True, forbid_unknown_fields=True):
    """What one key of an effect's changes means.

    `kind`: `figure` (a number is added to the figure `of`, `{divide: 2}` halves it, true adds 1), `figures` (the same
    for the figures `of.KEY`), `list` (entries of the list-valued fact `of`), `points` (added once to the layer `of`,
    at most by what its maximum rose) or `borne` (kept as written for the stages that read `of`).
    """

    kind: Literal["figure", "figures", "list", "points", "borne"]
    of: str


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """An effect of the catalogue: `gives` are its fields, `slot` what each level above its own adds to which of them.

    `under` lists the readings under which the game has it. In `gives`, `source` and `target` stand for whose effect it
    is and who bears it. One that is not `lasting` gives only points.
    """

    rule: str
    level: int = 0
    gives: Facts = {}
    slot: dict[str, int] = {}
    under: dict[str, tuple[str, ...]] = {}
    lasting: bool = True


class EffectRules(Struct, frozen=True, forbid_unknown_fields=True):
    """What effects may be in a game: their `fields` where one is in force from the start, what their `changes` mean.

    `same_name`: of effects of one name on one target all count (`sum`), the `latest`, or of each figure the
    `most_potent`. `layer` is where points go for which none is named. `extras` are names of extras that are one
    change each, written without its key. `catalogue_rule` is cited for an effect that the readings in force do not
    have, and for a level below its own.
    """

    rule: str
    layer: str
    changes: dict[str, Changing]
    fields: Fields = {}
    same_name: str = SUM
    extras: tuple[str, ...] = ()
    catalogue_rule: str = ""


def changed(rules: EffectRules, written: Facts) -> tuple[dict[str, tuple[Any, ...]], tuple[Change, ...], Facts]:
    """The lists, figures and borne facts that written changes mean."""
    lists: dict[str, tuple[Any, ...]] = {}
    figures: list[Change] = []
    borne: Facts = {}
    for key, value in written.items():
        meant = rules.changes.get(key)
        if meant is None:
            continue
        match meant.kind:
            case "list":
                lists[meant.of] = value
            case "figure":
                figures.append(_figure(meant.of, value))
            case "figures":
                figures += [_figure(f"{meant.of}.{name}", points) for name, points in value.items()]
            case "borne":
                borne[meant.of] = value
            case "points":
                pass
    return lists, tuple(figures), borne


def _figure(name: str, value: Any) -> Change:
    if isinstance(value, dict):
        return Change(name, times=-1)
    return Change(name, add=int(value))


def written_effect(rules: EffectRules, given: Facts, name: str, source: str | None, clock: int) -> Effect:
    """The effect that checked fields describe, still without a number."""
    lists, figures, borne = changed(rules, given.get("changes", {}))
    facts: Facts = {**borne, **{key: given[key] for key in CARRIED if key in given}}
    if "repeats" in given:
        facts["repeats"] = given["repeats"]
        facts["granting"] = {"layer": rules.layer, **{key: given[key] for key in GRANTING if key in given}}
    return Effect(
        0,
        name,
        source,
        name,
        until=tuple(end for end in ends(given.get("until"), clock) if end.kind != "ended"),
        tags=tuple(flag for flag in FLAGS if given.get(flag)),
        lists=lists,
        changes=figures,
        facts=facts,
    )


def worn_changes(rules: EffectRules, extra: Extra) -> Facts:
    """The changes that an extra brings while its pool has a point left."""
    if extra.name in rules.extras and extra.facts:
        return {extra.name: extra.facts}
    return {key: value for key, value in extra.facts.items() if key in rules.changes}


def completed(entry: Entry, given: Facts, source: str | None, target: str) -> Facts:
    """The given fields with those of the catalogue where nothing is given, for this source and bearer."""
    levels = max(0, given.get("slot", entry.level) - entry.level)
    placed: Facts = {}
    for key, value in entry.gives.items():
        if key in given:
            continue
        filled = _placed(value, source, target)
        for path, more in entry.slot.items():
            if levels and path.partition(".")[0] == key:
                filled = _raised(filled, path.partition(".")[2], more * levels)
        placed[key] = filled
    return {**placed, **given}


def _placed(value: Any, source: str | None, target: str) -> Any:
    """The value with the names of places filled in; what would go to a source that is nobody stays away."""
    if isinstance(value, dict):
        return {key: _named(key, entry, source, target) for key, entry in value.items()}
    return value


def _named(key: str, value: Any, source: str | None, target: str) -> Any:
    if key in ("to", "turn_start", "turn_end") and value in ("source", "target"):
        return source if value == "source" else target
    return _placed(value, source, target)


def _raised(value: Any, path: str, more: int) -> Any:
    if path:
        key, _, rest = path.partition(".")
        return {**value, key: _raised(value[key], rest, more)} if key in value else value
    if isinstance(value, int):
        return value + more
    dice = parse_dice(value)
    return str(replace(dice, plus=dice.plus + more))

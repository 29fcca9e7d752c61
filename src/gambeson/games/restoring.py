"""Packs that are made as they are asked: of what was once found sound, each part when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, get_args

import msgspec
from msgspec.structs import force_setattr

from gambeson.games.converting import Converter, Doing
from gambeson.games.parts import PARTS, part
from gambeson.language.fields import Fields
from gambeson.language.pack import CommandSpec, Pack
from gambeson.language.predicates import (
    AskNames,
    DiceFormula,
    Formula,
    Predicate,
    dice_formula_later,
    formula_later,
    predicate_later,
)
from gambeson.model.errors import Path
from gambeson.model.values import frozen

DOING = ("does", "bars")
"""What of a command is made when it is first given."""
PLAYED = ("plan",)
"""Parts that are asked by whoever plays: with them all others are made, so that nothing is in the way of a blow."""
FOREIGN = (msgspec.MsgspecError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading something that is not ours may raise."""


class Trusting(Converter):
    """Converts data that was found sound before: its expressions are compiled when they are first used."""

    def expression(self, type: Any, text: Any, ask_names: AskNames) -> Any:
        """The predicate, formula or dice that a text means."""
        later = {Predicate: predicate_later, Formula: formula_later, DiceFormula: dice_formula_later}
        return later[type](text, ask_names)

    def kinds(self, path: Path, union: Any) -> tuple[Any, ...]:
        """Every entry of the list at a path; msgspec looks only at the kinds that there are."""
        known = {kind.__struct_config__.tag: kind for kind in get_args(union)}
        entries: tuple[dict[str, Any], ...] = self.data.get(path[0], ())
        return tuple(self.convert((*path, at), known[entry["kind"]], entry) for at, entry in enumerate(entries))

    def command(self, fields: Fields, needed: Fields, doing: Doing, writes: bool, referee: bool) -> CommandSpec:
        """A command; what does it is made when it is first given."""
        command = UnreadCommand(fields, needed, None, (), writes, referee, doing)  # type: ignore[arg-type]
        for name in DOING:
            getattr(CommandSpec, name).__delete__(command)
        return command


class UnreadCommand(CommandSpec, frozen=True):
    """A command of which what does it is not made yet; then it is a command like any other."""

    def __getattr__(self, name: str) -> Any:
        if name not in DOING:
            raise AttributeError(name)
        source = self.source
        if source is not None:
            for each, made in zip(DOING, source(), strict=True):
                force_setattr(self, each, made)
            force_setattr(self, "source", None)
            force_setattr(self, "__class__", CommandSpec)
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return self is other or self._whole() == other

    def _whole(self) -> CommandSpec:
        getattr(self, DOING[0])
        return self  # now a command like any other

    def __repr__(self) -> str:
        return f"CommandSpec({', '.join(self.fields)})"

    __hash__ = None  # type: ignore[assignment]


class Kept(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What is kept of a pack that was found sound: its data and the names of things in it, each still packed."""

    data: msgspec.Raw
    named: msgspec.Raw


KEPT = msgspec.msgpack.Decoder(Kept)


def kept(converter: Converter) -> Kept:
    """What is to be kept of a pack that was found sound."""
    return Kept(*(msgspec.Raw(msgspec.msgpack.encode(value)) for value in (converter.data, converter.named)))


def opened(content: Kept, code: ModuleType | None) -> Converter:
    """The data and names that were kept. Raises msgspec.MsgspecError or ValueError where they are not ours."""
    data = msgspec.msgpack.decode(content.data, type=dict[str, Any])
    named = msgspec.msgpack.decode(content.named, type=tuple[tuple[str, str], ...])
    return Trusting(frozen(data), code, named)


class Source:
    """Where the parts of a pack come from: from what was kept, or from `make` where that is no good or not there."""

    def __init__(
        self, make: Callable[[], Converter], open: Callable[[], Converter | None], made: Converter | None
    ) -> None:
        self._make = make
        self._open = open
        self._converter = made
        self._lock = threading.RLock()

    def part(self, name: str) -> Any:
        """One part of the pack. Raises Unusable where what was kept is no good and the files are not either."""
        return self.parts((name,))[0]

    def parts(self, names: Iterable[str]) -> list[Any]:
        """Several parts, all of them made of the same."""
        with self._lock:
            try:
                if self._converter is None:
                    self._converter = self._open() or self._make()
                found = [part(self._converter, name) for name in names]
                if not self._converter.faults:
                    return found
            except FOREIGN:
                pass
            self._converter = converter = self._make()
            return [part(converter, name) for name in names]


class Unread(Pack, frozen=True):
    """A pack of which some parts are not made yet; once all of them are it is a pack like any other."""

    def __getattr__(self, name: str) -> Any:
        if name not in PARTS:
            raise AttributeError(name)
        source = self.source
        if name in PLAYED:
            self.whole()
        elif source is not None:
            force_setattr(self, name, source.part(name))
        return getattr(self, name)

    def whole(self) -> Pack:
        """This pack, with every part made."""
        source = self.source
        if source is not None:
            for name, made in zip(PARTS, source.parts(PARTS), strict=True):
                force_setattr(self, name, made)
            force_setattr(self, "source", None)
            force_setattr(self, "__class__", Pack)
        return self

    def __eq__(self, other: object) -> bool:
        return self is other or self.whole() == other

    def __repr__(self) -> str:
        return f"Pack({self.folder!r}, {self.hash!r})"

    __hash__ = None  # type: ignore[assignment]  # like every pack, which holds mappings


def unread(hash: str, folder: str, readings: dict[str, str], source: Source) -> Pack:
    """A pack whose parts come from a source when they are asked."""
    given = {"hash": hash, "folder": folder, "readings": readings, "source": source}
    pack = Unread(**{name: given.get(name) for name in Pack.__struct_fields__})  # type: ignore[arg-type]
    for name in PARTS:
        getattr(Pack, name).__delete__(pack)
    return pack

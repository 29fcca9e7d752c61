"""A pack's data made into the types of the language, section by section, with every fault at its path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias, get_args, get_type_hints

import msgspec

from gambeson.engine.commands import COMMANDS
from gambeson.games.documents import Faults
from gambeson.games.misfits import misfit
from gambeson.games.shapes import CommandShape
from gambeson.language.expressions import ExpressionFault, Names
from gambeson.language.fields import Field, Fields, not_among
from gambeson.language.functions import Function
from gambeson.language.layers import Layer
from gambeson.language.names import names_of
from gambeson.language.pack import Bar, CommandSpec, Follow, Lasting, Moment, Silent
from gambeson.language.predicates import AskNames, DiceFormula, Formula, Predicate, dice_formula, formula, predicate
from gambeson.language.rules import Rule, Variant
from gambeson.language.stages import StageKind
from gambeson.language.stages.base import Stage
from gambeson.language.words import Words
from gambeson.mechanisms import MECHANISMS
from gambeson.model.errors import Fault, Path
from gambeson.model.messages import message

Doing: TypeAlias = Callable[[], tuple[Any, tuple[Bar, ...]]]

EXPRESSIONS = (Predicate, Formula, DiceFormula)


def _keys_of(*types: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for type in types for key in type.__struct_encode_fields__))


_EVERY_KEY = _keys_of(
    Layer, Rule, Variant, Silent, Lasting, Follow, Moment, Bar, Words, *get_args(StageKind), *get_args(Field),
    *COMMANDS.values(), *MECHANISMS.values(), CommandShape,
)  # fmt: skip


# Else msgspec would work out what these mean for each of the many kinds of stages anew.
Stage.__annotations__.update(get_type_hints(Stage, include_extras=True))


class _Wrong(ValueError):
    """Something that a converted value names is wrong; msgspec adds the path."""

    def __init__(self, message: Any) -> None:
        super().__init__("wrong")
        self.message = message


class _Fields(msgspec.Struct, frozen=True):
    fields: dict[str, Field]


class Converter:
    """Collects the faults of one pack while its sections are converted.

    `data` has readings and repeats filled in and holds no lists, only tuples. `named` are the pairs of an id and a
    name by which people may mean it.
    """

    def __init__(self, data: Any, code: ModuleType | None, named: tuple[tuple[str, str], ...]) -> None:
        self.data = data
        self.code = code
        self.named = named
        self.faults = Faults()
        self._names: Names | None = None
        self.parts: dict[str, Any] = {}
        self._fields: dict[Path, dict[str, Field]] = {}
        self._wrong: Any = None

    def convert(self, path: Path, type: Any, value: Any = None, ask_names: AskNames | None = None) -> Any:
        """The value at this path (or the given one) as the type (a class or a union), or None with a fault noted."""
        if value is None:
            value = self.at(path)
        self._wrong = None
        try:
            return msgspec.convert(value, type, dec_hook=partial(self._hook, ask_names or self.names))
        except msgspec.ValidationError as error:
            below, said = misfit(str(error), type, value, _EVERY_KEY)
            self.fault((*path, *below), self._wrong or said)
        return None

    def fits(self, value: Any, type: Any, ask_names: AskNames | None = None) -> Any:
        """A value as the type, or None without a word; its expressions may use these names, or the pack's."""
        try:
            return msgspec.convert(value, type, dec_hook=partial(self._hook, ask_names or self.names))
        except msgspec.ValidationError:
            return None

    def each(self, section: str, type: Any) -> dict[str, Any]:
        """Every definition of a section that could be converted."""
        return self.mapped((section,), self.mapping(section), type)

    def mapped(self, path: Path, written: Any, type: Any) -> dict[str, Any]:
        """Every entry of a mapping that stands at a path, as far as it could be converted: at once, or one by one."""
        found: dict[str, Any] | None = self.fits(written, dict[str, type])
        if found is not None:
            return found
        each = {name: self.convert((*path, name), type, written[name]) for name in written}
        return {name: converted for name, converted in each.items() if converted is not None}

    def listed(self, path: Path, type: Any, ask_names: AskNames | None = None) -> tuple[Any, ...]:
        """Every entry of the list at a path that could be converted; there need be none."""
        try:
            written = self.at(path)
        except KeyError:
            return ()
        found: tuple[Any, ...] | None = self.fits(written, tuple[type, ...], ask_names)
        if found is not None:
            return found
        each = (self.convert((*path, index), type, None, ask_names) for index in range(len(written)))
        return tuple(converted for converted in each if converted is not None)

    def kinds(self, path: Path, union: Any) -> tuple[Any, ...]:
        """Every entry of the list at a path as the kind that it names, of those in a union."""
        return self.listed(path, union)

    def command(self, fields: Fields, needed: Fields, doing: Doing, writes: bool, referee: bool) -> CommandSpec | None:
        """A command; `doing` gives what does it and whom it may not touch. None with a fault noted."""
        does, bars = doing()
        return CommandSpec(fields, needed, does, bars, writes, referee) if does is not None else None

    def whole(self, section: str, type: Any) -> Any:
        """A section as the type; None where there is none, or with a fault noted."""
        return self.convert((section,), type) if section in self.data else None

    def fields(self, path: Path) -> dict[str, Field]:
        """The fields at a path that could be converted; there need be none."""
        if path not in self._fields:
            self._fields[path] = self._converted_fields(path)
        return self._fields[path]

    def _converted_fields(self, path: Path) -> dict[str, Field]:
        try:
            written = self.at(path)
        except (KeyError, TypeError):
            return {}
        # Under a name of its own msgspec looks at the many kinds of fields once, not for every command.
        found: _Fields | None = self.fits({"fields": written}, _Fields)
        return found.fields if found is not None else self.mapped(path, written, Field)

    def mapping(self, section: str) -> dict[str, Any]:
        """A section that must be a mapping."""
        value = self.data.get(section, {})
        if not isinstance(value, dict):
            self.fault((section,), message("fault.pack.mapping"))
            return {}
        return value

    def at(self, path: Path) -> Any:
        """The data at a path."""
        value: Any = self.data
        for step in path:
            value = value[step]
        return value

    def fault(self, path: Path, said: Any) -> None:
        """Note a fault."""
        self.faults.append(Fault(path, said))

    def names(self) -> Names:
        """The names that the pack's expressions may use."""
        if self._names is None:
            data = self.data
            keys = {layer: self.fields(("layers", layer, "keys")) for layer in self.mapping("layers")}
            layers = {layer: Layer(rule="", keys=fields) for layer, fields in keys.items()}
            fields = (self.fields(("facts",)), layers, self.fields(("commands", "hit", "fields")))
            more = (data.get("extras", ()), data.get("values", ()), _noted(data), _changed_figures(data))
            self._names = names_of(*fields, *more)
        return self._names

    def expression(self, type: Any, text: Any, ask_names: AskNames) -> Any:
        """The predicate, formula or dice that a text means, compiled. Raises ExpressionFault."""
        names = ask_names()
        if type is Predicate:
            return predicate(text, names)
        return formula(text, names) if type is Formula else dice_formula(text, names)

    def _hook(self, ask_names: AskNames, type: Any, value: Any) -> Any:
        try:
            if type in EXPRESSIONS:
                return self.expression(type, value, ask_names)
            if type is Function:
                return Function(str(value), self._function(str(value)))
        except ExpressionFault as fault:
            self._wrong = fault.message
            raise _Wrong(fault.message) from fault
        return value

    def _function(self, name: str) -> Callable[..., Any]:
        """A function of the game's own rules.py. Raises _Wrong where there is none of that name."""
        known: Mapping[str, Any] = getattr(self.code, "CODE", {})
        if name not in known:
            self._wrong = not_among(name, tuple(known))
            raise _Wrong(self._wrong)
        found: Callable[..., Any] = known[name]
        return found


def _noted(data: dict[str, Any]) -> list[str]:
    """The names under which stages keep figures of a blow."""
    stages = data.get("procedure", ())
    noting = [stage for stage in stages if isinstance(stage, dict) and stage.get("kind") == "note"]
    return [str(stage["name"]) for stage in noting if "name" in stage]


def _changed_figures(data: dict[str, Any]) -> list[str]:
    """The figures that effects may change by name."""
    changes = data.get("effects", {}).get("changes", {}) if isinstance(data.get("effects"), dict) else {}
    meant = [meant for meant in changes.values() if isinstance(meant, dict)] if isinstance(changes, dict) else []
    return [str(change["of"]) for change in meant if change.get("kind") == "figure" and "of" in change]

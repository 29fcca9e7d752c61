"""Kinds of lasting effect that a pack declares, made into effects, also where an entity's file lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from gambeson.language.deeds import HIDDEN
from gambeson.language.durations import ends
from gambeson.language.fields import EntityField, Field, ListField, RecordField, WordField, not_among
from gambeson.model.errors import FieldFault, Path
from gambeson.model.messages import message
from gambeson.model.values import Effect, Until

if TYPE_CHECKING:
    from gambeson.language.pack import Pack

PERMANENT = "permanent"
"""The written duration of what has no end of its own."""


class StartEffects(Struct, frozen=True, forbid_unknown_fields=True):
    """How effects are written on an entity: `until` the words for their ends, `needs_source` those of their source."""

    until: tuple[str, ...] = ()
    needs_source: tuple[str, ...] = ()


def lasting_effect(pack: Pack, code: str, source: str | None, lasts: str | None = None) -> Effect:
    """The effect of this kind, still without a serial; it lasts as its kind says unless `lasts` does."""
    kind = pack.lasting[code]
    written = lasts or kind.lasts
    ends = () if written is None or written == PERMANENT else (_moment(pack, written, source),)
    return Effect(
        0,
        code,
        source,
        code,
        until=ends,
        tags=kind.tags,
        conditions=kind.conditions,
        lists=kind.lists,
        changes=kind.changes,
    )


def _moment(pack: Pack, moment: str, source: str | None) -> Until:
    """An end at a moment, which is the source's own only where the pack says that it needs one."""
    its_own = pack.start_effects is None or moment in pack.start_effects.needs_source
    return Until("moment", moment=moment, whose=(source or "") if its_own else "")


def hidden_effect(pack: Pack, code: str, source: str | None, clock: int) -> Effect:
    """The effect of this kind as rules begin it, still without a serial: not listed, its time counted from `clock`."""
    kind = pack.lasting[code]
    return Effect(
        0,
        code,
        source,
        code,
        until=ends(kind.lasts, clock),
        tags=(HIDDEN, *kind.tags),
        conditions=kind.conditions,
        lists=kind.lists,
        changes=kind.changes,
    )


def start_effects_field(pack: Pack) -> Field:
    """The list of effects that an entity may have in a file."""
    assert pack.start_effects is not None
    one = RecordField(
        fields={
            "name": WordField(of=tuple(pack.lasting), required=True),
            "source": EntityField(),
            "until": WordField(of=pack.start_effects.until),
        },
        bare="name",
    )
    return ListField(of=one)


def written_effects(pack: Pack, listed: tuple[dict[str, Any], ...]) -> tuple[Effect, ...]:
    """The effects that a file lists, of one name the last. Raises FieldFault where a needed source is missing."""
    assert pack.start_effects is not None
    found: dict[str, Effect] = {}
    for index, entry in enumerate(listed):
        if entry["name"] not in pack.lasting:
            raise FieldFault(("effects", index, "name"), not_among(entry["name"], tuple(pack.lasting)))
        effect = lasting_effect(pack, entry["name"], entry.get("source"), entry.get("until"))
        if effect.source is None and any(end.moment in pack.start_effects.needs_source for end in effect.until):
            path: Path = ("effects", index, "source")
            raise FieldFault(path, message("fault.field.missing", field="source"))
        found[effect.name] = effect
    return tuple(found.values())

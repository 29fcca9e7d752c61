"""Standing rules of a pack: what must follow from a fact wherever it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from gambeson.model.events import Event
from gambeson.model.values import Entity

if TYPE_CHECKING:
    from gambeson.language.adjudication import Adjudication
    from gambeson.model.errors import FieldFault


class Standing(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A rule that looks at every fact of the kinds that it watches, after it was written."""

    WATCHES: ClassVar[tuple[type, ...]] = ()

    rule: str

    def settle(self, turn: Adjudication, event: Event, before: Entity | None) -> None:
        """Write what follows; `before` is the entity of the fact as it was, None for a newcomer or the table."""
        raise NotImplementedError

    def against(self, turn: Adjudication, entity: Entity) -> FieldFault | None:
        """Why a newcomer, written as it is, cannot join those on the table; None if it can."""
        return None

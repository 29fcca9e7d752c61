"""Things said to people, as an id with parameters; words are made at the edge, in the reader's language."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

Parameter: TypeAlias = "int | str | Message | tuple[Parameter, ...] | None"


class Message(Struct, frozen=True, gc=False):
    """A sentence that `language.texts.Texts` can say: the id of its text and what fills the blanks."""

    id: str
    params: dict[str, Parameter] = {}


def message(id: str, /, **params: Parameter) -> Message:
    """Make a message: `message("refusal.too_many", limit=4)`."""
    return Message(id, params)

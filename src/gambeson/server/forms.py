"""What programs send to the API and what they are answered: bodies, their limits, how refusals are described."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, QueryParameter
from msgspec import Meta, Struct

Id: TypeAlias = FromPath[str]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
ClientId = Annotated[str, Meta(min_length=1, max_length=100, description="the sender's own id of this input")]
Lang = Annotated[str, QueryParameter(name="lang", required=False, description="en or ru; else by Accept-Language")]
CommandForm = Annotated[
    dict[str, Any], Meta(min_length=1, max_length=2, description="`{NAME: {FIELDS}}`, perhaps with `by`: who acts")
]
Answers = Annotated[tuple[str, ...], Meta(max_length=1000, description="option ids, in the order of asking")]
Rolls = Annotated[tuple[int, ...], Meta(max_length=10_000, description="faces of dice, in the order of asking")]


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to begin: a game, or a scenario whose entities are seated and whose steps are played."""

    game: Annotated[str, Meta(max_length=100)] = ""
    title: Annotated[str, Meta(max_length=200)] = ""
    scenario: dict[str, Any] | Annotated[str, Meta(max_length=60_000)] | None = None
    seats: Annotated[dict[str, tuple[str, ...]], Meta(max_length=100)] | None = None


class NewSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat to set up, or to give a new token; `referee` and `screen` name those seats."""

    name: Name
    entities: Annotated[tuple[str, ...], Meta(max_length=1000)] = ()


class Given(Struct, frozen=True, forbid_unknown_fields=True):
    """A command, with answers and dice that are known already."""

    command: CommandForm
    client_id: ClientId
    answers: Answers = ()
    rolls: Rolls = ()
    expect_version: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class Tried(Struct, frozen=True, forbid_unknown_fields=True):
    """A command to look ahead at."""

    command: CommandForm
    answers: Answers = ()
    rolls: Rolls = ()


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """A command whose chances are wanted; without one those of the command that waits."""

    command: CommandForm | None = None
    answers: Answers = ()
    rolls: Rolls = ()


class Chance(Struct, frozen=True):
    """One way in which a command may end: its chance as a fraction and as a number, and what it does to whom."""

    chance: str
    value: float
    changes: tuple[dict[str, Any], ...]


class Chances(Struct, frozen=True):
    """Every way in which a command may end, the likeliest first, at a version of the table.

    `totals` tells for each entity the points that it may `lost` by layer, and the chance of each State and effect
    that `comes`.
    """

    version: int
    chances: tuple[Chance, ...]
    totals: dict[str, Any]


class Answered(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to an open decision: the id of an option, or the faces of the dice."""

    decision: Annotated[str, Meta(max_length=2000)]
    client_id: ClientId
    option: Annotated[str, Meta(max_length=2000)] | None = None
    rolls: Rolls | None = None


class Fault(Struct, frozen=True):
    """Why a request was not served."""

    status_code: int
    detail: str


class Tokens(Struct, frozen=True):
    """What opens the seats of a table. They are told once; only their hashes are kept."""

    referee: str
    screen: str
    seats: dict[str, str]


class Opened(Struct, frozen=True):
    """A table that has begun."""

    id: str
    version: int
    tokens: Tokens


class Token(Struct, frozen=True):
    """What opens a seat."""

    token: str


class Seat(Struct, frozen=True):
    """A seat at a table."""

    name: str
    role: str
    entities: tuple[str, ...]


class Health(Struct, frozen=True):
    """Whether the server serves."""

    ok: bool
    version: str


def said(description: str) -> ResponseSpec:
    return ResponseSpec(Fault, description=description, generate_examples=False)


REFUSALS = {
    400: said("the request is malformed"),
    404: said("no such table, or a token that does not open it"),
    429: said("too fast; see Retry-After"),
}
INPUT = {
    **REFUSALS,
    403: said("the seat may not act for others"),
    409: ResponseSpec(
        dict[str, Any], description="the table has moved on; with the current view", generate_examples=False
    ),
    422: ResponseSpec(
        dict[str, Any], description="refused by a rule, with `rule` and `reason`", generate_examples=False
    ),
    503: said("the database does not answer"),
}

CHANCES = ResponseSpec(Chances, description="the chances", generate_examples=False)

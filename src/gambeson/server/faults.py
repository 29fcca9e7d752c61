"""What goes wrong, as it is answered."""

from __future__ import annotations

from typing import Any

from litestar import Response

from gambeson.model.errors import Unusable
from gambeson.server.access import AnyRequest, lang_of
from gambeson.server.beginning import faults_said
from gambeson.server.guard import TooFast
from gambeson.server.room import Busy
from gambeson.server.seats import NotYours
from gambeson.table.stores import Unreachable


def _told(status: int, detail: str, headers: dict[str, str] | None = None) -> Response[Any]:
    return Response({"status_code": status, "detail": detail}, status_code=status, headers=headers)


def too_fast(_: AnyRequest, error: TooFast) -> Response[Any]:
    """429 with Retry-After."""
    return _told(429, "too fast", {"Retry-After": str(max(1, round(error.wait + 0.5)))})


def busy(_: AnyRequest, __: Exception) -> Response[Any]:
    """503 with Retry-After."""
    return _told(503, "the database does not answer", {"Retry-After": "1"})


def not_yours(_: AnyRequest, __: NotYours) -> Response[Any]:
    """403."""
    return _told(403, "this seat may not act for others")


def unusable(request: AnyRequest, error: Unusable) -> Response[Any]:
    """400 with everything that is wrong with a document."""
    faults = faults_said(error, lang_of(request))
    return Response({"status_code": 400, "detail": faults[0], "faults": faults}, status_code=400)


def malformed(_: AnyRequest, __: Exception) -> Response[Any]:
    """400 for a body that is nested too deep or can't be said again."""
    return _told(400, "the request can't be read")


HANDLED: dict[Any, Any] = {
    TooFast: too_fast,
    Busy: busy,
    Unreachable: busy,
    NotYours: not_yours,
    Unusable: unusable,
    RecursionError: malformed,
    UnicodeError: malformed,
}

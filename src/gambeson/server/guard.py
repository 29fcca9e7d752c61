"""What stands before the application: who may knock, how much may be sent, and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from gambeson.server.settings import Rate, Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(self)"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)

logger = logging.getLogger("gambeson.access")

SAFE = ("GET", "HEAD", "OPTIONS")

MOST_BUCKETS = 10_000


class TooFast(Exception):
    """Something is asked more often than its rate allows; `wait` says for how many seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__()
        self.wait = wait


class Limiter:
    """Counts what each asker asks."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def take(self, kind: str, asker: str, rate: Rate | None) -> None:
        """One more of this kind. Raises TooFast."""
        if rate is None:
            return
        now = time.monotonic()
        left, then = self._buckets.pop((kind, asker), (float(rate.burst), now))
        left = min(float(rate.burst), left + (now - then) * rate.each_second)
        self._buckets[kind, asker] = (max(0.0, left - 1.0), now) if left >= 1.0 else (left, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if left < 1.0:
            raise TooFast((1.0 - left) / rate.each_second)


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Guard:
    """Wraps the application: allowed hosts, foreign origins, size and time of bodies, headers of every answer."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        sending = _with_headers(send, scope)
        try:
            self._known_host(headers)
            self._own_origin(scope, headers)
            if scope["method"] not in SAFE:
                receive = await self._whole_body(scope, headers, receive)
        except Refused as refused:
            await _answer(sending, refused)
            return
        await self._app(scope, receive, sending)

    def _known_host(self, headers: dict[bytes, bytes]) -> None:
        allowed = self._settings.hosts
        if allowed and _without_port(headers.get(b"host", b"").decode("latin-1")) not in allowed:
            raise Refused(400, "this server is not known by that host name")

    def _own_origin(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """A browser may change things only from this server's own pages."""
        if scope["method"] in SAFE:
            return
        origin = headers.get(b"origin")
        if origin is not None:
            if urlsplit(origin.decode("latin-1")).netloc.lower() != headers.get(b"host", b"").decode("latin-1").lower():
                raise Refused(403, "requests from other sites are refused")
        elif headers.get(b"sec-fetch-site", b"none") not in (b"same-origin", b"none"):
            raise Refused(403, "requests from other sites are refused")

    async def _whole_body(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive) -> Receive:
        """The body, read within the time and size that are allowed."""
        importing = scope["path"] == "/api/tables/import"
        most = self._settings.largest_table if importing else self._settings.largest_body
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > most:
            raise Refused(413, f"a body may have {most} bytes")
        chunks: list[bytes] = []
        size = 0
        slowest = self._settings.slowest_body * (6 if importing else 1)
        try:
            async with asyncio.timeout(slowest):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "the body broke off")
                    chunk: bytes = message.get("body", b"")
                    size += len(chunk)
                    if size > most:
                        raise Refused(413, f"a body may have {most} bytes")
                    chunks.append(chunk)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise Refused(408, "the body came too slowly") from None
        return _replayed(b"".join(chunks), receive)


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send, scope: Scope) -> Send:
    path, began = scope["path"], time.monotonic()

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            took = (time.monotonic() - began) * 1000
            logger.info("%s %s %d %.1f ms", scope["method"], _without_token(path), message["status"], took)
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name, value) for name, value in HEADERS if name not in present]
            if b"cache-control" not in present and not path.startswith("/static/"):
                added.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending


def _without_token(path: str) -> str:
    """A path as it may be logged."""
    return "/join/..." if path.startswith("/join/") else path.encode("ascii", "backslashreplace").decode()[:200]


async def _answer(send: Send, refused: Refused) -> None:
    body = msgspec.json.encode({"status_code": refused.status, "detail": refused.detail})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()

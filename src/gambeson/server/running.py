"""A server as a process: it listens, tells where it can be reached, and ends gracefully."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from msgspec.structs import replace
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from gambeson.server.app import Server
from gambeson.server.settings import Settings
from gambeson.table.stores import Store

PATIENCE = 10.0
"""Seconds that a connection has for its first request."""

GRACE = 5
"""Seconds that running requests have when the server ends."""


class _Protocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP that does not wait for ever for a first request."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._patience = asyncio.get_running_loop().call_later(PATIENCE, self._out_of_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()
        super().connection_lost(exc)

    def _out_of_patience(self) -> None:
        if self.cycle is None:
            self.transport.close()


class _Process(uvicorn.Server):
    """Ends open streams first, so that the rest can end."""

    def __init__(self, config: uvicorn.Config, server: Server, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._server = server
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()  # it has ended as it was asked to

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready(self.servers[0].sockets[0].getsockname()[1])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._server.rooms.end_streams()
        await super().shutdown(sockets)


def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    settings: Settings | None = None,
    ready: Callable[[int], None] | None = None,
) -> int:
    """Serve until a signal ends it; gives the exit status. `ready` is told the port once it listens (port 0: any).

    The names under which the server is reached are those of `settings`, and `host`.
    """
    chosen = settings or Settings()
    if chosen.hosts and host not in chosen.hosts:
        chosen = replace(chosen, hosts=(*chosen.hosts, host))
    server = Server(store, chosen)
    config = uvicorn.Config(
        server.app,
        host=host,
        port=port,
        http=_Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=30,
        backlog=512,
        forwarded_allow_ips="",
    )
    process = _Process(config, server, ready)
    with contextlib.suppress(KeyboardInterrupt):  # it is how people end it
        process.run()
    return 0 if process.started else 1


def lan_address() -> str:
    """The address of this machine in its local network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        address: str = probe.getsockname()[0]
        return address


def log_to_terminal() -> None:
    """What happens is told on standard error, a line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in (("gambeson", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)

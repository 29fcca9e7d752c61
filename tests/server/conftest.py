"""What every test of the server needs."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

import pytest

from gambeson.client import Client


@pytest.fixture(autouse=True)
def connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clients that a test leaves behind let go of their connections."""
    opened: list[http.client.HTTPConnection] = []
    connect = Client._connect

    def recording(client: Client, timeout: float) -> http.client.HTTPConnection:
        opened.append(connect(client, timeout))
        return opened[-1]

    monkeypatch.setattr(Client, "_connect", recording)
    yield
    for connection in opened:
        connection.close()

"""A server in this process and browsers that look at it; skipped with the reason where one of them is missing."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
NEEDED = ("playwright", "litestar", "jinja2", "uvicorn", "segno", "axe_playwright_python")
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "locale": "en"}
HERE = Path(__file__).parent


def missing() -> str:
    """Why browsers can't be used here, or nothing."""
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return "" if CHROMIUM else "chromium is not installed"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser these tests say why they do not run; with xdist they share one worker's server."""
    reason = missing()
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


class Served:
    """A server with nothing in it yet."""

    def __init__(self) -> None:
        import uvicorn

        from gambeson.server.app import Server
        from gambeson.server.settings import Settings
        from gambeson.table.stores import open_store

        self.store = open_store("memory:")
        self.server = Server(self.store, Settings(hosts=(), commands=None, looks=None, strangers=None))
        config = uvicorn.Config(
            self.server.app, port=0, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1
        )
        self.process = uvicorn.Server(config)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        until = time.monotonic() + 20
        while not self.process.started:
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.01)
        self.address = f"http://127.0.0.1:{self.process.servers[0].sockets[0].getsockname()[1]}"

    def _run(self) -> None:
        asyncio.run(self.process.serve())

    def end(self) -> None:
        """It ends."""
        self.process.should_exit = True
        self.server.rooms.end_streams()
        self.thread.join(10)

    def begin(self, scenario: dict[str, Any] | str, seats: dict[str, tuple[str, ...]] | None = None) -> dict[str, str]:
        """A table; the links of its seats, and its own address as `table`."""
        from gambeson.server.beginning import begin_table

        begun = begin_table(self.store, "", scenario=scenario, seats=seats)
        links = {name: f"{self.address}/join/{token}" for name, token in begun.tokens.items()}
        return {**links, "table": f"{self.address}/t/{begun.id}", "id": begun.id}


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The server."""
    made = Served()
    yield made
    made.end()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def phone(chromium: Any) -> Iterator[Callable[..., Any]]:
    """A phone of its own for each call; in the end none of them may have an error on its console."""
    contexts: list[Any] = []
    errors: list[str] = []

    def opened(link: str, expected: tuple[str, ...] = (), **options: Any) -> Any:
        context = chromium.new_context(**{**PHONE, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8_000)

        def heard(message: Any) -> None:
            if message.type in ("error", "warning") and not any(part in message.text for part in expected):
                errors.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(link)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []

"""Servers for tests, as processes that can be killed: forked from one that has imported everything already."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NURSERY = """
import logging, os, signal, sys
from msgspec import convert, json
from gambeson.games import load
from gambeson.server.running import log_to_terminal, serve
from gambeson.server.settings import Settings
from gambeson.table.stores import open_store
import gambeson.table.stores.sqlite, uvicorn.protocols.http.auto
try:
    import gambeson.table.stores.postgres
except ImportError:
    pass
load("novitas")
log_to_terminal()
logging.getLogger("gambeson.access").setLevel(logging.WARNING)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    url, port, settings = json.decode(line)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(0)
        os._exit(serve(open_store(url), port=port, settings=convert(settings, Settings)))
    print(pid, flush=True)
"""

UNLIMITED = {"commands": None, "looks": None, "odds": None, "strangers": None}


class Process:
    """A server in a process of its own."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def answers(self) -> bool:
        """Whether it serves."""
        try:
            with urllib.request.urlopen(f"{self.address}/health", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def wait(self, seconds: float = 30) -> None:
        """Until it serves."""
        until = time.monotonic() + seconds
        while not self.answers():
            assert self.lives(), "the server has ended"
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.02)

    def lives(self) -> bool:
        """Whether the process is there."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def end(self, how: int = signal.SIGKILL, seconds: float = 20) -> None:
        """It dies at once, or as it is asked to."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        until = time.monotonic() + seconds
        while self.lives():
            assert time.monotonic() < until, "the server does not end"
            time.sleep(0.005)


class Nursery:
    """Starts servers quickly."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self._started: list[Process] = []

    def start(self, url: str, port: int, **settings: Any) -> Process:
        """A server that serves."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, port, {**UNLIMITED, **settings}]) + "\n")
        self._process.stdin.flush()
        server = Process(int(self._process.stdout.readline()), port)
        self._started.append(server)
        server.wait()
        return server

    def end(self) -> None:
        """Everything that it started is over."""
        for server in self._started:
            server.end()
        self._process.communicate()
        self._log.close()


@contextlib.contextmanager
def nursery(log: Path) -> Iterator[Nursery]:
    """A nursery while the block runs."""
    made = Nursery(log)
    try:
        yield made
    finally:
        made.end()

"""Databases for tests: files, and a PostgreSQL server of our own on a port of its own."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


def programs() -> Path | None:
    """Where PostgreSQL's programs are, or None."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return installed[-1].parent if installed else None


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Postgres:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, name: str = "postgres") -> str:
        """The URL of a database."""
        return f"postgresql+psycopg://gambeson@127.0.0.1:{self.port}/{name}"

    def connect(self):
        """A connection for the tests' own use."""
        import psycopg

        return psycopg.connect(f"host=127.0.0.1 port={self.port} user=gambeson dbname=postgres", autocommit=True)

    def fresh(self) -> str:
        """The URL of a new, empty database."""
        name = f"t{uuid.uuid4().hex[:12]}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def cut(self) -> int:
        """Cut every connection but our own; how many there were."""
        with self.connect() as connection:
            found = connection.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND usename = 'gambeson'"
            ).fetchone()
            return found[0] if found is not None else 0


@contextlib.contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server and end it. Skips where none is installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra: postgres)")
    bin = programs()
    if bin is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    as_user: dict[str, object] = {}
    folder = Path(tempfile.mkdtemp(prefix="gambeson-pg-"))
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        try:
            owner = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL can't run as root, and there is no user postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    data = folder / "data"
    port = free_port()
    making = [bin / "initdb", "-D", data, "-U", "gambeson", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
    subprocess.run(making, check=True, capture_output=True, cwd=folder, **as_user)  # type: ignore[call-overload]
    settings = ("fsync=off", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "max_connections=200")
    command = [bin / "postgres", "-D", data, "-p", str(port)]
    for setting in settings:
        command += ["-c", setting]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **as_user)  # type: ignore[call-overload]
    server = Postgres(port)
    try:
        _wait(server, process, folder)
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(server: Postgres, process: subprocess.Popen[bytes], folder: Path) -> None:
    import psycopg

    until = time.monotonic() + 30
    while True:
        try:
            server.connect().close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError((folder / "log").read_text()) from None
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server

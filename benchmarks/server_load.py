"""How much the live table carries, on this machine, over loopback, in bounded time and numbers.

    python benchmarks/server_load.py [--db URL] [--seconds N] [--quick]

Prints: one table with 200 streams and 20 commanding clients (commands a second, latency, how late viewers hear);
memory with 1,000 open tables; how fast a table of 50,000 commands opens; the rate beside a bare Litestar endpoint that
only inserts a row into the same database.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STREAMS, CLIENTS, TABLES, LONG = 200, 20, 1_000, 50_000
WANTED_RATE = 300

SCENARIO = {
    "game": "novitas",
    "entities": {f"hero{n}": {"pools": {"magic_armor": 4, "physical_armor": 4, "body": 4}} for n in range(5)},
}

SERVE = """
import sys, logging
from gambeson.server.running import serve
from gambeson.server.settings import Settings
from gambeson.table.stores import open_store
settings = Settings(commands=None, looks=None, strangers=None)
serve(open_store(sys.argv[1]), port=int(sys.argv[2]), settings=settings)
"""

BARE = """
import sys, asyncio
from concurrent.futures import ThreadPoolExecutor
import uvicorn
from litestar import Litestar, post
from msgspec import Struct
from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, insert
from gambeson.table.stores import open_store
store = open_store(sys.argv[1])
layout = MetaData()
bare = Table("bare", layout, Column("id", Integer, primary_key=True), Column("body", LargeBinary))
with store._write() as connection:
    layout.create_all(connection)
pool = ThreadPoolExecutor(store.writers)
class Row(Struct):
    command: dict
    client_id: str
def keep(body):
    with store._write() as connection:
        connection.execute(insert(bare).values(body=body))
@post("/row", status_code=200)
async def row(data: Row) -> dict[str, bool]:
    await asyncio.get_running_loop().run_in_executor(pool, keep, repr(data.command).encode())
    return {"ok": True}
app = Litestar([row], openapi_config=None, logging_config=None)
uvicorn.run(app, port=int(sys.argv[2]), log_config=None, access_log=False)
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def process(code: str, url: str) -> Iterator[tuple[int, int]]:
    """A process that serves; gives its port and its id."""
    port = free_port()
    server = subprocess.Popen([sys.executable, "-c", code, url, str(port)])
    try:
        until = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert server.poll() is None, "the server has ended"
                assert time.monotonic() < until, "the server does not start"
                time.sleep(0.05)
        yield port, server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


class Peer:
    """A connection that asks over and over."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)

    async def post(self, path: str, body: Any, token: str = "") -> tuple[int, Any]:
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(data)}\r\nAuthorization: Bearer {token}\r\n\r\n"
        self._writer.write(head.encode() + data)
        return await self._answer()

    async def get(self, path: str, token: str) -> tuple[int, Any]:
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        return await self._answer()

    async def _answer(self) -> tuple[int, Any]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        body = await self._reader.readexactly(length)
        return status, json.loads(body) if body else None

    async def stream(self, path: str, token: str, heard: list[tuple[int, float]]) -> None:
        """Follow a stream, noting when each version came."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        while True:
            line = await self._reader.readline()
            if not line:
                return
            if line.startswith(b"id: "):
                heard.append((int(line[4:].split(b".")[0]), time.perf_counter()))

    def close(self) -> None:
        self._writer.close()


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


async def begin(port: int, scenario: Any) -> dict[str, Any]:
    peer = Peer(port)
    await peer.open()
    status, begun = await peer.post("/api/tables", {"scenario": scenario})
    assert status == 201, begun
    peer.close()
    return begun  # type: ignore[no-any-return]


async def one_table(port: int, pid: int, seconds: float, rate: float | None, streams: int) -> dict[str, Any]:
    """One table with viewers and commanding clients; `rate`: commands a second in all (None: as fast as it goes)."""
    begun = await begin(port, SCENARIO)
    path, tokens = f"/api/tables/{begun['id']}", begun["tokens"]
    viewers, heard = [Peer(port) for _ in range(streams)], [[] for _ in range(streams)]  # type: ignore[var-annotated]
    named = [tokens["screen"], tokens["referee"], *tokens["seats"].values()]
    for viewer in viewers:
        await viewer.open()
    following = [
        asyncio.create_task(viewer.stream(f"{path}/events", named[at % len(named)], heard[at]))
        for at, viewer in enumerate(viewers)
    ]
    await asyncio.sleep(1.0 if streams else 0.0)
    used = cpu(pid)
    took: list[float] = []
    applied: dict[int, float] = {}
    over = time.perf_counter() + seconds

    async def command(at: int) -> None:
        peer = Peer(port)
        await peer.open()
        gap = CLIENTS / rate if rate else 0.0
        due = time.perf_counter() + gap * at / CLIENTS
        number = 0
        while time.perf_counter() < over:
            if gap:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                due += gap
            number += 1
            target = f"hero{(at + number) % 5}"
            given = (
                {"hit": {"target": target, "call": "2", "location": "torso"}}
                if number % 3
                else {
                    "edit": {
                        "target": target,
                        "pools": {"magic_armor": 4, "physical_armor": 4, "body": 4},
                        "wounds": [],
                    }
                }
            )
            began = time.perf_counter()
            body = {"command": given, "client_id": f"{at}-{number}"}
            status, answer = await peer.post(f"{path}/commands", body, tokens["referee"])
            assert status == 200, answer
            took.append(time.perf_counter() - began)
            applied[answer["version"]] = began
        peer.close()

    began = time.perf_counter()
    await asyncio.gather(*(command(at) for at in range(CLIENTS)))
    spent = time.perf_counter() - began
    await asyncio.sleep(0.5 if streams else 0.0)
    for task in following:
        task.cancel()
    late = []
    for each in heard:
        seen = 0
        for version, at in each:
            late += [at - applied[v] for v in range(seen + 1, version + 1) if v in applied]
            seen = version
    for viewer in viewers:
        viewer.close()
    return {
        "commands_a_second": round(len(took) / spent, 1),
        "p50_ms": round(quantile(took, 0.5) * 1000, 1),
        "p99_ms": round(quantile(took, 0.99) * 1000, 1),
        "viewers_hear_p50_ms": round(quantile(late, 0.5) * 1000, 1),
        "viewers_hear_p99_ms": round(quantile(late, 0.99) * 1000, 1),
        "messages": sum(map(len, heard)),
        "server_cpu": round((cpu(pid) - used) / spent, 2),
        "viewers_up_to_date": sum(bool(each) and each[-1][0] == max(applied) for each in heard),
    }


async def many_tables(port: int, pid: int, count: int) -> dict[str, Any]:
    """Open many tables and give each a command."""
    before = memory(pid)
    peer = Peer(port)
    await peer.open()
    for number in range(count):
        status, begun = await peer.post("/api/tables", {"scenario": SCENARIO})
        assert status == 201
        body = {"command": {"hit": {"target": "hero1", "call": "1", "location": "torso"}}, "client_id": str(number)}
        status, _ = await peer.post(f"/api/tables/{begun['id']}/commands", body, begun["tokens"]["referee"])
        assert status == 200
    peer.close()
    after = memory(pid)
    return {"tables": count, "megabytes": after, "before": before}


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return round(int(line.split()[1]) / 1024, 1)
    return float("nan")


def long_table(url: str, count: int) -> dict[str, Any]:
    """Open a table with very many commands."""
    from gambeson.table import Table
    from gambeson.table.keeping import load_table, new_record
    from gambeson.table.stores import open_store

    table = Table("novitas", entities=SCENARIO["entities"])
    for number in range(count):
        if number % 3:
            table.hit(f"hero{number % 5}", "1", location="torso")
        else:
            pools = {"magic_armor": 4, "physical_armor": 4, "body": 4}
            table.do("edit", target=f"hero{number % 5}", pools=pools, wounds=[])
    store = open_store(url)
    store.create(new_record("long", table), (), tuple(table.rows))
    store.keep_snapshot("long", table.snapshot())
    state = table.state
    store.close()
    took = []
    for _ in range(5):
        store = open_store(url)
        began = time.perf_counter()
        record = store.record("long")
        assert record is not None
        opened = load_table(store, "long", record)
        took.append(time.perf_counter() - began)
        assert opened.state == state
        store.close()
    began = time.perf_counter()
    opened = load_table(store, "long", record)
    for _ in range(20):
        opened.undo()
    undid = time.perf_counter() - began
    store.close()
    return {
        "commands": table.version,
        "opens_in_seconds": round(max(took), 4),
        "undoes_20_past_the_snapshot_in_seconds": round(undid, 3),
    }


async def bare_rate(port: int, seconds: float) -> float:
    """Rows a second of an endpoint that only inserts."""
    count = 0
    over = time.perf_counter() + seconds

    async def insert() -> None:
        nonlocal count
        peer = Peer(port)
        await peer.open()
        while time.perf_counter() < over:
            status, _ = await peer.post("/row", {"command": {"hit": {"target": "hero1"}}, "client_id": "x"})
            assert status == 200
            count += 1
        peer.close()

    await asyncio.gather(*(insert() for _ in range(CLIENTS)))
    return count / seconds


def report(name: str, found: Any) -> None:
    print(f"{name:<28}{json.dumps(found)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", default="", help="default: an SQLite file of its own")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each load, at most 60")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, to see that it runs")
    asked = parser.parse_args()
    seconds = min(60.0, asked.seconds) / (10 if asked.quick else 1)
    part = 10 if asked.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        url = asked.db or f"sqlite:///{folder}/load.db"
        print(f"{os.cpu_count()} cores, {url.partition(':')[0]}", flush=True)
        with process(SERVE, url) as (port, pid):
            report("one table, 200 viewers", asyncio.run(one_table(port, pid, seconds, WANTED_RATE, STREAMS // part)))
        with process(SERVE, url) as (port, pid):
            report("1,000 open tables", asyncio.run(many_tables(port, pid, TABLES // part)))
        report("a long table", long_table(url, LONG // part))
        with process(BARE, url) as (port, _):
            bare = asyncio.run(bare_rate(port, seconds / 2))
        with process(SERVE, url) as (port, pid):
            ours = asyncio.run(one_table(port, pid, seconds / 2, None, 0))
        rate = ours["commands_a_second"]
        found = {"bare_rows_a_second": round(bare, 1), "commands_a_second": rate, "share": round(rate / bare, 2)}
        report("beside a bare endpoint", found)


if __name__ == "__main__":
    main()

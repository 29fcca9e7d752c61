"""Servers die and databases fall silent under ten clients that try again: nothing is lost, nothing is applied twice."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")

from gambeson.client import Client, Refused, new_client_id
from gambeson.engine.views import EVERYTHING
from gambeson.server.beginning import Begun, begin_table
from gambeson.table.keeping import load_table, saved_whole
from gambeson.table.replaying import EXACT, replay
from gambeson.table.saving import decode
from gambeson.table.seeing import sight_of, view
from gambeson.table.stores import open_store
from tests.databases import Postgres, free_port, postgres  # noqa: F401
from tests.server.serving import Nursery, Process, nursery

CLIENTS = 10
SCENARIO = {
    "game": "novitas",
    "entities": {name: {"pools": {"magic_armor": 4, "body": 4}} for name in ("anna", "boris", "vera", "gleb")},
}
FEW, MANY = 10, 100


class Crowd:
    """Ten clients that give commands and note what was acknowledged, each with the version that it was told."""

    def __init__(self, addresses: list[str], table: Begun) -> None:
        self.acknowledged: dict[str, int] = {}
        self.sent: dict[str, bool] = {}
        self.refused: list[str] = []
        self.failures: list[BaseException] = []
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._play, args=(addresses[at % len(addresses)], table, at))
            for at in range(CLIENTS)
        ]

    def __enter__(self) -> Crowd:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(120)

    def _play(self, address: str, table: Begun, at: int) -> None:
        chance = random.Random(at)
        client = Client(address, table.id, table.tokens["referee"], patience=90)
        try:
            while not self._over.is_set():
                self._one(client, chance)
        except BaseException as failure:
            self.failures.append(failure)
        finally:
            client.close()

    def _one(self, client: Client, chance: random.Random) -> None:
        who = chance.choice(list(SCENARIO["entities"]))
        command: dict[str, Any] = chance.choice(
            [
                {"hit": {"target": who, "call": str(chance.randint(1, 3)), "location": "torso"}},
                {"edit": {"target": who, "pools": {"body": chance.randint(1, 4), "magic_armor": 4}}},
                {"edit": {"target": who, "pools": {"body": 4}, "wounds": []}},
                {"undo": {}},
            ]
        )
        id = new_client_id()
        with self._lock:
            self.sent[id] = True
        try:
            told = client.send(command, client_id=id)["version"]
        except Refused:
            self.refused.append(id)
            return
        with self._lock:
            self.acknowledged[id] = told


def check(url: str, table: Begun, crowd: Crowd, servers: list[Process]) -> None:
    """What was acknowledged is in the log once, at its version; nothing else has effect; views equal the replay."""
    assert not crowd.failures
    assert len(crowd.acknowledged) > 20
    store = open_store(url)
    try:
        rows = store.rows(table.id, 1)
        assert list(range(1, len(rows) + 1)) == [row.version for row in rows]
        clients = [row.client for row in rows if row.client]
        assert len(clients) == len(set(clients))
        assert crowd.acknowledged == {row.client: row.version for row in rows if row.client in crowd.acknowledged}
        assert not set(clients) - set(crowd.sent)
        assert not set(clients) & set(crowd.refused)
        assert all(row.client for row in rows)
        saved = decode(saved_whole(store, table.id))
        assert EXACT == replay(saved).outcome
        record = store.record(table.id)
        assert record is not None
        folded = load_table(store, table.id, record)
        assert folded.state == folded.replayed()
        expected = json.loads(json.dumps(view(folded, sight_of(folded, record.secrets, EVERYTHING), "en")))
        for server in servers:
            client = Client(server.address, table.id, table.tokens["referee"])
            until = time.monotonic() + 5
            while (seen := client.view()) != expected and time.monotonic() < until:
                time.sleep(0.05)  # another server may hear of the last change a moment later
            assert expected == seen
            client.close()
    finally:
        store.close()


Harm = Callable[[random.Random], None]


def harmed(crowd: Crowd, harms: int, harm: Harm) -> None:
    """Do harm at random moments while the crowd plays; after each, somebody must get through again."""
    chance = random.Random()
    for _ in range(harms):
        time.sleep(chance.uniform(0.02, 0.35))
        harm(chance)
        reached, until = len(crowd.acknowledged) + 3, time.monotonic() + 60
        while len(crowd.acknowledged) < reached and not crowd.failures:
            assert time.monotonic() < until, "nobody gets through any more"
            time.sleep(0.02)


def begun(url: str) -> Begun:
    store = open_store(url)
    try:
        return begin_table(store, "novitas", "The bridge", SCENARIO)
    finally:
        store.close()


class Servers:
    """Running servers over one database."""

    def __init__(self, nursery: Nursery, url: str, count: int) -> None:
        self._nursery, self._url = nursery, url
        self.running = [nursery.start(url, free_port()) for _ in range(count)]

    def kill_one(self, chance: random.Random) -> None:
        """Kill a server and start another in its place."""
        at = chance.randrange(len(self.running))
        self.running[at].end()
        self.running[at] = self._nursery.start(self._url, self.running[at].port)


Start = Callable[[str, int], Servers]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Start]:
    """Starts servers; all that still run are ended."""
    with nursery(tmp_path / "log") as made:
        yield lambda url, count: Servers(made, url, count)
    print((tmp_path / "log").read_text()[-4000:])


kills = pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.long)])


@kills
def test_a_server_over_sqlite_is_killed(kills: int, servers: Start, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    table = begun(url)
    running = servers(url, 1)
    with Crowd([running.running[0].address], table) as crowd:
        harmed(crowd, kills, running.kill_one)
    check(url, table, crowd, running.running)


@kills
def test_postgres_cuts_every_connection(kills: int, servers: Start, postgres: Postgres) -> None:  # noqa: F811
    url = postgres.fresh()
    table = begun(url)
    running = servers(url, 1)
    with Crowd([running.running[0].address], table) as crowd:
        harmed(crowd, kills, lambda _: cut_some(postgres))
    check(url, table, crowd, running.running)


@kills
def test_two_servers_over_one_postgres_are_killed_in_turn(kills: int, servers: Start, postgres: Postgres) -> None:  # noqa: F811
    url = postgres.fresh()
    table = begun(url)
    running = servers(url, 2)
    with Crowd([server.address for server in running.running], table) as crowd:
        harmed(crowd, kills, running.kill_one)
    check(url, table, crowd, running.running)


def test_two_servers_over_one_file_keep_one_order(servers: Start, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    table = begun(url)
    running = servers(url, 2)
    with Crowd([server.address for server in running.running], table) as crowd:
        harmed(crowd, 2, running.kill_one)
    check(url, table, crowd, running.running)


def cut_some(server: Postgres) -> None:
    """Cut connections, once there are any again."""
    while not server.cut():
        time.sleep(0.02)

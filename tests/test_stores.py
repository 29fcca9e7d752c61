"""One suite for every store: in memory, in an SQLite file, in PostgreSQL."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gambeson import Table
from gambeson.engine.views import Secrets
from gambeson.model.commands import Command
from gambeson.model.errors import Unusable
from gambeson.table import keeping
from gambeson.table.keeping import checked_whole, keep_whole, load_table, new_record, saved_whole
from gambeson.table.log import Row
from gambeson.table.replaying import EXACT, replay
from gambeson.table.saving import decode
from gambeson.table.stores import Conflict, Entry, SeatRecord, Store, UnusableStore, new_id, open_store
from gambeson.table.stores.base import ROW_UPCASTERS, Unreachable, unpacked_row
from tests.databases import Postgres, postgres  # noqa: F401

KINDS = ("memory", "sqlite", "postgres")
SAVED = Path(__file__).parent / "saved"
ANNA = {"anna": {"pools": {"magic_armor": 4, "body": 4}}}

Opener = Callable[[], Store]


@pytest.fixture(params=KINDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store as often as it is asked."""
    opened: list[Store] = []
    if request.param == "memory":
        memory = open_store("memory:")

        def again() -> Store:
            return memory
    else:
        pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra: table)")
        if request.param == "sqlite":
            url = f"sqlite:///{tmp_path / 'tables.db'}"
        else:
            server: Postgres = request.getfixturevalue("postgres")
            url = server.fresh()

        def again() -> Store:
            opened.append(open_store(url))
            return opened[-1]

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    return opener()


def begun(store: Store, id: str = "t1", **more: Any) -> Table:
    table = Table("novitas", entities=ANNA)
    store.create(new_record(id, table, **more))
    return table


def played(store: Store, count: int, id: str = "t1") -> Table:
    """A table with so many rows, each kept under a key."""
    table = begun(store, id)
    for number in range(count):
        before = table.version
        table.hit("anna", "1", location="torso") if number % 2 else table.do("edit", target="anna", pools={"body": 4})
        rows = table.rows[before:]
        store.append(id, before, [Entry(row, f"key{row.version}", b"answer%d" % row.version) for row in rows])
    return table


def loaded(store: Store, id: str = "t1") -> Table:
    record = store.record(id)
    assert record is not None
    return load_table(store, id, record)


def test_an_unknown_table_is_not_there(store: Store) -> None:
    assert store.record("nobody") is None
    assert 0 == store.version("nobody")
    assert () == store.seats("nobody")


def test_what_is_kept_of_a_table_is_given_back(store: Store) -> None:
    table = begun(store, title="Бой у моста", secrets=Secrets(entities=("anna",)))
    record = store.record("t1")
    assert record is not None
    assert ("novitas", "Бой у моста", ("anna",)) == (record.game, record.title, record.secrets.entities)
    assert (table.start, dict(ANNA)) == (record.start, record.entities)
    assert (("t1", "novitas", "Бой у моста"),) == store.tables()


def test_an_id_is_taken_once(store: Store) -> None:
    begun(store)
    with pytest.raises(Conflict):
        begun(store)


def test_rows_are_given_back_as_they_were(store: Store) -> None:
    table = played(store, 7)
    assert list(table.rows) == store.rows("t1", 1)
    assert list(table.rows[2:5]) == store.rows("t1", 3, 5)
    assert 7 == store.version("t1")


def test_a_row_is_kept_only_right_after_the_last(store: Store) -> None:
    table = played(store, 3)
    for after in (0, 2, 4):
        with pytest.raises(Conflict):
            store.append("t1", after, [Entry(Row(after + 1, "command", "referee", Command("hit")))])
    assert list(table.rows) == store.rows("t1", 1)


def test_a_key_is_kept_once_with_its_first_answer(store: Store) -> None:
    played(store, 3)
    row = Row(4, "command", "referee", Command("hit"))
    with pytest.raises(Conflict):
        store.append("t1", 3, [Entry(row, "key2", b"another")])
    assert (3, b"answer2", None) == (store.version("t1"), store.answer("t1", "key2"), store.answer("t1", "key4"))
    assert [(1, "key1"), (2, "key2"), (3, "key3")] == store.keyed("t1")


def test_rows_given_together_are_kept_together_or_not_at_all(store: Store) -> None:
    played(store, 2)
    rows = [Row(3, "command", "referee"), Row(4, "command", "referee")]
    with pytest.raises(Conflict):
        store.append("t1", 2, [Entry(rows[0], "new"), Entry(rows[1], "key1")])
    assert (2, None) == (store.version("t1"), store.answer("t1", "new"))


def test_many_writers_make_one_order(opener: Opener) -> None:
    begun(opener())
    kept: list[str] = []

    def write(name: str) -> None:
        store = opener()
        for number in range(10):
            while True:
                after = store.version("t1")
                row = Row(after + 1, "command", "referee", client=f"{name}{number}")
                try:
                    store.append("t1", after, [Entry(row, f"{name}{number}", b"x")])
                except Conflict:
                    continue
                kept.append(f"{name}{number}")
                break

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = opener().rows("t1", 1)
    assert list(range(1, 41)) == [row.version for row in rows]
    assert sorted(kept) == sorted(row.client for row in rows)


def test_the_newest_snapshot_is_given_back(store: Store) -> None:
    table = played(store, 4)
    first = table.snapshot()
    table.hit("anna", "1", location="torso")
    store.keep_snapshot("t1", table.snapshot())
    store.keep_snapshot("t1", first)
    assert table.snapshot() == store.snapshot("t1")


def test_a_table_opens_from_its_snapshot_and_undoes_past_it(opener: Opener) -> None:
    store = opener()
    table = played(store, 12)
    store.keep_snapshot("t1", table.snapshot())
    reopened = loaded(opener())
    assert (table.state, table.version) == (reopened.state, reopened.version)
    for _ in range(12):
        assert "done" == reopened.undo().status
        assert reopened.state == reopened.replayed()
    assert "rejected" == reopened.undo().status
    assert table.start == reopened.state


def test_an_open_question_survives(opener: Opener) -> None:
    store = opener()
    table = Table("pokrovy", entities={"anna": {"pools": {"vyn": 20, "wards": 10}}})
    store.create(new_record("t1", table))
    table.do("grant", target="anna", layer="wards", points=12, source="prayer")
    store.append("t1", 0, [Entry(row) for row in table.rows])
    for snapshot in (False, True):
        if snapshot:
            store.keep_snapshot("t1", table.snapshot())
        reopened = loaded(opener())
        assert table.waiting == reopened.waiting
        assert "done" == reopened.answer("take", by="anna").status
        assert 12 == reopened.state.entities["anna"].pools["wards"].current


def test_seats_are_found_by_the_hash_of_their_token_until_they_are_replaced(store: Store) -> None:
    begun(store)
    store.put_seat(SeatRecord("t1", "Анна", "player", ("anna",), "hash1"))
    seat = store.seat_of("hash1")
    assert seat is not None
    assert ("t1", ("anna",)) == (seat.table, seat.entities)
    assert seat == store.seat_of("hash1", "t1")
    assert store.seat_of("hash1", "t2") is None
    store.put_seat(SeatRecord("t1", "Анна", "player", ("anna", "orc"), "hash2"))
    assert store.seat_of("hash1") is None
    assert [("anna", "orc")] == [seat.entities for seat in store.seats("t1")]
    assert store.remove_seat("t1", "Анна")
    assert not store.remove_seat("t1", "Анна")
    assert store.seat_of("hash2") is None


def test_secrets_are_kept_and_counted(store: Store) -> None:
    begun(store)
    hidden = Secrets(entities=("orc",), numbers={"anna": ("body",)}, rolls=("referee",))
    store.set_secrets("t1", hidden)
    record = store.record("t1")
    assert record is not None
    assert (hidden, 1) == (record.secrets, record.revision)


@pytest.mark.parametrize("opener", ["sqlite", "postgres"], indirect=True)
def test_others_are_told_of_a_change(opener: Opener) -> None:
    here, there = opener(), opener()
    begun(here)
    heard = threading.Event()
    end = there.listen(lambda id, version: heard.set() if (id, version) in (("t1", 1), ("", 0)) else None)
    try:
        heard.wait(1)  # a listener that has just begun may be told that anything may have changed
        heard.clear()
        here.append("t1", 0, [Entry(Row(1, "command", "referee"))])
        assert heard.wait(5)
    finally:
        end()


def test_a_whole_table_goes_from_store_to_store(store: Store) -> None:
    table = played(store, 9)
    store.put_seat(SeatRecord("t1", "Анна", "player", ("anna",), "hash1"))
    whole = saved_whole(store, "t1")
    assert b"hash1" not in whole
    saved = decode(whole)
    assert {"Анна": ("anna",)} == saved.seats
    assert EXACT == replay(saved).outcome
    keep_whole(store, "t2", saved)
    assert table.state == loaded(store, "t2").state
    again = json.loads(saved_whole(store, "t2"))
    again.pop("seats", None)
    first = json.loads(whole)
    first.pop("seats")
    assert first == again


# --- Table.open -----------------------------------------------------------------------------------------------


@pytest.fixture
def url(tmp_path: Path) -> str:
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra: table)")
    return f"sqlite:///{tmp_path / 'duel.db'}"


def test_a_table_in_a_file_goes_on_where_it_was(url: str) -> None:
    table = Table.open(url, "novitas", entities=ANNA)
    table.hit("anna", "3", location="torso")
    table.close()  # type: ignore[attr-defined]
    again = Table.open(url)
    assert (table.state, 1) == (again.state, again.version)
    assert "done" == again.undo().status
    again.close()  # type: ignore[attr-defined]


def test_two_processes_with_one_table_keep_one_order(url: str) -> None:
    one = Table.open(url, "novitas", entities=ANNA)
    two = Table.open(url)
    one.do("edit", target="anna", pools={"body": 3})
    two.do("edit", target="anna", pools={"body": 2})
    one.do("edit", target="anna", pools={"magic_armor": 1})
    two.refresh()  # type: ignore[attr-defined]
    assert (3, one.state) == (two.version, two.state)
    assert 2 == one.state.entities["anna"].pools["body"].current
    for table in (one, two):
        table.close()  # type: ignore[attr-defined]


def test_a_refusal_writes_nothing(url: str) -> None:
    table = Table.open(url, "novitas", entities=ANNA)
    assert "rejected" == table.hit("nobody", "3").status
    assert 0 == table.store.version(table.id)  # type: ignore[attr-defined]
    table.close()  # type: ignore[attr-defined]


def test_a_long_table_lets_old_rows_go_and_still_undoes(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambeson.table.opening.snapshot_due", lambda before, now: before // 10 != now // 10)
    monkeypatch.setattr(keeping, "IN_MEMORY", 5)
    table = Table.open(url, "novitas", entities=ANNA)
    for _ in range(30):
        table.do("edit", target="anna", pools={"body": 3})
        table.do("edit", target="anna", pools={"body": 4})
    states = [table.state]
    for _ in range(60):
        assert "done" == table.undo().status
        states.append(table.state)
    assert table.start == table.state
    assert table.state == table.replayed()
    table.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("url", "says"),
    [("mysql://x/y", "no store"), ("sqlite://", "needs a file"), ("sqlite:///:memory:", "memory:"), ("x", "allowed")],
)
def test_a_url_that_names_no_store_is_told(url: str, says: str) -> None:
    with pytest.raises(UnusableStore, match=says):
        open_store(url)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra: table)")
    with pytest.raises(Unreachable, match="unable to open"):
        open_store(f"sqlite:///{tmp_path / 'no' / 'such' / 'x.db'}")


def test_several_tables_must_be_named(url: str) -> None:
    for _ in range(2):
        store = open_store(url)
        begun(store, new_id())
        store.close()
    with pytest.raises(UnusableStore, match="name one"):
        Table.open(url)


# --- formats --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(SAVED.glob("format-*.json")), ids=lambda path: path.stem)
def test_every_older_format_can_be_read(path: Path) -> None:
    expected = json.loads(path.with_suffix(".state").read_text("utf-8"))
    table = checked_whole(decode(path.read_bytes()))
    assert expected == json.loads(msgspec.json.encode(table.state))
    assert table.waiting is not None


def test_rows_of_an_older_format_are_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambeson.table.stores.base.ROW_FORMAT", 2)
    monkeypatch.setitem(ROW_UPCASTERS, 1, lambda raw: {**raw, "by": raw.pop("who")})
    old = msgspec.json.encode({"version": 1, "kind": "command", "who": "referee"})
    assert Row(1, "command", "referee") == unpacked_row(old, 1)


@pytest.mark.parametrize("format", [0, 2, 99])
def test_rows_of_an_unknown_format_are_refused(format: int) -> None:
    with pytest.raises(UnusableStore, match="format"):
        unpacked_row(b"{}", format)


@pytest.mark.parametrize(
    "harm",
    [
        lambda d: d.update(format=2),
        lambda d: d.pop("game"),
        lambda d: d["rows"].pop(0),
        lambda d: d["rows"][0].update(version=7),
        lambda d: d["rows"][1]["events"][0].update(entity="nobody"),
        lambda d: d["rows"][1]["events"][0].update(type="miracle"),
        lambda d: d["start"]["entities"].clear(),
    ],
)
def test_a_document_that_holds_no_table_is_told(harm: Callable[[Any], Any]) -> None:
    store = open_store("memory:")
    played(store, 3)
    document = json.loads(saved_whole(store, "t1"))
    harm(document)
    with pytest.raises(Unusable):
        checked_whole(decode(json.dumps(document).encode()))


def test_no_adapter_is_imported_before_a_url_asks_for_it() -> None:
    import subprocess
    import sys

    code = "import sys, gambeson; gambeson.Table.open('memory:', 'novitas'); print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()


def test_a_store_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gambeson.table.stores.sqlite", None)
    with pytest.raises(UnusableStore, match="pip install"):
        open_store("sqlite:///x.db")

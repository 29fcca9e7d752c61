"""The API over a real connection: who may do what, and what everything is answered."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")

from gambeson.client import Client, ClientError, Outdated, Refused, begin
from gambeson.testing import play_text
from tests.databases import free_port
from tests.server.serving import Nursery, Process, nursery

SCENARIO: dict[str, Any] = {
    "game": "pokrovy",
    "title": "Мост",
    "entities": {
        "anna": {"name": "Анна", "pools": {"vyn": 20, "wards": 10}},
        "boris": {"name": "Борис", "pools": {"vyn": 20, "wards": 10}},
        "orc": {"name": "Орк", "pools": {"vyn": 30, "wards": 5}},
    },
}


@pytest.fixture(scope="module")
def nest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with nursery(tmp_path_factory.mktemp("servers") / "log") as made:
        yield made


@pytest.fixture(scope="module")
def server(nest: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Process:
    return nest.start(f"sqlite:///{tmp_path_factory.mktemp('db') / 'tables.db'}", free_port(), slowest_body=0.5)


class Seats:
    """A table with a client for each seat."""

    def __init__(self, server: Process, scenario: dict[str, Any] = SCENARIO) -> None:
        self.server = server
        self.begun = begin(server.address, scenario=scenario)
        self.id: str = self.begun["id"]
        tokens = self.begun["tokens"]
        self.tokens: dict[str, str] = {"referee": tokens["referee"], "screen": tokens["screen"], **tokens["seats"]}
        self.referee, self.screen, self.anna, self.boris = map(self.client, ("referee", "screen", "anna", "boris"))

    def client(self, seat: str) -> Client:
        return Client(self.server.address, self.id, self.tokens[seat], patience=5)


@pytest.fixture
def table(server: Process) -> Seats:
    return Seats(server)


class Raw:
    """An answer as it came."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    server: Process, method: str, path: str, body: Any = None, token: str = "", headers: dict[str, str] | None = None
) -> Raw:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    sent = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    try:
        connection.request(method, path, body=data, headers={**sent, **(headers or {})})
        return Raw(connection.getresponse())
    finally:
        connection.close()


def status_of(call: Any) -> int:
    with pytest.raises(ClientError) as raised:
        call()
    return raised.value.status


# --- commands -------------------------------------------------------------------------------------------------


def test_a_command_is_answered_with_its_ruling(table: Seats) -> None:
    told = table.referee.command("hit", target="anna", damage=4)
    assert {"version", "status", "ruling", "pending"} == set(told)
    assert (1, "done", {"wards": 4}, []) == (told["version"], told["status"], told["ruling"]["taken"], told["pending"])
    assert 6 == table.anna.view()["entities"]["anna"]["pools"]["wards"]["current"]


def test_a_view_has_its_keys(table: Seats) -> None:
    keys = {"version", "game", "entities", "clock", "pending", "legal", "undo", "log"}
    for client in (table.referee, table.anna, table.screen):
        assert keys == set(client.view())


def test_a_refusal_cites_its_rule_and_changes_nothing(table: Seats) -> None:
    with pytest.raises(Refused) as refused:
        table.referee.command("heal", target="anna", layer="wards", points=3)
    assert (422, "rejected") == (refused.value.status, refused.value.document["status"])
    assert re.fullmatch(r"PK-\d+", refused.value.rule or "")
    assert refused.value.reason
    assert 0 == table.referee.view()["version"]


def test_a_repeated_client_id_gets_the_first_answer(table: Seats) -> None:
    first = table.anna.command("hit", target="anna", damage=4, client_id="one")
    table.anna.command("hit", target="anna", damage=1, client_id="two")
    assert first == table.anna.command("hit", target="anna", damage=4, client_id="one")
    assert first == table.anna.command("hit", target="anna", damage=9, client_id="one", expect_version=0)
    assert 2 == table.anna.view()["version"]


def test_a_client_id_is_each_seats_own(table: Seats) -> None:
    table.anna.command("hit", target="anna", damage=4, client_id="one")
    assert 2 == table.boris.command("hit", target="boris", damage=4, client_id="one")["version"]


def test_the_first_answer_outlives_the_server(nest: Nursery, tmp_path: Path) -> None:
    url, port = f"sqlite:///{tmp_path / 'tables.db'}", free_port()
    server = nest.start(url, port)
    table = Seats(server)
    first = table.anna.command("hit", target="anna", damage=4, client_id="one")
    server.end()
    server = nest.start(url, port)
    assert first == table.anna.command("hit", target="anna", damage=4, client_id="one")
    table.referee.command("remove", id="anna")
    server.end()
    server = nest.start(url, port)  # also where it would be refused now
    assert first == table.anna.command("hit", target="anna", damage=4, client_id="one")
    assert 2 == table.referee.view()["version"]
    server.end()


def test_the_same_input_sent_at_once_is_applied_once(table: Seats) -> None:
    answers: list[Any] = []

    def give() -> None:
        client = table.client("referee")
        answers.append(client.command("hit", target="orc", damage=1, client_id="same"))

    threads = [threading.Thread(target=give) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 8 == len(answers)
    assert all(answer == answers[0] for answer in answers)
    assert 1 == table.referee.view()["version"]


def test_a_stale_version_is_refused_with_the_view(table: Seats) -> None:
    table.referee.command("hit", target="anna", damage=1, expect_version=0)
    with pytest.raises(Outdated) as outdated:
        table.referee.command("hit", target="anna", damage=1, expect_version=0)
    assert table.referee.view() == outdated.value.view
    assert 1 == outdated.value.view["version"]


def test_undo_is_a_command(table: Seats) -> None:
    table.anna.command("hit", target="anna", damage=4)
    assert "done" == table.anna.undo()["status"]
    assert 10 == table.anna.view()["entities"]["anna"]["pools"]["wards"]["current"]
    table.boris.command("hit", target="boris", damage=4)
    with pytest.raises(Refused):
        table.anna.undo()


def test_preview_commits_nothing(table: Seats) -> None:
    assert {"wards": 4} == table.anna.preview("hit", target="anna", damage=4)["taken"]
    assert 0 == table.anna.view()["version"]
    assert 422 == status_of(lambda: table.anna.preview("hit", target="nobody", damage=4))


# --- decisions ------------------------------------------------------------------------------------------------


def asked(table: Seats, target: str = "anna") -> str:
    """A question to somebody is open; its id."""
    told = table.referee.command("grant", target=target, layer="wards", points=12, source="prayer")
    assert "paused" == told["status"]
    id: str = told["pending"][0]["id"]
    return id


def test_who_is_asked_answers(table: Seats) -> None:
    decision = asked(table)
    assert [decision] == [question["id"] for question in table.anna.view()["pending"]]
    assert "done" == table.anna.answer(decision, "take")["status"]
    assert 12 == table.anna.view()["entities"]["anna"]["pools"]["wards"]["current"]


def test_the_referee_may_answer(table: Seats) -> None:
    assert "done" == table.referee.answer(asked(table), "keep")["status"]


def test_others_may_not_answer(table: Seats) -> None:
    decision = asked(table)
    assert 403 == status_of(lambda: table.boris.answer(decision, "take"))
    assert 403 == status_of(lambda: table.screen.answer(decision, "take"))
    assert table.anna.view()["pending"]


def test_an_answer_that_is_no_option_is_refused(table: Seats) -> None:
    decision = asked(table)
    with pytest.raises(Refused) as refused:
        table.anna.answer(decision, "both")
    assert "PK-17" == refused.value.rule
    with pytest.raises(Refused):
        table.anna.answer("no such", "take")
    assert table.anna.view()["pending"]


def test_an_answer_has_an_option_or_rolls(table: Seats) -> None:
    body = {"decision": "x", "client_id": "1", "option": "keep", "rolls": [1]}
    assert 400 == ask(table.server, "POST", f"/api/tables/{table.id}/answers", body, table.tokens["anna"]).status


def test_an_open_question_blocks_other_commands(table: Seats) -> None:
    asked(table)
    with pytest.raises(Refused) as refused:
        table.boris.command("hit", target="boris", damage=1)
    assert "Анна" in refused.value.reason
    assert [] == table.boris.view()["legal"]
    assert ["answer"] == table.anna.view()["legal"]


def test_options_tell_their_consequences(table: Seats) -> None:
    asked(table)
    options = {option["id"]: option for option in table.anna.view()["pending"][0]["options"]}
    assert {"pools": {"anna": {"wards": 12}}} == options["take"]["consequence"]
    assert {"pools": {}} == options["keep"]["consequence"]


# --- who may do what ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        {"hit": {"target": "anna", "damage": 1}, "by": "boris"},
        {"hit": {"target": "boris", "damage": 1, "source": "orc"}},
        {"edit": {"target": "anna", "pools": {"vyn": 99}}},
        {"add": {"id": "friend"}},
        {"remove": {"id": "orc"}},
        {"rest": {"who": "all", "kind": "long", "success": True}},
        {"rest": {"who": ["anna", "boris"], "kind": "long", "success": True}},
        {"cast": {"caster": "boris", "spell": "x", "targets": "anna"}},
        {"pay": {"who": "boris", "points": 1, "from": "vyn"}},
        {"end": {"target": "boris", "effect": "x"}},
    ],
)
def test_a_seat_acts_for_its_own_entities_only(table: Seats, command: dict[str, Any]) -> None:
    assert 403 == status_of(lambda: table.anna.send(command))
    assert 403 == status_of(lambda: table.screen.send(command))
    assert 0 == table.referee.view()["version"]


@pytest.mark.parametrize(
    "command",
    [
        {"hit": {"target": "orc", "damage": 1}},
        {"hit": {"target": "anna", "damage": 1, "source": "orc"}},
        {"pay": {"who": "anna", "points": 1, "from": "vyn"}},
    ],
)
def test_a_seat_acts_for_its_own(table: Seats, command: dict[str, Any]) -> None:
    assert "anna" == table.anna.send(command)["ruling"]["command"]["by"]


def test_the_screen_only_looks(table: Seats) -> None:
    assert [] == table.screen.view()["legal"]
    assert 403 == status_of(lambda: table.screen.undo())
    assert 403 == status_of(lambda: table.screen.export())


def test_wrong_old_missing_and_other_tables_tokens_are_all_unknown(table: Seats) -> None:
    other = Seats(table.server)
    old = table.tokens["anna"]
    table.tokens["anna"] = table.referee.seat("anna", ["anna"])
    answers = [
        ask(table.server, "GET", f"/api/tables/{id}", token=token)
        for id, token in (
            (table.id, ""),
            (table.id, "wrong"),
            (table.id, "wröng".encode().decode("latin-1")),
            (table.id, old),
            (table.id, other.tokens["referee"]),
            ("nowhere", table.tokens["referee"]),
        )
    ]
    assert [404] * 6 == [answer.status for answer in answers]
    assert all(answer.body == answers[0].body for answer in answers)
    assert 0 == table.client("anna").view()["version"]


def test_tokens_that_open_nothing_take_the_same_time(table: Seats) -> None:
    other = Seats(table.server)
    old = table.tokens["anna"]
    table.referee.seat("anna", ["anna"])
    connection = http.client.HTTPConnection("127.0.0.1", table.server.port, timeout=10)
    took: dict[str, list[float]] = {"w" * 32: [], old: [], other.tokens["referee"]: []}
    for _ in range(150):
        for token, times in took.items():
            began = time.perf_counter()
            connection.request("GET", f"/api/tables/{table.id}", headers={"Authorization": f"Bearer {token}"})
            connection.getresponse().read()
            times.append(time.perf_counter() - began)
    connection.close()
    quick = [sorted(times)[len(times) // 10] for times in took.values()]
    assert max(quick) < 1.5 * min(quick)


def test_a_seat_is_set_up_listed_and_revoked(table: Seats) -> None:
    token = table.referee.seat("Гость", ["orc"])
    listed = ask(table.server, "GET", f"/api/tables/{table.id}/seats", token=table.tokens["referee"]).json
    assert {"name": "Гость", "role": "player", "entities": ["orc"]} in listed
    guest = Client(table.server.address, table.id, token, patience=5)
    assert "done" == guest.command("hit", target="orc", damage=1)["status"]
    path = f"/api/tables/{table.id}/seats/%D0%93%D0%BE%D1%81%D1%82%D1%8C"
    assert 403 == ask(table.server, "DELETE", path, token=table.tokens["anna"]).status
    assert 204 == ask(table.server, "DELETE", path, token=table.tokens["referee"]).status
    assert 404 == ask(table.server, "DELETE", path, token=table.tokens["referee"]).status
    assert 404 == status_of(guest.view)


def test_the_referee_can_renew_its_own_token(table: Seats) -> None:
    renewed = table.referee.seat("referee")
    assert 404 == status_of(table.referee.view)
    assert 0 == Client(table.server.address, table.id, renewed).view()["version"]


# --- secrets --------------------------------------------------------------------------------------------------


def hide(table: Seats, **hidden: Any) -> Raw:
    return ask(table.server, "PUT", f"/api/tables/{table.id}/secrets", hidden, table.tokens["referee"])


def test_a_hidden_entity_is_not_there(table: Seats) -> None:
    assert 200 == hide(table, entities=["orc"]).status
    assert {"anna", "boris"} == set(table.anna.view()["entities"])
    assert "orc" in table.referee.view()["entities"]
    assert "orc" in table.client("orc").view()["entities"]
    with pytest.raises(Refused) as refused:
        table.anna.command("hit", target="orc", damage=1)
    with pytest.raises(Refused) as unknown:
        table.anna.command("hit", target="odd", damage=1)
    assert unknown.value.document == json.loads(json.dumps(refused.value.document).replace("orc", "odd"))
    assert refused.value.document["reason"].count("orc") == 1  # the word that was given, no list of who is there
    table.referee.command("hit", target="orc", damage=1)
    assert [] == table.anna.view()["log"]


def test_hidden_numbers_are_not_told(table: Seats) -> None:
    hide(table, numbers={"orc": ["wards"]})
    pools = table.anna.view()["entities"]["orc"]["pools"]
    assert (None, 30) == (pools["wards"]["current"], pools["vyn"]["current"])
    told = table.anna.command("hit", target="orc", damage=4)
    assert ({}, []) == (told["ruling"]["taken"], told["ruling"]["events"])
    assert {"wards": 4} == table.referee.view()["log"][-1]["taken"]
    assert 422 == status_of(lambda: table.anna.preview("hit", target="orc", damage=4))


def test_a_hidden_question_is_not_there(table: Seats) -> None:
    hide(table, entities=["orc"])
    decision = asked(table, "orc")
    assert [] == table.anna.view()["pending"]
    with pytest.raises(Refused) as known:
        table.anna.answer(decision, "take")
    with pytest.raises(Refused) as unknown:
        table.anna.answer("keep:nobody:wards", "take")
    assert unknown.value.document == known.value.document
    with pytest.raises(Refused) as blocked:
        table.anna.command("hit", target="anna", damage=1)
    assert (None, "This can't be done now") == (blocked.value.rule, blocked.value.reason)


def test_secrets_are_the_referees(table: Seats) -> None:
    path = f"/api/tables/{table.id}/secrets"
    assert 403 == ask(table.server, "PUT", path, {"entities": []}, table.tokens["anna"]).status
    assert 403 == ask(table.server, "GET", path, token=table.tokens["anna"]).status
    assert 400 == hide(table, numbers={"orc": ["nothing"]}).status
    assert 400 == hide(table, thoughts=["orc"]).status


# --- streams --------------------------------------------------------------------------------------------------


def test_a_stream_begins_with_the_view_and_tells_each_change(table: Seats) -> None:
    stream = table.anna.events()
    first = next(stream)
    assert ("view", "0", table.anna.view()) == (first.kind, first.id, first.data)
    table.referee.command("hit", target="anna", damage=4)
    change = next(stream)
    assert ("change", "1", 1) == (change.kind, change.id, change.data["version"])
    assert ["anna"] == list(change.data["entities"])
    assert [1] == [entry["version"] for entry in change.data["log"]]


def test_a_stream_goes_on_where_it_was(table: Seats) -> None:
    for _ in range(3):
        table.referee.command("hit", target="anna", damage=1)
    change = next(table.anna.events(since="1"))
    assert ("change", "3", [2, 3]) == (change.kind, change.id, [entry["version"] for entry in change.data["log"]])
    stream = table.anna.events(since="3")
    table.referee.command("remove", id="orc")
    change = next(stream)
    assert ("4", ["orc"]) == (change.id, change.data["gone"])


@pytest.mark.parametrize("since", ["99", "x", "-1", "1.7", "9" * 30])
def test_a_stream_from_nowhere_begins_with_the_view(table: Seats, since: str) -> None:
    table.referee.command("hit", target="anna", damage=1)
    assert "view" == next(table.anna.events(since=since)).kind


def test_changes_that_come_fast_are_gathered(table: Seats) -> None:
    stream = table.screen.events()
    next(stream)
    for _ in range(40):
        table.referee.command("edit", target="anna", pools={"vyn": 19})
        table.referee.command("edit", target="anna", pools={"vyn": 20})
    changes: list[Any] = []
    while not changes or changes[-1].data["version"] < 80:
        changes.append(next(stream))
    assert list(range(1, 81)) == [entry["version"] for change in changes for entry in change.data["log"]]
    assert len(changes) < 80


def test_a_stream_shows_what_its_seat_may_see(table: Seats) -> None:
    stream = table.anna.events()
    next(stream)
    hide(table, entities=["orc"])
    whole = next(stream)
    assert ("view", ["anna", "boris"]) == (whole.kind, list(whole.data["entities"]))
    table.referee.command("hit", target="orc", damage=1)
    change = next(stream)
    assert ("change", {}, []) == (change.kind, change.data["entities"], change.data["log"])


def test_a_revoked_seats_stream_ends(table: Seats) -> None:
    stream = table.anna.events()
    next(stream)
    table.referee.seat("anna", ["anna"])
    assert 404 == status_of(lambda: next(stream))


# --- links and cookies ----------------------------------------------------------------------------------------


def test_a_link_sets_a_cookie_and_leads_to_the_table(table: Seats) -> None:
    answer = ask(table.server, "GET", f"/join/{table.tokens['anna']}")
    assert (303, f"/t/{table.id}") == (answer.status, answer.headers["location"])
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    pair = {"Cookie": cookie.partition(";")[0]}
    assert 0 == ask(table.server, "GET", f"/api/tables/{table.id}", headers=pair).json["version"]
    page = ask(table.server, "GET", f"/t/{table.id}", headers=pair)
    assert "Анна" in page.body.decode()
    assert table.tokens["anna"] not in page.body.decode()
    body = {"command": {"hit": {"target": "anna", "damage": 1}}, "client_id": "1"}
    path = f"/api/tables/{table.id}/commands"
    for origin in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert 403 == ask(table.server, "POST", path, body, headers={**pair, **origin}).status
    own = {"Origin": f"http://127.0.0.1:{table.server.port}", **pair}
    assert 200 == ask(table.server, "POST", path, body, headers=own).status


def test_a_form_of_another_site_is_no_command(table: Seats) -> None:
    cookie = {"Cookie": f"gambeson-{table.id}={table.tokens['referee']}"}
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        sent = {**cookie, "Content-Type": kind, "Origin": "http://evil.example"}
        answer = ask(table.server, "POST", f"/api/tables/{table.id}/commands", b'{"command":{"undo":{}}}', headers=sent)
        assert 403 == answer.status


def test_a_wrong_link_opens_nothing(server: Process) -> None:
    answer = ask(server, "GET", "/join/nothing")
    assert (404, None) == (answer.status, answer.headers.get("set-cookie"))


def test_a_link_from_another_site_comes_again_from_here(table: Seats) -> None:
    answer = ask(table.server, "GET", f"/t/{table.id}", headers={"Sec-Fetch-Site": "cross-site"})
    assert f"url=/t/{table.id}?again=1" in answer.body.decode()
    hostile = ask(table.server, "GET", "/t/%22%3E%3Cscript%3E", headers={"Sec-Fetch-Site": "cross-site"})
    assert "<script" not in hostile.body.decode()


def test_every_answer_carries_the_headers(table: Seats) -> None:
    for path in ("/", "/health", "/nothing", f"/api/tables/{table.id}", "/schema/openapi.json"):
        headers = ask(table.server, "GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert ("nosniff", "no-referrer", "DENY", "no-store") == tuple(
            headers[name] for name in ("x-content-type-options", "referrer-policy", "x-frame-options", "cache-control")
        )
        assert "server" not in headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "localhost.evil.example", "[::2]"])
def test_a_strange_host_name_is_refused(server: Process, host: str) -> None:
    assert 400 == ask(server, "GET", "/health", headers={"Host": host}).status


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:80"])
def test_its_own_host_names_are_known(server: Process, host: str) -> None:
    assert 200 == ask(server, "GET", "/health", headers={"Host": host}).status


# --- bodies ---------------------------------------------------------------------------------------------------

DEEP = b'{"client_id":"1","command":{"hit":' + b"[" * 20_000 + b"]" * 20_000 + b"}}"
DEEP_FIELDS = b'{"client_id":"1","command":{"hit":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"client_id":"\xff","command":{"undo":{}}}',
        b'{"command":{"undo":{}}}',
        b'{"client_id":"","command":{"undo":{}}}',
        b'{"client_id":"a\\u0000b","command":{"undo":{}}}',
        b'{"client_id":"\\ud800","command":{"undo":{}}}',
        b'{"client_id":"1","command":{}}',
        b'{"client_id":"1","command":{"hit":{},"heal":{}}}',
        b'{"client_id":"1","command":{"hit":3}}',
        b'{"client_id":"1","command":{"hit":{}},"by":"anna"}',
        b'{"client_id":"1","command":{"hit":{},"by":3}}',
        b'{"client_id":"1","command":{"undo":{}},"expect_version":-1}',
        b'{"client_id":"1","command":{"undo":{}},"expect_version":"x"}',
        b'{"client_id":"1","command":{"roll":"x"}}',
        DEEP,
    ],
)
def test_a_malformed_body_is_400(table: Seats, body: bytes) -> None:
    answer = ask(table.server, "POST", f"/api/tables/{table.id}/commands", body, table.tokens["referee"])
    assert 400 == answer.status, answer.body
    assert answer.json["detail"]


@pytest.mark.parametrize(
    "fields",
    [
        {"target": "anna", "damage": 10**30},
        {"target": "anna", "damage": -1},
        {"target": "anna", "damage": 1.5},
        {"target": "anna", "damage": True},
        {"target": None, "damage": 1},
        {"target": "\ud800", "damage": 1},
        {"target": "a\x00b", "damage": 1},
        {"target": "anna", "damage": [{"amount": 10**9, "type": "fire"}] * 3},
        {"target": {"anna": 1}},
        {"target": ["anna"], "damage": {"amount": 1}},
        {"constructor": 1, "__proto__": 2},
        {"target": "anna", "damage": 1, "source": "x" * 50_000},
        {"target": [[[[[[]]]]]]},
    ],
)
def test_bad_values_are_refused_by_rule_or_as_malformed(table: Seats, fields: dict[str, Any]) -> None:
    body = {"command": {"hit": fields}, "client_id": "1"}
    answer = ask(table.server, "POST", f"/api/tables/{table.id}/commands", body, table.tokens["referee"])
    assert answer.status in (400, 422), answer.body
    assert 0 == table.referee.view()["version"]


def test_fields_nested_without_end_do_no_harm(table: Seats) -> None:
    answer = ask(table.server, "POST", f"/api/tables/{table.id}/commands", DEEP_FIELDS, table.tokens["referee"])
    assert answer.status in (400, 422), answer.body[:300]


def test_too_large_is_413(table: Seats) -> None:
    path = f"/api/tables/{table.id}/commands"
    assert 413 == ask(table.server, "POST", path, b" " * 70_000, table.tokens["referee"]).status
    with socket.create_connection(("127.0.0.1", table.server.port), timeout=10) as plug:
        plug.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        plug.sendall(b"11170\r\n" + b" " * 70_000 + b"\r\n")
        assert b"413" in plug.recv(1000)


def test_a_slow_body_is_not_waited_for(table: Seats) -> None:
    head = f"POST /api/tables/{table.id}/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n"
    with socket.create_connection(("127.0.0.1", table.server.port), timeout=10) as plug:
        plug.sendall(head.encode() + b"{")
        began = time.monotonic()
        assert b"408" in plug.recv(1000)
        assert time.monotonic() - began < 5


def test_headers_cannot_be_injected(table: Seats) -> None:
    answer = ask(table.server, "GET", "/join/x%0d%0aSet-Cookie:%20a=b")
    assert (404, None) == (answer.status, answer.headers.get("set-cookie"))
    answer = ask(table.server, "GET", f"/t/{table.id}%0d%0aX-Evil:%201", headers={"Sec-Fetch-Site": "cross-site"})
    assert "x-evil" not in answer.headers


@pytest.mark.parametrize(
    "game", ["../novitas", "/etc", "./src/gambeson/games/novitas", "novitas/../novitas", "", "нет", "x" * 100]
)
def test_a_game_is_named_never_a_path(server: Process, game: str) -> None:
    assert 400 == ask(server, "POST", "/api/tables", {"game": game}).status
    assert 400 == ask(server, "POST", "/api/tables", {"scenario": {"game": game}}).status
    whole = {"format": 1, "gambeson": "", "game": game, "pack": "", "readings": {}, "start": {}}
    assert 400 == ask(server, "POST", "/api/tables/import", whole).status


@pytest.mark.parametrize(
    "path", ["/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../../x", "/t/..%2f..", "//x"]
)
def test_no_path_leads_out(server: Process, path: str) -> None:
    assert 404 == ask(server, "GET", path).status


def test_a_bad_scenario_says_everything_that_is_wrong(server: Process) -> None:
    scenario = {"game": "pokrovy", "entities": {"anna": {"pools": {"vyn": -1}}}}
    answer = ask(server, "POST", "/api/tables", {"scenario": scenario})
    assert 400 == answer.status
    assert "entities.anna.pools.vyn" in answer.json["detail"]


# --- whole tables ---------------------------------------------------------------------------------------------


def test_a_table_goes_out_and_in(table: Seats) -> None:
    table.anna.command("hit", target="anna", damage=4)
    table.boris.command("hit", target="orc", damage=7)
    table.referee.undo()
    asked(table)
    whole = table.referee.export()
    assert not any(token in json.dumps(whole) for token in table.tokens.values())
    answer = ask(table.server, "POST", "/api/tables/import", whole)
    assert 201 == answer.status
    copy = Client(table.server.address, answer.json["id"], answer.json["tokens"]["referee"])
    assert table.referee.view() == copy.view()
    assert {"anna", "boris", "orc"} == set(answer.json["tokens"]["seats"])


def test_a_table_becomes_a_scenario_that_holds(table: Seats) -> None:
    table.anna.command("hit", target="anna", damage=4)
    table.referee.answer(asked(table), "take")
    table.boris.command("hit", target="boris", damage=25)
    table.referee.undo()
    answer = ask(table.server, "GET", f"/api/tables/{table.id}/export?as=scenario", token=table.tokens["referee"])
    played = play_text(answer.body.decode())
    assert played.ok
    assert played.table is not None
    assert 12 == played.table.state.entities["anna"].pools["wards"].current


def test_a_scenario_may_be_text_and_its_steps_are_played(server: Process) -> None:
    text = "game: pokrovy\nentities:\n  anna: {pools: {vyn: 9}}\nsteps:\n  - hit: {target: anna, damage: 4}\n"
    begun = begin(server.address, scenario=text)
    view = Client(server.address, begun["id"], begun["tokens"]["referee"]).view()
    assert (1, 5) == (view["version"], view["entities"]["anna"]["pools"]["vyn"]["current"])


# --- the process ----------------------------------------------------------------------------------------------


def test_too_fast_is_429(nest: Nursery, tmp_path: Path) -> None:
    slow = {"each_second": 1, "burst": 3}
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    server = nest.start(url, free_port(), strangers=slow, commands=slow, looks=slow)
    table = Seats(server)
    path = f"/api/tables/{table.id}"
    for token, most in ((table.tokens["anna"], 3), ("wrong", 2)):
        answers = [ask(server, "GET", path, token=token) for _ in range(6)]
        assert 429 == answers[-1].status
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert most >= sum(answer.status != 429 for answer in answers)
    body: dict[str, Any] = {"command": {"undo": {}}}
    sent = [
        ask(server, "POST", f"{path}/commands", {**body, "client_id": str(n)}, table.tokens["boris"]) for n in range(5)
    ]
    assert 429 == sent[-1].status
    server.end()


def test_a_server_ends_gracefully_with_streams_open(nest: Nursery, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'tables.db'}"
    server = nest.start(url, free_port())
    table = Seats(server)
    stream = table.anna.events()
    next(stream)
    table.referee.command("hit", target="anna", damage=1)
    began = time.monotonic()
    server.end(signal.SIGTERM)
    assert time.monotonic() - began < 4


def test_logs_tell_no_token(tmp_path: Path) -> None:
    with nursery(tmp_path / "log") as made:
        server = made.start(f"sqlite:///{tmp_path / 'tables.db'}", free_port())
        table = Seats(server)
        ask(server, "GET", f"/join/{table.tokens['anna']}")
        ask(server, "GET", f"/t/{table.id}?token={table.tokens['anna']}")
        table.anna.command("hit", target="anna", damage=1)
        server.end(signal.SIGTERM)
    told = (tmp_path / "log").read_text() + "".join(
        path.read_bytes().decode("latin-1") for path in tmp_path.glob("tables.db*")
    )
    assert not [token for token in table.tokens.values() if token in told]


def test_health(server: Process) -> None:
    from gambeson import __version__

    assert {"ok": True, "version": __version__} == ask(server, "GET", "/health").json

"""A client of the live table: it tries again with the same ids, so that everything it gives is applied once.

from gambeson.client import Client

client = Client("http://127.0.0.1:8000", table_id, token)
ruling = client.command("hit", target="anna", call="4 silver", location="torso")
for change in client.events():
    print(change.data["version"])
"""

from __future__ import annotations

import http.client
import json
import random
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

PATIENCE = 60.0
"""Seconds for which something is tried again."""

LONGEST_PAUSE = 2.0


class ClientError(Exception):
    """The server says no: `status` and the document that it answered with."""

    def __init__(self, status: int, document: Any) -> None:
        said = document.get("reason") or document.get("detail") if isinstance(document, dict) else document
        super().__init__(f"{status}: {said}")
        self.status = status
        self.document = document


class Refused(ClientError):
    """A rule refuses it (422): `rule` and `reason`."""

    @property
    def rule(self) -> str | None:
        """The id of the rule, if one is cited."""
        answer: str | None = self.document.get("rule")
        return answer

    @property
    def reason(self) -> str:
        """Why, in words."""
        answer: str = self.document.get("reason", "")
        return answer


class Outdated(ClientError):
    """The table has moved on past `expect_version` (409): `view` is how it stands."""

    @property
    def view(self) -> dict[str, Any]:
        """The table as it stands."""
        answer: dict[str, Any] = self.document["view"]
        return answer


class Unreachable(ClientError):
    """The server did not answer for as long as it was tried."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


@dataclass(frozen=True)
class Change:
    """A message of the stream: `kind` is `view` (the whole) or `change`, `id` where the stream is."""

    kind: str
    id: str
    data: dict[str, Any]


class Client:
    """One seat at one table. Not for use by several threads at once.

    Raises Refused, Outdated, another ClientError (403, 404, ...), or Unreachable after `patience` seconds.
    """

    def __init__(self, url: str, table: str, token: str, *, patience: float = PATIENCE, lang: str = "en") -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or "127.0.0.1"
        self._port = parts.port
        self._base = f"{parts.path.rstrip('/')}/api/tables/{quote(table, safe='')}"
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Language": lang}
        self._patience = patience
        self._connection: http.client.HTTPConnection | None = None

    # --- the table --------------------------------------------------------------------------------------------

    def view(self, *, log: int = 50) -> dict[str, Any]:
        """The table as this seat sees it."""
        answer: dict[str, Any] = self._ask("GET", f"?log={log}")
        return answer

    def command(
        self,
        name: str,
        /,
        *,
        by: str = "",
        answers: Sequence[str] = (),
        rolls: Sequence[int] = (),
        expect_version: int | None = None,
        client_id: str = "",
        **fields: Any,
    ) -> dict[str, Any]:
        """Give a command; it is applied once, however often it must be sent."""
        return self.send({name: fields, **({"by": by} if by else {})}, answers, rolls, expect_version, client_id)

    def send(
        self,
        command: Mapping[str, Any],
        answers: Sequence[str] = (),
        rolls: Sequence[int] = (),
        expect_version: int | None = None,
        client_id: str = "",
    ) -> dict[str, Any]:
        """Give a command as it is written in scenarios: `{"hit": {...}}`."""
        body: dict[str, Any] = {"command": dict(command), "client_id": client_id or new_client_id()}
        if answers:
            body["answers"] = list(answers)
        if rolls:
            body["rolls"] = list(rolls)
        if expect_version is not None:
            body["expect_version"] = expect_version
        answer: dict[str, Any] = self._ask("POST", "/commands", body)
        return answer

    def answer(
        self, decision: str, option: str | None = None, *, rolls: Sequence[int] | None = None, client_id: str = ""
    ) -> dict[str, Any]:
        """Answer an open decision with an option, or with dice."""
        body: dict[str, Any] = {"decision": decision, "client_id": client_id or new_client_id()}
        body.update({"option": option} if rolls is None else {"rolls": list(rolls)})
        answer: dict[str, Any] = self._ask("POST", "/answers", body)
        return answer

    def undo(self) -> dict[str, Any]:
        """Take back the last command."""
        return self.send({"undo": {}})

    def preview(
        self, name: str, /, *, answers: Sequence[str] = (), rolls: Sequence[int] = (), **fields: Any
    ) -> dict[str, Any]:
        """What a command would do; nothing is committed."""
        body = {"command": {name: fields}, "answers": list(answers), "rolls": list(rolls)}
        answer: dict[str, Any] = self._ask("POST", "/preview", body)
        return answer

    def odds(
        self, name: str = "", /, *, answers: Sequence[str] = (), rolls: Sequence[int] = (), **fields: Any
    ) -> dict[str, Any]:
        """The exact chances of a command, or without a name of the one that waits, as far as this seat can know."""
        body: dict[str, Any] = {"answers": list(answers), "rolls": list(rolls)}
        answer: dict[str, Any] = self._ask("POST", "/odds", {**body, "command": {name: fields}} if name else body)
        return answer

    def export(self) -> dict[str, Any]:
        """The whole table (for the referee)."""
        answer: dict[str, Any] = self._ask("GET", "/export")
        return answer

    def seat(self, name: str, entities: Sequence[str] = ()) -> str:
        """Set up a seat, or give it a new token (for the referee); gives the token."""
        answer: str = self._ask("POST", "/seats", {"name": name, "entities": list(entities)})["token"]
        return answer

    # --- the stream -------------------------------------------------------------------------------------------

    def events(self, *, since: str = "", timeout: float = 60.0) -> Iterator[Change]:
        """Every change, for ever; goes on where it was when the connection breaks. `timeout`: seconds of silence."""
        last = since
        pause = 0.0
        while True:
            try:
                for change in self._stream(last, timeout):
                    last, pause = change.id, 0.0
                    yield change
            except ClientError as error:
                if error.status not in (0, 429, 503):
                    raise
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, max(0.05, pause * 2) * random.uniform(0.7, 1.3))

    def _stream(self, last: str, timeout: float) -> Iterator[Change]:
        connection = self._connect(timeout)
        try:
            headers = {**self._headers, "Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
            connection.request("GET", f"{self._base}/events", headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                raise _error(response.status, response.read())
            kind, id, data = "message", last, ""
            while line := response.readline():
                name, _, value = line.decode().rstrip("\r\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "id":
                    id = value
                elif name == "data":
                    data += value
                elif not name and data:
                    yield Change(kind, id, json.loads(data))
                    kind, data = "message", ""
        finally:
            connection.close()

    # --- one question -----------------------------------------------------------------------------------------

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=timeout)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask until there is an answer: the same body with the same ids each time."""
        until = time.monotonic() + self._patience
        pause = 0.05
        while True:
            why: str
            try:
                status, document, wait = self._once(method, path, body)
                if status < 400:
                    return document
                if status not in (429, 502, 503, 504):
                    raise _error(status, document)
                why = f"{status}"
                pause = max(pause, wait)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                why = str(error) or type(error).__name__
            if time.monotonic() + pause > until:
                raise Unreachable(why)
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(LONGEST_PAUSE, pause * 2)

    def _once(self, method: str, path: str, body: Any) -> tuple[int, Any, float]:
        if self._connection is None:
            self._connection = self._connect(timeout=20.0)
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        self._connection.request(method, self._base + path, body=data, headers=headers)
        response = self._connection.getresponse()
        raw = response.read()
        wait = response.getheader("Retry-After") or ""
        return response.status, _document(raw), float(wait) if wait.isdigit() else 0.0


def begin(
    url: str, game: str = "", *, title: str = "", scenario: Mapping[str, Any] | str | None = None
) -> dict[str, Any]:
    """Begin a table at a server: `{id, version, tokens: {referee, screen, seats}}`."""
    body: dict[str, Any] = {"title": title}
    if game:
        body["game"] = game
    if scenario is not None:
        body["scenario"] = scenario
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=20.0)
    try:
        connection.request(
            "POST",
            f"{parts.path.rstrip('/')}/api/tables",
            body=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        response = connection.getresponse()
        raw = response.read()
        if response.status >= 400:
            raise _error(response.status, _document(raw))
        answer: dict[str, Any] = json.loads(raw)
        return answer
    finally:
        connection.close()


def new_client_id() -> str:
    """An id that no other input has."""
    return secrets.token_urlsafe(12)


def _document(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", "replace")[:500]


def _error(status: int, document: Any) -> ClientError:
    if isinstance(document, bytes):
        document = _document(document)
    if status == 422:
        return Refused(status, document)
    return Outdated(status, document) if status == 409 else ClientError(status, document)

"""Whatever fits the OpenAPI description, or nearly does, is answered without a fault of the server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")
pytest.importorskip("schemathesis", reason="schemathesis is not installed (extra: dev)")

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from gambeson.client import begin
from tests.databases import free_port
from tests.server.serving import Process, nursery

SCENARIO = {"game": "pokrovy", "entities": {"anna": {"pools": {"vyn": 20, "wards": 10}}}}
PATHS = (
    ("POST", "/api/tables"),
    ("POST", "/api/tables/import"),
    ("GET", "/api/tables/{id}"),
    ("GET", "/api/tables/{id}/export"),
    ("POST", "/api/tables/{id}/commands"),
    ("POST", "/api/tables/{id}/answers"),
    ("POST", "/api/tables/{id}/preview"),
    ("POST", "/api/tables/{id}/odds"),
    ("POST", "/api/tables/{id}/seats"),
    ("DELETE", "/api/tables/{id}/seats/{name}"),
    ("PUT", "/api/tables/{id}/secrets"),
    ("GET", "/health"),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("schema")
    with nursery(folder / "log") as made:
        yield made.start(f"sqlite:///{folder / 'tables.db'}", free_port())


@pytest.fixture(scope="module")
def described(server: Process) -> Any:
    schema = schemathesis.openapi.from_url(f"{server.address}/schema/openapi.json")
    schema.config.base_url = server.address
    return schema


@pytest.fixture(scope="module")
def table(server: Process) -> dict[str, Any]:
    return begin(server.address, scenario=SCENARIO)


def test_every_request_of_the_api_is_described(described: Any) -> None:
    found = {(method.upper(), path) for path, methods in described.raw_schema["paths"].items() for method in methods}
    assert not set(PATHS) - found
    assert ("GET", "/api/tables/{id}/events") in found


@pytest.mark.parametrize(("method", "path"), PATHS, ids=lambda part: str(part))
def test_nothing_makes_the_server_fail(
    method: str, path: str, described: Any, table: dict[str, Any], server: Process
) -> None:
    operation = described[path][method]
    headers = {"Authorization": f"Bearer {table['tokens']['referee']}"}
    modes = schemathesis.GenerationMode
    seen: list[int] = []

    @settings(
        max_examples=25,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @schemathesis_given(operation, (modes.POSITIVE, modes.NEGATIVE))
    def tried(case: Any) -> None:
        if "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = table["id"]
        response = case.call(base_url=server.address, headers=headers)
        seen.append(response.status_code)
        assert response.status_code < 500, (case.as_curl_command(), response.text)

    tried()
    assert server.answers()
    assert len(seen) >= 10
    assert method == "GET" or any(400 <= status < 500 for status in seen)


def schemathesis_given(operation: Any, modes: tuple[Any, ...]) -> Any:
    """Cases of an operation that fit its description, and such as don't."""
    from hypothesis import given
    from hypothesis import strategies as st

    return given(case=st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))

"""The application is put together without a word of warning."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("litestar", reason="the server is not installed (extra: table)")

from gambeson.server.app import Server
from gambeson.table.stores import open_store


def test_nothing_that_is_going_away_is_used() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        Server(open_store("memory:"))
    assert [] == [str(one.message) for one in found]

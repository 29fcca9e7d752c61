"""Calling the command line in a test as a person would."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec import Struct

from gambeson.cli import main

GOLDENS = Path(__file__).parent / "goldens"
ROOT = Path(__file__).parents[1]


class Answer(Struct, frozen=True):
    """What the command line answered."""

    status: int
    out: str
    err: str


def call(capsys: pytest.CaptureFixture[str], *args: object) -> Answer:
    """Run `gambeson ARGS`."""
    capsys.readouterr()
    status = 0
    try:
        main([str(arg) for arg in args])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 0
    said = capsys.readouterr()
    return Answer(status, said.out, said.err)


def assert_golden(name: str, said: str) -> None:
    """The text is the one in the file; with GOLDENS=write the file is written anew."""
    path = GOLDENS / name
    if os.environ.get("GOLDENS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(said, "utf-8")
    assert path.read_text("utf-8") == said

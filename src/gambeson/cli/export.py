"""export: a kept table as one file, or as a scenario that plays it again."""

from __future__ import annotations

import os
import sys

from gambeson.cli.entry import DONE, UNUSABLE
from gambeson.cli.output import diagnose, diagnose_faults
from gambeson.games import texts
from gambeson.model.errors import Unusable
from gambeson.table.keeping import saved_whole
from gambeson.table.saving import decode
from gambeson.table.scenarios import scenario_text
from gambeson.table.stores import StoreError, open_store

DEFAULT_STORE = "sqlite:///gambeson.db"
"""Where tables are kept unless somebody says otherwise."""


def export(id: str | None, *, db: str, output: str, scenario: bool, lang: str) -> int:
    """Write a table (the only one, or the one with this id) to a file or to standard output.

    `scenario`: as a scenario file. `id` may also be a file that `export` wrote before. Gives the exit status.
    """
    said = texts(None, lang)
    try:
        document = _document(id, db)
        text = scenario_text(decode(document)).encode() if scenario else document
        if not output or output == "-":
            sys.stdout.buffer.write(text if text.endswith(b"\n") else text + b"\n")
            return DONE
        with open(output, "wb") as file:
            file.write(text)
        return DONE
    except Unusable as unusable:
        diagnose_faults(unusable.faults, said)
    except StoreError as error:
        diagnose(said.say("keep.no_store", said=str(error)))
    except OSError as error:
        diagnose(said.say("keep.no_file", file=error.filename or output, said=error.strerror or ""))
    return UNUSABLE


def _document(id: str | None, db: str) -> bytes:
    if id is not None and os.path.isfile(id):
        with open(id, "rb") as file:
            return file.read()
    store = open_store(existing(db or DEFAULT_STORE))
    try:
        return saved_whole(store, id or only_table(store.tables()))
    finally:
        store.close()


def existing(url: str) -> str:
    """The URL, where it does not name a file that is not there. Raises StoreError."""
    scheme, _, path = url.partition(":///")
    if scheme == "sqlite" and path and not os.path.exists(path):
        raise StoreError(f"there is no file {path}")
    return url


def only_table(tables: tuple[tuple[str, str, str], ...]) -> str:
    """The id of the only table. Raises StoreError where there are none or several, naming them."""
    if len(tables) == 1:
        return tables[0][0]
    named = "; ".join(f"{id} ({game}, {title})" for id, game, title in tables[:20])
    raise StoreError(f"{len(tables)} tables are kept there{': ' if named else ''}{named}")

"""import: a table from a file that was exported, with new links to its seats."""

from __future__ import annotations

from gambeson.cli.entry import DONE, UNUSABLE
from gambeson.cli.export import DEFAULT_STORE
from gambeson.cli.output import BOLD, Output, diagnose, diagnose_faults
from gambeson.games import texts
from gambeson.model.errors import Unusable
from gambeson.table.stores import StoreError, open_store


def import_(path: str, *, db: str, lang: str) -> int:
    """Keep the table in a file; prints its id and the tokens of its seats, told this once. Gives the exit status."""
    said = texts(None, lang)
    try:
        from gambeson.server.beginning import import_table

        with open(path, "rb") as file:
            document = file.read()
        store = open_store(db or DEFAULT_STORE)
        try:
            begun = import_table(store, document)
        finally:
            store.close()
    except Unusable as unusable:
        diagnose_faults(unusable.faults, said)
        return UNUSABLE
    except StoreError as error:
        diagnose(said.say("keep.no_store", said=str(error)))
        return UNUSABLE
    except OSError as error:
        diagnose(said.say("keep.no_file", file=path, said=error.strerror or ""))
        return UNUSABLE
    except ModuleNotFoundError as missing:
        diagnose(said.say("keep.no_extra", name=missing.name or ""))
        return UNUSABLE
    out = Output(lang)
    out.say("keep.imported", BOLD, table=begun.id, version=begun.version)
    for seat, token in begun.tokens.items():
        out.print(f"  {seat}: /join/{token}")
    return DONE

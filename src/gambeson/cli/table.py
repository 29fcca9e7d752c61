"""`gambeson table`: the live table, its server and its page."""

from __future__ import annotations

import importlib.util
import socket
import sys
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from gambeson.games import texts
from gambeson.model.values import REFEREE

NEEDED = ("jinja2", "litestar", "segno", "sqlalchemy", "uvicorn")
ANYWHERE = ("0.0.0.0", "::")


class Asked(Struct, frozen=True):
    """What was asked for on the command line."""

    db: str
    host: str
    port: int
    demo: bool


def table(asked: Asked, *, lang: str) -> int:
    """Serve until interrupted; gives the exit status."""
    said = texts(None, lang)
    missing = next((name for name in NEEDED if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        print(said.say("page.cli.missing", name=missing), file=sys.stderr)
        return 2
    from gambeson.server.beginning import begin_table
    from gambeson.server.demo import demo_of, games_with_demos
    from gambeson.server.running import lan_address, log_to_terminal, serve
    from gambeson.server.settings import Settings
    from gambeson.table.stores import StoreError, open_store

    url = asked.db or ("memory:" if asked.demo else f"sqlite:///{Path('gambeson.db').absolute()}")
    try:
        store = open_store(url)
    except StoreError as error:
        print(said.say("keep.no_store", said=str(error)), file=sys.stderr)
        return 2
    if not free(asked.host, asked.port):
        store.close()
        print(said.say("page.cli.taken", host=asked.host, port=asked.port), file=sys.stderr)
        return 2
    opened = []
    if asked.demo:
        for game in games_with_demos():
            opened.append((game, begin_table(store, game, scenario=demo_of(game, lang))))
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")
    name = asked.host
    if asked.host in ANYWHERE:
        name = lan_address()
        hosts = (*hosts, name)

    def ready(port: int) -> None:
        base = f"http://{name}:{port}"
        print(said.say("page.cli.open", address=f"{base}/"))
        for game, begun in opened:
            print(f"\n{said.say('page.cli.game', game=game)}")
            print(f"  {said.say('page.cli.referee')}  {base}/join/{begun.tokens[REFEREE]}")
            print(f"  {said.say('page.cli.wall')}  {base}/join/{begun.tokens['screen']}")
            for seat, token in begun.tokens.items():
                if seat not in (REFEREE, "screen"):
                    print(f"  {said.say('page.cli.seat', name=seat)}  {base}/join/{token}")
        if asked.host in ANYWHERE:
            show_code(f"{base}/join/{opened[0][1].tokens['screen']}" if opened else f"{base}/")
        else:
            print(f"\n{said.say('page.cli.phones')}")
        print(said.say("page.cli.stop"), flush=True)

    log_to_terminal()
    import logging

    logging.getLogger("gambeson.access").setLevel(logging.WARNING)
    with closing(store):
        return serve(store, host=asked.host, port=asked.port, settings=Settings(hosts=hosts), ready=ready)


def free(host: str, port: int) -> bool:
    """Whether the address can be listened on now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def show_code(url: str) -> None:
    """The address as a QR code that a phone reads off the terminal."""
    import segno

    if sys.stdout.isatty():
        print()
        segno.make(url, micro=False).terminal(compact=True)
    print(f"\n{url}")

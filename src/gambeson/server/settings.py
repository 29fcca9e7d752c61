"""What can be set about a server."""

from __future__ import annotations

from msgspec import Struct


class Rate(Struct, frozen=True):
    """How often something may be asked: `burst` at once, then `each_second`."""

    each_second: float
    burst: int


class Settings(Struct, frozen=True, kw_only=True):
    """Limits and addresses of a server.

    `hosts` are the names under which it may be reached (without ports; empty: any). `commands` limits each seat,
    `looks` each seat's reading, `odds` what each seat has counted, `strangers` each address that shows no seat's
    token; None: no limit. Sizes are in bytes, times in seconds.
    """

    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")
    secure: bool = False
    commands: Rate | None = Rate(100, 200)
    looks: Rate | None = Rate(100, 200)
    odds: Rate | None = Rate(4, 40)
    strangers: Rate | None = Rate(10, 60)
    largest_body: int = 64 * 1024
    largest_table: int = 64 * 1024 * 1024
    slowest_body: float = 10.0
    interval: float = 0.05
    heartbeat: float = 15.0
    most_open: int = 2_000
    most_streams: int = 500
    idle: float = 900.0

"""The command `gambeson`: it parses, drives a table, and prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line (default: that of this process) and leave with its exit status."""
    given = list(sys.argv[1:] if args is None else args)
    if given == ["--version"]:
        from gambeson import __version__

        print(f"gambeson {__version__}")
        return
    from gambeson.cli.entry import start

    sys.exit(start(given))

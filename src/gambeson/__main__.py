"""`python -m gambeson`: the same as the command `gambeson`."""

from __future__ import annotations

from gambeson.cli import main

main()

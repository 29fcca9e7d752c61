"""How soon the first answer is there: from a cold start with compiling, and from the cache; and how it grows."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "examples" / "simulations" / "novitas-armour.yaml"
CHART = ("--trials", "1000", "--json")


def seconds(cache: str, *more: str) -> float:
    """One run of the command, from start to end."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "gambeson", "simulate", str(EXAMPLE), *more],
        check=True,
        env={**os.environ, "GAMBESON_CACHE": cache},
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(seconds(cache, *CHART))
            warm += [seconds(cache, *CHART) for _ in range(3)]
    print(f"cold, with compiling   {statistics.median(cold):6.2f} s   (below 3)")
    print(f"from the cache         {statistics.median(warm):6.2f} s   (below 0.6)")
    with tempfile.TemporaryDirectory() as cache:
        seconds(cache, "--trials", "1000")
        few, many = (seconds(cache, "--trials", trials) for trials in ("400000", "4000000"))
    print(f"ten times the trials   {many / few:6.2f} times the time")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"memory                 {most:6.0f} MB   (below 300)")


if __name__ == "__main__":
    main()

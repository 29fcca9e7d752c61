"""How long `gambeson` takes to start, against importing its libraries alone, in turn in one run.

Prints medians of whole processes and their ratio. Bytecode is compiled first, as an installation does.
"""

from __future__ import annotations

import compileall
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROUNDS = 15
SCENARIO = """\
title: Magic armor first, then physical, then body
game: novitas
entities:
  anna: {pools: {magic_armor: 2, physical_armor: {current: 1, covers: [torso]}, body: 3}}
steps:
  - hit: {target: anna, call: "4", location: torso}
    expect: {anna: {pools: {magic_armor: 0, physical_armor: 0, body: 2}}}
"""


def seconds(command: list[str]) -> float:
    """Seconds of one whole process."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    compileall.compile_dir(ROOT / "src" / "gambeson", quiet=1)
    scenario = ROOT / ".startup-benchmark.yaml"
    scenario.write_text(SCENARIO, "utf-8")
    start = [sys.executable, "-c", "import sys; from gambeson.cli import main; sys.argv[0] = 'gambeson'; main()"]
    try:
        rounds = [
            (
                seconds([sys.executable, "-c", "import typer, rich, yaml, msgspec"]),
                seconds([*start, "run", str(scenario)]),
                seconds([*start, "--version"]),
            )
            for _ in range(ROUNDS)
        ]
    finally:
        scenario.unlink()
    libraries, run, version = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"import typer, rich, yaml, msgspec {libraries * 1e3:7.0f} ms")
    print(f"gambeson run, small scenario      {run * 1e3:7.0f} ms   {run / libraries:4.2f} times (at most 3)")
    print(f"gambeson --version                {version * 1e3:7.0f} ms   {version / libraries:4.2f} times")


if __name__ == "__main__":
    main()

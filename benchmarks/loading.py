"""Loading packs: all of them against their bare YAML parse; their data from the cache against msgspec decoding it.

Each figure is the median of whole processes' inner times, in turn in one run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 7
GAMES = Path(__file__).parent.parent / "src" / "gambeson" / "games"

BARE = """
import time, yaml
from pathlib import Path
texts = [path.read_text('utf-8') for path in sorted(Path({games!r}).glob('*/pack.yaml'))]
began = time.perf_counter()
for text in texts:
    yaml.load(text, Loader=yaml.CSafeLoader)
print(time.perf_counter() - began)
"""

PACKS = """
import time, yaml
from gambeson.games import available, load
import gambeson.games.building
began = time.perf_counter()
for game in available():
    load(game)
print(time.perf_counter() - began)
"""

DECODE = """
import time, msgspec
from pathlib import Path
from gambeson.games.documents import read_file
files = [msgspec.msgpack.encode(read_file(path).data) for path in sorted(Path({games!r}).glob('*/pack.yaml'))]
began = time.perf_counter()
for file in files:
    msgspec.msgpack.decode(file)
print(time.perf_counter() - began)
"""

PARSED = """
import time
from gambeson.games import available
from gambeson.games.loading import GAMES
from gambeson.games.remembering import parsed
began = time.perf_counter()
for game in available():
    parsed(GAMES / game / 'pack.yaml')
print(time.perf_counter() - began)
"""


def seconds(code: str, cache: str) -> float:
    """What the code prints, in a process of its own."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    command = [sys.executable, "-c", code.format(games=str(GAMES))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as warm:
        seconds(PACKS, warm)
        rounds = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as cold:
                first = seconds(PACKS, cold)
            rounds.append((seconds(BARE, warm), first, *(seconds(code, warm) for code in (PACKS, DECODE, PARSED))))
    bare, first, second, decode, parsed = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"bare YAML parse of all packs        {bare * 1e3:7.1f} ms")
    print(f"loading them, nothing cached        {first * 1e3:7.1f} ms   {first / bare:4.2f} times (at most 2)")
    print(f"loading them, parse cached          {second * 1e3:7.1f} ms   {second / bare:4.2f} times")
    print(f"msgspec decoding their data         {decode * 1e3:7.1f} ms")
    print(f"their data from the cache           {parsed * 1e3:7.1f} ms   {parsed / decode:4.2f} times decoding")


if __name__ == "__main__":
    main()

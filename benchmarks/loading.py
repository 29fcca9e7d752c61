"""Loading packs: the first time against their bare YAML parse, the second against msgspec decoding what is kept.

Each figure is the median of whole processes' own CPU time, in turn in one run. Loading gives packs whose parts are made
when they are asked; `every part made` asks for all of them, which also has msgspec work out each type once a process.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 9
SOURCE = Path(__file__).parent.parent / "src" / "gambeson"

BARE = """
import time, yaml
from pathlib import Path
texts = [path.read_text('utf-8') for path in sorted(Path({source!r}).glob('games/*/pack.yaml'))]
began = time.process_time()
for text in texts:
    yaml.load(text, Loader=yaml.CSafeLoader)
print(time.process_time() - began)
"""

PACKS = """
import time, yaml
from gambeson.games import available, load
began = time.process_time()
packs = [load(game) for game in available()]
loaded = time.process_time()
for pack in packs:
    pack.whole()
    for command in pack.commands.values():
        command.does
made = time.process_time()
print(loaded - began, made - began)
"""

DECODE = """
import time, msgspec
from gambeson.games import available, load
from gambeson.games.repeats import repeated
from gambeson.games.loading import folder_of, written
from gambeson.games.variants import resolved
packs = [repeated(resolved(written(folder_of(game)).data, load(game).readings)) for game in available()]
files = [msgspec.msgpack.encode(data) for data in packs]
began = time.process_time()
for file in files:
    msgspec.msgpack.decode(file)
print(time.process_time() - began, sum(map(len, files)))
"""

TYPES = """
import time, msgspec
from gambeson.games import available, load
for game in available():
    load(game).whole()
from gambeson.games import loading
for held in vars(loading).values():
    if hasattr(held, 'cache_clear'):
        held.cache_clear()
began = time.process_time()
packs = [load(game).whole() for game in available()]
print(time.process_time() - began)
"""


def measured(code: str, cache: str) -> list[float]:
    """What the code prints, in a process of its own."""
    environment = {**os.environ, "GAMBESON_CACHE": cache}
    command = [sys.executable, "-c", code.format(source=str(SOURCE))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return [float(figure) for figure in done.stdout.split()]


def main() -> None:
    """Measure and print."""
    compileall.compile_dir(SOURCE, quiet=1)
    with tempfile.TemporaryDirectory() as warm:
        measured(PACKS, warm)
        rounds = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as cold:
                first = measured(PACKS, cold)
            second, decode, types = (measured(code, warm) for code in (PACKS, DECODE, TYPES))
            rounds.append((*measured(BARE, warm), first[0], *second, *decode, *types))
    bare, first_time, loaded, made, decoding, size, again = (
        statistics.median(column) for column in zip(*rounds, strict=True)
    )
    print(f"bare YAML parse of all packs          {bare * 1e3:7.2f} ms")
    print(
        f"first start: loading them             {first_time * 1e3:7.2f} ms   {first_time / bare:5.2f} times (at most 2)"
    )
    print(f"msgspec decoding {size / 1e3:4.0f} kB that are kept {decoding * 1e3:7.2f} ms")
    print(f"second start: loading them            {loaded * 1e3:7.2f} ms   {loaded / decoding:5.2f} times decoding")
    print(f"second start: every part made         {made * 1e3:7.2f} ms   {made / decoding:5.2f} times decoding")
    print(f"the same once types are worked out    {again * 1e3:7.2f} ms   {again / decoding:5.2f} times decoding")


if __name__ == "__main__":
    main()

"""Coverage-guided fuzzing of the readers: YAML text to a played scenario, and calls of every game.

It needs `pip install atheris` and does nothing without it. Options are those of libFuzzer:

    python benchmarks/fuzz_atheris.py -max_total_time=600

Every input must end in a result or in `Unusable`; anything else stops the run and leaves the input in a file.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "tests" / "cases"

try:
    import atheris
except ModuleNotFoundError:
    atheris = None


def seeded(folder: Path) -> Path:
    """A folder with every scenario of the tests as an input to begin with."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(CORPUS.glob("*/*.yaml")):
        (folder / f"{path.parent.name}-{path.stem}").write_bytes(b"s" + path.read_bytes())
    return folder


def main(args: list[str]) -> None:
    """Fuzz until it is stopped."""
    with atheris.instrument_imports(include=["gambeson"]):
        from gambeson.games import available, load
        from gambeson.games.documents import read_text
        from gambeson.language.part_calls import read_parts
        from gambeson.model.errors import Unusable
        from gambeson.testing.running import play
    packs = [load(game) for game in available()]

    def read(content: bytes) -> Any:
        """The first byte says what the rest is: a call of one of the games, else a scenario."""
        kind, rest = content[:1], content[1:]
        if kind and kind[0] < len(packs):
            pack = packs[kind[0]]
            text = rest.decode("utf-8", "replace")
            read_parts(text, pack, "untyped")
            if pack.reader is not None:
                pack.reader.read(text)
            return
        with suppress(Unusable):
            play(read_text(rest))

    atheris.Setup(args, read)
    atheris.Fuzz()


if __name__ == "__main__":
    if atheris is None:
        print("atheris is not installed; nothing is fuzzed")
    elif len(sys.argv) == 1:
        print("say how long: -max_total_time=SECONDS")
    else:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            main([*sys.argv, str(seeded(Path(folder) / "corpus")), f"-artifact_prefix={Path.cwd()}/"])

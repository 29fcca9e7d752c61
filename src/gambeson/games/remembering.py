"""What files said when they were last read: their data without a second parse, kept under the hash of their bytes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path as FilePath

import msgspec

from gambeson.games.documents import BYTES_LIMIT, Document, read_file, read_text

FORMAT = b"gambeson data 1\n"
"""Changes whenever the same bytes may be read as other data."""


def parsed(path: FilePath) -> Document:
    """The document in a file, parsed or remembered; where something stands is looked up only when it is asked.

    Nothing depends on the memory: where it cannot be read or written the file is parsed. Raises Unusable.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read(BYTES_LIMIT + 1)
    except OSError:
        return read_file(path)
    kept = memory() / f"{hashlib.sha256(FORMAT + content).hexdigest()}.msgpack"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return Document(str(path), msgspec.msgpack.decode(kept.read_bytes()), None)
    document = read_text(content, str(path))
    with contextlib.suppress(OSError, OverflowError):
        _keep(kept, msgspec.msgpack.encode(document.data))
    return document


def memory() -> FilePath:
    """The folder of what is remembered: below XDG_CACHE_HOME, else below .cache at home."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return FilePath(home) / "gambeson"


def _keep(kept: FilePath, data: bytes) -> None:
    """Write a file whole or not at all."""
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=kept.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    os.replace(name, kept)

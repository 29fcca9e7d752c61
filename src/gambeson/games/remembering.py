"""What was read before: data of files and of whole packs, kept under the hash of all that they were made from.

Nothing depends on the memory: what cannot be read or written, is cut off, damaged, of another version or not ours is
made anew. Only plain data is kept, never code; a file is written whole or not at all.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any, TypeVar

import msgspec

from gambeson.games.documents import BYTES_LIMIT, Document, read_file, read_text
from gambeson.games.plain import plain_data
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message
from gambeson.version import __version__

Kept = TypeVar("Kept")

DATA = b"gambeson data 2\n"
"""Begins what is kept; changes whenever the same bytes may mean something else."""
DIGEST = 32
MOST_BYTES = 8 * BYTES_LIMIT
MOST_FILES = 400
"""Files that are kept; of more the oldest go."""
ROOT = FilePath(__file__).parent.parent
CODE = ("model", "language", "language/stages", "engine", "engine/commands", "mechanisms", "games")
"""The folders of code by which a pack's data becomes a pack."""


_MAPPING = msgspec.msgpack.Decoder(dict[str, Any])


def parsed(path: FilePath) -> Document:
    """The document in a file, parsed or remembered; where something stands is looked up only when it is asked.

    Raises Unusable.
    """
    content = read(path)
    key = key_of(content)
    kept = recalled(key, _MAPPING.decode)
    if kept is not None:
        return Document(str(path), kept, None)
    document = read_content(content, path)
    if isinstance(document.data, dict):
        keep(key, document.data)
    return document


def read_content(content: bytes, path: FilePath) -> Document:
    """The document that a file with this content is. Raises Unusable."""
    data = plain_data(content)
    return read_text(content, str(path)) if data is None else Document(str(path), data, None)


def read(path: FilePath) -> bytes:
    """The bytes of a pack's file, at most one more than a document may have.

    Raises Unusable where it cannot be read, and where it is a link that leads out of the pack's folder.
    """
    if os.path.islink(path) and FilePath(os.path.realpath(path)).parent != FilePath(os.path.realpath(path.parent)):
        raise Unusable((Fault((), message("fault.pack.link", file=path.name), str(path)),))
    try:
        with open(path, "rb") as stream:
            return stream.read(BYTES_LIMIT + 1)
    except OSError:
        read_file(path)  # says why
        raise


def key_of(*parts: bytes) -> str:
    """The name of what was made from these bytes."""
    digest = hashlib.sha256(DATA)
    for part in parts:
        digest.update(b"%d\n" % len(part))
        digest.update(part)
    return digest.hexdigest()


def is_kept(key: str) -> bool:
    """Whether something is kept under a key; whether it is whole is seen when it is recalled."""
    return os.path.isfile(os.path.join(memory(), key))


def recalled(key: str, decode: Callable[[bytes], Kept]) -> Kept | None:
    """What is kept under a key, None where it is not or not whole."""
    try:
        with open(os.path.join(memory(), key), "rb") as stream:
            content = stream.read(MOST_BYTES)
    except OSError:
        return None
    digest, body = content[:DIGEST], content[DIGEST:]
    if _digest(key, body) != digest:
        return None
    try:
        return decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def keep(key: str, value: Any) -> None:
    """Keep a value under a key, if that can be done."""
    with contextlib.suppress(OSError, OverflowError, RecursionError, TypeError):
        body = msgspec.msgpack.encode(value)
        if len(body) + DIGEST < MOST_BYTES:
            _write(memory(), key, _digest(key, body) + body)


def _digest(key: str, body: bytes) -> bytes:
    """Goes before what is kept: it is whole, ours, and kept under this key."""
    return hashlib.sha256(DATA + key.encode() + body).digest()


def memory() -> str:
    """The folder of what is remembered: below GAMBESON_CACHE, else XDG_CACHE_HOME, else .cache at home."""
    own = os.environ.get("GAMBESON_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(own or os.path.join(home, "gambeson"), "packs")


def _write(folder: str, key: str, content: bytes) -> None:
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    _tidied(folder)
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    os.replace(name, os.path.join(folder, key))


@functools.lru_cache(maxsize=4)
def _tidied(folder: str) -> None:
    """Take the older half away where there are too many; looked at once."""
    with os.scandir(folder) as entries:
        by_age = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
    for _, path in by_age[: len(by_age) // 2] if len(by_age) > MOST_FILES else ():
        with contextlib.suppress(OSError):
            os.unlink(path)


def code_mark(game: str = "") -> bytes:
    """Names the code by which data becomes a pack, and the game's own: version, name, size and age of each file."""
    return "\n".join((__version__, *map(_mark, CODE), _mark(f"games/{game}") if game else "")).encode()


@functools.lru_cache(maxsize=32)
def _mark(folder: str) -> str:
    try:
        with os.scandir(os.path.join(ROOT, folder)) as entries:
            code = {entry.name: entry.stat() for entry in entries if entry.name.endswith(".py")}
    except OSError:
        return ""
    return "\n".join(f"{name} {code[name].st_size} {code[name].st_mtime_ns}" for name in sorted(code))

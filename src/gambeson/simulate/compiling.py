"""From the text of a kernel to machine code: Numba compiles it once, and it is kept for the next time.

What is kept is the object code itself, so that a simulation that was played before starts without Numba.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from gambeson.simulate.chance import python_names
from gambeson.simulate.kernel import Kernel

FORMAT = 1
ARGUMENTS = (
    ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
)  # fmt: skip

Plays = Callable[..., None]
"""A kernel that can be called: seed, first, trials, most, starts, bounds, tally, sums, kept, rows."""


class Compiled(Struct, frozen=True):
    """Machine code that can be called with int64 arrays, and how long it took to come by."""

    call: Plays
    seconds: float
    cached: bool


class Code:
    """Machine code at an address; what holds its memory lives as long."""

    def __init__(self, address: int, held: Any) -> None:
        self._call = ctypes.CFUNCTYPE(None, *ARGUMENTS)(address)
        self._held = held

    def __call__(self, *arguments: Any) -> None:
        self._call(*arguments)


def plain(kernel: Kernel) -> Plays:
    """The kernel as plain Python, over lists."""
    names = python_names()
    exec(compile(kernel.text, "<kernel>", "exec"), names)  # our own text: names and comments in it are made harmless
    found: Plays = names["fights"]
    return found


def folder() -> Path:
    """Where compiled kernels are kept: GAMBESON_CACHE, else below the user's cache folder."""
    own = os.environ.get("GAMBESON_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "gambeson" / "kernels"


def compiled(kernel: Kernel) -> Compiled:
    """The kernel as machine code, from the cache or from Numba. Raises ModuleNotFoundError without them."""
    began = time.perf_counter()
    name = _name(kernel)
    kept = _read(name)
    if kept is not None:
        loaded = _loaded(*kept)
        if loaded is not None:
            return Compiled(loaded, time.perf_counter() - began, True)
    made, symbol, object_code = _made(kernel)
    _write(name, symbol, object_code, kernel.text)
    return Compiled(made, time.perf_counter() - began, False)


def _name(kernel: Kernel) -> str:
    import llvmlite.binding as llvm  # type: ignore[import-untyped,import-not-found,unused-ignore]

    versions = [importlib.metadata.version(package) for package in ("numba", "llvmlite")]
    machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    parts = (FORMAT, kernel.text, sys.version, versions, machine)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


def _read(name: str) -> tuple[str, bytes] | None:
    try:
        content = (folder() / f"{name}.o").read_bytes()
    except OSError:
        return None
    head, _, code = content.partition(b"\n")
    digest, _, symbol = head.decode("ascii", "replace").partition(" ")
    return (symbol, code) if hashlib.sha256(code).hexdigest() == digest else None


def _write(name: str, symbol: str, code: bytes, text: str) -> None:
    """Keep the code and its text; a folder that cannot be written is no fault."""
    head = f"{hashlib.sha256(code).hexdigest()} {symbol}\n".encode()
    try:
        folder().mkdir(parents=True, exist_ok=True)
        for ending, content in ((".py", text.encode()), (".o", head + code)):
            handle, path = tempfile.mkstemp(dir=folder())
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.replace(path, folder() / f"{name}{ending}")
    except OSError:
        return


def _loaded(symbol: str, code: bytes) -> Code | None:
    """Object code made callable; None where it needs something that is not there."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped,import-not-found,unused-ignore]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    try:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        address = engine.get_function_address(symbol)
    except RuntimeError:
        return None
    return Code(address, (engine, machine)) if address else None


def _made(kernel: Kernel) -> tuple[Code, str, bytes]:
    """Compile with Numba; gives what can be called, its symbol and the object code."""
    import numba

    jit: Any = numba  # its types do not say all that it has
    names: dict[str, Any] = {"uint64": jit.uint64, "int64": jit.int64, "carray": jit.carray}
    exec(compile(kernel.text, "<kernel>", "exec"), names)  # our own text, as above
    types = jit.types
    pointer = types.CPointer(types.int64)
    signature = types.void(types.uint64, *(types.int64,) * 3, *(pointer,) * 5, types.int64)
    made: Any = jit.cfunc(signature, nopython=True, error_model="numpy")(names["fights"])
    code = bytes(made._library._get_compiled_object())
    return Code(made.address, made), str(made._wrapper_name), code

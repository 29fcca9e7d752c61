"""The files of the page: its stylesheet and scripts, from this server alone, kept by browsers for good."""

from __future__ import annotations

import functools
import gzip

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from gambeson.server.page.drawing import STATIC
from gambeson.server.page.looks import AnyRequest

TYPES = {"css": "text/css", "js": "text/javascript", "txt": "text/plain"}
TYPES |= {"svg": "image/svg+xml", "webmanifest": "application/manifest+json"}


@functools.lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())


@functools.lru_cache(maxsize=32)
def _read(name: str, packed: bool) -> bytes:
    whole = (STATIC / name).read_bytes()
    return gzip.compress(whole, 9, mtime=0) if packed else whole


@get("/static/{mark:str}/{name:path}", include_in_schema=False)
async def file(request: AnyRequest, mark: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """One file; `mark` changes with it."""
    name = str(name).lstrip("/")
    if name not in _names():
        raise NotFoundException
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if packed:
        headers["Content-Encoding"] = "gzip"
    kind = TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    return Response(_read(name, packed), headers=headers, media_type=kind)


FILES = (file,)

"""What a game says of how it is shown: the file `page.yaml` beside its pack."""

from __future__ import annotations

import functools
from typing import Any

from gambeson.games.documents import read_file
from gambeson.games.loading import folder_of


@functools.lru_cache(maxsize=32)
def page_of(folder: str) -> dict[str, Any]:
    """The file as data; nothing where a game has none."""
    path = folder_of(folder) / "page.yaml"
    data = read_file(path).data if path.is_file() else {}
    return data if isinstance(data, dict) else {}

"""Reading YAML that has no fault: its data alone, in half the time that it takes to see where everything stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gambeson.games.documents import BYTES_LIMIT, DEPTH_LIMIT, NODES_LIMIT
from gambeson.games.scalars import FORBIDDEN, FORBIDDEN_ESCAPED, is_other_than_text, plain

if TYPE_CHECKING:
    from yaml.events import Event


class _Doubt(ValueError):
    """There may be something to say."""


def plain_data(content: bytes) -> object | None:
    """The data of a YAML text; None where anything is to be said of it, which `read_text` says at its place."""
    import yaml

    try:
        source = content.decode("utf-8")
        if len(content) > BYTES_LIMIT or FORBIDDEN.search(source):
            return None
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(source)
        try:
            return _data(loader.get_event)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError):
        return None


def _data(next_event: Callable[[], Event | None]) -> object:
    """The data of one document, built without recursion. Raises ValueError and yaml.YAMLError."""
    from yaml import events

    scalar = events.ScalarEvent
    starts = {events.MappingStartEvent: dict, events.SequenceStartEvent: list}
    ends = (events.MappingEndEvent, events.SequenceEndEvent)
    around = (events.StreamStartEvent, events.StreamEndEvent, events.DocumentStartEvent, events.DocumentEndEvent)
    top: list[Any] = []
    here: Any = top  # the list or mapping that is being read
    key: str | None = None  # waits for its value, in a mapping
    above: list[Any] = []
    nodes = 0
    while (event := next_event()) is not None:
        kind = type(event)
        if kind in ends:
            here = above.pop()
            continue
        if kind in around:
            continue
        nodes += 1
        if key is None and type(here) is dict:
            key = _key(event, here)
            continue
        value = _scalar(event) if kind is scalar else _begun(event, starts)
        if key is None:
            here.append(value)
        else:
            here[key] = value
            key = None
        if kind is not scalar:
            above.append(here)
            here = value
            if len(above) > DEPTH_LIMIT:
                raise _Doubt
    if len(top) != 1 or nodes > NODES_LIMIT:
        raise _Doubt
    return top[0]


def _begun(event: Any, starts: dict[Any, Any]) -> Any:
    kind = starts.get(type(event))
    if kind is None or event.anchor is not None or event.tag is not None:
        raise _Doubt
    return kind()


def _key(event: Any, mapping: dict[str, Any]) -> str:
    text = getattr(event, "value", None)
    if not isinstance(text, str) or text in mapping or event.anchor is not None or event.tag is not None:
        raise _Doubt
    if event.implicit[0] and (text == "<<" or not text or is_other_than_text(text)):
        raise _Doubt
    if event.style == '"' and FORBIDDEN_ESCAPED.search(text):
        raise _Doubt
    return text


def _scalar(event: Any) -> Any:
    text: str = event.value
    if event.anchor is not None or event.tag is not None:
        raise _Doubt
    if event.implicit[0]:
        return plain(text)
    if event.style == '"' and FORBIDDEN_ESCAPED.search(text):
        raise _Doubt
    return text

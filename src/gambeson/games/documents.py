"""Reading YAML and JSON text into plain data that knows where everything stands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gambeson.games.scalars import DIGITS_LIMIT, FORBIDDEN, FORBIDDEN_ESCAPED, is_other_than_text, plain
from gambeson.model.errors import Fault, Path, Unusable
from gambeson.model.messages import Message, Parameter, message

if TYPE_CHECKING:
    from yaml._yaml import Mark as CMark
    from yaml.error import Mark, MarkedYAMLError
    from yaml.events import CollectionStartEvent, Event, ScalarEvent

MEGABYTES_LIMIT = 4
BYTES_LIMIT = MEGABYTES_LIMIT * 1024 * 1024
DEPTH_LIMIT = 40
NODES_LIMIT = 300_000
FAULTS_LIMIT = 20
MANY_FAULTS = 100

Position: TypeAlias = tuple[int, int]
Place: TypeAlias = "tuple[int, int, str] | Branch"
"""Where a node stands: line, column and spelling of a scalar, or a list or mapping with what it holds."""


class Branch:
    """Where a list or mapping, its keys and its values stand in the text."""

    __slots__ = ("keys", "start", "values")

    def __init__(self, start: Position) -> None:
        self.start = start
        self.keys: dict[str | int, Position] = {}
        self.values: dict[str | int, Place] = {}

    def known(self, step: str | int) -> str | int:
        """The step as the branch has it: keys are texts, also where they are spelled as integers."""
        return str(step) if self.keys else step


class Document(Struct, frozen=True, eq=False):
    """Plain data (dict, list, str, int, float, bool, None) and where in its file each part stands.

    Without a `root` the places are read from the file when they are asked for.
    """

    file: str
    data: object
    root: Place | None

    def places(self) -> Place:
        """Where everything stands; read from the file where it is not known."""
        if self.root is not None:
            return self.root
        root = read_file(self.file).root
        assert root is not None
        return root

    def locate(self, path: Path, *, key: bool = False) -> Position:
        """Line and column, from 1, of the value at `path` (or of its key), else of the nearest ancestor there is."""
        place = self.places()
        found = _start(place)
        for step in path:
            if not isinstance(place, Branch) or place.known(step) not in place.values:
                break
            key_position = place.keys.get(place.known(step))
            place = place.values[place.known(step)]
            found = key_position if key and key_position is not None else _start(place)
        return found

    def text_at(self, path: Path) -> str | None:
        """The scalar at `path` as it is spelled (`5.20`, not 5.2); None if there is a list, a mapping or nothing."""
        place = self.places()
        for step in path:
            if not isinstance(place, Branch) or place.known(step) not in place.values:
                return None
            place = place.values[place.known(step)]
        return None if isinstance(place, Branch) else place[2]


def read_text(text: str | bytes, file: str = "") -> Document:
    """Read YAML or JSON text; raises `Unusable`, with lines and columns, when any of it is not plain data."""
    reader = _Reader(file)
    source = _checked(text, reader)
    if file.lower().endswith(".json"):
        source = _SURROGATE_PAIR.sub(_one_escape, source)
    reader.read(source)
    return Document(file, reader.top.data[0], reader.top.branch.values[0])


def read_file(path: str | os.PathLike[str]) -> Document:
    """Read a YAML or JSON file; raises `Unusable` when there is none, it can't be opened or is not plain data."""
    file = os.fspath(path)
    shown = file.encode("utf-8", "backslashreplace").decode()
    try:
        with open(file, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > BYTES_LIMIT:
                _Reader(shown).stop((1, 1), "too_large", limit=MEGABYTES_LIMIT)
            content = stream.read(BYTES_LIMIT + 1)
    except (OSError, ValueError) as error:
        raise Unusable((Fault((), _unopened(error, file, shown), shown),)) from None
    return read_text(content, shown)


class Faults(list[Fault]):
    """Faults gathered on the way; the hundredth is the last: it raises `Unusable` with all of them."""

    def append(self, fault: Fault) -> None:
        """Note a fault."""
        super().append(fault)
        if len(self) >= MANY_FAULTS:
            raise Unusable(tuple(self))


def placed(faults: Iterable[Fault], document: Document) -> tuple[Fault, ...]:
    """The faults with file, line and column by their paths; a fault that knows its line keeps it."""
    faults = tuple(faults)
    if document.root is None and not all(fault.line for fault in faults):
        document = Document(document.file, document.data, document.places())
    return tuple(fault if fault.line else _placed(fault, document) for fault in faults)


def _placed(fault: Fault, document: Document) -> Fault:
    line, column = document.locate(fault.path, key=fault.message.id.endswith(".unknown_key"))
    return replace(fault, file=document.file, line=line, column=column)


def _start(place: Place) -> Position:
    return place.start if isinstance(place, Branch) else place[:2]


def _unopened(error: Exception, file: str, shown: str) -> Message:
    if isinstance(error, IsADirectoryError) or os.path.isdir(shown):
        return message("fault.document.directory", file=shown)
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) or not isinstance(error, OSError):
        return message("fault.document.missing", file=shown)
    if isinstance(error, PermissionError):
        return message("fault.document.permission", file=shown)
    return message("fault.document.unreadable", file=shown, reason=error.strerror or type(error).__name__)


# Characters


_LINE_END = re.compile("\r\n|\r|\n")
_SURROGATE_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def _checked(text: str | bytes, reader: _Reader) -> str:
    """The text without its byte order mark, once it is sure to be short enough and to be text."""
    size = len(text) if len(text) > BYTES_LIMIT or isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    if size > BYTES_LIMIT:
        reader.stop((1, 1), "too_large", limit=MEGABYTES_LIMIT)
    source = (_decoded(text, reader) if isinstance(text, bytes) else text).removeprefix("\ufeff")
    forbidden = FORBIDDEN.search(source)
    if forbidden is not None:
        position = _position(source, forbidden.start())
        if forbidden[0] == "\0":
            reader.stop(position, "binary")
        reader.stop(position, "character", code=_code(forbidden[0]))
    return source


def _decoded(content: bytes, reader: _Reader) -> str:
    zeros = [byte == 0 for byte in content[:4]]
    if content.startswith(_WIDE) or zeros in ([True, False, True, False], [False, True, False, True]):
        reader.stop((1, 1), "utf16")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8").removeprefix("\ufeff")
        reader.stop(_position(before, len(before)), "not_utf8", position=error.start + 1)


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _position(source: str, index: int) -> Position:
    ends = [end.end() for end in _LINE_END.finditer(source, 0, index)]
    return len(ends) + 1, index - (ends[-1] if ends else 0) + 1


def _one_escape(pair: re.Match[str]) -> str:
    """JSON spells a character beyond U+FFFF as two escapes, YAML as one (columns after it are two less)."""
    high, low = int(pair[2], 16), int(pair[3], 16)
    return f"{pair[1]}\\U{0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00:08X}"


# Structure


class _Frame:
    """A list or mapping that is being read; `key` waits for its value."""

    __slots__ = ("branch", "data", "key", "mapping")

    def __init__(self, start: Position, mapping: bool) -> None:
        self.mapping: dict[str, object] | None = {} if mapping else None
        self.data: list[object] = []
        self.branch = Branch(start)
        self.key: str | None = None

    def step(self) -> str | int | None:
        return len(self.data) if self.mapping is None else self.key

    def add(self, value: object, place: Place) -> None:
        if self.mapping is None:
            self.branch.values[len(self.data)] = place
            self.data.append(value)
        elif self.key is not None:
            self.mapping[self.key] = value
            self.branch.values[self.key] = place
            self.key = None


class _Reader:
    """Builds plain data from the stream of YAML events, without recursion, and gathers the faults."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.top = _Frame((1, 1), mapping=False)
        self.stack = [self.top]
        self.nodes = 0
        self.end: Position = (1, 1)

    def fault(self, position: Position, name: str, /, **params: Parameter) -> None:
        """Note a fault and read on; raises `Unusable` when there are many."""
        steps = [frame.step() for frame in self.stack[1:]]
        path = tuple(step for step in steps if step is not None)
        self.faults.append(Fault(path, Message(f"fault.document.{name}", params), self.file, *position))
        if len(self.faults) >= FAULTS_LIMIT:
            raise Unusable(tuple(self.faults))

    def stop(self, position: Position, name: str, /, **params: Parameter) -> NoReturn:
        """Raise `Unusable` with this fault and those before it."""
        self.fault(position, name, **params)
        raise Unusable(tuple(self.faults))

    def read(self, source: str) -> None:
        """Read the whole source; raises `Unusable`."""
        import yaml

        self.end = _position(source, len(source))
        kind: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            loader = kind(source)
            try:
                self.follow(loader.get_event)
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            position, name, params = _syntax(error, source)
            self.stop(position, name, **params)
        except yaml.YAMLError as error:
            self.stop((1, 1), "syntax.other", problem=_clipped(str(error)))
        if not self.top.data:
            self.stop((1, 1), "empty")
        if self.faults:
            raise Unusable(tuple(self.faults))

    def follow(self, next_event: Callable[[], Event | None]) -> None:
        from yaml import events as kinds

        begins = (kinds.MappingStartEvent, kinds.SequenceStartEvent)
        while (event := next_event()) is not None:
            if isinstance(event, kinds.ScalarEvent):
                self.scalar(event)
            elif isinstance(event, begins):
                self.begin(event, isinstance(event, kinds.MappingStartEvent))
            elif isinstance(event, kinds.CollectionEndEvent):
                frame = self.stack.pop()
                self.stack[-1].add(frame.data if frame.mapping is None else frame.mapping, frame.branch)
            elif isinstance(event, kinds.AliasEvent):
                self.stop(_at(event.start_mark), "alias", name=_clipped(event.anchor or ""))
            elif isinstance(event, kinds.DocumentStartEvent) and self.top.data:
                self.stop(_at(event.start_mark), "several")

    def scalar(self, event: ScalarEvent) -> None:
        position = self.node(event)
        frame = self.stack[-1]
        text: str = event.value
        if event.style == '"':
            forbidden = FORBIDDEN_ESCAPED.search(text)
            if forbidden is not None:
                self.fault(position, "character", code=_code(forbidden[0]))
        if frame.mapping is not None and frame.key is None:
            self.key(frame, event, position)
            return
        if not event.implicit[0]:
            frame.add(text, (*position, text))
            return
        if not text and frame is self.top:
            self.stop((1, 1), "empty")
        try:
            value = plain(text)
        except ValueError:
            self.fault(position, "long_number", digits=len(text), limit=DIGITS_LIMIT)
            value = 0
        frame.add(value, (*position, text))

    def key(self, frame: _Frame, event: ScalarEvent, position: Position) -> None:
        text = event.value
        first = frame.branch.keys.get(text)
        frame.key = text
        if event.implicit[0]:
            if text == "<<":
                self.fault(position, "merge_key")
            elif not text:
                self.fault(position, "empty_key")
            elif is_other_than_text(text):
                self.fault(position, "key_type", key=_clipped(text))
        if first is not None:
            self.fault(position, "duplicate_key", key=_clipped(text), line=first[0])
        frame.branch.keys[text] = position

    def begin(self, event: CollectionStartEvent, mapping: bool) -> None:
        position = self.node(event)
        frame = self.stack[-1]
        if frame.mapping is not None and frame.key is None:
            self.stop(position, "key_not_text")
        if len(self.stack) > DEPTH_LIMIT:
            self.stop(position, "too_deep", limit=DEPTH_LIMIT)
        self.stack.append(_Frame(position, mapping))

    def node(self, event: ScalarEvent | CollectionStartEvent) -> Position:
        """Count a node, refuse its anchor and tag, and say where it stands."""
        position = _at(event.start_mark)
        if position > self.end:
            position = self.end  # what is only implied is marked behind the end
        self.nodes += 1
        if self.nodes > NODES_LIMIT:
            self.stop(position, "too_many", limit=NODES_LIMIT)
        if event.anchor is not None:
            self.fault(position, "anchor", name=_clipped(event.anchor))
        if event.tag is not None:
            self.fault(position, "tag", tag=_clipped(event.tag.replace("tag:yaml.org,2002:", "!!")))
        return position


def _at(mark: Mark | CMark | None) -> Position:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _clipped(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


# Syntax errors: what the parser says, in part, and which sentence says it to people


_PROBLEMS = (
    ("exceeded maximum nesting depth", "too_deep"),
    ("mapping values are not allowed", "syntax.colon"),
    ("found unexpected ':'", "syntax.colon"),
    ("tab character", "syntax.tab"),
    ("cannot start any token", "syntax.start"),
    ("expected ',' or ']'", "syntax.list_end"),
    ("expected ',' or '}'", "syntax.mapping_end"),
    ("expected key", "syntax.indent"),
    ("expected '-' indicator", "syntax.indent"),
    ("expected <block end>", "syntax.indent"),
    ("unexpected end of stream", "syntax.quote"),
    ("unexpected document", "syntax.quote"),
    ("node content", "syntax.value"),
    ("could not find expected ':'", "syntax.no_colon"),
    ("<document start>", "syntax.after_end"),
    ("alphabetic or numeric character", "syntax.sign"),
    ("escape", "syntax.escape"),
    ("hexdecimal number", "syntax.escape"),
    ("sequence entries are not allowed", "syntax.dash"),
)
_SIGNS = ("!", "|", ">", "%", "?")
_AT_THE_BEGINNING = ("syntax.quote", "syntax.no_colon", "syntax.sign")


def _syntax(error: MarkedYAMLError, source: str) -> tuple[Position, str, dict[str, Parameter]]:
    problem = error.problem or ""
    name = next((name for part, name in _PROBLEMS if part in problem), "syntax.other")
    mark = error.problem_mark or error.context_mark
    begin = error.context_mark or mark
    if mark is None or begin is None:
        return (1, 1), "syntax.other", {"problem": _clipped(problem)}
    if name == "syntax.other" and source[begin.index : begin.index + 1] in _SIGNS:
        name = "syntax.sign"
    if name in _AT_THE_BEGINNING or mark.index >= len(source):
        mark = begin
    character = source[mark.index : mark.index + 1]
    if name == "syntax.start" and character == "\t":
        name = "syntax.tab"
    if name in ("syntax.indent", "syntax.value") and character == ":":
        name = "empty_key"
    params: dict[str, dict[str, Parameter]] = {
        "too_deep": {"limit": DEPTH_LIMIT},
        "syntax.start": {"character": character},
        "syntax.sign": {"character": character},
        "syntax.list_end": {"line": begin.line + 1},
        "syntax.mapping_end": {"brace": "{", "line": begin.line + 1},
        "syntax.other": {"problem": _clipped(problem)},
    }
    # The parser counts the end of the text as a line of its own.
    position = _at(mark) if mark.index < len(source) else _position(source, len(source))
    return position, name, params.get(name, {})

"""From a folder with a pack to the pack that the engine works with."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

import msgspec

from gambeson.games.building import checked
from gambeson.games.converting import Converter
from gambeson.games.documents import Document, Faults, placed
from gambeson.games.folders import GAMES, PACK, available, folder_of, named_folder
from gambeson.games.misfits import misfit
from gambeson.games.overlays import EXTENDS, extended, extends_faults, laid_over, said_at, touched
from gambeson.games.remembering import code_mark, is_kept, keep, key_of, parsed, read, recalled
from gambeson.games.restoring import KEPT, Source, kept, opened, unread
from gambeson.games.shapes import DeclaredVariant
from gambeson.language.fields import not_among
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.model.errors import Fault, Unusable, dotted
from gambeson.model.messages import Message, message

__all__ = ["GAMES", "available", "folder_of", "load", "rule_texts", "texts", "texts_of", "variant_texts"]

COMMON = GAMES.parent / "texts"
LANGUAGES = ("en", "ru")
NAMING = tuple(f"{file}.{lang}.yaml" for file in ("terms", "forms") for lang in LANGUAGES)
"""Files that name things as people may write them."""
LONGEST_CHAIN = 16
"""Packs that extend one another."""


def load(game: str | os.PathLike[str], variants: Mapping[str, Any] | None = None) -> Pack:
    """The pack of a game by its name, or of a folder with a pack.yaml, under the chosen readings.

    The name is that of a game which comes with gambeson, or of a folder in GAMBESON_PACKS. A pack that extends others
    is laid over them in order. Raises Unusable with every fault at its place.
    """
    folders = chain(folder_of(game))
    chosen = _readings(_declared(folders), variants or {})
    return _built(folders, tuple(sorted(chosen.items())))


@functools.lru_cache(maxsize=64)
def chain(folder: FilePath) -> tuple[FilePath, ...]:
    """The folder of the game, then those of the packs that are laid over it, this one last. Raises Unusable."""
    return _chain(folder, (), {})


def was_loaded(folder: FilePath) -> bool:
    """Whether this process has asked for the pack in a folder by itself, not only below another."""
    before = chain.cache_info().misses
    try:
        chain(folder)
    except Unusable:
        return True
    return chain.cache_info().misses == before


def _chain(
    folder: FilePath, above: tuple[FilePath, ...], known: dict[FilePath, tuple[FilePath, ...]]
) -> tuple[FilePath, ...]:
    """The chain of one pack below others; those that are `known` are not looked at again."""
    extends = _head(folder).extends
    if folder in above or len(above) >= LONGEST_CHAIN:
        raise _at_extends(folder, message("fault.overlay.circle"))
    if folder not in known:
        found: dict[FilePath, None] = {}
        for name in extends:
            try:
                below = named_folder(name, (EXTENDS,))
            except Unusable as unusable:
                raise Unusable(placed(unusable.faults, _document(folder))) from None
            found |= dict.fromkeys(_chain(below, (*above, folder), known))
        if len([other for other in found if not _head(other).extends]) > 1:
            raise _at_extends(folder, message("fault.overlay.two_games"))
        if len(found) > LONGEST_CHAIN:
            raise _at_extends(folder, message("fault.overlay.circle"))
        known[folder] = (*found, folder)
    return known[folder]


def _at_extends(folder: FilePath, said: Message) -> Unusable:
    return Unusable(placed((Fault((EXTENDS,), said),), _document(folder)))


class Head(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What must be known of one pack's file before it is looked into: what it extends, and its variants if it is whole.

    These are the readings of each variant; None where it depends on other packs, or they are written wrongly.
    """

    extends: tuple[str, ...]
    declared: dict[str, tuple[str, ...]] | None


_HEAD = msgspec.msgpack.Decoder(Head)


@functools.lru_cache(maxsize=32)
def _content(folder: FilePath) -> tuple[bytes, bytes]:
    """What stands in a pack's file, and its hash. Raises Unusable."""
    content = read(folder / PACK)
    return content, hashlib.sha256(content).digest()


@functools.lru_cache(maxsize=32)
def _head(folder: FilePath) -> Head:
    """The head of a pack's file, worked out or remembered. Raises Unusable."""
    key = key_of(b"head", _content(folder)[1])
    kept = recalled(key, _HEAD.decode)
    if kept is not None:
        return kept
    document = _document(folder)
    if not isinstance(document.data, dict):
        raise Unusable(placed((Fault((), message("fault.pack.mapping")),), document))
    if faults := extends_faults(document.data):
        raise Unusable(placed(faults, document))
    extends = extended(document.data)
    declared = None
    if not extends:
        with contextlib.suppress(Unusable):
            declared = _variants(document)
    head = Head(extends, declared)
    keep(key, head)
    return head


@functools.lru_cache(maxsize=32)
def _document(folder: FilePath) -> Document:
    """The data of one pack's file; where something stands is looked up when it is asked. Raises Unusable."""
    return parsed(folder / PACK)


@functools.lru_cache(maxsize=32)
def _joined(folders: tuple[FilePath, ...]) -> Document:
    """The data of a game with that of each pack laid over it, as if it stood in the last one's file."""
    documents = [_document(folder) for folder in folders]
    data: Any = documents[0].data
    for document in documents[1:]:
        data = laid_over(data, document)
    return Document(documents[-1].file, data, documents[-1].root)


def _placed_anew(faults: tuple[Fault, ...], folders: tuple[FilePath, ...], data: Any) -> tuple[Fault, ...]:
    """The faults of joined packs, each at its place in the pack that says it.

    What stands further down was sound there: then this pack is what breaks it, and is told so where it does.
    """
    found: list[Fault] = []
    last = _document(folders[-1])
    sound = _sound(folders[:-1])
    for fault in faults:
        documents = [_document(folder) for folder in reversed(folders)]
        said = [(document, path) for document in documents if (path := said_at(document.data, fault.path, data))]
        document, path = said[0] if said else (last, (EXTENDS,))
        if sound and (document is not last or not said):
            named = message(
                "fault.overlay.breaks", place=dotted(fault.path), pack=_called(document), said=fault.message
            )
            found += placed((Fault(touched(last.data, fault), named),), last)
        else:
            found += placed((Fault(path, fault.message),), document)
    return tuple(found)


def _called(document: Document) -> str:
    """The name of the pack that a file is."""
    return FilePath(document.file).parent.name


def _sound(folders: tuple[FilePath, ...]) -> bool:
    """Whether packs laid over each other can be used without one more above them."""
    try:
        _built(folders, tuple(sorted(_readings(_declared(folders), {}).items())))
    except Unusable:
        return False
    return True


def _readings(declared: Mapping[str, tuple[str, ...]], variants: Mapping[str, Any]) -> dict[str, str]:
    """The reading of each variant: the chosen one, else its first. Raises Unusable with paths below `variants`."""
    faults = Faults()
    for name, reading in variants.items():
        if name not in declared:
            faults.append(Fault(("variants", name), not_among(name, tuple(declared))))
        elif str(reading) not in declared[name]:
            faults.append(Fault(("variants", name), not_among(str(reading), declared[name])))
    if faults:
        raise Unusable(tuple(faults))
    return {name: str(variants.get(name, readings[0])) for name, readings in declared.items()}


def _declared(folders: tuple[FilePath, ...]) -> dict[str, tuple[str, ...]]:
    """The readings of each variant of a pack laid over others. Raises Unusable, placed."""
    known = _head(folders[-1]).declared
    return known if known is not None else _variants(_joined(folders))


def _variants(document: Document) -> dict[str, tuple[str, ...]]:
    """The readings of each variant of a pack. Raises Unusable, placed, where they are none."""
    assert isinstance(document.data, dict)
    variants = document.data.get("variants", {})
    if not isinstance(variants, dict):
        raise Unusable(placed((Fault(("variants",), message("fault.pack.mapping")),), document))
    declared: dict[str, tuple[str, ...]] = {}
    faults = Faults()
    for name, variant in variants.items():
        try:
            declared[name] = msgspec.convert(variant, DeclaredVariant).readings
        except msgspec.ValidationError as error:
            below, said = misfit(str(error), DeclaredVariant, variant, ("rule", "readings"))
            faults.append(Fault(("variants", name, *below), said))
    if faults:
        raise Unusable(placed(faults, document))
    return declared


def written(folder: FilePath) -> Document:
    """The data of a pack as it is written, laid over what it extends. Raises Unusable."""
    return _joined(chain(folder))


@functools.lru_cache(maxsize=128)
def _built(folders: tuple[FilePath, ...], readings: tuple[tuple[str, str], ...]) -> Pack:
    game, folder = folders[0], folders[-1]
    said = repr(readings).encode()
    hashes = [_content(each)[1] for each in folders]
    key = key_of(b"made", code_mark(game.name if _own_code(game) else ""), said, *hashes, *_naming(folders))

    def make() -> Converter:
        made = _made(folders, dict(readings))
        keep(key, kept(made))
        return made

    def open() -> Converter | None:
        content = recalled(key, KEPT.decode)
        return opened(content, _code(game)) if content is not None else None

    source = Source(make, open, None if is_kept(key) else make())
    digest = hashlib.sha256(b"".join((*(_content(each)[0] for each in folders), said))).hexdigest()
    return unread(f"sha256:{digest}", _name(folder), dict(readings), source)


def _made(folders: tuple[FilePath, ...], readings: dict[str, str]) -> Converter:
    document = _joined(folders)
    try:
        return checked(document, readings, _code(folders[0]), names(folders[-1]))
    except Unusable as unusable:
        if len(folders) == 1:
            raise
        raise Unusable(_placed_anew(unusable.faults, folders, document.data)) from None


def _naming(folders: tuple[FilePath, ...]) -> Iterator[bytes]:
    """What the files say that name things, of each pack."""
    for folder in folders:
        for file in NAMING:
            path = os.path.join(folder, file)
            yield read(FilePath(path)) if os.path.isfile(path) else b""


def _code(game: FilePath) -> ModuleType | None:
    return importlib.import_module(f"gambeson.games.{game.name}.rules") if _own_code(game) else None


def _name(folder: FilePath) -> str:
    return folder.name if folder.parent == GAMES else str(folder.absolute())


def _own_code(folder: FilePath) -> bool:
    """Code is taken from gambeson's own games only, never from a folder that somebody brings."""
    return folder.parent == GAMES and (folder / "rules.py").is_file()


@functools.lru_cache(maxsize=32)
def names(folder: FilePath) -> tuple[tuple[str, str], ...]:
    """(id, name) of everything that has a name in some language, as people may write it."""
    found = [(id, str(name)) for lang in LANGUAGES for id, name in _of_chain(folder, f"terms.{lang}.yaml").items()]
    forms = [_of_chain(folder, f"forms.{lang}.yaml").items() for lang in LANGUAGES]
    return (*found, *((id, str(form)) for listed in forms for id, each in listed for form in each))


@functools.lru_cache(maxsize=64)
def texts(game: str | os.PathLike[str] | None, lang: str) -> Texts:
    """Everything that can be said of a game in a language: the common texts, then the game's own."""
    said = _common(lang)
    if game is None:
        return said
    folder = folder_of(game)
    terms = _of_chain(folder, f"terms.{lang}.yaml")
    called = {str(name): terms[id] for id, name in _of_chain(folder, "terms.en.yaml").items() if id in terms}
    # What a rule or a person calls by its English name is said in this language too.
    own = {f"term.{id}": name for id, name in (called | terms).items()}
    return said.merged(Texts(lang, own), *(Texts(lang, _flat(each / f"{lang}.yaml")) for each in chain(folder)))


def texts_of(game: Any, lang: str) -> Texts:
    """The texts of the game that somebody names, or the common ones where there is no such game or it has faults."""
    if isinstance(game, str):
        with contextlib.suppress(Unusable):
            return texts(game, lang)
    return texts(None, lang)


@functools.lru_cache(maxsize=8)
def _common(lang: str) -> Texts:
    files = sorted(COMMON.glob(f"{lang}*.yaml"))
    first, *others = (Texts(lang, _flat(path)) for path in files)
    return first.merged(*others)


def _of_chain(folder: FilePath, file: str) -> dict[str, Any]:
    """What a file says in a pack and in those that it extends; of one key the last counts."""
    found: dict[str, Any] = {}
    for each in chain(folder):
        found |= _flat(each / file)
    return found


def _flat(path: FilePath) -> dict[str, Any]:
    if not path.is_file():
        return {}
    document = parsed(path)
    if not isinstance(document.data, dict):
        raise Unusable(placed((Fault((), message("fault.pack.mapping")),), document))
    return document.data


@functools.lru_cache(maxsize=64)
def rule_texts(game: str, lang: str) -> dict[str, dict[str, str]]:
    """What each rule of a game says: rule id to `title`, `text` and perhaps `example` and `refusal`."""
    return _of_chain(folder_of(game), f"rules.{lang}.yaml")


@functools.lru_cache(maxsize=64)
def variant_texts(game: str, lang: str) -> dict[str, Any]:
    """What each variant asks and what its readings mean."""
    return _of_chain(folder_of(game), f"variants.{lang}.yaml")

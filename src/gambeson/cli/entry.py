"""From the arguments to an exit status: the straight way for plain `run`, Typer for everything else."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130

# Said without the texts, which cannot be read without PyYAML.
NO_EXTRA = {
    "en": "gambeson: the command line needs {name}; install it with: pip install 'gambeson[cli]'",
    "ru": "gambeson: командной строке нужен пакет {name}; установите: pip install 'gambeson[cli]'",
}
EXTRA = ("yaml", "typer", "rich", "click")


def start(args: list[str]) -> int:
    """Do what the arguments ask; gives the exit status and never a trace for what people can cause."""
    from gambeson.cli.choosing import chosen_language

    _lenient_streams()
    lang = chosen_language(args, os.environ)
    return guarded(lambda: _with_packs(args, lang), lang)


def _with_packs(args: list[str], lang: str) -> int:
    """Bring the packs that `--pack` names, then do what the other arguments ask."""
    if not any(arg.startswith("--pack") for arg in args):
        return _start(args, lang)
    from gambeson.cli.packs import NoPack, bring, unused
    from gambeson.games import texts
    from gambeson.model.messages import message

    said = texts(None, lang)
    try:
        left, packs = bring(args, os.environ)
    except NoPack as missing:
        print(said.say(message("cli.pack.none", path=missing.path)), file=sys.stderr)
        return UNUSABLE
    status = _start(left, lang)
    for pack in unused(packs):
        print(said.say(message("cli.pack.unused", name=pack.name, game=pack.game)), file=sys.stderr)
    return status


def _start(args: list[str], lang: str) -> int:
    from gambeson.cli.quick import quick_run

    quick = quick_run(args)
    if quick is not None:
        from gambeson.cli.run import run

        return run(quick.files, as_json=quick.as_json, lang=lang, seed=quick.seed, legal=quick.legal)
    from gambeson.cli.app import app

    try:
        app(lang)(args, prog_name="gambeson")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else DONE
    return DONE


def guarded(work: Callable[[], int], lang: str) -> int:
    """The status of some work: an interruption, a closed pipe and a missing extra are told as such."""
    try:
        status = work()
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has left; what is still buffered must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except ModuleNotFoundError as missing:
        name = (missing.name or "").partition(".")[0]
        if name not in EXTRA:
            raise
        print(NO_EXTRA[lang].format(name={"yaml": "PyYAML"}.get(name, name)), file=sys.stderr)
        return UNUSABLE


def _lenient_streams() -> None:
    """A character that the terminal cannot show is escaped; it never stops the answer."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

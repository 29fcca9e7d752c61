"""Which language to speak: the one asked for, else the one that the environment speaks."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGES = ("en", "ru")


def chosen_language(args: list[str], environment: Mapping[str, str]) -> str:
    """`--lang` where it is given and known, else Russian if the locale is Russian, else English."""
    for at, arg in enumerate(args):
        if arg == "--":
            break
        asked = args[at + 1] if arg == "--lang" and at + 1 < len(args) else arg.removeprefix("--lang=")
        if asked != arg and asked in LANGUAGES:
            return asked
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or ""
    return "ru" if locale.lower().startswith("ru") else "en"

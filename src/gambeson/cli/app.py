# No `from __future__ import annotations` here: Typer reads the annotations.
"""The commands, their arguments and options, as Typer understands them; what they do stands in a module each."""

import enum

import typer

from gambeson.cli.entry import guarded
from gambeson.games import texts


class Lang(enum.StrEnum):
    """A language to speak."""

    en = "en"
    ru = "ru"


def app(lang: str) -> typer.Typer:
    """The whole command line, its help in a language."""
    said = texts(None, lang).say
    made = typer.Typer(
        name="gambeson",
        help=said("cli.help.gambeson"),
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    language: Lang = typer.Option(Lang(lang), "--lang", help=said("cli.help.lang"))
    as_json: bool = typer.Option(False, "--json", help=said("cli.help.json"))
    seed: int = typer.Option(None, "--seed", help=said("cli.help.seed"), show_default=False)

    def show_version(wanted: bool) -> None:
        if wanted:
            from gambeson import __version__

            print(f"gambeson {__version__}")
            raise typer.Exit

    @made.callback()
    def gambeson(
        version: bool = typer.Option(
            False, "--version", help=said("cli.help.version"), callback=show_version, is_eager=True
        ),
    ) -> None:
        pass

    @made.command(help=said("cli.help.run"))
    def run(
        files: list[str] = typer.Argument(..., metavar="FILE...", help=said("cli.help.files")),
        as_json: bool = as_json,
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.run import run as play

        raise typer.Exit(guarded(lambda: play(files, as_json=as_json, lang=language, seed=seed), language))

    @made.command(help=said("cli.help.hit"))
    def hit(
        game: str = typer.Argument(..., metavar="GAME", help=said("cli.help.game")),
        blow: str = typer.Argument(..., metavar="BLOW", help=said("cli.help.blow")),
        pools: list[str] = typer.Option([], "--pools", metavar="LAYER=N,...", help=said("cli.help.pools")),
        keys: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help=said("cli.help.set")),
        location: str = typer.Option(None, "--location", metavar="PLACE", help=said("cli.help.location")),
        traits: list[str] = typer.Option([], "--traits", metavar="WORD,...", help=said("cli.help.traits")),
        source: str = typer.Option(None, "--source", metavar="NAME", help=said("cli.help.source")),
        defence: int = typer.Option(None, "--defence", metavar="N", help=said("cli.help.defence")),
        parry: int = typer.Option(None, "--parry", metavar="N", help=said("cli.help.parry")),
        variants: list[str] = typer.Option([], "--variant", metavar="NAME=READING", help=said("cli.help.variant")),
        answers: list[str] = typer.Option([], "--answer", metavar="OPTION", help=said("cli.help.answer")),
        rolls: list[int] = typer.Option([], "--roll", metavar="N", help=said("cli.help.roll")),
        as_json: bool = as_json,
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.hit import Asked
        from gambeson.cli.hit import hit as strike

        words = [word.strip() for text in traits for word in text.split(",") if word.strip()]
        given = {"location": location, "traits": words or None, "source": source, "defence": defence, "parry": parry}
        asked = Asked(
            game=game,
            blow=blow,
            pools=pools,
            keys=keys,
            variants=variants,
            fields={name: value for name, value in given.items() if value is not None},
            answers=answers,
            rolls=rolls,
        )
        raise typer.Exit(guarded(lambda: strike(asked, as_json=as_json, lang=language, seed=seed), language))

    @made.command(help=said("cli.help.rules"))
    def rules(
        game: str = typer.Argument(None, metavar="[GAME]", help=said("cli.help.game")),
        rule: str = typer.Argument(None, metavar="[RULE-ID]", help=said("cli.help.rule")),
        code: bool = typer.Option(False, "--code", help=said("cli.help.code")),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.rules import rules as show

        raise typer.Exit(guarded(lambda: show(game, rule, code=code, lang=language), language))

    return made

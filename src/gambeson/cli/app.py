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


class Engines(enum.Enum):
    """What plays a simulation."""

    local = "local"
    referee = "referee"


class Charts(enum.StrEnum):
    """What a picture of a simulation shows."""

    distribution = "distribution"
    survival = "survival"
    heat = "heat"
    difference = "difference"


class Help:
    """What the help says of each command, argument and option."""

    def __init__(self, lang: str) -> None:
        self._said = texts(None, lang)

    def __getitem__(self, name: str) -> str:
        return self._said.say(f"cli.help.{name}")


def app(lang: str) -> typer.Typer:
    """The whole command line, its help in a language."""
    help = Help(lang)
    said = texts(None, lang).say
    made = typer.Typer(
        name="gambeson",
        help=help["gambeson"],
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    language: Lang = typer.Option(Lang(lang), "--lang", help=help["lang"])
    as_json: bool = typer.Option(False, "--json", help=help["json"])
    seed: int = typer.Option(None, "--seed", help=help["seed"], show_default=False)

    def show_version(wanted: bool) -> None:
        if wanted:
            from gambeson import __version__

            print(f"gambeson {__version__}")
            raise typer.Exit

    @made.callback()
    def gambeson(
        version: bool = typer.Option(False, "--version", help=help["version"], callback=show_version, is_eager=True),
    ) -> None:
        pass

    @made.command(help=help["run"])
    def run(
        files: list[str] = typer.Argument(..., metavar="FILE", help=help["files"]),
        as_json: bool = as_json,
        legal: bool = typer.Option(False, "--legal", help=help["legal"]),
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.run import run as play

        raise typer.Exit(guarded(lambda: play(files, as_json=as_json, lang=language, seed=seed, legal=legal), language))

    @made.command(help=help["hit"])
    def hit(
        game: str = typer.Argument(..., metavar="GAME", help=help["game"]),
        blow: str = typer.Argument(..., metavar="BLOW", help=help["blow"]),
        pools: list[str] = typer.Option([], "--pools", metavar="LAYER=N,...", help=help["pools"]),
        keys: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help=help["set"]),
        location: str = typer.Option(None, "--location", metavar="PLACE", help=help["location"]),
        traits: list[str] = typer.Option([], "--traits", metavar="WORD,...", help=help["traits"]),
        source: str = typer.Option(None, "--source", metavar="NAME", help=help["source"]),
        defence: int = typer.Option(None, "--defence", metavar="N", help=help["defence"]),
        parry: int = typer.Option(None, "--parry", metavar="N", help=help["parry"]),
        variants: list[str] = typer.Option([], "--variant", metavar="NAME=READING", help=help["variant"]),
        answers: list[str] = typer.Option([], "--answer", metavar="OPTION", help=help["answer"]),
        rolls: list[int] = typer.Option([], "--roll", metavar="N", help=help["roll"]),
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

    @made.command(help=said("odds.help.odds"))
    def odds(
        file: str = typer.Argument(..., metavar="FILE", help=said("odds.help.file")),
        step: int = typer.Option(None, "--step", metavar="N", min=1, help=said("odds.help.step"), show_default=False),
        as_json: bool = as_json,
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.odds import odds as chances

        raise typer.Exit(guarded(lambda: chances(file, step=step, as_json=as_json, lang=language, seed=seed), language))

    @made.command(help=help["rules"])
    def rules(
        game: str = typer.Argument(None, metavar="GAME", help=help["game"]),
        rule: str = typer.Argument(None, metavar="RULE-ID", help=help["rule"]),
        code: bool = typer.Option(False, "--code", help=help["code"]),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.rules import rules as show

        raise typer.Exit(guarded(lambda: show(game, rule, code=code, lang=language), language))

    @made.command(help=said("play.help.play"))
    def play(
        what: str = typer.Argument(..., metavar="FILE|GAME", help=said("play.help.what")),
        variants: list[str] = typer.Option([], "--variant", metavar="NAME=READING", help=help["variant"]),
        save: str = typer.Option("", "--save", metavar="FILE", help=said("play.help.save"), show_default=False),
        steps: bool = typer.Option(False, "--steps", help=said("play.help.steps")),
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.play import play as sit_down
        from gambeson.cli.play_opening import Asked

        asked = Asked(what=what, variants=variants, save=save, steps=steps)
        raise typer.Exit(guarded(lambda: sit_down(asked, lang=language, seed=seed), language))

    @made.command(help=said("play.help.spells"))
    def spells(
        game: str = typer.Argument(..., metavar="GAME", help=help["game"]),
        name: str = typer.Argument(None, metavar="NAME", help=said("play.help.spell")),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.spells import spells as show

        raise typer.Exit(guarded(lambda: show(game, name, lang=language), language))

    @made.command(help=help["check"])
    def check(
        paths: list[str] = typer.Argument(None, metavar="[PATH]...", help=help["check_paths"], show_default=False),
        schema: str = typer.Option(None, "--schema", metavar="GAME", help=help["check_schema"], show_default=False),
        strict: bool = typer.Option(False, "--strict", help=help["check_strict"]),
        as_json: bool = as_json,
        language: Lang = language,
    ) -> None:
        from gambeson.cli.check import check as look

        def work() -> int:
            return look(paths or [], schema=schema, strict=strict, as_json=as_json, lang=language)

        raise typer.Exit(guarded(work, language))

    @made.command(help=said("page.cli.table"))
    def table(
        db: str = typer.Option("", "--db", metavar="URL", help=said("page.cli.db"), show_default=False),
        host: str = typer.Option("127.0.0.1", "--host", help=said("page.cli.host")),
        port: int = typer.Option(8000, "--port", min=0, max=65535, help=said("page.cli.port")),
        demo: bool = typer.Option(False, "--demo", help=said("page.cli.demo")),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.table import Asked
        from gambeson.cli.table import table as serve

        raise typer.Exit(guarded(lambda: serve(Asked(db, host, port, demo), lang=language), language))

    @made.command(help=said("keep.help.export"))
    def export(
        id: str = typer.Argument(None, metavar="[TABLE]", help=said("keep.help.id")),
        db: str = typer.Option("", "--db", metavar="URL", help=said("keep.help.db"), show_default=False),
        output: str = typer.Option("", "-o", "--output", metavar="FILE", help=said("keep.help.output")),
        scenario: bool = typer.Option(False, "--scenario", help=said("keep.help.scenario")),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.export import export as write

        def work() -> int:
            return write(id, db=db, output=output, scenario=scenario, lang=language)

        raise typer.Exit(guarded(work, language))

    @made.command("import", help=said("keep.help.import"))
    def import_(
        path: str = typer.Argument(..., metavar="FILE", help=said("keep.help.file")),
        db: str = typer.Option("", "--db", metavar="URL", help=said("keep.help.db"), show_default=False),
        language: Lang = language,
    ) -> None:
        from gambeson.cli.import_ import import_ as read

        raise typer.Exit(guarded(lambda: read(path, db=db, lang=language), language))

    @made.command(help=help["simulate"])
    def simulate(
        file: str = typer.Argument(..., metavar="FILE", help=help["simulate_file"]),
        exact: bool = typer.Option(False, "--exact", help=help["simulate_exact"]),
        trials: int = typer.Option(
            None, "--trials", metavar="N", min=1, help=help["simulate_trials"], show_default=False
        ),
        output: str = typer.Option(
            "", "-o", "--output", metavar="FILE", help=help["simulate_output"], show_default=False
        ),
        engine: Engines = typer.Option(Engines.local, "--engine", help=help["simulate_engine"]),
        threads: int = typer.Option(0, "--threads", metavar="N", min=0, max=256, help=help["simulate_threads"]),
        kernel: bool = typer.Option(False, "--show-kernel", help=help["simulate_kernel"]),
        chart: Charts = typer.Option(Charts.distribution, "--chart", help=help["simulate_chart"]),
        as_json: bool = as_json,
        language: Lang = language,
        seed: int = seed,
    ) -> None:
        from gambeson.cli.simulate import Asked, run

        asked = Asked(
            file=file,
            exact=exact,
            trials=trials,
            seed=seed,
            as_json=as_json,
            output=output,
            engine=engine.value,
            threads=threads,
            show_kernel=kernel,
            chart=chart,
        )
        raise typer.Exit(guarded(lambda: run(asked, lang=language), language))

    return made

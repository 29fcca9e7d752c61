"""rules: the rules of a game with their sources, status and examples; where data and code of a rule stand."""

from __future__ import annotations

import textwrap
from typing import Any

from gambeson.cli.entry import DONE, UNUSABLE
from gambeson.cli.output import BOLD, CYAN, DIM, GREEN, Output, diagnose, diagnose_faults, fault_line
from gambeson.cli.places import Spot, code_spots, data_spots, engine_spots, scenario_spots, text_spots
from gambeson.games import available, load, texts
from gambeson.games.folders import brought
from gambeson.games.loading import rule_texts, variant_texts
from gambeson.language.fields import nearest
from gambeson.language.pack import CommandSpec, Pack
from gambeson.language.texts import Texts
from gambeson.model.errors import Unusable


def rules(game: str | None, rule: str | None, *, code: bool, lang: str) -> int:
    """Print the games, the rules of one, or one rule; gives the exit status."""
    out = Output(lang)
    if game is None:
        return _games(out)
    try:
        pack = load(game)
    except Unusable as unusable:
        for fault in unusable.faults:
            if fault.path == ("game",):
                diagnose(f"GAME: {texts(None, lang).say(fault.message)}")
            else:
                diagnose(fault_line(fault, texts(None, lang)))
        return UNUSABLE
    page = _Page(out, pack)
    if rule is None:
        page.code() if code else page.overview()
        return DONE
    known = _known(rule, tuple(pack.rules))
    if known is None:
        meant = nearest(rule.upper(), tuple(pack.rules))
        first, last = next(iter(pack.rules), ""), next(reversed(pack.rules), "")
        diagnose(
            f"RULE-ID: {out.said.say('cli.rules.unknown', got=rule, meant=meant, game=game, first=first, last=last)}"
        )
        return UNUSABLE
    page.rule(known, code_only=code)
    return DONE


def _known(rule: str, ids: tuple[str, ...]) -> str | None:
    """The id that was meant: letter case and leading zeros do not matter."""
    family, _, number = rule.strip().upper().rpartition("-")
    for id in ids:
        own, _, digits = id.rpartition("-")
        if own == family and digits.lstrip("0") == number.lstrip("0"):
            return id
    return None


def _games(out: Output) -> int:
    games = (*available(), *(name for name in brought() if name not in available()))
    width = max(map(len, games), default=0)
    for game in games:
        try:
            pack = load(game)
        except Unusable as unusable:
            diagnose_faults(unusable.faults, out.said)
            continue
        about = texts(game, out.lang).say("about") if texts(game, out.lang).has("about") else ""
        out.print(f"{out.painted(f'{game:{width}}', BOLD)}  {out.said.say('cli.rules.count', count=len(pack.rules))}")
        for line in textwrap.wrap(about, out.width - width - 2):
            out.print(line, DIM, " " * (width + 2))
    out.print()
    out.say("cli.rules.hint_game", DIM)
    return DONE


class _Page:
    """Prints what is known of one game."""

    def __init__(self, out: Output, pack: Pack) -> None:
        self.out = out
        self.pack = pack
        self.game = pack.game
        self.said: Texts = texts(pack.folder, out.lang)
        self.texts = rule_texts(pack.folder, out.lang)
        self.variants = variant_texts(pack.folder, out.lang)

    def overview(self) -> None:
        """The rules, the commands with their fields, the open questions."""
        self._heading("cli.rules.rules")
        column = max((len(id) for id in self.pack.rules), default=0)
        status = max((len(self._status(rule.status)) for rule in self.pack.rules.values()), default=0)
        for id, rule in self.pack.rules.items():
            word = self._status(rule.status)
            title = self.texts.get(id, {}).get("title", "")
            print(f"  {self.out.painted(f'{id:{column}}', CYAN)}  {self.out.painted(f'{word:{status}}', DIM)}  {title}")
        self._heading("cli.rules.commands")
        for name, command in self.pack.commands.items():
            self._command(name, command)
        self._heading("cli.rules.variants")
        for name in self.pack.variants:
            self._variant(name)
        self._licence()
        self.out.print()
        self.out.say("cli.rules.hint_rule", DIM, game=self.game, rule=next(iter(self.pack.rules), "RULE-ID"))

    def _licence(self) -> None:
        """The lines that go with every page of these rules, word for word and unbroken."""
        for line in self.pack.licence:
            self.out.print()
            print(line)

    def _status(self, status: str) -> str:
        return self.out.said.say(f"cli.status.{status}")

    def _heading(self, id: str, **params: Any) -> None:
        self.out.print()
        self.out.say(id, BOLD, **params)

    def _command(self, name: str, command: CommandSpec) -> None:
        fields = []
        for key, field in command.fields.items():
            fields.append(key if field.required else f"[{key}]")
        if command.writes_entities:
            fields.append(self.out.said.say("cli.rules.entity_keys"))
        text = f"{name}: {', '.join(fields)}" if fields else name
        self._wrapped(text, "  ", "      ")

    def _variant(self, name: str) -> None:
        variant = self.pack.variants[name]
        said = self.variants.get(name, {})
        active = self.pack.readings.get(name, variant.active)
        self._wrapped(f"{name} ({variant.rule}): {said.get('question', '')}", "  ", "      ")
        for reading in variant.readings:
            meaning = str(said.get("readings", {}).get(reading, ""))
            sign = "*" if reading == active else " "
            self._wrapped(f"{sign} {reading}: {meaning}", "    ", "        ", GREEN if sign == "*" else "")

    def _wrapped(self, text: str, first: str, after: str, style: str = "") -> None:
        wrapped = textwrap.wrap(
            text,
            self.out.width,
            initial_indent=first,
            subsequent_indent=after,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in wrapped:
            self.out.print(line, style)

    def rule(self, id: str, *, code_only: bool) -> None:
        """One rule, whole, and where it stands."""
        rule = self.pack.rules[id]
        said = self.texts.get(id, {})
        self.out.print(f"{id} · {said.get('title', '')}", BOLD)
        if not code_only:
            self.out.say("cli.rules.status", DIM, status=self._status(rule.status), source=rule.source)
            self.out.print()
            self._wrapped(said.get("text", ""), "  ", "  ")
            for part, label in (("example", "cli.rules.example"), ("refusal", "cli.rules.refusal")):
                if part in said:
                    self.out.print()
                    self._wrapped(f"{self.out.said.say(label)} {said[part]}", "  ", "  ")
            touching = [
                name for name, variant in self.pack.variants.items() if variant.rule == id or name in rule.variants
            ]
            if touching:
                self._heading("cli.rules.variants")
                for name in touching:
                    self._variant(name)
            self._spots("cli.rules.words", text_spots(self.pack.folder, id, self.out.lang))
            self._spots("cli.rules.data", data_spots(self.pack.folder, id))
        self._spots("cli.rules.code", (*code_spots(self.pack.folder, id), *engine_spots(self.pack.folder, id)))
        if not code_only:
            self._spots("cli.rules.scenarios", scenario_spots(self.game, id))

    def _spots(self, heading: str, spots: tuple[Spot, ...]) -> None:
        if not spots:
            return
        self._heading(heading)
        for spot in spots:
            self.out.print(str(spot), CYAN, "  ")
            self.out.print(textwrap.shorten(spot.text, self.out.width - 6, placeholder=" …"), DIM, "      ")

    def code(self) -> None:
        """What stands in Python because no data can say it."""
        spots = code_spots(self.pack.folder)
        if spots:
            self._spots("cli.rules.in_python", spots)
        else:
            self.out.say("cli.rules.no_python", game=self.game)

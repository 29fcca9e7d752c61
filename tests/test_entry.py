"""Quick entry: what a line means at a table, and that any line means a command or is answered with a message."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambeson.games import available, load, texts
from gambeson.language.fields import WordField
from gambeson.model.commands import Command
from gambeson.model.messages import Message
from gambeson.table import Table
from gambeson.table.entry import Misread, read_entry, tokens
from gambeson.table.entry_words import words_for
from gambeson.table.spoken import number_said

NOVITAS = {
    "anna": {"name": "Анна", "pools": {"body": 3, "physical_armor": 2}},
    "boris": {"name": "Sir Boris", "pools": {"body": 3}},
    "bob": {"pools": {"body": 3}},
}
POKROVY = {
    "анна": {"name": "Анна", "pools": {"vyn": 20, "wards": {"current": 5, "maximum": 5, "source": "stone_skin"}}},
    "маг": {"name": "Маг Ёлка", "pools": {"vyn": 12}},
    "orc": {"name": "Орк", "pools": {"vyn": 12}},
}

ORC = {"orc": {"name": "Орк", "pools": {"hit_points": 12}}}
ENTITIES: dict[str, dict[str, Any]] = {
    "novitas": NOVITAS,
    "pokrovy": POKROVY,
    "srd5": ORC,
    "eldfall": {"orc": {"name": "Орк", "player": "red", "pools": {"hit_points": 2}}},
}


@cache
def table(game: str) -> Table:
    return Table(game, entities=ENTITIES.get(game, {}))


def entered(game: str, line: str) -> tuple[str, dict[str, Any]]:
    entry = read_entry(table(game).pack, table(game).state, line)
    assert isinstance(entry, Command), said(entry)
    return entry.name, entry.fields


def said(entry: Misread | Command, lang: str = "en") -> str:
    assert isinstance(entry, Misread)
    return texts(None, lang).say(entry.said)


def misread(game: str, line: str) -> str:
    return said(read_entry(table(game).pack, table(game).state, line))


# Blows


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("anna 4", {"target": "anna", "call": "4"}),
        ("ANNA 4 pierce poison left arm", {"target": "anna", "call": "4 pierce poison", "location": "left_arm"}),
        ("анна 4 сквозь яд левая рука", {"target": "anna", "call": "4 сквозь яд", "location": "left_arm"}),
        ("an 4 pierce левая рука", {"target": "anna", "call": "4 pierce", "location": "left_arm"}),
        ("anna left_arm 4", {"target": "anna", "call": "4", "location": "left_arm"}),
        ("anna 4 la", {"target": "anna", "call": "4", "location": "left_arm"}),
        ("anna 4 пн", {"target": "anna", "call": "4", "location": "right_leg"}),
        ("anna left arm wound", {"target": "anna", "call": "left arm wound"}),
        ("anna left arm wound right leg", {"target": "anna", "call": "left arm wound", "location": "right_leg"}),
        ("anna unknown", {"target": "anna", "damage": "unknown"}),
        ("анна неизвестно левая нога", {"target": "anna", "damage": "unknown", "location": "left_leg"}),
        ("hit anna 4 source=boris", {"target": "anna", "call": "4", "source": "boris"}),
        ("ударить анна 4 от=sir", {"target": "anna", "call": "4", "source": "boris"}),
        ("Sir Boris 2 silver", {"target": "boris", "call": "2 silver"}),
        ("anna 4 siver", {"target": "anna", "call": "4 siver"}),
        ("anna 4 traits=trap", {"target": "anna", "call": "4", "traits": ("trap",)}),
        ("anna damage=3 location=torso", {"target": "anna", "damage": 3, "location": "torso"}),
    ],
)
def test_a_called_blow_says_who_what_and_where(line: str, fields: dict[str, Any]) -> None:
    assert ("hit", fields) == entered("novitas", line)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (
            "анна 14 огонь + 6 рубящий парирование=3 melee source=orc",
            {"target": "анна", "call": "14 огонь + 6 рубящий melee", "parry": 3, "source": "orc"},
        ),
        ("орк 5 fire оборона=0", {"target": "orc", "call": "5 fire", "defence": 0}),
        ("елка 5", {"target": "маг", "call": "5"}),
        ("анна damage=[{amount: 3, type: огонь}]", {"target": "анна", "damage": ({"amount": 3, "type": "fire"},)}),
    ],
)
def test_a_blow_in_amounts_and_types_keeps_its_words(line: str, fields: dict[str, Any]) -> None:
    assert ("hit", fields) == entered("pokrovy", line)


# Commands


@pytest.mark.parametrize(
    ("line", "name", "fields"),
    [
        ("rest all long", "rest", {"who": "all", "kind": "long"}),
        ("отдых все продолжительный", "rest", {"who": "all", "kind": "long"}),
        ("отдых анна маг короткий success=нет", "rest", {"who": ("анна", "маг"), "kind": "short", "success": False}),
        (
            "grant анна wards 12 source=prayer",
            "grant",
            {"target": "анна", "layer": "wards", "points": 12, "source": "prayer"},
        ),
        (
            'дать анна 8 источник="Каменная кожа" 10 минут',
            "grant",
            {"target": "анна", "points": 8, "source": "Каменная кожа", "until": {"minutes": 10}},
        ),
        ("дать анна 8 срок=long_rest", "grant", {"target": "анна", "points": 8, "until": "long_rest"}),
        (
            "дать анна 8 extras=[{name: шипы, dice: 2d4, type: огонь}]",
            "grant",
            {"target": "анна", "points": 8, "extras": ({"name": "thorns", "dice": "2d4", "type": "fire"},)},
        ),
        ("wait 5", "wait", {"minutes": 5}),
        ("ждать 5", "wait", {"minutes": 5}),
        ("pay анна 3", "pay", {"who": "анна", "points": 3}),
        ("pay анна 3 by=анна", "pay", {"who": "анна", "points": 3}),
        ("end анна stone_skin", "end", {"target": "анна", "effect": "stone_skin"}),
        ("end анна stone", "end", {"target": "анна", "effect": "stone_skin"}),
        ('cast маг "Ограждение" анна', "cast", {"caster": "маг", "spell": "Ограждение", "targets": ("анна",)}),
        (
            "наложить маг Слово силы: Укрепление анна",
            "cast",
            {"caster": "маг", "spell": "Слово силы: Укрепление", "targets": ("анна",)},
        ),
        (
            "cast маг barrier анна витализм эмерджизм 3 choices={type: огонь}",
            "cast",
            {
                "caster": "маг",
                "spell": "barrier",
                "targets": ("анна",),
                "circle": 3,
                "modifications": ("витализм", "эмерджизм"),
                "choices": {"type": "fire"},
            },
        ),
        ("add боб vyn=3/8 wards=2", "add", {"id": "боб", "pools": {"vyn": {"current": 3, "maximum": 8}, "wards": 2}}),
        (
            'добавить "Боб Стрелок" vyn=3 resistant=огонь,cold СУ={огонь: 2}',
            "add",
            {
                "id": "боб_стрелок",
                "name": "Боб Стрелок",
                "pools": {"vyn": 3},
                "resistant": ("fire", "cold"),
                "reductions": {"fire": 2},
            },
        ),
        (
            "add боб wards=5 wards.source=oath",
            "add",
            {"id": "боб", "pools": {"wards": {"current": 5, "source": "oath"}}},
        ),
        ("edit анна wards=2", "edit", {"target": "анна", "pools": {"wards": 2}}),
        ("remove орк", "remove", {"id": "orc"}),
    ],
)
def test_a_command_takes_its_fields_in_order_or_by_name(line: str, name: str, fields: dict[str, Any]) -> None:
    assert (name, fields) == entered("pokrovy", line)


def test_somebody_may_act_for_themselves() -> None:
    entry = read_entry(table("pokrovy").pack, table("pokrovy").state, "pay анна 3 by=анна")

    assert isinstance(entry, Command)
    assert "анна" == entry.by


# What is not understood


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "nothing was typed"),
        ("annna 4", "did you mean anna"),
        ("b 4", "Sir Boris, bob"),
        ("grand anna 3", "did you mean grant"),
        ("anna", "say what strikes"),
        ("grant annna body 2", "nobody here is called annna"),
        ("grant anna hat 2", "layer"),
        ("wait soon", "minutes"),
        ("wait 5 6", "6 has no place in wait"),
        ("wait minuets=5", "did you mean minutes"),
        ("anna 4 source=boris source=anna", "source is given twice"),
        ('cast anna "magic armor', "quotation marks"),
        ("add x pools={body: 3", "bracket"),
        ("anna 4 by=nobody", "nobody here is called nobody"),
    ],
)
def test_what_is_not_understood_is_said_in_one_message(line: str, words: str) -> None:
    assert words in misread("novitas", line)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_misreading_has_its_words(lang: str) -> None:
    for line in ("", "annna 4", "b 4", "anna", "wait 5 6", "wait x=1", "anna 'x", "x" * 3000, "kill"):
        entry = read_entry(table("novitas").pack, table("novitas").state, line)
        if isinstance(entry, Misread):
            assert "play." not in said(entry, lang)


def test_tokens_keep_what_quotes_and_brackets_hold() -> None:
    found = tokens('add "Боб С" a={x: [1, "}"]} «в о» k="v w"')

    assert [("", "add"), ("", "Боб С"), ("a", '{x: [1, "}"]}'), ("", "в о"), ("k", "v w")] == [
        (token.key, token.text) for token in found
    ]


# Laws


@cache
def vocabulary(game: str) -> tuple[str, ...]:
    """Words that mean something at the table, and some that do not."""
    pack = table(game).pack
    names = [word for name in pack.commands for word in (name, *words_for(f"play.verb.{name}"))]
    fields = [f"{field}=" for spec in pack.commands.values() for field in spec.fields]
    others = [
        "4",
        "0",
        "-1",
        "99999999999",
        "10m",
        "la",
        "left",
        "arm",
        "огонь",
        "+",
        "[",
        "{a: 1}",
        "'",
        '"',
        "=",
        "a=b",
        "{",
        "x y",
    ]
    layers = [f"{layer}=3/4" for layer in pack.layers] + [f"{layer}.source=oath" for layer in pack.layers]
    return (*table(game).state.entities, *names, *fields, *others, *layers, *pack.spells, *pack.words.known)


def lines(game: str) -> st.SearchStrategy[str]:
    words = st.sampled_from(vocabulary(game))
    known = st.lists(st.one_of(words, words, words, st.text(max_size=6)), max_size=8).map(" ".join)
    return st.one_of(known, st.text(max_size=60))


@pytest.mark.parametrize("game", available())
@given(data=st.data())
def test_any_line_is_a_command_or_a_message_and_never_breaks_the_table(game: str, data: st.DataObject) -> None:
    line = data.draw(lines(game))
    here = Table(load(game), entities=table(game).written)
    before = here.state

    entry = read_entry(here.pack, here.state, line)

    if isinstance(entry, Misread):
        assert isinstance(entry.said, Message)
        assert "play." not in said(entry) or "play." in line
        assert before is here.state
    else:
        here.submit(entry)


@pytest.mark.parametrize("game", ["novitas", "pokrovy"])
@given(data=st.data())
def test_a_command_typed_out_in_full_is_the_same_command(game: str, data: st.DataObject) -> None:
    pack, state = table(game).pack, table(game).state
    who = data.draw(st.sampled_from(sorted(state.entities)))
    points = data.draw(st.integers(1, 50))
    field = pack.commands["grant"].fields["layer"]
    assert isinstance(field, WordField)
    layer = data.draw(st.sampled_from(field.of))

    entry = read_entry(pack, state, f"grant points={points} layer={layer} target={who}")

    assert Command("grant", {"points": points, "layer": layer, "target": who}) == entry


# What is said aloud


ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "ru": "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать "
    "четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
}
TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "ru": "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
}
HUNDREDS = "сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот"


def spelled(number: int, lang: str) -> str:
    """A number below a million in words."""
    ones, tens = ONES[lang].split(), TENS[lang].split()
    if number < 20:
        return ones[number]
    if number < 100:
        return tens[number // 10 - 2] + (f" {ones[number % 10]}" if number % 10 else "")
    if number < 1000:
        hundreds = f"{ones[number // 100]} hundred" if lang == "en" else HUNDREDS.split()[number // 100 - 1]
        return hundreds + (f" {spelled(number % 100, lang)}" if number % 100 else "")
    thousand = "thousand" if lang == "en" else "тысяч"
    rest = f" {spelled(number % 1000, lang)}" if number % 1000 else ""
    return f"{spelled(number // 1000, lang)} {thousand}{rest}"


@pytest.mark.parametrize("lang", ["en", "ru"])
@given(number=st.integers(0, 999_999))
def test_a_number_in_words_is_the_number(lang: str, number: int) -> None:
    words = spelled(number, lang).split()
    assert (len(words), number) == number_said([*words, "silver", "four"])


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("one hundred and six", (4, 106)),
        ("a hundred", None),
        ("hundred", (1, 100)),
        ("thousand", (1, 1000)),
        ("twenty-four", (1, 24)),
        ("four, five", (1, 4)),
        ("four five", (1, 4)),
        ("twenty twelve", (1, 20)),
        ("двести двенадцать", (2, 212)),
        ("двумя", (1, 2)),
        ("silver", None),
        ("", None),
    ],
)
def test_words_that_are_no_part_of_a_number_end_it(said: str, number: tuple[int, int] | None) -> None:
    assert number == number_said(said.split())


@pytest.mark.parametrize(
    ("game", "line", "typed"),
    [
        ("novitas", "anna four silver pierce", "anna 4 silver pierce"),
        ("novitas", "Anna Four Silver, pierce!", "anna 4 Silver, pierce!"),
        ("novitas", "анна четыре серебром", "анна 4 серебром"),
        ("novitas", "anna for silver", "anna 4 silver"),
        ("novitas", "anna two magic in the left arm", "anna 2 magic left arm"),
        ("novitas", "анна двумя ядом в левую руку", "анна 2 ядом left arm"),
        ("novitas", "boris twenty-one", "boris 21"),
        ("pokrovy", "анна четырнадцать огня плюс шесть рубящего", "анна 14 огня + 6 рубящего"),
        ("pokrovy", "анна сто двадцать огнём и шесть рубящим", "анна 120 огнём + 6 рубящим"),
        ("pokrovy", "orc fourteen points of fire and six slashing melee", "orc 14 fire + 6 slashing melee"),
        ("srd5", "orc fourteen fire plus one hundred and six slashing", "orc 14 fire + 106 slashing"),
        ("eldfall", "orc power twelve two hits", "orc power 12, 2 hits"),
        ("eldfall", "орк мощь двенадцать, два попадания", "орк power=12 hits=2"),
        ("eldfall", "orc three", "orc 3"),
    ],
)
def test_a_blow_that_is_said_is_the_blow_that_is_typed(game: str, line: str, typed: str) -> None:
    assert entered(game, typed) == entered(game, line)


def test_other_commands_take_numbers_in_words_too() -> None:
    assert entered("pokrovy", "heal anna 25") == entered("pokrovy", "heal anna twenty five")


def test_what_stays_unknown_is_named_as_it_was_said() -> None:
    assert ("hit", {"target": "anna", "call": "four siver"}) == entered("novitas", "anna four siver")


def test_a_blow_in_numbers_is_said_with_names() -> None:
    assert ("hit", {"target": "orc", "power": 12, "hits": 2}) == entered("eldfall", "orc power 12, 2 hits")


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("orc 14", {"damage": ({"amount": 14},)}),
        ("orc 14 fire", {"damage": ({"amount": 14, "type": "fire"},)}),
        (
            "орк 14 огня + 3 дробящего",
            {"damage": ({"amount": 14, "type": "fire"}, {"amount": 3, "type": "bludgeoning"})},
        ),
        ("orc 14 fier", {"damage": ({"amount": 14, "type": "fier"},)}),
        ("orc 6 slashing melee", {"damage": ({"amount": 6, "type": "slashing"},), "traits": ("melee",)}),
        ("orc 6 slashing source=orc", {"damage": ({"amount": 6, "type": "slashing"},), "source": "orc"}),
        ("orc 6 slashing saved", {"damage": ({"amount": 6, "type": "slashing"},), "saved": True}),
    ],
)
def test_a_blow_in_amounts_and_types_is_read_where_no_call_is_kept(line: str, fields: dict[str, Any]) -> None:
    assert ("hit", {"target": "orc", **fields}) == entered("srd5", line)

"""Texts in two languages: templates, plural forms, terms, faults, and what one language lacks."""

from __future__ import annotations

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from gambeson.language.texts import PLURAL_FORMS, Texts, differing, missing, plural
from gambeson.model.errors import GambesonError
from gambeson.model.messages import Parameter, message


def english(text: str) -> Texts:
    return Texts("en", {"it": text})


def said(text: str, **params: Parameter) -> str:
    return english(text).say("it", **params)


def faults(text: str, lang: str = "en") -> list[str]:
    return [fault.message.id for fault in Texts(lang, {"it": text}).check()]


# Plural forms


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_plural_is_that_of_cldr(lang: str) -> None:
    rule = Locale(lang).plural_form
    expected = [rule(n) for n in range(10_001)]
    assert expected == [PLURAL_FORMS[lang][plural(lang, n)] for n in range(10_001)]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_plural_of_a_negative_number_is_that_of_its_amount(lang: str) -> None:
    rule = Locale(lang).plural_form
    assert [rule(-n) for n in range(200)] == [PLURAL_FORMS[lang][plural(lang, -n)] for n in range(200)]


def test_plural_refuses_a_language_without_rule() -> None:
    with pytest.raises(GambesonError, match="'de'; known: en, ru"):
        plural("de", 1)


@pytest.mark.parametrize(
    ("n", "expected"), [(1, "1 Покров"), (2, "2 Покрова"), (5, "5 Покровов"), (11, "11 Покровов"), (21, "21 Покров")]
)
def test_russian_counts_correctly(n: int, expected: str) -> None:
    assert expected == Texts("ru", {"it": "{n} {n|Покров|Покрова|Покровов}"}).say("it", n=n)


def test_plural_without_a_number_takes_the_last_form() -> None:
    assert ["points", "points"] == [said("{n|point|points}"), said("{n|point|points}", n="many")]


def test_plural_short_of_forms_is_said_with_the_last_one() -> None:
    assert "Покрова" == Texts("ru", {"it": "{n|Покров|Покрова}"}).say("it", n=5)


# Values


def test_value_texts_and_numbers_stand_as_they_are() -> None:
    assert "Анна: -1000000" == said("{name}: {points}", name="Анна", points=-1_000_000)


def test_value_none_is_a_dash() -> None:
    assert "source —" == said("source {source}", source=None)


def test_value_tuple_is_joined() -> None:
    assert "known: acid, 4, —" == said("known: {words}", words=("acid", 4, None))


def test_value_message_is_said_in_the_same_language() -> None:
    texts = Texts("en", {"whole": "{who} {what}", "part": "loses {n}"})
    assert "Anna loses 2, loses 3" == texts.say(
        message("whole", who="Anna", what=(message("part", n=2), message("part", n=3)))
    )


def test_value_braces_in_a_parameter_are_not_a_template() -> None:
    assert "{n} {{" == said("{x}", x="{n} {{", n=1)


def test_value_not_given_keeps_its_braces() -> None:
    assert "{who} has {@layer}" == said("{who} has {@layer}")


def test_parameter_may_be_called_like_an_argument() -> None:
    assert "a b" == said("{self} {message}", self="a", message="b")


def test_parameters_of_the_call_win_over_those_of_the_message() -> None:
    assert "2 and 3" == english("{a} and {b}").say(message("it", a=1, b=3), a=2)


def test_doubled_braces_are_braces() -> None:
    assert "{a} {4}" == said("{{a}} {{{n}}}", n=4)


# Terms


def test_term_is_named_by_the_texts() -> None:
    texts = Texts("ru", {"term": {"left_arm": "левая рука"}})
    assert "левая рука" == texts.term("left_arm")


def test_term_without_a_name_is_its_id_in_words() -> None:
    assert "left arm" == Texts("ru", {}).term("left_arm")


def test_term_blanks_name_one_id_or_several() -> None:
    texts = Texts("en", {"it": "{@one}; {@several}; {@none}", "term": {"torso": "the torso"}})
    assert "the torso; the torso, left arm; —" == texts.say("it", one="torso", several=("torso", "left_arm"), none=None)


# Conditions


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Anna", "by Anna"),
        (3, "by 3"),
        (("a", "b"), "by a, b"),
        (0, "alone"),
        ("", "alone"),
        ((), "alone"),
        (None, "alone"),
    ],
)
def test_conditional_chooses_by_the_value(value: Parameter, expected: str) -> None:
    assert expected == said("{x?by {x}|alone}", x=value)


def test_conditional_without_otherwise_says_nothing() -> None:
    assert "done" == said("done{x? by {x}}")


def test_choices_may_hold_choices() -> None:
    text = "{who?{who}: {n} {n|point|points}|{n|one|more}}"
    assert ["Anna: 1 point", "more"] == [said(text, who="Anna", n=1), said(text, n=2)]


def test_bar_and_question_mark_outside_blanks_are_plain() -> None:
    assert "a|b? 1" == said("a|b? {n}", n=1)


# Ids


def test_nested_and_flat_entries_are_the_same() -> None:
    nested = Texts("en", {"refusal": {"dead": {"plain": "dead"}, "kind.other": "other"}})
    flat = Texts("en", {"refusal.dead.plain": "dead", "refusal.kind.other": "other"})
    assert ("refusal.dead.plain", "refusal.kind.other") == nested.ids == flat.ids


def test_unknown_id_is_said_readably() -> None:
    texts = Texts("en", {"part": "four"})
    assert "refusal.gone (limit: four, who: Anna)" == texts.say("refusal.gone", limit=message("part"), who="Anna")
    assert "refusal.gone" == texts.say("refusal.gone")


def test_faulty_text_is_said_as_its_id_with_parameters() -> None:
    assert "it (n: 4)" == said("only {n", n=4)


def test_merged_texts_prefer_the_later() -> None:
    whole = Texts("en", {"a": "1", "b": "1"}).merged(Texts("en", {"b": "2"}), Texts("en", {"c": "3"}))
    assert [("a", "1"), ("b", "2"), ("c", "3")] == [(id, whole.say(id)) for id in whole.ids]


def test_merging_leaves_the_parts_as_they_were() -> None:
    first = Texts("en", {"a": "1"})
    first.merged(Texts("en", {"a": "2"}))
    assert "1" == first.say("a")


def test_merging_keeps_the_faults_of_the_parts() -> None:
    whole = Texts("en", {"a": 1}).merged(Texts("en", {"b": None}))
    assert [("a",), ("b",)] == [fault.path for fault in whole.check()]


def test_merging_refuses_another_language() -> None:
    with pytest.raises(GambesonError, match="several languages: en, ru"):
        Texts("en", {}).merged(Texts("ru", {}))


def test_language_without_plural_rule_is_refused() -> None:
    with pytest.raises(GambesonError, match="'tlh'"):
        Texts("tlh", {})


# Faults


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{", "syntax"),
        ("{}", "syntax"),
        ("{ x }", "syntax"),
        ("{4}", "syntax"),
        ("{x.y}", "syntax"),
        ("{имя}", "syntax"),
        ("{@x?a|b}", "syntax"),
        ("{@x|a|b}", "syntax"),
        ("{x?{{a|b}", "syntax"),
        ("{x?a|b|c}", "branches"),
        ("{x?a|b", "unclosed"),
        ("{n|a|b", "unclosed"),
        ("a } b", "stray_brace"),
        ("{x?a}}", "stray_brace"),
        ("{x?" * 9 + "}" * 9, "too_deep"),
    ],
)
def test_check_finds_what_is_no_template(text: str, kind: str) -> None:
    assert [f"fault.text.{kind}"] == faults(text)


@pytest.mark.parametrize(
    "text", ["", "plain", "{x}", "{@x}", "{n|a|b}", "{x?a}", "{x?|b}", "{{", "}}", "{x?" * 8 + "}" * 8]
)
def test_check_finds_nothing_in_good_templates(text: str) -> None:
    assert [] == faults(text)


@pytest.mark.parametrize(
    ("lang", "text"), [("en", "{n|a}"), ("en", "{n|a|b|c}"), ("ru", "{n|a|b}"), ("ru", "{x?{n|a|b|c|d}}")]
)
def test_check_finds_wrong_numbers_of_plural_forms(lang: str, text: str) -> None:
    assert ["fault.text.plural_forms"] == faults(text, lang)


def test_check_says_where_and_what() -> None:
    (fault,) = Texts("ru", {"refusal": {"too_many": "{n|один|много}"}}).check()
    assert ("refusal", "too_many") == fault.path
    assert {"name": "n", "found": 2, "allowed": ("one", "few", "many")} == fault.message.params


def test_check_finds_what_is_no_text() -> None:
    checked = Texts("en", {"a": None, "b": {"c": ["d"]}, "e": "text"}).check()
    assert [(("a",), "fault.text.not_text"), (("b", "c"), "fault.text.not_text")] == [
        (fault.path, fault.message.id) for fault in checked
    ]


def test_check_finds_an_id_given_twice() -> None:
    assert ["fault.text.twice"] == [fault.message.id for fault in Texts("en", {"a.b": "1", "a": {"b": "2"}}).check()]


@given(st.text(alphabet="{}|?@ax ", max_size=30))
def test_say_never_raises(text: str) -> None:
    assert isinstance(said(text, a="1", x=2), str)


@given(st.text(max_size=40))
def test_any_text_with_doubled_braces_is_said_as_it_is(text: str) -> None:
    assert text == said(text.replace("{", "{{").replace("}", "}}"))


# Comparing languages


def test_parameters_are_those_of_every_kind_of_blank() -> None:
    text = "{a} {@b} {c|{d}|{e}} {f?{@g}|{h|i|j}} {{k}}"
    assert frozenset("abcdefgh") == english(text).parameters("it")


def test_parameters_of_what_is_no_template_are_none() -> None:
    assert frozenset() == english("{a} {").parameters("it") == english("{a}").parameters("unknown")


def test_missing_are_the_ids_that_the_other_lacks() -> None:
    a = Texts("en", {"one": "", "two": "", "three": ""})
    b = Texts("ru", {"two": "", "four": ""})
    assert (("one", "three"), ("four",)) == (missing(a, b), missing(b, a))


def test_differing_are_the_ids_that_read_other_parameters() -> None:
    a = Texts("en", {"same": "{n} {who}", "other": "{n}", "only": "{x}"})
    b = Texts("ru", {"same": "{who}: {n|a|b|c}", "other": "{m}"})
    assert ("other",) == differing(a, b)

"""Formulas and predicates: grammar, canonical text, types, values, bounds, and faults with columns."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gambeson.language import expressions
from gambeson.language.dice import Dice
from gambeson.language.expressions import (
    NODES_MOST,
    NUMBER_MOST,
    Arithmetic,
    Call,
    Compare,
    Contains,
    Expression,
    ExpressionFault,
    Flag,
    Logic,
    Name,
    Names,
    Negate,
    Not,
    NotComputable,
    Number,
    Reference,
    Throw,
    TooLarge,
    Word,
    compile_dice,
    compile_formula,
    compile_predicate,
    dice_in,
    names_in,
    parse,
    show,
)
from gambeson.language.texts import Texts
from gambeson.model.messages import Message, Parameter

TEXTS = Path(expressions.__file__).parent.parent / "texts"


def read(key: str) -> Any:
    return lambda scope: scope[key]


NAMES = Names(
    {
        "circle": Name("number", read("circle")),
        "points": Name("number", read("points")),
        "круг": Name("number", read("circle")),
        "hit.slay": Name("flag", read("slay")),
        "hit.melee": Name("flag", read("melee")),
        "target.kind": Name("word", read("kind")),
        "target.traits": Name("list", read("traits")),
    }
)
SCOPE = {"circle": 3, "points": 7, "slay": True, "melee": False, "kind": "object", "traits": ("undead", "large")}


def value(text: str, **changed: Any) -> int:
    return compile_formula(parse(text), NAMES)({**SCOPE, **changed})


def holds(text: str, **changed: Any) -> bool:
    return compile_predicate(parse(text), NAMES)({**SCOPE, **changed})


def fault(text: str, names: Names = NAMES) -> tuple[str, int]:
    """What is wrong with a text as formula, predicate and dice alike (the first that parses decides)."""
    with pytest.raises(ExpressionFault) as caught:
        compile_formula(parse(text), names)
    return caught.value.message.id.removeprefix("fault.expression."), caught.value.column


def predicate_fault(text: str) -> tuple[str, int]:
    with pytest.raises(ExpressionFault) as caught:
        compile_predicate(parse(text), NAMES)
    return caught.value.message.id.removeprefix("fault.expression."), caught.value.column


# Grammar


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 * circle", Arithmetic("*", Number(5), Reference("circle"))),
        ("1+2*3", Arithmetic("+", Number(1), Arithmetic("*", Number(2), Number(3)))),
        ("1-2-3", Arithmetic("-", Arithmetic("-", Number(1), Number(2)), Number(3))),
        ("-a*b", Arithmetic("*", Negate(Reference("a")), Reference("b"))),
        ("2d8", Throw(Number(2), Number(8))),
        ("1d4+4", Arithmetic("+", Throw(Number(1), Number(4)), Number(4))),
        ("circle d 4", Throw(Reference("circle"), Number(4))),
        ("circle d4", Throw(Reference("circle"), Number(4))),
        ("d d d", Throw(Reference("d"), Reference("d"))),
        ("2*1d4", Arithmetic("*", Number(2), Throw(Number(1), Number(4)))),
        ("not a and b", Logic("and", Not(Reference("a")), Reference("b"))),
        ("not a = 1", Not(Compare("=", Reference("a"), Number(1)))),
        ("a or b and c", Logic("or", Reference("a"), Logic("and", Reference("b"), Reference("c")))),
        ("a == 1", Compare("=", Reference("a"), Number(1))),
        ("'fire' in hit.types", Contains(Word("fire"), Reference("hit.types"))),
        ("ceil(points / 2)", Call("ceil", (Arithmetic("/", Reference("points"), Number(2)),))),
        ("true", Flag(True)),
        ("007", Number(7)),
        ('цель.вид = "дом"', Compare("=", Reference("цель.вид"), Word("дом"))),
    ],
)
def test_grammar(text: str, expected: Expression) -> None:
    assert expected == parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("((1))+2", "1 + 2"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("a==1", "a = 1"),
        ("2 d 6+1", "2d6 + 1"),
        ("circle d4", "circle d 4"),
        ("(a+1)d(b)", "(a + 1) d b"),
        ("not(a)", "not a"),
        ("not(a or b)", "not (a or b)"),
        ("(a=1)=(b=2)", "(a = 1) = (b = 2)"),
        ("- - a", "--a"),
        ("max( 1,a )", "max(1, a)"),
        ('"it\'s" in list', '"it\'s" in list'),
        ('"word" in list', "'word' in list"),
    ],
)
def test_canonical_text(text: str, expected: str) -> None:
    assert expected == show(parse(text))


def test_columns_are_kept_and_do_not_count_in_comparisons() -> None:
    expr = parse("  circle + 1")
    assert (3, parse("circle+1")) == (expr.column, expr)
    assert hash(parse("circle+1")) == hash(expr)
    assert parse("circle+2") != expr


def test_trees_survive_their_encoding() -> None:
    expr = parse("not ('a' in b) and ceil(c / 2) >= 2d6")
    assert expr == msgspec.json.decode(msgspec.json.encode(expr), type=Expression)


def test_decomposed_letters_are_composed() -> None:
    assert parse("\u0439") == parse("\u0438\u0306")


NAME_TEXTS = st.sampled_from(["a", "d", "d4", "hit.slay", "круг", "x_1", "android", "notes", "min"])


def trees(leaves: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.builds(Negate, inner),
            st.builds(Not, inner),
            st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner),
            st.builds(Compare, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
            st.builds(Contains, inner, inner),
            st.builds(Logic, st.sampled_from(["and", "or"]), inner, inner),
            st.builds(Call, st.sampled_from(["ceil", "floor", "half_up", "abs"]), st.tuples(inner)),
            st.builds(Call, st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=4).map(tuple)),
            st.builds(Throw, inner, inner),
        )

    return st.recursive(leaves, grow, max_leaves=20)


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.builds(Number, st.integers(0, NUMBER_MOST)),
    st.builds(Flag, st.booleans()),
    st.builds(Word, st.text("abя '.", max_size=4)),
    st.builds(Reference, NAME_TEXTS),
)


def depth(expr: Expression) -> int:
    return 1 + max(map(depth, expressions.children(expr)), default=0)


@given(trees(LEAVES))
def test_shown_text_reads_back(expr: Expression) -> None:
    assert depth(expr) > 32 or expr == parse(show(expr))


PIECES = st.sampled_from(
    (
        *("a", "hit.slay", "круг", "circle", "points", "d", "d4", "d6", "x1", "ceil(", "max(", "floor("),
        *("2", "10", "2d6", "1000000000", "99999999999", "'w'", '"w"', "'", "true", "false", "?", "²", "."),
        *("and", "or", "not", "in", "=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "(", ")", ","),
    )
)
HOSTILE = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
    st.builds(lambda piece, times: piece * times, PIECES, st.integers(0, 600)),
)


@given(HOSTILE)
def test_any_text_is_an_expression_that_reads_back_or_a_fault(text: str) -> None:
    try:
        expr = parse(text)
    except ExpressionFault:
        return
    assert expr == parse(show(expr))


@given(HOSTILE)
def test_any_text_compiles_or_is_a_fault(text: str) -> None:
    for make in (compile_formula, compile_predicate, compile_dice):
        try:
            run = make(parse(text), NAMES)
        except ExpressionFault:
            continue
        try:
            assert isinstance(run(SCOPE), int | Dice)
        except (TooLarge, NotComputable):
            continue


@pytest.mark.parametrize(
    "part", ["1+(2)", "2d4 and 3", "2and 3", "a d4", "a d b", "not(a)", "'w'in a", "d d d4", "a=1"]
)
def test_long_text_is_shown_no_longer_than_written(part: str) -> None:
    parts = ",".join([part] * 10)
    text = f"max({parts},'{'x' * (500 - len(parts) - 8)}')"
    expr = parse(text)
    assert (500, True, expr) == (len(text), len(show(expr)) <= 500, parse(show(expr)))


# Values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 * circle", 15),
        ("circle * 5", 15),
        ("круг + 1", 4),
        ("points - circle", 4),
        ("-points", -7),
        ("ceil(points / 2)", 4),
        ("floor(points / 2)", 3),
        ("half_up(points / 2)", 4),
        ("half_up(-points / 2)", -3),
        ("ceil(-points / 2)", -3),
        ("floor(-points / 2)", -4),
        ("ceil(points / 2 * 3)", 11),
        ("floor(points / 2 + 1 / 2)", 4),
        ("ceil(points / circle / 2)", 2),
        ("half_up(points / 3)", 2),
        ("ceil(points)", 7),
        ("abs(circle - points)", 4),
        ("min(points, circle)", 3),
        ("max(1, circle, points)", 7),
        ("1000000000", NUMBER_MOST),
    ],
)
def test_formula(text: str, expected: int) -> None:
    assert expected == value(text)


@given(st.integers(-1000, 1000), st.integers(-50, 50).filter(bool), st.sampled_from(["ceil", "floor", "half_up"]))
def test_rounding_is_that_of_the_exact_fraction(a: int, b: int, name: str) -> None:
    exact = Fraction(a, b)
    expected = {"ceil": math.ceil(exact), "floor": math.floor(exact), "half_up": math.floor(exact + Fraction(1, 2))}
    scope = {**SCOPE, "points": a, "circle": b}
    assert expected[name] == compile_formula(parse(f"{name}(points / circle)"), NAMES)(scope)
    assert expected[name] == compile_formula(parse(f"{name}(points / circle + 0)"), NAMES)(scope)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hit.slay", True),
        ("not hit.slay", False),
        ("hit.slay and hit.melee", False),
        ("hit.slay and not hit.melee", True),
        ("hit.melee or hit.slay", True),
        ("true and hit.slay", True),
        ("false and hit.slay", False),
        ("true or hit.melee", True),
        ("false or hit.melee", False),
        ("hit.slay and true", True),
        ("target.kind = 'object'", True),
        ("'object' != target.kind", False),
        ("target.kind = target.kind", True),
        ("'undead' in target.traits", True),
        ("'small' in target.traits", False),
        ("target.kind in target.traits", False),
        ("circle = 3", True),
        ("circle != 3", False),
        ("circle < 3", False),
        ("circle <= 3", True),
        ("circle > 3", False),
        ("circle >= 3", True),
        ("circle < points", True),
        ("circle <= points", True),
        ("circle > points", False),
        ("circle >= points", False),
        ("circle != points", True),
        ("circle / 2 = 3 / 2", True),
        ("hit.slay = (circle > 1)", True),
        ("true", True),
        ("1 = 1", True),
        ("'a' = 'b'", False),
    ],
)
def test_predicate(text: str, expected: bool) -> None:
    assert expected is holds(text)


def test_the_right_side_is_read_only_when_it_matters() -> None:
    assert not holds("circle > 0 and points / circle > 1", circle=0)


@pytest.mark.parametrize("text", ["points * points", "-(points * points)", "1000000000 + 1"])
def test_result_beyond_the_bound_is_refused(text: str) -> None:
    with pytest.raises(TooLarge):
        value(text, points=40_000)


@pytest.mark.parametrize("text", ["ceil(1 / circle)", "floor(1 / circle + 1)", "half_up(1 / (circle * 2))"])
def test_division_by_zero_is_refused_with_its_column(text: str) -> None:
    with pytest.raises(NotComputable) as caught:
        value(text, circle=0)
    assert ("fault.expression.divided_by_zero", text.index("circle") + 1) == (
        caught.value.message.id,
        caught.value.column,
    )


# Dice


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2d6", Dice(2, 6)),
        ("circle d 4", Dice(3, 4)),
        ("2d6+1", Dice(2, 6, 1)),
        ("2d6 - circle", Dice(2, 6, -3)),
        ("1 + 2d6", Dice(2, 6, 1)),
        ("2d6 + circle - 1", Dice(2, 6, 2)),
        ("(circle + 1) d (2 * circle) + ceil(points / 2)", Dice(4, 6, 4)),
    ],
)
def test_dice(text: str, expected: Dice) -> None:
    assert expected == compile_dice(parse(text), NAMES)(SCOPE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("circle", ("dice_expected", 1)),
        ("2 * 1d6", ("dice_form", 5)),
        ("1d6 + 1d8", ("dice_form", 1)),
        ("5 - 1d6", ("dice_form", 5)),
        ("(1d4) d 6", ("dice_not_here", 2)),
        ("(circle / 2) d 6", ("fraction", 2)),
        ("2d6 + circle / 2", ("fraction", 7)),
        ("2d6 + hit.slay", ("type", 7)),
    ],
)
def test_dice_of_another_form_are_refused(text: str, expected: tuple[str, int]) -> None:
    with pytest.raises(ExpressionFault) as caught:
        compile_dice(parse(text), NAMES)
    assert expected == (caught.value.message.id.removeprefix("fault.expression."), caught.value.column)


def test_no_dice_can_be_rolled_but_not_fewer() -> None:
    dice = compile_dice(parse("circle d 4"), NAMES)
    assert Dice(0, 4) == dice({"circle": 0})
    with pytest.raises(NotComputable):
        dice({"circle": -1})


@pytest.mark.parametrize("text", ["circle d 4", "1 d circle", "1d4 + circle * 1000000"])
def test_dice_beyond_their_bounds_are_refused(text: str) -> None:
    with pytest.raises(TooLarge):
        compile_dice(parse(text), NAMES)({"circle": 1001})


@pytest.mark.parametrize(("text", "expected"), [("ceil(2d6)", True), ("1 + max(1, circle)", False), ("true", False)])
def test_dice_in(text: str, expected: bool) -> None:
    assert expected == dice_in(parse(text))


def test_names_in_lists_each_name_once_in_order() -> None:
    assert ("b", "a") == names_in(parse("max(b, a, b + 1)"))


# Faults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("empty", 1)),
        ("  ", ("empty", 1)),
        ("1 +", ("incomplete", 4)),
        ("1 2", ("unexpected", 3)),
        ("* 2", ("unexpected", 1)),
        ("(1", ("not_closed", 1)),
        ("max(1, 2", ("not_closed", 4)),
        ("max(1 2)", ("unexpected", 7)),
        ("1)", ("unexpected", 2)),
        ("1 ? 2", ("character", 3)),
        ("1.5", ("character", 2)),
        ("a²", ("character", 2)),
        ("٣", ("character", 1)),
        ("'word", ("not_closed_word", 1)),
        ("1 < 2 < 3", ("chain", 7)),
        ("2d4 d6", ("chain", 5)),
        ("2d-4", ("unexpected", 3)),
        ("true = not true", ("not_needs_parentheses", 8)),
        ("and", ("unexpected", 1)),
        ("cell(1)", ("unknown_function_near", 1)),
        ("eval(1)", ("unknown_function", 1)),
        ("__import__('os')", ("unknown_function", 1)),
        ("ceil()", ("arguments_one", 1)),
        ("ceil(1, 2)", ("arguments_one", 1)),
        ("max(1)", ("arguments_two", 1)),
        ("1000000001", ("number_too_large", 1)),
        ("9" * 400, ("number_too_large", 1)),
        ("1" + " " * 500, ("too_long", 501)),
        ("-" * 400 + "1", ("too_deep", 66)),
        ("(" * 400, ("too_deep", 66)),
        ("+".join("1" * 33), ("too_deep", 66)),
        (f"max({','.join('1' * 200)})", ("too_many_parts", 405)),
        ("cirle + 1", ("unknown_name_near", 1)),
        ("1 + unheard_of", ("unknown_name", 5)),
        ("circle + hit.slay", ("type", 10)),
        ("hit.slay + circle", ("type", 1)),
        ("hit.slay", ("type", 1)),
        ("-target.kind", ("type", 2)),
        ("circle / 2", ("fraction", 1)),
        ("6 / 2", ("fraction", 1)),
        ("1 + max(1 / 2, 1)", ("fraction", 1)),
        ("ceil(1 / 0)", ("divided_by_zero", 10)),
        ("ceil(circle / (2 - 2))", ("divided_by_zero", 16)),
        ("1d6 + 1", ("dice_not_here", 1)),
    ],
)
def test_fault_of_a_formula(text: str, expected: tuple[str, int]) -> None:
    assert expected == fault(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("circle", ("type", 1)),
        ("circle and hit.slay", ("type", 1)),
        ("not circle", ("type", 5)),
        ("circle = 'three'", ("type", 10)),
        ("target.kind < 'z'", ("type", 1)),
        ("target.kind = object", ("quote_word", 15)),
        ("object = target.kind", ("quote_word", 1)),
        ("undead in target.traits", ("quote_word", 1)),
        ("circle in target.traits", ("type", 1)),
        ("'a' in target.kind", ("type", 8)),
        ("target.traits = target.traits", ("list_compared", 1)),
        ("circle = unheard_of", ("unknown_name", 10)),
    ],
)
def test_fault_of_a_predicate(text: str, expected: tuple[str, int]) -> None:
    assert expected == predicate_fault(text)


def test_the_largest_expression_is_read() -> None:
    assert NODES_MOST == 200
    assert "max" == parse(f"max({','.join('1' * 199)})").function  # type: ignore[union-attr]


def test_unknown_name_offers_near_names_and_a_shortened_list() -> None:
    many = Names({f"name_{i}": Name("number", read("circle")) for i in range(20)})
    with pytest.raises(ExpressionFault) as caught:
        compile_formula(parse("zzz"), many)
    assert (*(f"name_{i}" for i in range(8)), "…") == caught.value.message.params["allowed"]
    with pytest.raises(ExpressionFault) as caught:
        compile_formula(parse("cirle"), NAMES)
    assert ("circle",) == caught.value.message.params["near"]


def test_no_names_at_all() -> None:
    assert ("no_names", 1) == fault("circle", Names({}))


# Texts


def texts(lang: str) -> dict[str, str]:
    loaded: dict[str, str] = yaml.safe_load((TEXTS / f"{lang}.expressions.yaml").read_text("utf-8"))
    return loaded


def ids_in_code() -> set[str]:
    """Every message id that the modules about expressions and dice write out."""
    import re

    language = Path(expressions.__file__).parent
    found: set[str] = set()
    for path in (*language.glob("expression*.py"), language / "dice.py"):
        code = path.read_text("utf-8")
        found.update(re.findall(r'"(fault\.(?:expression|dice)\.[a-z_.]+)"', code))
        if path.name.startswith("expression"):
            found.update(f"fault.expression.{what}" for what in re.findall(r'_fault\(\s*"([a-z_]+)"', code))
    return found


def test_every_message_has_its_texts() -> None:
    chosen = {"fault.expression.not_closed_word", "fault.expression.character"}  # one call chooses between two
    by_kind = {f"fault.expression.type.{kind}" for kind in ("number", "flag", "word", "list")}
    by_part = {f"fault.dice.{part}" for part in ("count", "sides", "plus")}
    expected = ids_in_code() | chosen | by_kind | by_part
    assert (expected, expected) == (set(texts("en")), set(texts("ru")))


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_texts_are_templates_with_the_forms_of_their_language(lang: str) -> None:
    assert () == tuple(Texts(lang, texts(lang)).check())


SAYABLE: dict[str, Parameter] = {
    "expected": Message("fault.expression.type.number"),
    "found": Message("fault.expression.type.word"),
}


@pytest.mark.parametrize(
    ("lang", "expected"), [("en", "this is a word, but a number is needed"), ("ru", "здесь слово, а нужно число")]
)
def test_types_are_named_in_the_reader_s_language(lang: str, expected: str) -> None:
    assert expected == Texts(lang, texts(lang)).say("fault.expression.type", **SAYABLE)

"""Reading documents: plain data, the place of everything, and one clear fault for whatever is refused."""

import math
import os
import re
import subprocess
import sys
import time
from importlib.resources import files

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gambeson.games.documents import placed, read_file, read_text
from gambeson.model.errors import Fault, Unusable
from gambeson.model.messages import message

SCENARIO = """\
title: Удар
edition: 5.20
entities:
  anna:
    name: Анна
    pools: {body: 3, armor: {current: 1, covers: [torso, head]}}
  "1":
    note:
steps:
  - hit: {target: anna}
  -   wait: 1_000
"""


def faults(text):
    with pytest.raises(Unusable) as caught:
        read_text(text, "a.yaml")
    return caught.value.faults


def seen(text):
    """What is refused, as (id, line, column)."""
    return [(fault.message.id.removeprefix("fault.document."), fault.line, fault.column) for fault in faults(text)]


@pytest.fixture(params=["C", "Python"])
def either_parser(request, monkeypatch):
    if request.param == "Python":
        monkeypatch.setattr(yaml, "CSafeLoader", yaml.SafeLoader)


# Values


@pytest.mark.parametrize("word", ["on", "Off", "yes", "no", "y", "n", "tRUE", "nULL", "17:55", "2024-01-01", "0x10"])
def test_a_word_that_is_a_text(word):
    assert {"a": word} == read_text(f"a: {word}").data


@pytest.mark.parametrize(
    "word", ["0o17", "0b1", "1__0", "_1", "1_", "1d4", "5.2.1", "+", ".", "1e", "0..4", "1,000", "="]
)
def test_almost_a_number_is_a_text(word):
    assert {"a": word} == read_text(f"a: {word}").data


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
        ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None),
        ("0", 0), ("-7", -7), ("+7", 7), ("007", 7), ("1_000_000", 1000000),
        ("5.2", 5.2), ("-.5", -0.5), ("1.", 1.0), ("1e3", 1000.0), ("1_000.5", 1000.5),
        (".inf", math.inf), ("-.INF", -math.inf),
    ],
)  # fmt: skip
def test_a_word_that_is_a_value(word, value):
    document = read_text(f"a: {word}")
    assert {"a": value} == document.data
    assert repr({"a": value}) == repr(document.data)


def test_not_a_number_is_a_float():
    assert "[nan, nan]" == repr(read_text("[.nan, .NaN]").data)


@pytest.mark.parametrize("word", ["true", "null", "12", "1.5", "<<", "", "*a"])
def test_quoted_is_a_text(word):
    assert [word, word] == read_text(f"- '{word}'\n- \"{word}\"").data


def test_json_is_read_like_yaml():
    assert {"a": [1, True, None, "x/я"], "b": {}} == read_text('{"a":[1,true,null,"x\\/я"],\n\t"b":\t{}}').data


def test_json_spells_emoji_as_two_escapes():
    text = r'{"a": "\ud83d\ude00", "b": "\\ud83d\\ude00"}'
    assert {"a": "😀", "b": r"\ud83d\ude00"} == read_text(text, "a.json").data


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "\ufeffa: 1\rb: 2", b"---\na: 1\nb: 2\n...\n"])
def test_byte_order_mark_and_line_ends(content):
    assert {"a": 1, "b": 2} == read_text(content).data


def test_integer_keys_keep_their_text():
    assert {"1": "a", "02": "b"} == read_text("1: a\n02: b").data


def test_a_null_document_is_no_empty_file():
    assert read_text("~").data is None


# Places


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (1, 1), (1, 1)),
        (("title",), (1, 8), (1, 1)),
        (("entities", "anna", "pools", "body"), (6, 19), (6, 13)),
        (("entities", "anna", "pools", "armor", "covers", 1), (6, 58), (6, 58)),
        (("entities", 1, "note"), (8, 10), (8, 5)),
        (("steps", 0), (10, 5), (10, 5)),
        (("steps", 1, "wait"), (11, 13), (11, 7)),
        (("entities", "anna", "wounds", 0), (5, 5), (4, 3)),
        (("title", "x"), (1, 8), (1, 1)),
        (("steps", 2), (10, 3), (9, 1)),
        (("steps", -1), (10, 3), (9, 1)),
        (("steps", "0"), (10, 3), (9, 1)),
    ],
)
def test_where_a_path_leads(path, value, key):
    document = read_text(SCENARIO)
    assert (value, key) == (document.locate(path), document.locate(path, key=True))


def test_columns_count_characters_and_lines_count_windows_line_ends():
    assert (2, 5) == read_text("\ufeffа: 1\r\n😀я: 2\r\n").locate(("😀я",))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("edition",), "5.20"),
        (("title",), "Удар"),
        (("steps", 1, "wait"), "1_000"),
        (("entities", "1", "note"), ""),
        (("entities",), None),
        (("nothing",), None),
        (("title", 0), None),
    ],
)
def test_how_a_scalar_is_spelled(path, text):
    assert text == read_text(SCENARIO).text_at(path)


def test_faults_are_placed_by_their_paths():
    document = read_text(SCENARIO, "duel.yaml")
    inside = Fault(("steps", 1, "wait"), message("x"))
    known = Fault((), message("y"), "other.yaml", 7, 8)
    assert (Fault(inside.path, inside.message, "duel.yaml", 11, 13), known) == placed([inside, known], document)


# Refusals


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("empty", 1, 1)),
        ("# only words\n", ("empty", 1, 1)),
        ("---\n", ("empty", 1, 1)),
        ("a: 1\nb: 2\na: 3", ("duplicate_key", 3, 1)),
        ("x: {1: a, '1': b}", ("duplicate_key", 1, 11)),
        ("true: 1", ("key_type", 1, 1)),
        ("a: {1.5: x}", ("key_type", 1, 5)),
        ("a: {~: x}", ("key_type", 1, 5)),
        (": x", ("empty_key", 1, 1)),
        ("a: 1\n: x", ("empty_key", 2, 1)),
        ("a: {: x}", ("empty_key", 1, 5)),
        ("[a]: 1", ("key_not_text", 1, 1)),
        ("a: {{b}}", ("key_not_text", 1, 5)),
        ("a: 1\n---\nb: 1", ("several", 2, 1)),
        ("---\n---\na", ("empty", 1, 1)),
        ("a: !!python/object:os.system x", ("tag", 1, 4)),
        ("a: !!str 1", ("tag", 1, 4)),
        ("a: ! 1", ("tag", 1, 4)),
        ("a: !mine {b: 1}", ("tag", 1, 4)),
        ("a: &b 1", ("anchor", 1, 4)),
        ("a: *b", ("alias", 1, 4)),
        ("*b : 1", ("alias", 1, 1)),
        ("<<: {a: 1}", ("merge_key", 1, 1)),
        ("a: " + "9" * 5000, ("long_number", 1, 4)),
        ("a: b\0", ("binary", 1, 5)),
        ("a: \x07", ("character", 1, 4)),
        ('a: "\\0"', ("character", 1, 4)),
        ("a: b\n\u2028", ("character", 2, 1)),
        ("a: \ud800", ("character", 1, 4)),
        (b"a: 1\r\n\xd1\x8f: \xff", ("not_utf8", 2, 4)),
        ("a: 1".encode("utf-16"), ("utf16", 1, 1)),
        ("a: 1".encode("utf-16-le"), ("utf16", 1, 1)),
        ("a: 1".encode("utf-32-be"), ("binary", 1, 1)),
        ("a: b: c", ("syntax.colon", 1, 5)),
        ("a:\n\t- b", ("syntax.tab", 2, 1)),
        ("a: @x", ("syntax.start", 1, 4)),
        ("a: [1\nb: 2", ("syntax.list_end", 2, 2)),
        ("a: {b: 1, c", ("syntax.mapping_end", 1, 4)),
        ("a:\n  - 1\n -2", ("syntax.indent", 3, 2)),
        ("a: 'b' c", ("syntax.indent", 1, 8)),
        ("a: 1\nb: 'x\nc: 2", ("syntax.quote", 2, 4)),
        ("a: [", ("syntax.value", 1, 5)),
        ("a: [,]", ("syntax.value", 1, 5)),
        ("a: 1\nb\nc: 1", ("syntax.no_colon", 2, 1)),
        ("[a]\nb", ("syntax.after_end", 2, 1)),
        ("a: **b**", ("syntax.sign", 1, 4)),
        ('a: "\\xZZ"', ("syntax.escape", 1, 7)),
        ("a: - b", ("syntax.dash", 1, 4)),
        ("a: ? b", ("syntax.sign", 1, 4)),
        ("a: >5 points", ("syntax.sign", 1, 4)),
        ("a: !x!y z", ("syntax.sign", 1, 4)),
        ("%YAML 3.0\n---\na: 1", ("syntax.sign", 1, 1)),
    ],
)
def test_what_is_refused_and_where(text, expected):
    assert [expected] == seen(text)


def test_a_fault_knows_its_file_its_path_and_what_to_say():
    expected = Fault(("a", 1, "b"), message("fault.document.duplicate_key", key="b", line=3), "a.yaml", 4, 5)
    assert (expected,) == faults("a:\n  - 0\n  - b: 1\n    b: 2")


def test_the_byte_that_is_not_utf8_is_named():
    assert {"position": 5} == faults(b"ab: \xff")[0].message.params


def test_all_faults_of_a_file_are_told_together():
    assert [("duplicate_key", 2, 1), ("tag", 3, 4), ("syntax.value", 4, 4)] == seen("a: 1\na: 2\nb: !x 1\nc: }")


def test_no_more_than_twenty_faults_are_told():
    assert 20 == len(faults("a: 1\n" * 100))


def test_quoted_faults_stay_short():
    key = "k" * 100_000
    assert 60 == len(faults(f"? {key}\n: 1\n? {key}\n: 2")[0].message.params["key"])


def test_forty_levels_are_read():
    assert "[" * 40 + "]" * 40 == str(read_text("[" * 40 + "]" * 40).data)


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("[" * 41 + "]" * 41, {"too_deep"}),
        ("[" * 100_000, {"too_deep"}),
        ("- " * 100_000, {"too_deep"}),
        ("[a, " * 100_000, {"too_deep"}),
        ("{a: " * 100_000, {"too_deep"}),
        ("{" * 100_000, {"too_deep", "key_not_text"}),
        ("? " * 100_000, {"key_not_text"}),
        ("[?" * 100_000, {"key_not_text"}),
    ],
)
def test_deep_nesting_is_refused_fast(text, reasons):
    begun = time.process_time()
    ((reason, line, _),) = seen(text)
    assert reason in reasons
    assert 1 == line
    assert time.process_time() - begun < 10  # it would take minutes, or break off


def test_deep_indentation_is_refused():
    text = "\n".join(" " * depth + "a:" for depth in range(2000))
    assert [("too_deep", 41, 41)] == seen(text)


def test_too_many_values_are_refused():
    assert [("too_many", 1, 600_000)] == seen("[" + "1," * 300_000 + "]")


def test_an_alias_bomb_is_refused_at_its_first_anchor():
    assert ("anchor", 1, 4) == seen("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]")[0]


# Files


def test_a_file_is_read(tmp_path):
    path = tmp_path / "duel.yaml"
    path.write_text("a: [1]", encoding="utf-8")
    document = read_file(path)
    assert (str(path), {"a": [1]}) == (document.file, document.data)


def refused_file(path):
    with pytest.raises(Unusable) as caught:
        read_file(path)
    (fault,) = caught.value.faults
    assert os.fspath(path).encode("utf-8", "backslashreplace").decode() == fault.file
    return fault.message


def test_a_missing_file(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "none.yaml", tmp_path / "file" / "below", "nul\0.yaml", "\ud800"):
        assert "fault.document.missing" == refused_file(path).id


def test_a_directory(tmp_path):
    assert message("fault.document.directory", file=str(tmp_path)) == refused_file(tmp_path)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert "fault.document.permission" == refused_file(tmp_path / "secret.yaml").id


def test_a_file_that_cannot_be_read_for_another_reason(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "fault.document.unreadable" == refused_file(tmp_path / "loop").id


def test_a_large_file_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(10 * 1024 * 1024)
    assert message("fault.document.too_large", limit=4) == refused_file(path)


@pytest.mark.parametrize(
    "text", ["#" * (4 * 1024 * 1024 + 1), b"#" * (4 * 1024 * 1024 + 1), "я" * (2 * 1024 * 1024 + 1)]
)
def test_a_large_text_is_refused(text):
    assert [("too_large", 1, 1)] == seen(text)


def test_four_megabytes_are_read():
    assert read_text("a: 1 #" + "#" * (4 * 1024 * 1024 - 6)).data == {"a": 1}


def test_importing_the_module_does_not_import_the_parser():
    code = "import sys, gambeson.games.documents; sys.exit('yaml' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


# Words


def sentences(language):
    return read_text(files("gambeson").joinpath(f"texts/{language}.documents.yaml").read_bytes()).data


def blanks(sentence):
    return set(re.findall(r"\{(\w+)", sentence))


def test_every_fault_has_a_sentence_in_both_languages():
    source = files("gambeson").joinpath("games/documents.py").read_text(encoding="utf-8")
    named = re.findall(
        r'(?:fault|stop)\([^"\n]*"([a-z_.0-9]+)"|"fault\.document\.([a-z_]+)"|, "(syntax\.\w+|too_deep)"\)', source
    )
    ids = {f"fault.document.{''.join(groups)}" for groups in named} | {"fault.document.syntax.other"}
    assert ids == set(sentences("en")) == set(sentences("ru"))


def test_both_languages_fill_the_same_blanks():
    english, russian = sentences("en"), sentences("ru")
    assert [blanks(text) for text in english.values()] == [blanks(russian[name]) for name in english]


# Laws

SENTENCES = sentences("en")
PIECES = st.sampled_from(
    [*"[]{}:,-?&*!|>'\"%@`#~<=.\\\t\n\r 0129aя_", "\n  ", ": ", "- ", "---\n", "<<", "!!", "\0", "\ufeff", "😀"]
)
# The writer follows YAML 1.1 and leaves texts bare that 1.2 reads as numbers.
NUMBER = re.compile(r"[-+]?(\.[0-9_]+|[0-9_]+(\.[0-9_]*)?)([eE][-+]?[0-9_]+)?\Z")
KEYS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=8).filter(
    lambda text: not NUMBER.match(text)
)
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | KEYS
PLAIN = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))


def read_or_refused(text):
    source = text if isinstance(text, str) else text.decode("utf-8", "replace")
    lines = len(re.split("\r\n|\r|\n", source))
    try:
        document = read_text(text, "a.json")
    except Unusable as refusal:
        found = refusal.faults
    else:
        found = placed([Fault(path, message("fault.document.empty")) for path, _ in walk(document.data)], document)
    assert found
    for fault in found:
        assert 1 <= fault.line <= lines
        assert 1 <= fault.column <= len(source) + 1
        assert blanks(SENTENCES[fault.message.id]) <= set(fault.message.params)


def walk(data, path=()):
    yield path, data
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in steps:
        yield from walk(value, (*path, step))


@given(st.text() | st.lists(PIECES).map("".join))
def test_any_text_is_read_or_refused(text):
    read_or_refused(text)


@given(st.binary() | st.lists(PIECES).map(lambda pieces: "".join(pieces).encode("utf-8")[1:]))
def test_any_bytes_are_read_or_refused(content):
    read_or_refused(content)


@given(st.lists(PIECES, max_size=4).map("".join), st.integers(0, len(SCENARIO)), st.integers(0, 9))
def test_a_damaged_scenario_is_read_or_refused(piece, at, cut):
    read_or_refused(SCENARIO[:at] + piece + SCENARIO[at + cut :])


@given(PLAIN, st.booleans())
def test_what_is_written_is_read_again(data, flow):
    text = yaml.safe_dump({"root": data}, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    assert {"root": data} == read_text(text).data


@given(PLAIN)
def test_a_scalar_stands_where_it_is_located(data):
    text = yaml.safe_dump({"root": data}, allow_unicode=True, width=10**6, sort_keys=False)
    document = read_text(text)
    lines = re.split("\r\n|\r|\n", text)
    for path, value in walk(document.data):
        line, column = document.locate(path)
        here = lines[line - 1][column - 1 :]
        if isinstance(value, str):
            assert here[0] in "'\"|>?" or here.startswith(value)
        elif not isinstance(value, (dict, list)):
            assert here.startswith(document.text_at(path) or "?")

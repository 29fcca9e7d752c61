"""What a seat sees does not depend on what it may not see, whatever is hidden and whatever is played."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gambeson import Table
from gambeson.engine.odds import Odds
from gambeson.engine.views import EVERYTHING, PLAYER, SCREEN, Secrets, Sight, Viewer, mentions
from gambeson.games import available, load
from gambeson.language.figures import conditions, flags
from gambeson.model.commands import Command
from gambeson.model.errors import Unusable
from gambeson.model.outcomes import Refusal
from gambeson.model.values import Entity, State
from gambeson.table.foreseen import foreseen_view, of_command
from gambeson.table.rulings import REJECTED
from gambeson.table.seeing import log_view, preview_view, ruling_view, sight_of, view
from gambeson.testing.strategies import commands, entities

IDS = ("anna", "boris", "орк")
HIDDEN = "орк"
PACKS = {game: load(game) for game in available()}
SEATS = (Viewer(PLAYER, ("anna",)), Viewer(PLAYER, ("anna", "boris")), Viewer(SCREEN))
games = pytest.mark.parametrize("game", available())
EXAMPLES = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 20
some = settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def drawn_table(data: st.DataObject, game: str, ids: tuple[str, ...] = IDS) -> Table:
    """A table with these entities; where the game refuses a drawn one, a plain one stands in."""
    pack = PACKS[game]
    plain: dict[str, Any] = {"pools": {pack.life: 3}} if pack.life else {}
    if "player" in pack.facts:
        plain["player"] = "red"
    written: dict[str, Any] = dict.fromkeys(ids, plain)
    for id in ids:
        drawn = data.draw(entities(pack, ids), label=id)
        try:
            Table(pack, entities={**written, id: drawn})
        except Unusable:
            continue
        written[id] = drawn
    return Table(pack, entities=written)


def with_entity(table: Table, entity: Entity | None) -> Table:
    """The same table with another hidden entity, or without it."""
    others = {id: kept for id, kept in table.state.entities.items() if id != HIDDEN}
    state = replace(table.state, entities=others if entity is None else {**others, HIDDEN: entity})
    changed = Table(table.pack)
    changed.resume(state, ())
    return changed


def seen(table: Table, secrets: Secrets, viewer: Viewer, tries: tuple[Command, ...]) -> list[Any]:
    """Everything that a seat can learn of a table by looking and by asking."""
    sight = sight_of(table, secrets, viewer)
    learned: list[Any] = [view(table, sight, "en")]
    for command in tries:
        learned.append(preview_view(table, sight, command, (), (), "en"))
        learned.append(chances(table, sight, command))
        stranger = sight.stranger(table.state, command)
        learned.append(stranger)
    return learned


def chances(table: Table, sight: Sight, command: Command) -> Any:
    """The chances of a command that a seat is told, or why it is told none."""
    asked = of_command(table, sight, command)
    found = Odds((), asked) if isinstance(asked, Refusal) else asked.odds(most=50)
    return foreseen_view(found, table.pack, "en")


def tries_of(data: st.DataObject, game: str) -> tuple[Command, ...]:
    names = st.lists(commands(PACKS[game], IDS), max_size=4)
    return tuple(replace(command, by="anna") for command in data.draw(names, label="tries"))


@games
@some
@given(data=st.data())
def test_nothing_tells_of_a_hidden_entity(game: str, data: st.DataObject) -> None:
    table = drawn_table(data, game)
    others = drawn_table(data, game, (HIDDEN,)).state.entities
    assume(HIDDEN in others)
    other = others[HIDDEN]
    assume(HIDDEN in table.state.entities)
    table = with_entity(table, without_ties(table.state.entities[HIDDEN]))
    secrets = Secrets(entities=(HIDDEN,))
    tries = tries_of(data, game)
    for viewer in SEATS:
        here = seen(table, secrets, viewer, tries)
        assert here == seen(with_entity(table, without_ties(other)), secrets, viewer, tries)
        assert here == seen(with_entity(table, None), secrets, viewer, tries)
        assert HIDDEN not in str(here[0])


def without_ties(entity: Entity) -> Entity:
    """An entity that nobody else is tied to by effects."""
    return replace(entity, effects=())


@games
@some
@given(data=st.data())
def test_nothing_tells_hidden_numbers(game: str, data: st.DataObject) -> None:
    table = drawn_table(data, game)
    assume(HIDDEN in table.state.entities)  # it may leave as it comes: a creature whose effect has no points
    entity = table.state.entities[HIDDEN]
    layers = tuple(table.pack.layers)
    chosen = tuple(data.draw(st.lists(st.sampled_from(layers), min_size=1, unique=True), label="layers"))
    other = with_other_numbers(data, entity, chosen)
    note(f"{entity} / {other}")
    for read in (conditions, flags):  # what shows openly is seen by everybody
        assume(read(table.pack, entity) == read(table.pack, other))
    changed = with_entity(table, other)
    secrets = Secrets(numbers={HIDDEN: chosen})
    tries = tries_of(data, game)
    for viewer in SEATS:
        assert seen(table, secrets, viewer, tries) == seen(changed, secrets, viewer, tries)


def with_other_numbers(data: st.DataObject, entity: Entity, layers: tuple[str, ...]) -> Entity:
    pools = dict(entity.pools)
    for layer in layers:
        if layer in pools:
            maximum = data.draw(st.integers(1, 30), label=f"{layer} maximum")
            pools[layer] = replace(pools[layer], maximum=maximum, current=data.draw(st.integers(0, maximum)))
    return replace(entity, pools=pools)


@games
@some
@given(data=st.data())
def test_the_log_and_rulings_tell_nothing_of_a_hidden_entity(game: str, data: st.DataObject) -> None:
    """Whatever is played: what players hear names the hidden entity nowhere, unless they named it themselves."""
    table = drawn_table(data, game)
    secrets = Secrets(entities=(HIDDEN,))
    for command in data.draw(st.lists(commands(table.pack, IDS), max_size=6), label="commands"):
        if command.by in ("anna", "boris") and mentions(command.fields, (HIDDEN,)):
            continue  # a seat's own command that names what it does not see goes no further: see `Sight.stranger`
        waiting = table.waiting
        ruling = table.submit(command)
        answers = tuple(answer for row in table.rows for answer in row.answers)
        for viewer in SEATS:
            sight = sight_of(table, secrets, viewer)
            told = ruling_view(ruling, sight, "en", answers, waiting.command if waiting is not None else None)
            if ruling.status != REJECTED:
                assert HIDDEN not in str(told)
            assert HIDDEN not in str(log_view(table, table.rows, sight))
            assert HIDDEN not in str(view(table, sight, "en"))
        if table.waiting is not None and table.waiting.paused.questions[0].kind == "choice":
            table.answer(table.waiting.paused.questions[0].options[0].id)
        elif table.waiting is not None:
            table.undo()


@games
@some
@given(data=st.data())
def test_who_may_see_everything_sees_it(game: str, data: st.DataObject) -> None:
    table = drawn_table(data, game)
    hidden = Secrets((HIDDEN,), {"boris": ()}, ("referee",))
    assert (
        view(table, sight_of(table, Secrets(), SEATS[0]), "en")["entities"]
        == view(table, sight_of(table, hidden, EVERYTHING), "en")["entities"]
    )
    owner = sight_of(table, hidden, Viewer(PLAYER, (HIDDEN, "boris")))
    assert table.state.entities == owner.state(table.state).entities


# --- by example -----------------------------------------------------------------------------------------------


def wards(anna: int = 10, orc: int = 5, **more: Any) -> Table:
    entities = {
        "anna": {"name": "Анна", "pools": {"vyn": 20, "wards": anna}},
        "orc": {"name": "Орк", "pools": {"vyn": 30, "wards": orc}, **more},
    }
    return Table("pokrovy", entities=entities)


ANNA = Viewer(PLAYER, ("anna",))


def sight(table: Table, **hidden: Any) -> Sight:
    return sight_of(table, Secrets(**hidden), ANNA)


def test_a_grant_of_hidden_points_is_told_without_them() -> None:
    table = wards(orc=0)
    table.do("grant", target="orc", layer="wards", points=7, source="prayer")
    (told,) = log_view(table, table.rows, sight(table, numbers={"orc": ("wards",)}))
    assert {"grant": {"target": "orc"}} == told["command"]
    assert "7" not in str(told)


def test_an_extra_does_not_tell_with_whom_damage_is_shared() -> None:
    shared = {"current": 2, "extras": [{"name": "bond", "shares": {"to": "orc"}, "resistant": ["fire"]}]}
    table = Table(
        "srd5", entities={"anna": {"pools": {"hit_points": 5, "ward": shared}}, "orc": {"pools": {"hit_points": 9}}}
    )
    shown = view(table, sight(table, entities=("orc",)), "en")
    assert "orc" not in str(shown)
    assert "fire" in str(shown["entities"]["anna"])


def test_an_edit_of_a_hidden_entity_is_not_told() -> None:
    table = wards()
    table.do("edit", target="orc", pools={"wards": 3})
    assert [] == log_view(table, table.rows, sight(table, entities=("orc",)))


def test_undoing_what_was_not_told_is_not_told() -> None:
    table = wards()
    table.do("edit", target="orc", pools={"wards": 3})
    table.undo()
    table.do("hit", target="anna", damage=1)
    table.undo()
    told = log_view(table, table.rows, sight(table, entities=("orc",)))
    assert ["command", "undo"] == [entry["kind"] for entry in told]


def test_damage_that_a_hidden_pool_took_is_not_told() -> None:
    table = wards()
    ruling = table.do("hit", target="orc", damage=9, by="anna")
    told = ruling_view(ruling, sight(table, numbers={"orc": ("wards",)}), "en")
    assert ({"vyn": 4}, []) == (told["taken"], told["trace"])
    assert ["vyn"] == [event["layer"] for event in told["events"]]


def test_a_question_about_hidden_numbers_is_not_there() -> None:
    table = wards()
    assert "paused" == table.do("grant", target="orc", layer="wards", points=9).status
    shown = view(table, sight(table, numbers={"orc": ()}), "en")
    plain = wards(orc=0)
    plain.do("grant", target="orc", layer="wards", points=9)
    expected = view(plain, sight(plain, numbers={"orc": ()}), "en")
    assert (expected["pending"], expected["legal"], expected["log"]) == (
        shown["pending"], shown["legal"], shown["log"],
    )  # fmt: skip


def test_hidden_dice_show_no_faces_and_no_steps() -> None:
    thorns = {"name": "thorns", "dice": "2d4", "type": "fire"}
    table = Table(
        "pokrovy",
        entities={
            "anna": {"pools": {"vyn": 20, "wards": {"current": 1, "extras": [thorns]}}},
            "orc": {"pools": {"vyn": 30}},
        },
    )
    ruling = table.do("hit", target="anna", damage=9, traits=("melee",), source="orc")
    assert table.waiting is not None
    roller = table.waiting.paused.questions[0].dice[0].roller
    table.roll([2, 3])
    assert ruling.status == "paused"
    onlooker = sight_of(table, Secrets(rolls=(roller, "referee")), Viewer(SCREEN))
    told = log_view(table, table.rows, onlooker)
    assert [[]] == [answer["value"] for entry in told for answer in entry["answers"]]


def test_a_blocked_command_is_told_no_more_than_that() -> None:
    table = wards()
    waiting = table.do("grant", target="orc", layer="wards", points=9).command
    ruling = table.do("hit", target="anna", damage=1, by="anna")
    told = ruling_view(ruling, sight(table, entities=("orc",)), "en", (), waiting)
    assert (None, "This can't be done now", []) == (told["rule"], told["reason"], told["decisions"])


@games
def test_what_stands_in_for_hidden_pools_can_be_worked_with(game: str) -> None:
    """A blow on an entity whose numbers are all hidden is looked ahead at without a fault."""
    pack = PACKS[game]
    plain: dict[str, Any] = {"pools": {pack.life: 3}, **({"player": "red"} if "player" in pack.facts else {})}
    table = Table(pack, entities={"anna": plain, "orc": plain})
    fields = {"call": "4"} if pack.reader is not None else {"damage": 4}
    shown = preview_view(
        table, sight(table, numbers={"orc": ()}), Command("hit", {"target": "orc", **fields}, "anna"), (), (), "en"
    )
    assert "rejected" == shown["status"]


def test_a_state_without_secrets_is_the_very_same() -> None:
    table = wards()
    assert sight(table).whole
    assert table.state is sight(table).state(table.state)


def test_the_referee_sees_through_everything() -> None:
    table = wards()
    everything = sight_of(table, Secrets(("orc",), {"anna": ()}, ("anna",)), EVERYTHING)
    assert everything.whole
    assert isinstance(everything.state(table.state), State)

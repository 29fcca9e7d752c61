"""What a filled-in form or a typed line means, and what is said where it means nothing."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2", reason="the page is not installed (extra: table)")

from gambeson.engine.views import EVERYTHING, PLAYER, Secrets, Sight, Viewer
from gambeson.model.commands import Command
from gambeson.model.messages import Message
from gambeson.server.page.actions import actors
from gambeson.server.page.asking import may_strike
from gambeson.server.page.deeds import filled, line_of
from gambeson.server.page.drawing import joined, words
from gambeson.table import Table


def looks(table: Table, viewer: Viewer = EVERYTHING) -> Sight:
    return Sight(table.pack, Secrets(), viewer, table.state.entities)


def fight() -> Table:
    return Table("pokrovy", entities={"anna": {"name": "Анна", "pools": {"vyn": 9}}})


def wargame() -> Table:
    mage = {"player": "red", "classes": ["enchanter"], "affinity": ["elder", "earth"], "stats": {"intellect": 14}}
    pools: dict[str, object] = {"pools": {"hit_points": 3, "mana": 3}}
    people = {"mage": mage | pools, "guard": {"player": "red"} | pools, "foe": {"player": "blue"} | pools}
    return Table("eldfall", entities=people)


def test_a_line_that_is_not_understood_is_answered_with_what_may_be_typed() -> None:
    said = line_of(fight(), looks(fight()), "помощь", "referee")

    assert isinstance(said, Message)
    told = words("pokrovy", "ru").said.say(said)
    assert "помощь" in told
    assert "лечить" in told
    assert told.count("помощь") == 1


@pytest.mark.parametrize("points", ["abc", "--5", "²", "9" * 5_000])
def test_what_is_no_number_in_a_field_for_one_is_named_by_the_label_of_the_field(points: str) -> None:
    table, t = fight(), words("pokrovy", "ru")

    said = filled(table, looks(table), t, "grant", {"f.target": "anna", "f.points": points}, "referee")

    assert isinstance(said, Message)
    assert t.said.say(said) == "очки: нужно целое число"


def test_a_duration_may_be_chosen_by_its_name() -> None:
    table, t = fight(), words("pokrovy", "ru")
    given = {"f.target": "anna", "f.layer": "wards", "f.points": "4", "f.until": t.term("any_rest")}

    command = filled(table, looks(table), t, "grant", given, "referee")

    assert isinstance(command, Command)
    assert command.fields["until"] == "any_rest"


def test_only_the_referee_tells_of_a_blow_in_a_game_that_says_so() -> None:
    table = wargame()
    player = looks(table, Viewer(PLAYER, ("mage",)))

    assert not may_strike(table, player)
    assert may_strike(table, looks(table))
    assert may_strike(fight(), looks(fight(), Viewer(PLAYER, ("anna",))))


def test_no_two_actions_of_one_model_look_the_same() -> None:
    table = wargame()
    table.do("advance", to="strategic", player="red")
    table.do("advance", to="upkeep", player="red")
    table.do("advance", to="tactical", player="red")
    table.do("activate", model="mage")
    found = actors(table, looks(table), words("eldfall", "ru"))
    titles = [act.title for actor in found for act in actor.may if actor.id == "mage"]

    assert len(titles) > 2
    assert len(titles) == len(set(titles))


def test_a_change_stays_on_one_line_and_what_people_wrote_stays_text() -> None:
    assert joined("<b>: 14 → 9") == '&lt;b&gt;: <span class="whole">14 → 9</span>'

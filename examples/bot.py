"""A demo bot: it sits at a table as the referee and keeps a fight going until it is interrupted.

python examples/bot.py http://127.0.0.1:8000 TABLE TOKEN
"""

from __future__ import annotations

import argparse
import contextlib
import random
import time
from typing import Any

from gambeson.client import Client, ClientError


def blow(game: str, target: str) -> dict[str, Any]:
    """A blow in the words of the game."""
    match game:
        case "novitas":
            return {"target": target, "call": str(random.randint(1, 4)), "location": "torso"}
        case "eldfall":
            return {"target": target, "damage": 1}
        case _:
            return {"target": target, "damage": random.randint(1, 6)}


def answer(client: Client, decision: dict[str, Any]) -> None:
    """Answer whatever is asked: the first option, or dice as they fall."""
    if decision["kind"] == "roll":
        faces = [random.randint(1, dice["sides"]) for dice in decision["dice"] for _ in range(dice["count"])]
        client.answer(decision["id"], rolls=faces)
    else:
        client.answer(decision["id"], decision["options"][0]["id"])


def act(client: Client) -> str:
    """Do one thing, and say what came of it."""
    view = client.view(log=0)
    if view["pending"]:
        answer(client, view["pending"][0])
        return f"answered {view['pending'][0]['question']}"
    if not view["entities"]:
        return "nobody is here"
    target = random.choice(list(view["entities"]))
    if random.random() < 0.2:
        client.undo()
        return "undid the last command"
    ruling = client.command("hit", **blow(view["game"], target))["ruling"]
    return f"{view['entities'][target]['name']} loses {ruling['taken'] or 'nothing'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("table")
    parser.add_argument("token")
    parser.add_argument("--count", type=int, default=0, help="how many commands (default: until interrupted)")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between them")
    asked = parser.parse_args()
    client = Client(asked.url, asked.table, asked.token)
    done = 0
    while not asked.count or done < asked.count:
        try:
            print(act(client), flush=True)
        except ClientError as error:
            if error.status not in (409, 422):
                raise
            print(f"refused: {error}", flush=True)
        done += 1
        time.sleep(asked.pause)
    client.close()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()

"""General procedures that data alone can't say, each with a data face that packs fill in."""

from __future__ import annotations

from gambeson.mechanisms.casting import Cast
from gambeson.mechanisms.costs import Pay
from gambeson.mechanisms.mending import Mend
from gambeson.mechanisms.rests import InOtherWords, Rest

MECHANISMS = {"cast": Cast, "mend": Mend, "pay": Pay, "rest": Rest, "in_other_words": InOtherWords}
"""What a pack may name under `does`, beside the commands of the engine."""

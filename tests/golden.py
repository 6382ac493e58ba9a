"""Whole rounds with the right answers: `data/rounds-*.jsonl.gz`, lines of {"record": ..., "states": [...]}.

`full` gives every legal move, `brief` their number and hash, `seen` shows a round as one player (`viewer`) saw it.
"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import plain

DATA = Path(__file__).parent / "data"

Json = dict[str, Any]


def rounds(name: str) -> list[Json]:
    """The rounds of one file: `full`, `seen` or `brief`."""
    with gzip.open(DATA / f"rounds-{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def opening(played: Json) -> plain.Table:
    """The table at the start of a fully known round of a record."""
    bonus = {int(tier): values for tier, values in played["bonus"].items()}
    deck_end = played.get("deck_end", "refill")
    return plain.lay(
        played["market"],
        played["hands"],
        deck=list(played["deck"]),
        bonus=bonus,
        turn=played["first"],
        deck_end=deck_end,
    )


def state(table: plain.Table) -> Json:
    """A replay's state of the table, without `legal` and `move`."""
    shown = {
        "turn": table.turn,
        "market": dict(Counter(table.market)),
        "hands": [dict(Counter(player.hand)) for player in table.players],
        "herds": [player.herd for player in table.players],
        "deck": len(table.deck),
        "tokens": table.tokens,
        "bonus": {str(tier): len(pile) for tier, pile in table.bonus.items()},
        "rupees": plain.rupees(table),
        "unknown": [0, 0],
    }
    if end := plain.over(table):
        seal = plain.winner(table)
        shown |= {"over": end, "seal": seal, "result": "draw" if seal is None else "won"}
    return shown

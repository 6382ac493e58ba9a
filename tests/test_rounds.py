"""Whole rounds: the kernels against the golden rounds, and against the plain twin in random ones."""

import hashlib
from collections import Counter
from typing import Any

import golden
import numpy as np
import plain
import pytest
from packed import DECK_ENDS, JIT, legal, packed, shown, step

from engine import rules, state

RANDOM_ROUNDS = 2000 if JIT else 20


@pytest.mark.parametrize("name", ["full", "brief"])
def test_golden_rounds(name: str) -> None:
    """Every state, every legal move (or their number and hash), every result."""
    for line in golden.rounds(name):
        [played] = line["record"]["rounds"]
        hidden = golden.opening(played)
        table = packed(hidden)
        for expected, move in zip(line["states"], [*played["turns"], None], strict=True):
            assert shown(table) | legal_form(name, legal(table)) | ({"move": move} if move else {}) == expected
            if move:
                step(table, move, hidden.deck, hidden.bonus)
                plain.play(hidden, move)


def legal_form(name: str, moves: list[str]) -> golden.Json:
    if name == "full":
        return {"legal": moves}
    return {"legal_count": len(moves), "legal_sha256": hashlib.sha256("\n".join(moves).encode()).hexdigest()}


def test_golden_rounds_as_one_player_sees_them() -> None:
    """Cards nobody has seen are counted in the hidden lane, and unknown bonus tokens in no rupees."""
    for line in golden.rounds("seen"):
        [played] = line["record"]["rounds"]
        table = seen_opening(played)
        for expected, turn in zip(line["states"], [*played["turns"], None], strict=True):
            mover_hides = state.read(table).holds[state.turn_of(table)][state.HIDDEN] > 0
            form = shown(table) | {
                "bonus_unknown": bonus_unknown(table),
                "legal": None if mover_hides and turn else legal(table),
            }
            if turn:
                form["move"] = turn["move"]
            else:
                del form["seal"], form["result"]
            assert form == expected
            if turn:
                bonus = {tier: [turn["bonus"]] if "bonus" in turn else [] for tier in rules.TIER_SIZE}
                step(table, turn["move"], turn.get("refill", []), bonus)


def seen_opening(played: golden.Json) -> np.ndarray:
    """The deal of a partly known record; the cards left out are unseen."""
    dealt = [Counter(hand) for hand in played["hands"]]
    visible = Counter(played["market"]) + dealt[0] + dealt[1]
    return state.table(
        market=[played["market"].count(card) for card in plain.TYPES],
        holds=[[hand[card] for card in plain.TYPES] + [rules.DEALT - hand.total()] for hand in dealt],
        knowns=[[0] * rules.GOODS] * rules.PLAYERS,
        unseen=[count - visible[card] for card, count in plain.CARDS.items()],
        tokens=[len(values) for values in rules.TOKENS],
        owned=[[0] * len(rules.BONUS_VALUES)] * rules.PLAYERS,
        scores=[[0] * (rules.TIERS + 2)] * rules.PLAYERS,
        turn=played["first"],
    )


def bonus_unknown(table: np.ndarray) -> list[int]:
    """Bonus tokens of each player that lie face down."""
    seen = state.read(table)
    pairs = zip(seen.scores, seen.owned, strict=True)
    return [sum(score[: rules.TIERS]) - sum(owned) for score, owned in pairs]


@pytest.mark.parametrize("deck_end", DECK_ENDS)
def test_random_rounds_equal_their_plain_twins(deck_end: str) -> None:
    """Bit for bit the same table at every turn, the same legal moves, and the same end."""
    for seed in range(RANDOM_ROUNDS // 2):
        hidden, exchanges = None, 0
        table: Any = None
        for hidden, moves, move in plain.random_round(seed, deck_end):
            if table is None:
                table = packed(hidden)
            assert np.array_equal(table, packed(hidden, exchanges))
            assert legal(table) == moves
            step(table, move, hidden.deck, hidden.bonus)
            exchanges = exchanges + 1 if move.startswith("exchange") else 0
        assert hidden
        assert np.array_equal(table, packed(hidden, exchanges))
        assert legal(table) == []
        assert state.margin(table) == plain.rupees(hidden)[0] - plain.rupees(hidden)[1]
        winner = plain.winner(hidden)
        assert state.winner(table) == (-1 if winner is None else winner)

"""The greedy player against its plain twin: scores, order of texts, choices."""

import random

import numpy as np
import plain
import pytest
from hypothesis import assume, given
from packed import JIT, SUBSETS, TABLES, code, packed, step, text

from engine import state
from engine.greedy import greedy_move, greedy_tenths, text_order
from engine.lanes import U, pack
from engine.moves import MAX_MOVES

MARKET = ["camel", "camel", "diamond", "gold", "leather"]
WHOLE_ROUNDS = 10 if JIT else 1
LONGEST = 150
"""Turns after which a round is left: two greedy players may exchange for ever."""


def chosen(table: np.ndarray) -> str:
    return text(int(greedy_move(table, SUBSETS, np.empty(MAX_MOVES, np.uint64))))


@given(TABLES)
def test_scores_and_choice_are_those_of_the_plain_twin(table: plain.Table) -> None:
    assume(plain.over(table) is None)
    words, moves = packed(table), plain.legal_moves(table)
    assert [greedy_tenths(words, U(code(move))) for move in moves] == [
        plain.greedy_tenths(table, move) for move in moves
    ]
    assert chosen(words) == plain.greedy(table, moves)


@pytest.mark.parametrize(
    ("hand", "herd", "move", "tenths"),
    [
        ("cloth cloth", 0, "take gold", 7 * (6 + 5 + 3)),
        ("cloth cloth", 1, "take camels", 7 * 8 + 10 * 3),
        ("silver silver silver silver", 0, "sell 3 silver", 10 * (15 + 2) + 7 * 5),
        ("leather leather leather leather", 0, "take leather", 7 * (11 + 9)),
        ("diamond diamond diamond diamond diamond", 0, "take gold", 7 * (29 + 9 + 6)),
        ("cloth spice", 1, "exchange diamond gold for cloth camel", 7 * (7 + 6 + 5)),
    ],
)
def test_scores_by_hand(hand: str, herd: int, move: str, tenths: int) -> None:
    """Each sum is gained rupees, the hand kept and the herd kept, in tenths."""
    table = packed(plain.Table(MARKET, [plain.Player(hand.split(), herd), plain.Player([])]))
    assert greedy_tenths(table, U(code(move))) == tenths


@pytest.mark.parametrize(("left", "gained", "kept"), [(0, 9, 11), (1, 9 + 2, 11), (2, 9 + 2, 11 + 2)])
def test_a_bonus_token_counts_once(left: int, gained: int, kept: int) -> None:
    """The last one of a tier goes with the sale, and the hand kept can no longer bring it."""
    table = plain.lay(MARKET, [["spice"] * 3 + ["leather"] * 3, []], bonus={**plain.BONUS, 3: plain.BONUS[3][:left]})
    table.players[1].bonus = plain.BONUS[3][left:]
    assert greedy_tenths(packed(table), U(code("sell 3 leather"))) == 10 * gained + 7 * kept


@given(TABLES)
def test_moves_are_ordered_as_their_texts(table: plain.Table) -> None:
    moves = plain.legal_moves(table)
    shuffled = random.Random(0).sample(moves, len(moves))
    assert sorted(shuffled, key=lambda move: text_order(U(code(move)))) == moves


def test_words_are_ordered_one_by_one() -> None:
    """Also between exchanges of different lengths, and where the order of the cards is not that of their names."""
    in_order = [
        "exchange cloth leather for gold camel",
        "exchange diamond diamond diamond for cloth camel camel",
        "exchange diamond diamond for cloth cloth",
        "exchange diamond diamond gold silver cloth for spice spice spice leather leather",
        "exchange diamond gold for cloth cloth",
        "exchange gold cloth for diamond diamond",
        "exchange gold cloth for silver leather",
        "exchange gold gold for camel camel",
        "exchange silver spice for gold gold",
        "exchange spice leather for gold gold",
        "sell 1 cloth",
        "sell 1 leather",
        "sell 2 cloth",
        "sell 7 leather",
        "take camels",
        "take cloth",
        "take spice",
    ]
    assert in_order == sorted(in_order)
    keys = [text_order(U(code(move))) for move in in_order]
    assert keys == sorted(set(keys))


@given(TABLES)
def test_hidden_cards_do_not_matter(table: plain.Table) -> None:
    """The choice is the same when the other player's hand is only counted and lies among the unseen cards."""
    assume(plain.over(table) is None)
    world = packed(table)
    seen = world.copy()
    other = state.HOLD + 1 - table.turn
    hand = world[other] & pack([255] * 6)
    seen[other] += pack([0] * state.HIDDEN + [state.hand_size(world, 1 - table.turn)]) - hand
    seen[state.DECK] += hand
    assert chosen(seen) == chosen(world)


def test_whole_greedy_rounds() -> None:
    for seed in range(WHOLE_ROUNDS):
        table = plain.deal(random.Random(seed))
        words = packed(table)
        for _ in range(LONGEST):
            if not (moves := plain.legal_moves(table)):
                break
            move = plain.greedy(table, moves)
            assert chosen(words) == move
            step(words, move, table.deck, table.bonus)
            plain.play(table, move)


def test_no_move_when_the_round_is_over() -> None:
    table = packed(plain.Table(["gold"] * 4, [plain.Player([]), plain.Player([])]))
    assert greedy_move(table, SUBSETS, np.empty(MAX_MOVES, np.uint64)) == 0

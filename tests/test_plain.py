"""The plain twin against the golden rounds, and against cases worked out by hand."""

import hashlib
from collections import Counter
from itertools import chain
from typing import Any

import golden
import plain
import pytest
from plain import Match, Player, Table

FULL = "camel camel diamond gold leather"
ENDED: dict[str, list[int]] = {"diamond": [], "gold": [], "silver": []}
"""Three empty piles."""


def made(market: str, hand: str = "", herd: int = 0, **rest: Any) -> Table:
    """A table on which player 0 moves; player 1 holds nothing."""
    return Table(market.split(), [Player(hand.split(), herd), Player([])], **rest)


def after(table: Table, *moves: str) -> Table:
    """The table after these moves, each of them legal."""
    for move in moves:
        assert move in plain.legal_moves(table)
        plain.play(table, move)
    return table


def piles(**left: list[int]) -> dict[str, list[int]]:
    """Full goods token piles but for those named."""
    return {**{good: list(values) for good, values in plain.TOKENS.items()}, **left}


# ---- golden rounds ----


@pytest.mark.parametrize("name", ["full", "brief"])
def test_golden_rounds(name: str) -> None:
    """Every state, every legal move (or their number and hash), every result."""
    for line in golden.rounds(name):
        [played] = line["record"]["rounds"]
        table = golden.opening(played)
        for expected, move in zip(line["states"], [*played["turns"], None], strict=True):
            legal = plain.legal_moves(table)
            if name == "full":
                shown: golden.Json = {"legal": legal}
            else:
                digest = hashlib.sha256("\n".join(legal).encode()).hexdigest()
                shown = {"legal_count": len(legal), "legal_sha256": digest}
            if move:
                shown["move"] = move
            assert golden.state(table) | shown == expected
            if move:
                plain.play(table, move)


def test_golden_seen_cards() -> None:
    """What a viewer has seen of the other hand: the rounds are among the fully known ones, found by their moves."""
    lines = golden.rounds("full") + golden.rounds("brief")
    known = {tuple(line["record"]["rounds"][0]["turns"]): line for line in lines}
    for line in golden.rounds("seen"):
        other = 1 - line["viewer"]
        moves = [turn["move"] for turn in line["record"]["rounds"][0]["turns"]]
        table = golden.opening(known[tuple(moves)]["record"]["rounds"][0])
        for expected, move in zip(line["states"], [*moves, None], strict=True):
            player = table.players[other]
            assert Counter(player.seen) == expected["hands"][other]
            assert len(player.hand) - len(player.seen) == expected["unknown"][other]
            if move:
                plain.play(table, move)


# ---- moves ----


def test_exchanges_are_multisets_of_two_at_least() -> None:
    table = made("gold gold leather camel camel", "cloth cloth leather", herd=1)
    assert plain.legal_moves(table) == [
        "exchange gold gold for cloth camel",
        "exchange gold gold for cloth cloth",
        "exchange gold gold for cloth leather",
        "exchange gold gold for leather camel",
        "exchange gold gold leather for cloth cloth camel",
        "exchange gold leather for cloth camel",
        "exchange gold leather for cloth cloth",
        "sell 1 cloth",
        "sell 1 leather",
        "sell 2 cloth",
        "take camels",
        "take gold",
        "take leather",
    ]


def test_hand_limit_counts_after_the_move() -> None:
    full_hand = made("gold gold camel camel camel", "cloth cloth cloth cloth spice spice spice", herd=4)
    moves = plain.legal_moves(full_hand)
    assert "take gold" not in moves
    assert "exchange gold gold for cloth spice" in moves
    assert not any(move.startswith("exchange") and "camel" in move for move in moves)


def test_exchange_draws_nothing() -> None:
    table = after(
        made("gold gold leather camel camel", "cloth", herd=1, deck=["spice"]), "exchange gold gold for cloth camel"
    )
    assert sorted(table.market) == ["camel", "camel", "camel", "cloth", "leather"]
    assert table.deck == ["spice"]
    assert table.turn == 1


def test_take_camels_takes_all_and_refills() -> None:
    table = after(made(FULL, deck=["spice", "cloth", "gold"]), "take camels")
    assert table.players[0].herd == 2
    assert table.market == ["diamond", "gold", "leather", "spice", "cloth"]
    assert table.deck == ["gold"]


@pytest.mark.parametrize(
    ("count", "left", "bonus", "tokens_won", "bonus_won"),
    [
        (1, [4, 3, 2], {}, [4], []),
        (2, [1], {}, [1], []),
        (2, [], {}, [], []),
        (3, [1, 1], {3: [2, 1]}, [1, 1], [2]),
        (3, [], {3: [2, 1]}, [], [2]),
        (3, [2, 1, 1], {3: []}, [2, 1, 1], []),
        (4, [2, 1, 1], {4: [6]}, [2, 1, 1], [6]),
        (6, [2, 1, 1], {5: [9, 10]}, [2, 1, 1], [9]),
        (7, [4, 3, 2, 1, 1, 1, 1, 1, 1], {5: [10, 8]}, [4, 3, 2, 1, 1, 1, 1], [10]),
        (7, [4, 3, 2, 1, 1, 1, 1, 1, 1], {5: []}, [4, 3, 2, 1, 1, 1, 1], []),
    ],
)
def test_sales_of_leather(
    count: int, left: list[int], bonus: dict[int, list[int]], tokens_won: list[int], bonus_won: list[int]
) -> None:
    table = made(FULL, "leather " * 7, tokens=piles(leather=list(left)), bonus={3: [], 4: [], 5: [], **bonus})
    seller = after(table, f"sell {count} leather").players[0]
    assert (seller.tokens, seller.bonus) == (tokens_won, bonus_won)
    assert len(seller.hand) == 7 - count
    assert table.sold == ["leather"] * count


def test_dear_goods_are_sold_by_two_even_for_one_token() -> None:
    table = made(FULL, "diamond diamond", tokens=piles(diamond=[5]))
    assert "sell 1 diamond" not in plain.legal_moves(table)
    assert after(table, "sell 2 diamond").players[0].tokens == [5]


def test_seen_cards_leave_the_hand_first() -> None:
    table = made(FULL, "leather", deck=["spice"])
    plain.play(table, "take leather")
    assert table.players[0].seen == ["leather"]
    table.turn = 0
    plain.play(table, "sell 1 leather")
    assert table.players[0].hand == ["leather"]
    assert table.players[0].seen == []


# ---- the end of a round ----


def test_third_empty_pile_ends_the_round() -> None:
    table = made(FULL, "silver silver", tokens=piles(diamond=[], gold=[], silver=[5, 5]))
    assert plain.over(table) is None
    assert plain.over(after(table, "sell 2 silver")) == "piles"
    assert plain.legal_moves(table) == []


def test_market_that_cannot_be_filled_ends_the_round() -> None:
    table = after(made(FULL, deck=["spice"]), "take camels")
    assert plain.over(table) == "deck"
    assert table.market == ["diamond", "gold", "leather", "spice"]


def test_last_card_drawn() -> None:
    """It ends the round in the stricter reading alone; in the other, the next move that needs a card does."""
    strict = after(made(FULL, deck=["spice"], deck_end="empty"), "take gold")
    assert plain.over(strict) == "deck"
    assert plain.legal_moves(strict) == []
    table = after(made(FULL, "cloth", deck=["spice"]), "take gold")
    assert plain.over(table) is None
    assert plain.over(after(table, "take diamond")) == "deck"


def test_exchange_and_sale_go_on_with_an_empty_deck() -> None:
    table = after(made("gold gold spice camel camel", "cloth cloth"), "exchange gold gold for cloth cloth")
    assert plain.over(table) is None
    table.turn = 0
    assert plain.over(after(table, "sell 2 gold")) is None


@pytest.mark.parametrize(("herds", "camel_token"), [((3, 2), [5, 0]), ((0, 1), [0, 5]), ((4, 4), [0, 0])])
def test_camel_token_goes_to_the_larger_herd_at_the_end(herds: tuple[int, int], camel_token: list[int]) -> None:
    players = [Player([], herd) for herd in herds]
    assert plain.rupees(Table(FULL.split(), players, tokens=piles(**ENDED))) == camel_token
    assert plain.rupees(Table(FULL.split(), players)) == [0, 0]


@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        (Player([], tokens=[5, 5]), Player([], tokens=[7, 2]), 0),
        (Player([], tokens=[7, 7]), Player([], tokens=[5, 5], herd=1), 1),
        (Player([], tokens=[7, 7, 5], bonus=[2]), Player([], tokens=[5, 4], bonus=[10, 2]), 1),
        (Player([], tokens=[5], bonus=[3, 2]), Player([], tokens=[5, 3, 1, 1]), 0),
        (Player([], tokens=[5, 5], bonus=[1]), Player([], tokens=[7, 2, 1], bonus=[1]), 1),
        (Player([], tokens=[7, 3], bonus=[1]), Player([], tokens=[5, 5], bonus=[1]), None),
        (Player([]), Player([]), None),
    ],
    ids=["rupees", "camel token", "more", "bonus tokens", "goods tokens", "draw", "nothing sold"],
)
def test_seal(one: Player, other: Player, winner: int | None) -> None:
    assert plain.winner(Table(FULL.split(), [one, other], tokens=piles(**ENDED))) == winner
    swapped = None if winner is None else 1 - winner
    assert plain.winner(Table(FULL.split(), [other, one], tokens=piles(**ENDED))) == swapped


def test_match_to_two_seals() -> None:
    """The loser starts the next round; after a draw, who did not start the drawn one."""
    match = Match(first=0)
    for seal, first, seals in [(0, 1, [1, 0]), (None, 0, [1, 0]), (None, 1, [1, 0]), (1, 0, [1, 1])]:
        match.settle(seal)
        assert (match.first, match.seals, match.champion) == (first, seals, None)
    match.settle(1)
    assert match.champion == 1


# ---- players ----


@pytest.mark.parametrize("deck_end", ["refill", "empty"])
def test_random_rounds_keep_every_card_and_token(deck_end: str) -> None:
    for seed in range(20):
        for table, legal, move in plain.random_round(seed, deck_end):
            players = table.players
            cards = Counter(table.market + table.deck + table.sold + players[0].hand + players[1].hand)
            cards["camel"] += players[0].herd + players[1].herd
            assert cards == plain.CARDS
            tokens = [*table.tokens.values(), players[0].tokens, players[1].tokens]
            assert Counter(chain(*tokens)) == Counter(chain(*plain.TOKENS.values()))
            bonus = [*table.bonus.values(), players[0].bonus, players[1].bonus]
            assert Counter(chain(*bonus)) == Counter(chain(*plain.BONUS.values()))
            assert len(table.market) == 5
            assert max(len(player.hand) for player in players) <= 7
            assert move in legal
        assert plain.over(table)


def test_random_round_repeats_by_seed() -> None:
    rounds = [[move for _, _, move in plain.random_round(seed)] for seed in (3, 3, 4)]
    assert rounds[0] == rounds[1] != rounds[2]


@pytest.mark.parametrize(
    ("table", "move", "tenths"),
    [
        # The hand afterwards: gold, at 6 rupees; two cloth at 5 + 3.
        (made(FULL, "cloth cloth"), "take gold", 7 * (6 + 8)),
        (made(FULL, "cloth cloth", herd=2), "take camels", 7 * 8 + 10 * 4),
        # Three silver gain 15 and 2 for the bonus; the fourth would then bring 5.
        (made(FULL, "silver silver silver silver"), "sell 3 silver", 10 * 17 + 7 * 5),
        (made(FULL, "silver silver silver", bonus={3: [], 4: [6], 5: [8]}), "sell 3 silver", 10 * 15),
        # A hand kept is worth its bonus too: five leather 4 + 3 + 2 + 1 + 1 and 9.
        (made(FULL, "leather leather leather leather"), "take leather", 7 * (11 + 9)),
        (made(FULL, "cloth spice", herd=1), "exchange diamond gold for cloth camel", 7 * (7 + 6 + 5)),
    ],
)
def test_greedy_sum(table: Table, move: str, tenths: int) -> None:
    assert move in plain.legal_moves(table)
    assert plain.greedy_tenths(table, move) == tenths


def test_greedy_takes_the_largest_sum_and_the_first_text_at_a_tie() -> None:
    table = made("diamond gold camel camel camel", "cloth", deck=["spice"] * 3)
    assert plain.greedy(table, plain.legal_moves(table)) == "take diamond"
    tied = made("cloth spice leather leather leather", "", deck=["spice"])
    assert plain.greedy(tied, plain.legal_moves(tied)) == "take cloth"
    assert tied.market == ["cloth", "spice", "leather", "leather", "leather"]

"""The packed table: its layout, what a move does to it, chance, hidden cards, and the end of a round."""

from collections import Counter
from copy import deepcopy
from typing import Any

import numpy as np
import plain
import pytest
import steer
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import SUBSETS, TABLES, code, counts, legal, packed, step
from plain import Player, Table

from engine import rules, state, streams
from engine.codes import decode
from engine.lanes import U, pack, unpack
from engine.moves import random_move

CAMELS = "camel camel diamond gold leather"
DIAMONDS_AND_GOLD_GONE = {**plain.TOKENS, "diamond": [], "gold": []}
COUNTS = st.lists(st.integers(0, 7), min_size=7, max_size=7).filter(any)


def made(hand: str = "", other: str = "", market: str = CAMELS, **rest: Any) -> np.ndarray:
    """A table on which player 0 moves; camels of a hand lie in the herd."""
    return packed(plain.lay(market.split(), [hand.split(), other.split()], **deepcopy(rest)))


def after(table: np.ndarray, move: str, deck: str = "") -> np.ndarray:
    """The table after a legal move; places in the market are filled from `deck`, bonus tokens stay face down."""
    assert move in legal(table)
    step(table, move, deck.split(), {3: [], 4: [], 5: []})
    return table


def dealt(seed: int, deck_end: int = rules.DECK_END_REFILL) -> tuple[np.ndarray, np.ndarray]:
    """A dealt table and the stream behind it."""
    table, stream = np.empty(state.STATE_WORDS, np.uint64), np.empty(1, np.uint64)
    streams.set_stream(stream, seed, 0, streams.DEAL)
    state.deal(table, seed & 1, deck_end, stream)
    return table, stream


# ---- layout ----


def test_size() -> None:
    assert made().nbytes < 200


@given(TABLES)
def test_read_gives_back_what_was_packed(table: Table) -> None:
    seen = state.read(packed(table))
    assert seen.market == counts(table.market)
    assert seen.unseen == counts(table.deck)
    assert seen.tokens == tuple(len(pile) for pile in table.tokens.values())
    assert seen.bonus == values(value for pile in table.bonus.values() for value in pile)
    assert (seen.turn, seen.deck_end) == (table.turn, ("refill", "empty").index(table.deck_end))
    for i, player in enumerate(table.players):
        assert seen.holds[i] == (*counts(player.hand)[:6], player.herd, 0)
        assert seen.knowns[i] == counts(player.seen)[:6]
        assert seen.owned[i] == values(player.bonus)
        tiers = [[value for value in player.bonus if value in tier] for tier in rules.BONUS]
        assert seen.scores[i] == (*map(len, tiers), *map(sum, tiers), sum(player.tokens), len(player.tokens))


def values(tokens: Any) -> tuple[int, ...]:
    """Bonus tokens by value (9)."""
    tally = Counter(tokens)
    return tuple(tally[value] for value in rules.BONUS_VALUES)


@pytest.mark.parametrize(
    ("unseen", "hidden", "tokens", "deck_end", "over"),
    [
        (3, 0, (0, 0, 5, 7, 7, 9), rules.DECK_END_EMPTY, state.GOES_ON),
        (3, 0, (0, 0, 5, 7, 7, 0), rules.DECK_END_REFILL, state.OVER_PILES),
        (3, 3, (5, 5, 5, 7, 7, 9), rules.DECK_END_REFILL, state.GOES_ON),
        (3, 3, (5, 5, 5, 7, 7, 9), rules.DECK_END_EMPTY, state.OVER_DECK),
        (4, 3, (5, 5, 5, 7, 7, 9), rules.DECK_END_EMPTY, state.GOES_ON),
    ],
)
def test_a_packed_table_knows_whether_the_round_is_over(
    unseen: int, hidden: int, tokens: tuple[int, ...], deck_end: int, over: int
) -> None:
    table = state.table(
        market=(1, 1, 1, 1, 1, 0, 0),
        holds=[[0] * 8, [0] * 7 + [hidden]],
        knowns=[[0] * 6] * 2,
        unseen=[0, 0, unseen, 0, 0, 0, 0],
        tokens=tokens,
        owned=[[0] * 9] * 2,
        scores=[[0] * 5] * 2,
        deck_end=deck_end,
    )
    assert state.read(table).over == over
    assert state.deck_size(table) == unseen - hidden


# ---- moves ----


@given(TABLES)
def test_every_move_does_what_its_plain_twin_does(table: Table) -> None:
    for move in plain.legal_moves(table):
        fast, slow = packed(table), deepcopy(table)
        step(fast, move, table.deck, table.bonus)
        plain.play(slow, move)
        assert np.array_equal(fast, packed(slow, exchanges=int(move.startswith("exchange"))))


@pytest.mark.parametrize(
    ("count", "left", "rupees", "tokens", "tier"),
    [(2, 1, 1, 1, None), (2, 0, 0, 0, None), (3, 2, 2, 2, 0), (4, 0, 0, 0, 1), (5, 9, 11, 5, 2), (7, 9, 13, 7, 2)],
)
def test_sales_of_leather(count: int, left: int, rupees: int, tokens: int, tier: int | None) -> None:
    """The bonus goes by the cards sold, the rupees by the tokens left."""
    table = made("leather " * 7, tokens={**plain.TOKENS, "leather": plain.TOKENS["leather"][9 - left :]})
    score = state.read(after(table, f"sell {count} leather")).scores[0]
    assert score[state.RUPEES] == state.rupees(table, 0) == rupees
    assert score[state.TOKENS_WON] == tokens
    assert score[: rules.TIERS] == tuple(int(i == tier) for i in range(rules.TIERS))


def test_no_bonus_token_from_an_empty_stack() -> None:
    table = made("leather " * 3, bonus={**plain.BONUS, 3: []})
    table[state.SCORE + 1] = pack((7,))
    assert state.bonus_left(table, 0) == 0
    assert state.play(table, U(code("sell 3 leather"))) == -1
    assert state.read(table).scores[0][:3] == (0, 0, 0)


def test_exchanges_in_a_row_are_counted_up_to_255() -> None:
    table = made("cloth spice", market="gold silver gold silver gold")
    for i in range(300):
        there, back = "exchange gold silver for cloth spice", "exchange cloth spice for gold silver"
        assert unpack(table[state.INFO])[state.EXCHANGES] == min(i, 255)
        state.play(table, U(code(back if i % 2 else there)))
    state.play(table, U(code("sell 1 cloth")))
    assert unpack(table[state.INFO])[state.EXCHANGES] == 0


# ---- chance ----


@given(COUNTS)
def test_every_card_is_drawn_equally_often(cards: list[int]) -> None:
    laid_out = [kind for kind, count in enumerate(cards) for _ in range(count)]
    drawn = [unpack(U(state.draw(pack(cards), stream)), 7).index(1) for stream in steer.streams_below(len(laid_out))]
    assert drawn == laid_out


@given(st.tuples(*(st.integers(0, count) for count in rules.BONUS_COUNTS)))
def test_every_bonus_token_is_drawn_equally_often(unseen: tuple[int, ...]) -> None:
    word = U(sum(count << (4 * i) for i, count in enumerate(unseen)))
    for tier in range(rules.TIERS):
        laid_out = [i for i in range(3 * tier, 3 * tier + 3) for _ in range(unseen[i])]
        assert [state.draw_bonus(word, tier, stream) for stream in steer.streams_below(len(laid_out))] == laid_out


def test_refill_draws_as_far_as_the_deck_reaches() -> None:
    stream = np.zeros(1, np.uint64)
    for deck, drawn in [(["spice"], 1), (["spice", "cloth"], 2), (["spice", "cloth", "gold", "gold"], 2)]:
        table = made(deck=deck)
        state.play(table, U(code("take camels")))
        cards = unpack(U(state.draw_refill(table, stream)), 7)
        assert sum(cards) == drawn
        assert all(card <= held for card, held in zip(cards, counts(deck), strict=True))


def test_deals_are_fair() -> None:
    """How many cards of each type lie in each place, on average: within 4.5 standard errors of a shuffled deck."""
    deals = [state.read(dealt(seed)[0]) for seed in range(3000)]
    laid = np.array([0] * 6 + [rules.OPENING_CAMELS])
    share = (np.array(rules.CARDS) - laid) / 52
    hands = [[deal.holds[player][:7] for deal in deals] for player in range(2)]
    for cards, size in [(hands[0], 5), (hands[1], 5), ([deal.market - laid for deal in deals], 2)]:
        mean = np.mean(cards, axis=0)
        variance = size * share * (1 - share) * (52 - size) / 51 / len(deals)
        assert (abs(mean - size * share) < 4.5 * np.sqrt(variance)).all()


# ---- whole rounds ----


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([rules.DECK_END_REFILL, rules.DECK_END_EMPTY]))
def test_cards_and_tokens_are_kept(seed: int, deck_end: int) -> None:
    """All along a round: 55 cards, 38 + 18 tokens, hands of 7, five in the market, something to play."""
    table, stream = dealt(seed, deck_end)
    sold = np.zeros(7, int)
    while not state.over_of(table):
        assert_whole(table, sold)
        assert sum(state.read(table).market) == rules.MARKET_SIZE
        assert legal(table)
        move = random_move(table, SUBSETS, stream)
        taken, given_away = decode(int(move))
        sold += np.array(given_away) * (not any(taken))
        state.complete_turn(table, state.play(table, U(move)), stream)
    assert_whole(table, sold)
    assert legal(table) == []


def assert_whole(table: np.ndarray, sold: np.ndarray) -> None:
    seen = state.read(table)
    holds = np.array(seen.holds)
    scores = np.array(seen.scores)
    assert tuple(sold + seen.market + seen.unseen + holds[:, :7].sum(axis=0)) == rules.CARDS
    assert (holds[:, :6].sum(axis=1) <= rules.HAND_LIMIT).all()
    assert (np.array(seen.knowns) <= holds[:, :6]).all()
    assert sum(seen.tokens) + scores[:, state.TOKENS_WON].sum() == 38
    lying = sum(sum(pile[len(pile) - left :]) for pile, left in zip(rules.TOKENS, seen.tokens, strict=True))
    assert lying + scores[:, state.RUPEES].sum() == 130
    assert tuple(np.array(seen.owned).sum(axis=0) + seen.bonus) == rules.BONUS_COUNTS
    owned = np.array(seen.owned).reshape(2, 3, 3)
    assert (owned.sum(axis=2) == scores[:, :3]).all()
    assert ((owned * np.array(rules.BONUS_VALUES).reshape(3, 3)).sum(axis=2) == scores[:, 3:6]).all()


# ---- hidden cards ----


def hiding(known: str, hidden: int, unseen: str) -> np.ndarray:
    """The opponent is to move; he holds `known` and hidden cards among `unseen`."""
    table = made(other=known, deck=unseen.split(), turn=1)
    table[state.HOLD + 1] += pack([0] * state.HIDDEN + [hidden])
    table[state.KNOWN + 1] = table[state.HOLD + 1] & pack([255] * 6)
    return table


def test_hidden_cards_are_in_the_hand_and_not_in_the_deck() -> None:
    table = hiding("gold leather", 3, "cloth cloth spice spice spice")
    assert state.hand_size(table, 1) == 5
    assert state.deck_size(table) == 2


def test_seen_cards_go_before_hidden_ones() -> None:
    table = hiding("leather", 2, "leather leather spice")
    assert state.read(after(table.copy(), "sell 1 leather")).holds[1] == (0, 0, 0, 0, 0, 0, 0, 2)
    assert state.reveal(table, 1, pack(counts(["leather"])))
    assert state.read(table).holds[1] == (0, 0, 0, 0, 0, 1, 0, 2)
    assert state.reveal(table, 1, pack(counts(["leather"] * 3)))
    seen = state.read(table)
    assert seen.holds[1] == (0, 0, 0, 0, 0, 3, 0, 0)
    assert seen.knowns[1] == (0, 0, 0, 0, 0, 1)
    assert seen.unseen == counts(["spice"])
    assert state.deck_size(table) == 1
    state.play(table, U(code("sell 2 leather")))
    assert state.read(table).holds[1] == (0, 0, 0, 0, 0, 1, 0, 0)
    assert state.read(table).knowns[1] == (0,) * 6


@pytest.mark.parametrize("cards", ["leather leather leather leather", "gold", "leather gold"])
def test_cards_that_cannot_be_there_are_not_revealed(cards: str) -> None:
    """More than there are hidden ones, or none of them unseen."""
    table = hiding("leather", 2, "leather leather leather spice")
    as_it_was = table.copy()
    assert not state.reveal(table, 1, pack(counts(cards.split())))
    assert np.array_equal(table, as_it_was)


def test_camels_given_need_no_revealing() -> None:
    table = hiding("leather camel camel", 1, "cloth")
    assert state.reveal(table, 1, pack(counts(["camel", "leather"])))
    assert state.read(table).holds[1] == (0, 0, 0, 0, 0, 1, 2, 1)


# ---- the end of a round ----


@pytest.mark.parametrize(
    ("table", "move", "deck", "over"),
    [
        (made("silver silver", tokens={**DIAMONDS_AND_GOLD_GONE, "silver": [5, 5]}), "sell 2 silver", "", "piles"),
        (made("silver silver", tokens={**DIAMONDS_AND_GOLD_GONE, "silver": [5] * 3}), "sell 2 silver", "", None),
        (made("diamond diamond", tokens=DIAMONDS_AND_GOLD_GONE), "sell 2 diamond", "", None),
        (made(deck=["spice"]), "take camels", "spice", "deck"),
        (made(deck=["spice"] * 2), "take camels", "spice spice", None),
        (made(deck=["spice"] * 2, deck_end="empty"), "take camels", "spice spice", "deck"),
        (made(deck=["spice"] * 3, deck_end="empty"), "take camels", "spice spice", None),
        (made(), "take gold", "", "deck"),
        (made("cloth camel", market="gold gold spice camel camel"), "exchange gold gold for cloth camel", "", None),
        (made("silver silver"), "sell 2 silver", "", None),
    ],
    ids=[
        "third pile",
        "third pile not yet empty",
        "pile empty before",
        "market not filled",
        "last card",
        "last card, strict",
        "last card but one, strict",
        "no card at all",
        "exchange without a deck",
        "sale without a deck",
    ],
)
def test_end_of_a_round(table: np.ndarray, move: str, deck: str, over: str | None) -> None:
    state_after = after(table.copy(), move, deck)
    assert state.read(state_after).over == (None, "piles", "deck").index(over)
    assert bool(legal(state_after)) == (over is None)
    assert state.turn_of(state_after) == 1


def test_a_partial_refill_lays_out_what_is_left() -> None:
    table = after(made(deck=["spice"]), "take camels", "spice")
    assert state.read(table).market == counts(["diamond", "gold", "leather", "spice"])
    assert state.deck_size(table) == 0


@pytest.mark.parametrize(
    ("one", "other", "margin", "winner"),
    [
        (Player([], tokens=[5, 5]), Player([], tokens=[7, 2]), 1, 0),
        (Player([], tokens=[7, 7]), Player([], tokens=[5, 5], herd=1), -1, 1),
        (Player([], tokens=[7, 7], herd=2), Player([], tokens=[7, 7], herd=2), 0, -1),
        (Player([], tokens=[7, 7, 5], bonus=[2]), Player([], tokens=[5, 4], bonus=[10, 2]), 0, 1),
        (Player([], tokens=[5], bonus=[3, 2]), Player([], tokens=[5, 3, 1, 1]), 0, 0),
        (Player([], tokens=[5, 5], bonus=[1]), Player([], tokens=[7, 2, 1], bonus=[1]), 0, 1),
        (Player([], tokens=[7, 3], bonus=[1]), Player([], tokens=[5, 5], bonus=[1]), 0, -1),
        (Player([]), Player([]), 0, -1),
    ],
    ids=["rupees", "camel token", "equal herds", "bonus tokens", "one bonus more", "goods tokens", "draw", "no sale"],
)
def test_seal(one: Player, other: Player, margin: int, winner: int) -> None:
    table = packed(Table(CAMELS.split(), [one, other]))
    assert (state.margin(table), state.winner(table)) == (margin, winner)
    swapped = packed(Table(CAMELS.split(), [other, one]))
    assert (state.margin(swapped), state.winner(swapped)) == (-margin, winner if winner < 0 else 1 - winner)

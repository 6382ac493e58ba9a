"""Finished rounds against the enumeration of all that the face-down bonus tokens can be."""

import random
from fractions import Fraction

import numpy as np
import plain
import pytest
from naive import finished
from packed import JIT, packed

from engine import rules, state
from engine.endings import WIDTH, finished_value
from engine.lanes import U, one

ROUNDS = 600 if JIT else 60


def turned_down(words: np.ndarray, player: int, value: int) -> None:
    """Turn a bonus token of a player face down again."""
    index = rules.BONUS_VALUES.index(value)
    words[state.OWNED + player] -= U(1) << U(4 * index)
    words[state.BONUS] += U(1) << U(4 * index)
    words[state.SCORE + player] -= one(3 + index // 3) * U(value)


def value(words: np.ndarray, player: int) -> tuple[float, float, float]:
    """The kernel's answer; its work space is full of rubbish."""
    space = np.full((2, WIDTH), np.nan)
    result: tuple[float, float, float] = finished_value(words, player, space)
    assert np.isnan(space[:, [0, -1]]).any()
    return result


def close_round(rng: random.Random) -> plain.Table:
    """A finished round in which both players have bonus tokens and nearly the same rupees."""
    tokens = [value for values in plain.BONUS.values() for value in values]
    rng.shuffle(tokens)
    mine = rng.choice([0, 1, 2, rng.randint(0, 9)])
    others = rng.choice([mine, mine, mine + 1, rng.randint(0, 9)])
    herds = [rng.randint(0, 2) for _ in range(2)]
    one, two = (plain.Player([], herd) for herd in herds)
    one.bonus, two.bonus = tokens[:mine], tokens[mine : mine + others]
    table = plain.Table(["gold"] * 4, [one, two])
    mine_now, others_now = plain.rupees(table)
    one.tokens = [max(0, others_now - mine_now) + 5]
    two.tokens = [max(0, mine_now - others_now) + 5 + rng.randint(-2, 2)]
    for player in rng.sample([one, two], rng.randint(0, 1)):
        player.tokens = [1, player.tokens[0] - 1]
    return table


def test_finished_rounds_against_all_assignments() -> None:
    """From both chairs, with tokens face down on either side, the other's turned up or not; with ties and draws."""
    draws, decided_ties = 0, 0
    for seed in range(ROUNDS):
        rng = random.Random(seed)
        table = close_round(rng)
        for player in range(rules.PLAYERS):
            words = packed(table)
            own, other = table.players[player], table.players[1 - player]
            bonus, hidden = list(own.bonus), rng.sample(own.bonus, rng.choice([0, rng.randint(0, len(own.bonus))]))
            for token in hidden:
                own.bonus.remove(token)
                turned_down(words, player, token)
            for token in rng.sample(other.bonus, rng.randint(0, len(other.bonus))):
                turned_down(words, 1 - player, token)
            down = [tier for tier, values in plain.BONUS.items() for token in hidden if token in values]
            win, draw, margin = finished(table, player, down)
            own.bonus = bonus
            assert value(words, player) == pytest.approx((float(win), float(draw), float(margin)), abs=1e-12)
            draws += 0 < draw < 1
            decided_ties += win not in (0, 1)
    assert min(draws, decided_ties) > ROUNDS / 20


def test_all_is_known_to_who_has_seen_all() -> None:
    """No token face down anywhere: one player wins, or it is a draw."""
    for seed in range(ROUNDS):
        table = close_round(random.Random(seed))
        table.players[1].bonus = []
        win, draw, margin = value(packed(table), 0)
        rupees = plain.rupees(table)
        assert (win, draw, margin) == (
            plain.winner(table) == 0,
            plain.winner(table) is None,
            rupees[0] - rupees[1],
        )


def hands_of(own: list[int], down: list[int], other: list[int], lead: int, tokens: tuple[int, int]) -> np.ndarray:
    """Player 0 so many rupees ahead in goods tokens, of which each has so many, and with `down` face down."""
    players = [
        plain.Player([], bonus=own + down, tokens=[40 + lead] + [0] * (tokens[0] - 1)),
        plain.Player([], bonus=other, tokens=[40] + [0] * (tokens[1] - 1)),
    ]
    words = packed(plain.Table(["gold"] * 4, players))
    for token in down:
        turned_down(words, 0, token)
    return words


@pytest.mark.parametrize(
    ("own", "down", "other", "lead", "tokens", "odds"),
    [
        pytest.param([], [], [2], 2, (1, 1), (Fraction(2, 7), 0, 0), id="1 1 2 2 2 3 3 against 2; 2 is lost by tokens"),
        pytest.param([1], [], [2], 1, (1, 1), (Fraction(1, 6), Fraction(3, 6), Fraction(-1, 6)), id="draw at 2"),
        pytest.param([1], [], [2], 1, (2, 1), (Fraction(4, 6), 0, Fraction(-1, 6)), id="goods tokens decide"),
        pytest.param([1], [], [2], 1, (1, 2), (Fraction(1, 6), 0, Fraction(-1, 6)), id="goods tokens lose"),
        pytest.param([], [3], [1], 0, (1, 1), (Fraction(16, 42), Fraction(10, 42), 0), id="what one drew is gone"),
        pytest.param([], [10], [8], 0, (1, 1), (Fraction(8, 20), Fraction(4, 20), 0), id="the dearest tier"),
        pytest.param([8, 8, 9, 10], [], [10], -25, (1, 1), (1, 0, 0), id="the last token is known"),
    ],
)
def test_finished_rounds_by_hand(
    own: list[int],
    down: list[int],
    other: list[int],
    lead: int,
    tokens: tuple[int, int],
    odds: tuple[Fraction | int, ...],
) -> None:
    assert value(hands_of(own, down, other, lead, tokens), 0) == pytest.approx(tuple(map(float, odds)), abs=1e-12)

"""Equity of the match: recursions worked out by hand in fractions, and symmetries."""

from fractions import Fraction

import numpy as np
import pytest

from engine import match
from engine.match import equity, match_win

P = Fraction(match.STARTER_WINS)
Q = 1 - P

# The loser of a round starts the next one. At 1:1 the next round decides; at 1:0 I have won the last round, so that
# the other would start, and at 0:1 I start, but every starter is worked out.
BY_HAND = {
    (1, 1, True): P,
    (1, 1, False): Q,
    (1, 0, True): P + Q * P,
    (1, 0, False): Q + P * P,
    (0, 1, True): P * Q,
    (0, 1, False): Q * Q,
    (0, 0, True): P * (Q + P * P) + Q * (P * Q),
    (0, 0, False): Q * (Q + P * P) + P * (P * Q),
}


@pytest.mark.parametrize(("seals", "chance"), BY_HAND.items())
def test_equities_by_hand(seals: tuple[int, int, bool], chance: Fraction) -> None:
    assert equity(*seals) == pytest.approx(float(chance), abs=1e-12)


@pytest.mark.parametrize("starting", [True, False])
def test_two_seals_are_the_match(starting: bool) -> None:
    assert [equity(2, others, starting) for others in (0, 1)] == [1, 1]
    assert [equity(mine, 2, starting) for mine in (0, 1)] == [0, 0]


@pytest.mark.parametrize("seals", [(mine, others) for mine in range(2) for others in range(2)])
@pytest.mark.parametrize("starting", [True, False])
def test_one_of_the_two_wins(seals: tuple[int, int], starting: bool) -> None:
    mine, others = seals
    assert equity(mine, others, starting) + equity(others, mine, not starting) == pytest.approx(1, abs=1e-12)


def test_starting_is_worth_something() -> None:
    assert all(equity(mine, others, True) > equity(mine, others, False) for mine in range(2) for others in range(2))


def test_a_round_won_or_lost_leads_to_the_next() -> None:
    """Who loses starts; with this seal the match may be over."""
    assert match_win(1.0, 0.0, 0.0, 0, 0, True) == equity(1, 0, False)
    assert match_win(0.0, 0.0, 1.0, 0, 0, True) == equity(0, 1, True)
    assert match_win(1.0, 0.0, 0.0, 1, 1, True) == 1
    assert match_win(0.0, 0.0, 1.0, 1, 1, True) == 0


def test_at_one_seal_each_the_round_is_the_match() -> None:
    assert match_win(0.7, 0.0, 0.3, 1, 1, None) == pytest.approx(0.7)


@pytest.mark.parametrize("started", [True, False])
def test_after_a_draw_the_other_starts(started: bool) -> None:
    assert match_win(0.0, 1.0, 0.0, 1, 0, started) == equity(1, 0, not started)


def test_odds_are_weighed() -> None:
    expected = Fraction(1, 2) * BY_HAND[1, 0, False] + Fraction(1, 8) * BY_HAND[0, 0, False]
    expected += Fraction(3, 8) * BY_HAND[0, 1, True]
    assert match_win(0.5, 0.125, 0.375, 0, 0, True) == pytest.approx(float(expected), abs=1e-12)


def test_an_unknown_starter_is_averaged() -> None:
    either = [match_win(0.5, 0.2, 0.3, 0, 1, started) for started in (True, False)]
    assert either[0] != either[1]
    assert match_win(0.5, 0.2, 0.3, 0, 1, None) == pytest.approx(sum(either) / 2, abs=1e-12)


@pytest.mark.parametrize("started", [True, False, None])
def test_the_other_side_of_the_table(started: bool | None) -> None:
    """What I do not win, he wins: odds, seals and starter turned round."""
    turned = None if started is None else not started
    mine, his = match_win(0.5, 0.2, 0.3, 1, 0, started), match_win(0.3, 0.2, 0.5, 0, 1, turned)
    assert mine + his == pytest.approx(1, abs=1e-12)


def test_arrays_go_element_by_element() -> None:
    win, draw, loss = np.array([1.0, 0.25]), np.array([0.0, 0.25]), np.array([0.0, 0.5])
    both = match_win(win, draw, loss, 0, 1, None)
    assert both.tolist() == [match_win(*odds, 0, 1, None) for odds in zip(win, draw, loss, strict=True)]


def test_a_decided_match_stays_decided() -> None:
    assert match_win(0.0, 0.0, 1.0, 2, 1, None) == 1
    assert match_win(np.ones(3), np.zeros(3), np.zeros(3), 0, 2, True).tolist() == [0, 0, 0]

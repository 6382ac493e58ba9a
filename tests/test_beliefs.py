"""What may be believed about open counts, against hand-worked numbers and slow counting."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.beliefs import deck_prior, herd_weight, token_splits


def test_a_deck_of_one_card_is_a_camel_in_8_of_52() -> None:
    assert herd_weight(1, 1) == pytest.approx(8 / 52)
    assert herd_weight(1, 0) == pytest.approx(44 / 52)


@pytest.mark.parametrize("deck", [0, 7, 23, 40, 52])
def test_the_camels_of_a_deck_are_somewhere(deck: int) -> None:
    assert sum(herd_weight(deck, camels) for camels in range(min(deck, 11) + 1)) == pytest.approx(1)


def test_a_deck_has_eight_camels_at_most() -> None:
    assert herd_weight(40, 8) == comb(44, 32) / comb(52, 40)
    assert herd_weight(40, 9) == 0


def test_decks_of_a_round_are_equally_likely_beforehand() -> None:
    assert {deck_prior(deck) for deck in range(41)} == {1.0}
    assert deck_prior(41) == 0


def test_herds_of_two_against_three() -> None:
    """The odds of two herds by hand: 20 cards with 3 camels against 20 cards with 2."""
    odds = Fraction(comb(8, 3) * comb(44, 17), comb(8, 2) * comb(44, 18))
    assert herd_weight(20, 3) / herd_weight(20, 2) == pytest.approx(float(odds))


def test_splits_by_hand() -> None:
    """Of 5 3 3 2 2, five rupees are one token in one way, and two tokens in four: 3 and 2."""
    assert token_splits([5, 3, 3, 2, 2], 5) == [0, 1, 4, 0, 0, 0]


def test_nothing_is_split_in_one_way() -> None:
    assert token_splits([], 0) == [1]
    assert token_splits([], 1) == [0]


def test_all_38_tokens() -> None:
    tokens = [7, 7, 5, 5, 5, 6, 6, 5, 5, 5] + [5] * 5 + [5, 3, 3, 2, 2, 1, 1] * 2 + [4, 3, 2] + [1] * 6
    assert sum(sum(token_splits(tokens, rupees)) for rupees in range(131)) == 2**38


@given(st.lists(st.integers(1, 7), max_size=9), st.integers(0, 40))
def test_splits_against_counting(values: list[int], rupees: int) -> None:
    counted = [
        sum(1 for held in combinations(range(len(values)), k) if sum(values[i] for i in held) == rupees)
        for k in range(len(values) + 1)
    ]
    assert token_splits(values, rupees) == counted

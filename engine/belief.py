"""What is believed about the opponent's hidden cards: how much a card of each good weighs against the others."""

import numpy as np

from engine import rules


def uniform(readings):
    """Every card alike: weights of the goods in information sets uint64[r, STATE_WORDS], float64[r, GOODS]."""
    return np.ones((len(readings), rules.GOODS))

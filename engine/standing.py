"""What the pairs of a match tell of two players' strength: score, Elo, and a sequential test.

The two rounds of a deal are not independent, so the sample is the pair: its score is one of 0, 1/4, 1/2, 3/4, 1, and
errors come from how the pairs' scores vary.
"""

from math import inf, log, log10, nan, sqrt

import numpy as np

from engine.arena import Pair

ERROR = 0.05
"""Chance of either wrong verdict of the sequential test (alpha and beta)."""

BOUND = log((1 - ERROR) / ERROR)
"""Log-likelihood ratio at which the test ends, one way or the other."""

PAIR_SCORES = np.arange(5) / 4


def elo_of(score):
    """Elo difference of an expected score (0 to 1); infinite at the ends."""
    if score in (0, 1):
        return inf if score else -inf
    return -400 * log10(1 / score - 1)


def score_of(elo):
    """Expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_likelihood_ratio(counts, elo0, elo1):
    """Of elo1 against elo0, given how many pairs had each of PAIR_SCORES.

    Pair scores count as normal with their own variance (the generalised sequential probability ratio test). For the
    variance half a pair is added to each count: a few equal pairs are no certainty.
    """
    counts = np.asarray(counts, float)
    pairs = counts.sum()
    if pairs == 0:
        return 0.0
    smoothed = (counts + 0.5) / (counts + 0.5).sum()
    variance = smoothed @ PAIR_SCORES**2 - (smoothed @ PAIR_SCORES) ** 2
    low, high = score_of(elo0), score_of(elo1)
    return float(pairs * (high - low) * (2 * (counts @ PAIR_SCORES) / pairs - low - high) / (2 * variance))


class Standing:
    """Sums over pairs, and what follows from them. The pairs of numbers are the first player's and the other one's."""

    def __init__(self):
        self.counts = np.zeros(len(PAIR_SCORES), np.int64)
        """Pairs by score, PAIR_SCORES."""
        self.sums = np.zeros((3, 2))
        """Rupees, moves, seconds."""
        self.cut = 0
        """Rounds cut off."""

    def add(self, pair: Pair) -> None:
        """Count one pair more."""
        self.counts[int(2 * (pair[0].score + pair[1].score))] += 1
        for played in pair:
            self.sums += (played.rupees, played.moves, played.seconds)
            self.cut += played.cut

    @property
    def pairs(self) -> int:
        """Pairs counted."""
        return int(self.counts.sum())

    @property
    def rounds(self) -> int:
        """Rounds counted."""
        return 2 * self.pairs

    @property
    def score(self) -> float:
        """Part of the seals, a draw counting half; nan without a pair."""
        return float(self.counts @ PAIR_SCORES) / self.pairs if self.pairs else nan

    @property
    def stderr(self) -> float:
        """Standard error of `score`; nan for fewer than two pairs."""
        if self.pairs < 2:
            return nan
        squares = self.counts @ (PAIR_SCORES - self.score) ** 2
        return sqrt(squares / (self.pairs - 1) / self.pairs)

    @property
    def elo(self) -> float:
        """Elo of the first player above the other."""
        return elo_of(self.score)

    @property
    def elo_stderr(self) -> float:
        """Standard error of `elo`, by its slope at `score`; infinite where the score is 0 or 1."""
        spread = self.score * (1 - self.score)
        return 400 / log(10) * self.stderr / spread if spread else inf

    @property
    def rupees(self) -> tuple[float, float]:
        """Mean final rupees of a round."""
        mine, other = self.sums[0] / self.rounds
        return float(mine), float(other)

    @property
    def moves(self) -> float:
        """Mean moves of a round, both players' together."""
        return float(self.sums[1].sum() / self.rounds)

    @property
    def seconds(self) -> tuple[float, float]:
        """Mean time of a move."""
        mine, other = self.sums[2] / np.maximum(self.sums[1], 1)
        return float(mine), float(other)

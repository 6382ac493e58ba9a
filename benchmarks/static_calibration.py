"""Does the evaluation's P(seal) come true? `python benchmarks/static_calibration.py [WEIGHTS ...] [--rounds N]`.

Rounds of self-play by the shipped evaluation, true hidden cards; the static value of each afterstate that was chosen
against how the round then ended, by the size of the deck. One line a weights file and phase: afterstates, mean
prediction, mean outcome, mean error (points), Brier score. Several files are judged on the same afterstates.
"""

import argparse
from pathlib import Path

import numpy as np

from engine import features, search, weights
from engine.evaluation import scratch
from engine.learning.selfplay import buffer, play_rounds

PHASES = ((0, 10), (11, 20), (21, 30), (31, 40))
SAMPLES = 8192
"""Afterstates judged at once."""


def predicted(parameters, columns, weight, stage):
    """Plain forward pass: P(seal) of the afterstates, float64[n]."""
    scale = np.ones(columns.shape, np.float32)
    scale[:, -features.SCORE_ACTIVE :: 2] = 1 - weight[:, None]
    scale[:, -features.SCORE_ACTIVE + 1 :: 2] = weight[:, None]
    hidden = np.repeat(parameters.bias[None], len(columns), axis=0)
    for active in range(features.ACTIVE):
        hidden += scale[:, active, None] * parameters.columns[columns[:, active]]
    heads = len(parameters.out)
    head = stage * heads // features.STAGES
    logit = (np.maximum(hidden, 0) * parameters.out[head, 0]).sum(axis=1) + parameters.out_bias[head, 0]
    return 1 / (1 + np.exp(-logit.astype(np.float64)))


def main() -> None:
    """Read the command line, play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", nargs="*", type=Path, default=[weights.SHIPPED])
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1_000_003)
    options = parser.parse_args()
    judges = [weights.load(path)[0] for path in options.weights]
    network, tables, space, samples = search.shipped(), search.tables(), scratch(), buffer(SAMPLES)
    sums = np.zeros((len(judges), len(PHASES), 4))
    rounds = 0
    while rounds < options.rounds:
        n, played = play_rounds(
            SAMPLES, options.seed, rounds, 0.0, np.float32(1.0), search.RULE.margin_weight,
            tables, network, space, samples,
        )  # fmt: skip
        rounds += played
        columns = samples.columns[:n]
        is_deck = (columns >= features.DECK) & (columns < features.EMPTY)
        deck = columns[is_deck] - features.DECK
        won = samples.target[:n, 0].astype(np.float64)
        for j, judge in enumerate(judges):
            value = predicted(judge, columns, samples.weight[:n], samples.stage[:n])
            for i, (low, high) in enumerate(PHASES):
                here = (low <= deck) & (deck <= high)
                error = value[here] - won[here]
                sums[j, i] += here.sum(), value[here].sum(), won[here].sum(), (error**2).sum()
    for path, rows in zip(options.weights, sums, strict=True):
        for (low, high), (count, value, won, square) in zip(PHASES, rows, strict=True):
            print(
                f"{path.name:20} deck {low:2}-{high:2}  {count:10,.0f}  predicted {100 * value / count:6.2f} %  "
                f"won {100 * won / count:6.2f} %  error {100 * (value - won) / count:+5.2f}  Brier {square / count:.4f}"
            )


if __name__ == "__main__":
    main()

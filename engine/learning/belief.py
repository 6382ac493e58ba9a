"""`python -m engine.learning.belief OUT`: learn the belief about hidden cards from self-play, where they are known.

The tables of `engine.belief` are fitted by maximum likelihood of the true hidden hand. The logarithm of the likelihood
is concave in them: its gradient is how many cards, and how many sets of c cards, there were more than expected.
Positions as people tell them leave out cards that they have forgotten; so in some of the positions known cards are
forgotten too. Without them the belief is worse than none wherever more is hidden than a perfect memory leaves.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules, search, weights
from engine.belief import TABLES, Belief, blank, columns_of, set_weights, uniform, weights_of
from engine.evaluation import evaluate, scratch
from engine.hands import AXIS, set_chances
from engine.infoset import information_set
from engine.lanes import GOODS_LANES, U, lane, one, total
from engine.learning.adam import BETA1, BETA2, adam_step
from engine.learning.selfplay import ROUND_LIMIT
from engine.moves import MAX_MOVES
from engine.policy import best_move
from engine.state import (
    DECK,
    HIDDEN,
    HOLD,
    KNOWN,
    STATE_WORDS,
    complete_turn,
    deal,
    deck_size,
    over_of,
    play,
    turn_of,
)
from engine.streams import DEAL, EXPLORE, WORLD, below, set_stream
from engine.streams import uniform as uniform_number

EXPLORING = 0.006
"""Part of the moves that are random: as many as at the end of the training."""
KEPT = 0.3
"""Part of the positions that are kept: neighbours say much the same."""
FORGETFUL = 0.2
"""Part of them in which known cards are forgotten, each with the same chance: 1 in half of them, else any."""
HELD_OUT = 0.1
"""Part of the rounds, the last ones, that the belief is judged by."""
EPOCHS = 4
BATCH = 512
RATE = (0.03, 0.0005)
"""Learning rate at the beginning and at the end, falling geometrically."""
PHASES = ((0, 10), (11, 20), (21, 30), (31, 40))
"""Sizes of the deck, first and last, by which the belief is judged."""
_ROUNDS_AT_ONCE = 256


class Positions(NamedTuple):
    """infos: uint64[n, STATE_WORDS], what the mover knows; hands: uint64[n], the opponent's hidden cards, as words;
    forgotten: bool[n], whether known cards are among them."""

    infos: np.ndarray
    hands: np.ndarray
    forgotten: np.ndarray


# ---- positions ----


@njit(cache=True, nogil=True)
def forget(info, chance, stream):
    """Hide known cards of the opponent, each with a chance; returns them as a word."""
    cards = U(0)
    for good in range(rules.GOODS):
        for _ in range(lane(info[KNOWN + 1], good)):
            cards += one(good) * U(uniform_number(stream) < chance)
    info[KNOWN + 1] -= cards
    info[HOLD + 1] += one(HIDDEN) * U(total(cards)) - cards
    info[DECK] += cards
    return cards


@njit(cache=True, nogil=True)
def play_rounds(first, rounds, seed, tables, network, space, positions):
    """Play the rounds `first` and following by the evaluation, and keep positions with hidden cards.

    positions: `Positions` for ROUND_LIMIT positions a round, filled from the front. Returns their number.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    deck, choice, sample = np.empty(1, np.uint64), np.empty(1, np.uint64), np.empty(1, np.uint64)
    moves = np.empty(MAX_MOVES, np.uint64)
    seal, margins = np.empty(MAX_MOVES, np.float32), np.empty(MAX_MOVES, np.float32)
    count = 0
    for number in range(first, first + rounds):
        set_stream(deck, seed, number, DEAL)
        set_stream(choice, seed, number, EXPLORE)
        set_stream(sample, seed, number, WORLD)
        deal(state, number & 1, rules.DECK_END_REFILL, deck)
        while over_of(state) == 0:
            player = turn_of(state)
            if uniform_number(sample) < KEPT:
                info = positions.infos[count]
                information_set(state, player, info)
                hand = (state[HOLD + 1 - player] & GOODS_LANES) - state[KNOWN + 1 - player]
                cards = U(0)
                if uniform_number(sample) < FORGETFUL:
                    cards = forget(info, 2.0 * uniform_number(sample), sample)
                positions.hands[count] = hand + cards
                positions.forgotten[count] = cards != U(0)
                count += (hand + cards) != U(0)
            n = evaluate(state, tables, network, space, moves, seal, margins)
            chosen = best_move(state, moves, n, seal, margins, search.RULE.margin_weight)
            if uniform_number(choice) < EXPLORING:
                chosen = below(choice, n)
            complete_turn(state, play(state, moves[chosen]), deck)
    return count


def played(rounds, seed):
    """`Positions` of a range of rounds of self-play by the shipped evaluation."""
    tables, network, space = search.tables(), search.shipped(), scratch()
    size = _ROUNDS_AT_ONCE * ROUND_LIMIT
    room = Positions(np.empty((size, STATE_WORDS), np.uint64), np.empty(size, np.uint64), np.empty(size, np.bool_))
    parts = []
    for first in range(rounds.start, rounds.stop, _ROUNDS_AT_ONCE):
        count = play_rounds(first, min(_ROUNDS_AT_ONCE, rounds.stop - first), seed, tables, network, space, room)
        parts.append([array[:count].copy() for array in room])
    return Positions(*map(np.concatenate, zip(*parts, strict=True)))


# ---- likelihood ----


@njit(cache=True, nogil=True)
def set_shares(chances, hidden, shares):
    """Fill float64[GOODS, AXIS]: the probability of each count of each good, by the chances of `hands.set_chances`."""
    left, rest = np.zeros(AXIS), np.zeros(AXIS)
    left[hidden] = 1.0
    shares[:] = 0.0
    for good in range(rules.GOODS):
        rest[:] = 0.0
        for r in range(hidden + 1):
            if left[r] > 0.0:
                before = 0.0
                for c in range(r + 1):
                    share = left[r] * (chances[good, r, c] - before)
                    before = chances[good, r, c]
                    shares[good, c] += share
                    rest[r - c] += share
        left[:] = rest


@njit(cache=True, nogil=True)
def log_likelihood(chances, hand, hidden):
    """Logarithm of the probability of a hand, a word, by the chances of `hands.set_chances`."""
    logarithm = 0.0
    for good in range(rules.GOODS):
        count = lane(hand, good)
        chance = chances[good, hidden, count]
        if count > 0:
            chance -= chances[good, hidden, count - 1]
        logarithm += np.log(chance)
        hidden -= count
    return logarithm


@njit(cache=True, nogil=True)
def judge(infos, hands, by_good):
    """How weights float64[n, GOODS, AXIS] foresee hidden hands, float64[n, 2].

    Columns: logarithm of the likelihood of the hand; sum of that of its cards, each taken by itself.
    """
    judged = np.empty((len(infos), 2))
    chances = np.empty((rules.GOODS, AXIS, AXIS))
    shares = np.empty((rules.GOODS, AXIS))
    for i in range(len(infos)):
        hidden = total(hands[i])
        set_chances(infos[i, DECK], hidden, by_good[i], chances)
        set_shares(chances, hidden, shares)
        judged[i, 0] = log_likelihood(chances, hands[i], hidden)
        judged[i, 1] = 0.0
        for good in range(rules.GOODS):
            if lane(hands[i], good):
                mean = 0.0
                for c in range(1, hidden + 1):
                    mean += c * shares[good, c]
                judged[i, 1] += lane(hands[i], good) * np.log(mean / hidden)
    return judged


# ---- learning ----


class Optimiser(NamedTuple):
    """Moments and gradients as `Belief`s; cards bool[COLUMNS] and sets bool[SETS], what a minibatch touched;
    steps: int64[1]."""

    mean: Belief
    square: Belief
    gradient: Belief
    cards: np.ndarray
    sets: np.ndarray
    steps: np.ndarray


def fresh_optimiser():
    """`Optimiser` at rest."""
    belief = blank()
    touched = np.zeros(len(belief.card), np.bool_), np.zeros(len(belief.sets), np.bool_)
    return Optimiser(blank(), blank(), blank(), *touched, np.zeros(1, np.int64))


@njit(cache=True, nogil=True)
def add_gradient(belief, info, hand, scale, optimiser):
    """Add the gradient of a hand's negative log-likelihood, times `scale`."""
    hidden = total(hand)
    columns = np.empty(TABLES, np.int64)
    by_good, shares = np.empty((rules.GOODS, AXIS)), np.empty((rules.GOODS, AXIS))
    chances = np.empty((rules.GOODS, AXIS, AXIS))
    set_weights(info, belief, columns, by_good)
    set_chances(info[DECK], hidden, by_good, chances)
    set_shares(chances, hidden, shares)
    for good in range(rules.GOODS):
        row = columns_of(info, good, columns)
        count = lane(hand, good)
        error = -float(count)
        for c in range(1, hidden + 1):
            error += c * shares[good, c]
            if c > 1:
                optimiser.gradient.sets[row, c] += np.float32(scale * (shares[good, c] - (c == count)))
        for column in columns:
            optimiser.gradient.card[column] += np.float32(scale * error)
            optimiser.cards[column] = True
        optimiser.sets[row] = True


@njit(cache=True, nogil=True)
def learn(belief, optimiser, infos, hands, batch, rate):
    """A step of Adam for the positions in `batch` (int64[n]); rate: learning rate, float32."""
    mean, square, gradient = optimiser.mean, optimiser.square, optimiser.gradient
    for i in batch:
        add_gradient(belief, infos[i], hands[i], 1.0 / batch.size, optimiser)
    optimiser.steps[0] += 1
    scale1 = np.float32(1.0 / (1.0 - BETA1 ** optimiser.steps[0]))
    scale2 = np.float32(1.0 / (1.0 - BETA2 ** optimiser.steps[0]))
    for j in np.flatnonzero(optimiser.cards):
        one = slice(j, j + 1)
        adam_step(belief.card[one], mean.card[one], square.card[one], gradient.card[one], rate, scale1, scale2)
    for j in np.flatnonzero(optimiser.sets):
        adam_step(belief.sets[j], mean.sets[j], square.sets[j], gradient.sets[j], rate, scale1, scale2)
    optimiser.cards[:] = False
    optimiser.sets[:] = False


def fitted(positions, seed):
    """The `Belief` learned from `Positions`."""
    belief, optimiser = blank(), fresh_optimiser()
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(positions.hands)) for _ in range(EPOCHS)])
    batches = np.array_split(order, -(-len(order) // BATCH))
    for step, batch in enumerate(batches):
        rate = RATE[0] * (RATE[1] / RATE[0]) ** (step / len(batches))
        learn(belief, optimiser, positions.infos, positions.hands, batch, np.float32(rate))
    return belief


# ---- what came of it ----


def figures(belief, positions):
    """How much better a `Belief` foresees hidden hands than uniform draws do: a list of JSON tables.

    By what was forgotten and by the deck: positions; hidden cards, their mean; gain, mean gain in the log-likelihood of
    the hand, nats, with its standard error; card and uniform, nats that a hidden card taken by itself costs.
    """
    by_good = weights_of(positions.infos, belief), uniform(positions.infos)
    learned, plain = (judge(positions.infos, positions.hands, weights) for weights in by_good)
    hidden = np.array([total(hand) for hand in positions.hands])
    deck = np.array([deck_size(info) for info in positions.infos])
    table = []
    for forgotten in (False, True):
        for low, high in PHASES:
            here = (positions.forgotten == forgotten) & (low <= deck) & (deck <= high)
            gain = learned[here, 0] - plain[here, 0]
            row = {"positions": int(here.sum()), "hidden": hidden[here].mean(), "gain": gain.mean()}
            row |= {"stderr": gain.std() / np.sqrt(max(1, here.sum()))}
            row |= {"card": -learned[here, 1].sum() / hidden[here].sum()}
            row |= {"uniform": -plain[here, 1].sum() / hidden[here].sum()}
            table.append(
                {"forgotten": forgotten, "deck": [low, high]} | {k: round(float(v), 4) for k, v in row.items()}
            )
    return table


def main() -> None:
    """Read the command line, play, learn, judge, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m engine.learning.belief", description=__doc__)
    parser.add_argument("out", type=Path, help="file to write")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.monotonic()
    learning = round(options.rounds * (1 - HELD_OUT))
    positions = played(range(learning), options.seed)
    print(f"{len(positions.hands):,} positions, {time.monotonic() - start:.0f} s", file=sys.stderr)
    belief = fitted(positions, options.seed)
    print(f"learned, {time.monotonic() - start:.0f} s", file=sys.stderr)
    table = figures(belief, played(range(learning, options.rounds), options.seed))
    command = f"python -m engine.learning.belief {' '.join(sys.argv[1:])}"
    weights.save(options.out, belief, {"command": command, "seed": options.seed, "held_out": table})
    for row in table:
        print("  ".join(f"{name} {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()

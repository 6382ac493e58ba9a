"""Learning the belief: positions of self-play, likelihoods and gradients against counting, and what comes of it."""

import json
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import SUBSETS
from sight import midway, seen_by, steady

from engine import rules, state, streams
from engine.belief import Belief, blank, load, uniform, weights_of
from engine.evaluation import scratch
from engine.hands import chances_of, draw_hand
from engine.lanes import unpack
from engine.learning import belief as learning
from engine.learning.belief import Positions, add_gradient, forget, fresh_optimiser, judge
from engine.learning.selfplay import ROUND_LIMIT

Hand = tuple[int, ...]


def random_belief(seed: int, size: float = 0.2) -> Belief:
    rng = np.random.default_rng(seed)
    return Belief(*(rng.normal(0, size, array.shape).astype(np.float32) for array in blank()))


@pytest.fixture(scope="module")
def positions() -> Positions:
    """Positions of five rounds by a network that never changes."""
    size = 5 * ROUND_LIMIT
    room = Positions(
        np.empty((size, state.STATE_WORDS), np.uint64), np.empty(size, np.uint64), np.empty(size, np.bool_)
    )
    count = learning.play_rounds(3, 5, 1, SUBSETS, steady(), scratch(), room)
    return Positions(*(array[:count] for array in room))


def likelihoods(info: np.ndarray, weights: np.ndarray) -> dict[Hand, Fraction]:
    """Every hidden hand that fits an information set with its probability, by counting."""
    pool, hidden = unpack(info[state.DECK], rules.GOODS), unpack(info[state.HOLD + 1])[state.HIDDEN]
    ways: dict[Hand, Fraction] = {}
    for hand in product(*(range(min(n, hidden) + 1) for n in pool)):
        if sum(hand) == hidden:
            ways[hand] = Fraction(1)
            for good, (n, h) in enumerate(zip(pool, hand, strict=True)):
                ways[hand] *= comb(n, h) * Fraction(float(weights[good, h]))
    return {hand: way / sum(ways.values()) for hand, way in ways.items()}


# ---- positions ----


def test_positions_are_whole(positions: Positions) -> None:
    """The hidden cards are so many, and are among the unseen ones."""
    assert len(positions.hands) > 20
    assert 0 < positions.forgotten.sum() < len(positions.hands) / 2
    for info, word in zip(positions.infos, positions.hands, strict=True):
        seen, hand = state.read(info), unpack(word)
        assert sum(hand) == seen.holds[1][state.HIDDEN] > 0
        assert all(h <= n for h, n in zip(hand[: rules.GOODS], seen.unseen, strict=False))
        assert hand[rules.GOODS :] == (0, 0)
        assert seen.knowns[1] == seen.holds[1][: rules.GOODS]


@given(st.integers(0, 50), st.integers(0, 30), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=30)
def test_what_is_forgotten_is_hidden(seed: int, turns: int, chance: float) -> None:
    """The same table, as a player sees it to whom some of the cards that he knew were never shown."""
    try:
        table = midway(seed, turns)
    except ValueError:
        return
    info, stream = seen_by(table, table.turn), np.array([seed], np.uint64)
    cards = unpack(forget(info, chance, stream), rules.GOODS)
    other = table.players[1 - table.turn]
    known = [other.seen.count(good) for good in ("diamond", "gold", "silver", "cloth", "spice", "leather")]
    assert all(0 <= n <= most for n, most in zip(cards, known, strict=True))
    if chance != 0.5:
        assert list(cards) == [int(chance) * n for n in known]
    for good, n in zip(("diamond", "gold", "silver", "cloth", "spice", "leather"), cards, strict=True):
        for _ in range(n):
            other.seen.remove(good)
    assert np.array_equal(info, seen_by(table, table.turn))


# ---- likelihood ----


def some_positions(positions: Positions) -> Iterator[tuple[np.ndarray, np.uint64]]:
    yield from list(zip(positions.infos, positions.hands, strict=True))[::7]


def test_likelihoods_by_counting(positions: Positions) -> None:
    some = random_belief(1)
    for info, word in some_positions(positions):
        weights = weights_of(info[None], some)
        counted = likelihoods(info, weights[0])
        hand = unpack(word, rules.GOODS)
        means = [sum(float(p) * other[good] for other, p in counted.items()) for good in range(rules.GOODS)]
        by_card = sum(h * log(mean / sum(hand)) for h, mean in zip(hand, means, strict=True) if h)
        expected = [log(counted[hand]), by_card]
        assert judge(info[None], np.array([word]), weights)[0].tolist() == pytest.approx(expected, rel=1e-6)


def test_gradients_are_slopes_of_the_likelihood(positions: Positions) -> None:
    """Along random directions, by differences of the logarithm of the likelihood."""
    some, step = random_belief(2), 0.01
    for number, (info, word) in enumerate(some_positions(positions)):
        optimiser = fresh_optimiser()
        add_gradient(some, info, word, 1.0, optimiser)
        way = random_belief(number, 1.0)
        way.sets[:, :2] = 0  # those of no card and of one are not learned
        along = sum(float(np.vdot(g, w)) for g, w in zip(optimiser.gradient, way, strict=True))
        ends = [Belief(*(array + sign * step * w for array, w in zip(some, way, strict=True))) for sign in (-1, 1)]
        values = [judge(info[None], np.array([word]), weights_of(info[None], end))[0, 0] for end in ends]
        assert along == pytest.approx(-(values[1] - values[0]) / (2 * step), rel=0.02, abs=0.01)
        assert set(np.flatnonzero(optimiser.gradient.card)) <= set(np.flatnonzero(optimiser.cards))
        assert set(np.flatnonzero(optimiser.gradient.sets.any(axis=1))) <= set(np.flatnonzero(optimiser.sets))


def test_a_belief_is_found_again() -> None:
    """Hands drawn by a known belief: what is learned from them foresees others nearly as well as the truth does."""
    rng = random.Random(1)
    infos: list[np.ndarray] = []
    while len(infos) < 300:
        table = midway(rng.randrange(40), rng.randrange(15))
        info = seen_by(table, table.turn)
        forget(info, 1.0, np.array([rng.randrange(99)], np.uint64))
        if unpack(info[state.HOLD + 1])[state.HIDDEN]:
            infos.append(info)
    repeated = np.repeat(np.array(infos), 60, axis=0)
    truth = random_belief(3)
    chances = chances_of(repeated, weights_of(repeated, truth))
    hands, stream = np.empty(len(repeated), np.uint64), np.empty(1, np.uint64)
    for i, info in enumerate(repeated):
        streams.set_stream(stream, 1, i, streams.WORLD)
        hands[i] = draw_hand(chances[i], unpack(info[state.HOLD + 1])[state.HIDDEN], stream)
    held_out = np.arange(len(hands)) % 4 == 0
    found = learning.fitted(Positions(repeated[~held_out], hands[~held_out], np.zeros(0, np.bool_)), 1)
    mean = [
        judge(repeated[held_out], hands[held_out], weights)[:, 0].mean()
        for weights in (uniform(repeated[held_out]), weights_of(repeated[held_out], found))
    ]
    best = judge(repeated[held_out], hands[held_out], weights_of(repeated[held_out], truth))[:, 0].mean()
    assert mean[0] < mean[1]
    assert (mean[1] - mean[0]) > 0.7 * (best - mean[0])


# ---- the command ----


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    files = [tmp_path / name for name in ("one.npz", "two.npz")]
    for file in files:
        monkeypatch.setattr(sys, "argv", ["belief", str(file), "--rounds", "100", "--seed", "7"])
        learning.main()
    tables, provenance = load(files[0])
    assert provenance["command"] == f"python -m engine.learning.belief {files[0]} --rounds 100 --seed 7"
    assert tables.card.any()
    assert tables.sets[:, 2:].any()
    assert not tables.sets[:, :2].any()
    for array, again in zip(tables, load(files[1])[0], strict=True):
        assert np.array_equal(array, again)
    rows = provenance["held_out"]
    assert [(row["forgotten"], row["deck"]) for row in rows] == [
        (forgotten, [low, high]) for forgotten in (False, True) for low, high in learning.PHASES
    ]
    assert capsys.readouterr().out.count("\n") == 2 * len(rows)
    assert json.loads(json.dumps(provenance)) == provenance

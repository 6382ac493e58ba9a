"""The belief about hidden cards: weights against a plain twin, what they look at, and the shipped tables."""

from collections.abc import Callable
from math import exp
from pathlib import Path

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed import TABLES, packed
from sight import seen_by

from engine import belief, rules, state, weights
from engine.belief import Belief, blank, learned, load, uniform, weights_of
from engine.hands import AXIS

NAMES = ("tokens", "known", "market", "own", "unseen", "phase", "hidden")
SIZES = {"tokens": 10, "known": 8, "market": 6, "own": 8, "unseen": 11, "phase": 8, "hidden": 8}
OTHERS = {"hidden and hand": 64, "own herd": 12, "other herd": 12, "tokens won": 21, "deck": 41}
KINDS = {"diamond": 0, "gold": 1, "silver": 2, "cloth": 3, "spice": 3, "leather": 4}


def random_belief(seed: int) -> Belief:
    rng = np.random.default_rng(seed)
    return Belief(*(rng.normal(0, 0.1, array.shape).astype(np.float32) for array in blank()))


def facts(table: plain.Table, player: int, good: str) -> dict[str, int]:
    """What the tables look at, read off a plain table from the side of a player."""
    me, other = table.players[player], table.players[1 - player]
    hidden = list(other.hand)
    for card in other.seen:
        hidden.remove(card)
    deck = min(len(table.deck), 40)
    return {
        "tokens": len(table.tokens[good]),
        "known": other.seen.count(good),
        "market": table.market.count(good),
        "own": me.hand.count(good),
        "unseen": (table.deck + hidden).count(good),
        "phase": min(deck // 5, 7),
        "hidden": len(hidden),
        "hidden and hand": 8 * len(hidden) + len(other.hand),
        "own herd": me.herd,
        "other herd": other.herd,
        "tokens won": min(len(other.tokens), 20),
        "deck": deck,
    }


def weights_by_hand(table: plain.Table, player: int, some: Belief) -> list[list[float]]:
    """Sum up table after table, each of them a slice of `card` that is folded into (kinds, its axes)."""
    pairs = [(one, other) for i, one in enumerate(NAMES) for other in NAMES[:i]]
    result = []
    for good in plain.GOODS:
        told, kind = facts(table, player, good), KINDS[good]
        first, x = 0, 0.0
        for one, other in pairs:
            shape = (5, SIZES[one], SIZES[other])
            x += float(some.card[first : first + np.prod(shape)].reshape(shape)[kind, told[one], told[other]])
            first += int(np.prod(shape))
        for name, size in OTHERS.items():
            x += float(some.card[first : first + 5 * size].reshape(5, size)[kind, told[name]])
            first += 5 * size
        assert first == len(some.card)
        row = some.sets.reshape(5, 10, 8, 8, AXIS)[kind, told["tokens"], told["known"], told["phase"]]
        result.append([exp(c * x + float(row[c])) for c in range(AXIS)])
    return result


@given(TABLES, st.integers(0, 1), st.integers(0, 3))
def test_weights_are_those_of_the_plain_twin(table: plain.Table, player: int, seed: int) -> None:
    some = random_belief(seed)
    found = weights_of(seen_by(table, player)[None], some)
    assert found.shape == (1, rules.GOODS, AXIS)
    np.testing.assert_allclose(found[0], weights_by_hand(table, player, some), rtol=1e-5)


def test_kinds_are_goods_that_no_rule_tells_apart() -> None:
    for good, name in enumerate(plain.GOODS):
        for other, other_name in enumerate(plain.GOODS):
            alike = plain.TOKENS[name] == plain.TOKENS[other_name] and plain.CARDS[name] == plain.CARDS[other_name]
            assert (belief.KIND[good] == belief.KIND[other]) == alike


@given(TABLES, st.integers(0, 1))
def test_a_blank_belief_is_the_uniform_one(table: plain.Table, player: int) -> None:
    readings = seen_by(table, player)[None]
    assert np.array_equal(weights_of(readings, blank()), uniform(readings))


@pytest.mark.parametrize("kind", [learned, uniform])
def test_each_reading_has_weights_of_its_own(kind: Callable) -> None:
    tables = [table for seed in range(3) for table, _, _ in plain.random_round(seed) if len(table.deck) in (20, 35)]
    readings = np.array([packed(table) for table in tables[:4]])
    for reading, found in zip(readings, kind(readings), strict=True):
        assert np.array_equal(found, kind(reading[None])[0])


# ---- the shipped tables ----


def opening(**changes: int) -> np.ndarray:
    """An information set: three hidden cards, every good alike but for the tokens left as told."""
    nothing = (0,) * len(rules.BONUS_VALUES)
    tokens = [changes.get(name, len(pile)) for name, pile in zip(plain.GOODS, rules.TOKENS, strict=True)]
    return state.table(
        market=(0, 0, 0, 0, 0, 0, 5),
        holds=((0, 0, 1, 1, 1, 1, 0, 0), (0, 0, 0, 0, 0, 0, 1, 3)),
        knowns=(None, (0,) * rules.GOODS),
        unseen=(4, 4, 4, 4, 4, 4, 2),
        tokens=tokens,
        owned=(nothing, nothing),
        scores=((0,) * 5, (0,) * 5),
    )


def test_good_cards_are_kept_and_spoilt_ones_are_not() -> None:
    weight = dict(zip(plain.GOODS, learned(opening(leather=5)[None])[0, :, 1], strict=True))
    assert min(weight[good] for good in ("diamond", "gold", "silver")) > weight["spice"] > weight["leather"]


def test_the_shipped_belief() -> None:
    """It foresees held-out hands better than uniform draws do, in every phase, whatever is forgotten."""
    tables, provenance = load()
    assert [array.shape for array in tables] == [array.shape for array in blank()]
    assert all(np.isfinite(array).all() for array in tables)
    assert {"command", "seed"} <= set(provenance)
    assert len(provenance["held_out"]) == 8
    for row in provenance["held_out"]:
        assert row["gain"] > 5 * row["stderr"]
        assert row["card"] < row["uniform"]


def test_there_and_back(tmp_path: Path) -> None:
    weights.save(tmp_path / "some.npz", random_belief(1), {"command": "by hand"})
    loaded, provenance = load(tmp_path / "some.npz")
    assert provenance == {"command": "by hand"}
    for array, original in zip(loaded, random_belief(1), strict=True):
        np.testing.assert_allclose(array, original, rtol=2**-11, atol=2**-24)


def test_files_of_other_weights(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a weights file"):
        load(weights.SHIPPED)
    weights.save(tmp_path / "other.npz", blank()._replace(card=np.zeros(3, np.float32)), {})
    with pytest.raises(ValueError, match="card of another shape"):
        load(tmp_path / "other.npz")

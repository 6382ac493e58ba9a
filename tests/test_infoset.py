"""What the mover knows, against a plain twin; worlds that fit it; and that nothing hidden gets out."""

import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed import TABLES, packed
from sight import alike, midway, seen_by, steady

from advisor.position import read_position
from engine import odds, rules, search, state, streams, tree
from engine.analysis import analyse
from engine.infoset import SEEN_AT_LAST, determinise, determinise_cards, information_set

PLAYERS = st.integers(0, 1)
ROUNDS = 30
HERDS = Path(__file__).parents[1] / "examples" / "unknown-herd.toml"


def known(world: np.ndarray, player: int) -> np.ndarray:
    info = np.empty_like(world)
    information_set(world, player, info)
    return info


def worlds(info: np.ndarray, count: int, draw: Callable = determinise, seed: int = 1) -> list[state.State]:
    """So many worlds of an information set, each from a stream of its own."""
    world, stream, chances = np.empty_like(info), np.empty(1, np.uint64), alike(info)
    drawn = []
    for number in range(count):
        streams.set_stream(stream, seed, number, streams.WORLD)
        draw(info, chances, stream, world)
        drawn.append(state.read(world))
    return drawn


def assert_chi_square(drawn: Counter, expected: dict) -> None:
    """Counts against expected counts, all of which must be possible; four standard deviations are allowed."""
    assert set(drawn) <= set(expected)
    chi_square = sum((drawn[key] - mean) ** 2 / mean for key, mean in expected.items())
    freedom = len(expected) - 1
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


# ---- what is known ----


def test_information_sets_of_random_rounds_are_those_of_the_plain_twin() -> None:
    for seed in range(ROUNDS):
        exchanges = 0
        for table, _, move in plain.random_round(seed, deck_end="empty" if seed % 3 else "refill"):
            for player in range(rules.PLAYERS):
                assert np.array_equal(known(packed(table, exchanges), player), seen_by(table, player, exchanges))
            exchanges = exchanges + 1 if move.startswith("exchange") else 0


@given(TABLES, PLAYERS)
def test_information_sets_of_made_up_tables(table: plain.Table, player: int) -> None:
    assert np.array_equal(known(packed(table), player), seen_by(table, player))


@given(TABLES)
def test_the_world_is_left_alone(table: plain.Table) -> None:
    world = packed(table)
    known(world, 1)
    assert np.array_equal(world, packed(table))


# ---- worlds that fit ----


@given(TABLES, PLAYERS, st.integers(0, 2**32))
def test_worlds_fit(table: plain.Table, player: int, seed: int) -> None:
    """All cards and tokens are there, what is known is kept, and the world looks the same to the player."""
    info = known(packed(table), player)
    world, stream = np.empty_like(info), np.empty(1, np.uint64)
    streams.set_stream(stream, seed, 0, streams.WORLD)
    before = info.copy()
    determinise(info, alike(info), stream, world)
    assert np.array_equal(info, before)
    assert np.array_equal(known(world, 0), info)

    seen, fit = state.read(info), state.read(world)
    assert fit.holds[0] == seen.holds[0]
    assert fit.holds[1][state.HIDDEN] == 0
    assert sum(fit.holds[1]) == sum(seen.holds[1])
    assert fit.holds[1][rules.CAMEL] == seen.holds[1][rules.CAMEL]
    assert all(have >= told for have, told in zip(fit.holds[1], seen.knowns[1], strict=False))
    cards = np.array([fit.market, fit.holds[0][:7], fit.holds[1][:7], fit.unseen]).sum(0)
    assert cards.tolist() == packed_cards(table)
    assert min(fit.unseen) >= 0

    tiers = np.array(fit.owned[1]).reshape(rules.TIERS, 3).sum(1)
    assert tiers.tolist() == list(fit.scores[1][: rules.TIERS])
    assert fit.owned[0] == seen.owned[0]
    tokens = np.array([fit.bonus, *fit.owned]).sum(0)
    assert tuple(tokens.tolist()) == rules.BONUS_COUNTS
    assert state.rupees(world, 1) == fit.scores[1][state.RUPEES] + np.dot(fit.owned[1], rules.BONUS_VALUES)


def packed_cards(table: plain.Table) -> list[int]:
    everywhere = table.market + table.deck + [card for player in table.players for card in player.hand]
    camels = sum(player.herd for player in table.players)
    return [everywhere.count(card) + (card == plain.CAMEL) * camels for card in plain.TYPES]


def test_all_55_cards_of_a_round_are_somewhere() -> None:
    table = midway(4, 20)
    for world in worlds(known(packed(table), table.turn), 50):
        cards = np.array([world.market, world.holds[0][:7], world.holds[1][:7], world.unseen]).sum(0)
        assert (cards + [table.sold.count(card) for card in plain.TYPES]).tolist() == list(rules.CARDS)
        assert cards.sum() + len(table.sold) == 55


def test_hidden_cards_are_uniform() -> None:
    """Every set of unseen goods is equally likely, and camels of the deck never come into the hand."""
    unseen = ["gold", "silver", "silver", "leather", "leather", "leather"]
    other = plain.Player(["gold", "silver", "spice"], 1, seen=["spice"])
    table = plain.Table(["camel"] * 5, [plain.Player(["cloth"]), other])
    table.deck = ["silver", "leather", "leather", "leather", "camel", "camel"]
    ways = Counter(tuple(pair) for pair in combinations(sorted(unseen, key=plain.TYPES.index), 2))
    drawn = Counter(hand(world) for world in worlds(known(packed(table), 0), 4000))
    assert sum(ways.values()) == comb(6, 2)
    assert_chi_square(drawn, {(*pair, "spice"): 4000 * n / 15 for pair, n in ways.items()})


def hand(world: state.State) -> tuple[str, ...]:
    """The opponent's hand, the seen spice last."""
    cards = [card for card, n in zip(plain.GOODS, world.holds[1], strict=False) for _ in range(n)]
    return tuple(sorted(cards, key=lambda card: (card == "spice", plain.TYPES.index(card))))


def test_face_down_bonus_tokens_are_uniform() -> None:
    """Two of the five largest, one of the six of the middle tier of which I hold a six."""
    table = plain.Table(["camel"] * 5, [plain.Player(["cloth"], bonus=[6]), plain.Player([], bonus=[8, 9, 5])])
    table.bonus = {3: plain.BONUS[3], 4: [4, 4, 5, 6], 5: [8, 10, 10]}
    two = Counter(combinations(plain.BONUS[5], 2))
    one = Counter([4, 4, 5, 5, 6])
    expected = {(middle, *pair): 5000 * n * m / 50 for pair, n in two.items() for middle, m in one.items()}
    drawn = Counter(bonus(world) for world in worlds(known(packed(table), 0), 5000))
    assert_chi_square(drawn, expected)


def bonus(world: state.State) -> tuple[int, ...]:
    return tuple(value for value, n in zip(rules.BONUS_VALUES, world.owned[1], strict=True) for _ in range(n))


def test_the_search_leaves_bonus_tokens_face_down() -> None:
    table = midway(4, 20)
    table.players[1 - table.turn].bonus.append(table.bonus[5].pop())
    info = known(packed(table), table.turn)
    for with_tokens, cards_only in zip(worlds(info, 20), worlds(info, 20, determinise_cards), strict=True):
        assert cards_only.holds == with_tokens.holds
        assert not any(cards_only.owned[1])
        assert cards_only.bonus == state.read(info).bonus


def test_untold_cards_are_seen_the_more_the_longer_the_round_lasts() -> None:
    """What he has seen of my hand is drawn card by card, each with the same chance; of a full deck it is nought."""
    for deck, chance in ((40, 0.0), (20, SEEN_AT_LAST * 7 / 8), (10, SEEN_AT_LAST * 63 / 64)):
        table = plain.Table(["camel"] * 5, [plain.Player(["gold"] * 3 + ["cloth"] * 4), plain.Player([])])
        table.deck = ["leather"] * 10 + ["spice"] * (deck - 10)
        info = packed(table)
        info[state.INFO] += np.uint64(1 << 8 * state.UNTOLD)
        drawn = worlds(info, 4000)
        ways = {
            (gold, cloth): comb(3, gold) * comb(4, cloth) * chance**seen * (1 - chance) ** (7 - seen)
            for gold in range(4)
            for cloth in range(5)
            for seen in [gold + cloth]
        }
        likely = {seen: 4000 * p for seen, p in ways.items() if 4000 * p >= 5}
        assert not any(sum(world.knowns[0][kind] for kind in (0, 2, 4, 5)) for world in drawn)
        told = Counter((world.knowns[0][rules.GOLD], world.knowns[0][rules.CLOTH]) for world in drawn)
        assert set(told) <= set(ways)
        if chance == 0:
            assert set(told) == {(0, 0)}
        else:
            assert_chi_square(Counter({seen: told[seen] for seen in likely}), likely)


# ---- privacy ----


def other_truth(table: plain.Table, rng: random.Random) -> plain.Table:
    """The same table to the eyes of the mover: hidden cards, the deck and hidden bonus tokens dealt anew."""
    changed = deepcopy(table)
    other = changed.players[1 - table.turn]
    hidden = Counter(other.hand) - Counter(other.seen)
    goods = [card for card in changed.deck if card != plain.CAMEL] + list(hidden.elements())
    rng.shuffle(goods)
    count = sum(hidden.values())
    other.hand = list(other.seen) + goods[:count]
    changed.deck = goods[count:] + [plain.CAMEL] * changed.deck.count(plain.CAMEL)
    rng.shuffle(changed.deck)
    for tier, values in plain.BONUS.items():
        mine = [value for value in other.bonus if value in values]
        pool = mine + changed.bonus[tier]
        rng.shuffle(pool)
        other.bonus = [value for value in other.bonus if value not in values] + pool[: len(mine)]
        changed.bonus[tier] = pool[len(mine) :]
    return changed


def sold_to(table: plain.Table) -> plain.Table:
    """The table with three bonus tokens before the other player, so that there is something to hide."""
    table.players[1 - table.turn].bonus += [pile.pop() for pile in table.bonus.values() if pile]
    return table


def answers(info: np.ndarray) -> tuple:
    alone = np.ones(1)
    best = search.best(info[None], alone, iterations=150, network=steady())
    analysis = analyse(info[None], alone, iterations=150, seed=3, threads=2)
    return info.tobytes(), best, repr(analysis._replace(seconds=0.0))


@pytest.mark.parametrize(("seed", "turns"), [(1, 9), (2, 16), (3, 25)])
def test_answers_do_not_depend_on_hidden_cards_and_tokens(seed: int, turns: int) -> None:
    table = sold_to(midway(seed, turns))
    told = answers(known(packed(table), table.turn))
    rng = random.Random(seed)
    truths = [packed(other_truth(table, rng)) for _ in range(3)]
    assert all(not np.array_equal(truth, packed(table)) for truth in truths)
    for truth in truths:
        assert answers(known(truth, table.turn)) == told


# ---- several readings ----


def python(kernel: Callable) -> Callable:
    """The Python function of a kernel."""
    return getattr(kernel, "py_func", kernel)


@pytest.mark.parametrize("user", ["tree", "odds"])
def test_unknown_herds_are_drawn_by_their_probabilities(user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tree and odds draw a reading for each world, as the readings are weighed, and the chances that belong to it."""
    readings, probabilities = read_position(HERDS.read_text(encoding="utf-8")).alternatives()
    cumulative = np.cumsum(probabilities)
    numbers = {reading.tobytes(): i for i, reading in enumerate(readings)}
    chances = np.arange(len(readings))
    assert len(numbers) == len(readings) == 18
    drawn: Counter[int] = Counter()

    def note(info: np.ndarray, chance: int, stream: np.ndarray, world: np.ndarray) -> None:
        assert chance == numbers[info.tobytes()]
        drawn[chance] += 1
        world[:] = 0

    count = 4000
    if user == "tree":
        monkeypatch.setattr(tree, "determinise_cards", note)
        monkeypatch.setattr(tree, "_iterate", lambda *_: None)
        python(tree.iterate)(readings, cumulative, chances, None, 0, count, 1, None, None, None, None, None)
    else:
        monkeypatch.setattr(odds, "determinise", note)
        monkeypatch.setattr(odds, "_shuffle", lambda *_: None)
        none = np.empty(0, np.uint64)
        python(odds.measure)(readings, cumulative, chances, none, 0, np.empty((0, count, 3)), 1, 0.0, None, None, None)
    assert sum(drawn.values()) == count
    likely = {i: count * p for i, p in enumerate(probabilities) if count * p >= 5}
    assert len(likely) > 12
    assert_chi_square(Counter({i: drawn[i] for i in likely}), likely)

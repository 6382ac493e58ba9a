"""The search tree: its hash table, the selection rule, and whole iterations, against slow twins."""

from collections import defaultdict
from math import exp, sqrt

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed import SUBSETS, packed
from sight import alike, midway, seen_by, steady

from engine import state, streams
from engine.endings import finished_value
from engine.evaluation import scratch
from engine.greedy import greedy_move
from engine.infoset import determinise_cards
from engine.lanes import U
from engine.moves import MAX_MOVES, legal_moves
from engine.search import root_of
from engine.tree import (
    MAX_DEPTH,
    PLAYOUT_CAP,
    ROOT,
    SLIGHTEST_PRIOR,
    Rule,
    Tree,
    claim,
    edge_key,
    empty_tree,
    enter,
    find,
    iterate,
    select,
    set_priors,
)

SEED = 11
EVALUATED = Rule(np.float32(0.4), np.float32(0.03), np.float32(0.0005))
ROLLED_OUT = Rule(np.float32(0.7), np.float32(1.0), np.float32(0.001), rollouts=True)


def root_edge(move: int | np.uint64) -> np.uint64:
    """Key of a move at the root."""
    return U(edge_key(ROOT, U(move)))


# ---- the hash table ----


def test_colliding_keys_stand_one_after_the_other() -> None:
    tree = empty_tree(16)
    keys = (11, 43, 75, 15, 31, 63)  # all are odd: half of a key is its home
    assert [claim(tree, U(key)) for key in keys] == [5, 6, 7, 8, 15, 0]
    assert [find(tree, U(key)) for key in keys] == [5, 6, 7, 8, 15, 0]
    assert find(tree, U(107)) == 9
    assert tree.size[0] == 6
    assert np.flatnonzero(tree.keys).tolist() == [0, 5, 6, 7, 8, 15]


def test_a_key_is_claimed_once() -> None:
    tree = empty_tree(16)
    assert claim(tree, U(5)) == claim(tree, U(5))
    assert tree.size[0] == 1


def test_a_tree_is_full_at_three_quarters() -> None:
    tree = empty_tree(16)
    assert all(claim(tree, U(2 * i + 1)) >= 0 for i in range(12))
    assert claim(tree, U(99)) == -1
    assert claim(tree, U(23)) == find(tree, U(23))
    assert tree.size[0] == np.count_nonzero(tree.keys) == 12


@given(st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 40), max_size=60))
def test_places_are_those_of_a_dict(keys: list[int]) -> None:
    tree = empty_tree(32)
    places: dict[int, int] = {}
    for key in keys:
        place = claim(tree, U(key))
        if key in places:
            assert place == places[key]
        elif len(places) == 24:
            assert place == -1
        else:
            assert place not in places.values()
            places[key] = place
    assert all(tree.keys[place] == U(key) for key, place in places.items())
    assert tree.size[0] == len(places)


# ---- selection ----


def visited(tree: Tree, move: int, gain: float) -> None:
    """What the way back does at one edge of the root."""
    place = claim(tree, root_edge(move))
    tree.visits[place] += 1
    tree.gain[place] += gain


def test_a_visit_sequence_by_hand() -> None:
    """Two moves, a evaluated 0.1 above b, their priors as good as equal: score = utility + sqrt(available) / 2(1 + n).

    Before visit | a | b | chosen
    1 | 0.6 + 1/2 = 1.10 | 0.5 + 1/2 = 1.00 | a
    2 | 0.6 + 1.414/4 = 0.95 | 0.5 + 1.414/2 = 1.21 | b
    3 | 0.6 + 1.732/4 = 1.03 | 0.5 + 1.732/4 = 0.93 | a
    4 | 0.6 + 2/6 = 0.93 | 0.5 + 2/4 = 1.00 | b
    5 | 0.6 + 2.236/6 = 0.97 | 0.5 + 2.236/6 = 0.87 | a
    6 | 0.6 + 2.449/8 = 0.906 | 0.5 + 2.449/6 = 0.908 | b
    Now b turns out 0.6 better than it was evaluated:
    7 | 0.6 + 2.646/8 = 0.93 | 0.5 + 0.6/4 + 2.646/8 = 0.98 | b
    """
    tree = empty_tree(16)
    moves = np.array([3, 4], np.uint64)
    utility = np.array([0.6, 0.5], np.float32)
    rule = Rule(np.float32(1.0), np.float32(1e4), np.float32(0.0))
    sequence = ""
    for visits in range(1, 8):
        if visits == 7:
            tree.gain[find(tree, root_edge(4))] += np.float32(0.6)
        chosen = select(tree, ROOT, visits, 2, moves, utility, priors_of(utility, rule), rule)
        sequence += "ab"[chosen]
        enter(tree, root_edge(int(moves[chosen])), visits)
        visited(tree, int(moves[chosen]), 0.0)
    assert sequence == "abababb"


def priors_of(utility: np.ndarray, rule: Rule) -> np.ndarray:
    priors = np.empty(len(utility), np.float32)
    set_priors(utility, len(utility), rule.temperature, priors)
    return priors


class Edge:
    """Twin of an entry of an edge."""

    def __init__(self, available: int = 0) -> None:
        self.visits, self.available = 0, available
        self.gain = np.float32(0.0)


def puct(edges: list[Edge | None], visits: int, utility: np.ndarray, rule: Rule) -> list[float]:
    """Scores of the moves, the edge of an untried one being None; -inf for those that the rule leaves out."""
    best = max(map(float, utility))
    weights = [exp((float(u) - best) / float(rule.temperature)) for u in utility]
    scores = []
    for u, weight, edge in zip(utility, weights, edges, strict=True):
        prior = weight / sum(weights)
        n, gain, available = (edge.visits, float(edge.gain), edge.available) if edge else (0, 0.0, visits)
        bonus = float(rule.exploration) * prior * sqrt(available) / (1 + n)
        scores.append(float(u) + gain / (1 + n) + bonus if prior >= SLIGHTEST_PRIOR else float("-inf"))
    return scores


def choose(edges: list[Edge | None], visits: int, utility: np.ndarray, rule: Rule) -> int:
    """Twin of `select`."""
    for edge, score in zip(edges, puct(edges, visits, utility, rule), strict=True):
        if edge and score > float("-inf"):
            edge.available += 1
    return int(np.argmax(puct(edges, visits, utility, rule)))


@given(st.integers(0, 2**32 - 1))
def test_selection_is_that_of_the_plain_twin(seed: int) -> None:
    """Over a game of many visits in which not every move is there every time, as the hidden cards would have it."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    rule = Rule(np.float32(random.uniform(0.1, 2)), np.float32(random.uniform(0.02, 0.5)), np.float32(0.0))
    worth = random.uniform(0, 1, n).astype(np.float32)
    tree = empty_tree(32)
    edges: dict[int, Edge] = {}
    for visits in range(1, 40):
        there = np.flatnonzero(random.random(n) < 0.7)
        if not len(there):
            continue
        moves, utility = (there + 1).astype(np.uint64), worth[there]
        own = [edges.get(int(move)) for move in moves]
        twin = choose(own, visits, utility, rule)
        chosen = select(tree, ROOT, visits, len(moves), moves, utility, priors_of(utility, rule), rule)
        scores = puct(own, visits, utility, rule)
        assert scores[chosen] == pytest.approx(scores[twin], abs=1e-5)
        for move in moves:
            place = find(tree, root_edge(move))
            assert (tree.keys[place] != 0) == (int(move) in edges)
            if int(move) in edges:
                assert tree.available[place] == edges[int(move)].available
        gain = float(np.float32(random.normal(0, 0.3)))
        edge = edges.setdefault(int(moves[chosen]), Edge())
        edge.visits += 1
        edge.gain += np.float32(gain)
        visited(tree, int(moves[chosen]), gain)


# ---- whole iterations ----


class Twin:
    """The iterations once more, slowly: histories as tuples, nodes and edges in dicts."""

    def __init__(self, info: np.ndarray, rule: Rule) -> None:
        self.info = info
        self.rule = rule
        self.space = scratch()
        self.nodes: dict[tuple, int] = defaultdict(int)
        self.edges: dict[tuple, Edge] = {}
        self.deepest = 0

    def judged(self, world: np.ndarray) -> tuple[list[int], np.ndarray]:
        """Legal moves and their utilities to the mover."""
        root = root_of(world[None], [1.0], steady(), self.rule)
        return [int(move) for move in root.moves], root.utility

    def turn(self, world: np.ndarray, move: int, stream: np.ndarray) -> int:
        """Make a move and lay out random cards, one by one; which ones."""
        state.play(world, U(move))
        deck, cards = world[state.DECK], U(0)
        places = state.vacancies(world)
        if state.deck_size(world) <= places:
            cards = deck
        else:
            for _ in range(places):
                card = U(state.draw(deck, stream))
                deck -= card
                cards += card
        if places:
            state.refill(world, cards)
        state.pass_turn(world)
        return int(cards)

    def outcome(self, world: np.ndarray) -> float:
        win, draw, mean = finished_value(world, 0, self.space.bonus)
        return float(win + draw / 2 + float(self.rule.margin_weight) * mean)

    def leaf(self, world: np.ndarray, utility: np.ndarray, stream: np.ndarray) -> float:
        if self.rule.rollouts:
            for _ in range(PLAYOUT_CAP):
                if state.over_of(world):
                    break
                self.turn(world, int(greedy_move(world, SUBSETS, np.empty(MAX_MOVES, np.uint64))), stream)
            return self.outcome(world)
        best = float(utility.max())
        return best if state.turn_of(world) == 0 else 1 - best

    def iterate(self, number: int) -> None:
        world, stream = np.empty_like(self.info), np.empty(1, np.uint64)
        streams.set_stream(stream, SEED, number, streams.WORLD)
        streams.uniform(stream)
        determinise_cards(self.info, alike(self.info), stream, world)
        history: tuple = ()
        way: list[tuple[tuple, float]] = []
        moves, utility = self.judged(self.info)
        while True:
            if self.nodes[history] == 0 or len(way) == MAX_DEPTH:
                self.nodes[history] += 1
                value = self.leaf(world, utility, stream)
                break
            edges = [self.edges.get((*history, move)) for move in moves]
            chosen = choose(edges, self.nodes[history], utility, self.rule)
            self.nodes[history] += 1
            edge = (*history, moves[chosen])
            self.edges.setdefault(edge, Edge(self.nodes[history] - 1))
            mine = state.turn_of(world) == 0
            way.append((edge, float(utility[chosen]) if mine else 1 - float(utility[chosen])))
            history = (*edge, self.turn(world, moves[chosen], stream))
            if state.over_of(world):
                value = self.outcome(world)
                break
            moves, utility = self.judged(world)
        self.deepest = max(self.deepest, len(way))
        for depth, (edge, expected) in enumerate(way):
            gain = value - expected
            self.edges[edge].gain += np.float32(gain if depth % 2 == 0 else -gain)
            self.edges[edge].visits += 1


def run(info: np.ndarray, rule: Rule, iterations: int, tree: Tree, first: int = 0) -> None:
    root = root_of(info[None], [1.0], steady(), rule)
    iterate(
        info[None], np.ones(1), alike(info)[None], root, first, iterations, U(SEED), SUBSETS, steady(), scratch(),
        tree, rule,
    )  # fmt: skip


@pytest.mark.parametrize("rule", [EVALUATED, ROLLED_OUT], ids=["evaluated", "rolled out"])
@pytest.mark.parametrize(("seed", "turns"), [(1, 0), (5, 28)])
def test_iterations_are_those_of_the_slow_twin(rule: Rule, seed: int, turns: int) -> None:
    table = midway(seed, turns)
    info = seen_by(table, table.turn)
    iterations = 60 if rule.rollouts else 150
    tree, twin = empty_tree(2048), Twin(info, rule)
    run(info, rule, iterations, tree)
    for number in range(iterations):
        twin.iterate(number)
    assert twin.deepest > 1
    for move in twin.judged(info)[0]:
        place = find(tree, root_edge(move))
        edge = twin.edges.get((move,), Edge())
        assert (tree.visits[place], tree.available[place]) == (edge.visits, edge.available)
        assert tree.gain[place] == pytest.approx(edge.gain, abs=1e-4)
    assert tree.visits[find(tree, ROOT)] == iterations == twin.nodes[()]
    assert tree.size[0] == len(twin.nodes) + len(twin.edges)
    assert sum(tree.visits) == sum(twin.nodes.values()) + sum(edge.visits for edge in twin.edges.values())
    assert sum(tree.gain) == pytest.approx(sum(edge.gain for edge in twin.edges.values()), abs=1e-3)


def test_iterations_may_be_cut_anywhere() -> None:
    info = seen_by(midway(1, 6), 0)
    whole, parts = empty_tree(2048), empty_tree(2048)
    run(info, EVALUATED, 100, whole)
    for first, count in ((0, 1), (1, 70), (71, 29)):
        run(info, EVALUATED, count, parts, first)
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_a_full_tree_grows_no_more_and_goes_on() -> None:
    info = seen_by(midway(1, 6), 0)
    tree = empty_tree(64)
    run(info, EVALUATED, 300, tree)
    assert tree.size[0] == 48
    full = tree.keys.copy()
    visits = tree.visits.sum()
    run(info, EVALUATED, 200, tree, 300)
    assert np.array_equal(tree.keys, full)
    assert tree.visits[find(tree, ROOT)] == 500
    assert tree.visits.sum() >= visits + 2 * 200


# ---- utilities ----


def test_utilities_of_both_players_add_up_to_one() -> None:
    """A finished round, both ways round: with no bonus token face down both players judge the same."""
    space = scratch().bonus
    for seed in range(20):
        table = [table for table, _, _ in plain.random_round(seed)][-1]
        for player in table.players:
            player.bonus = []
        utilities = []
        for number in range(2):
            win, draw, mean = finished_value(packed(table), number, space)
            utilities.append(win + draw / 2 + 0.0005 * mean)
        assert sum(utilities) == pytest.approx(1)
        assert utilities[0] != utilities[1] or plain.winner(table) is None


def test_gains_of_the_mover_and_of_his_opponent_are_opposite() -> None:
    """One line, two moves deep, of which the second is the last: both edges learn from the same value."""
    table = plain.Table(["camel"] * 5, [plain.Player([]), plain.Player([])])
    table.tokens |= {"diamond": [], "gold": []}
    table.deck = ["camel"] * 6
    info = packed(table)
    tree = empty_tree(64)
    run(info, EVALUATED, 3, tree)
    [camels] = [int(move) for move in root_of(info[None], [1.0], steady(), EVALUATED).moves]
    first = root_of(info[None], [1.0], steady(), EVALUATED).utility[0]
    # I take five camels, he five; the market cannot be filled, the herds are level and nobody has a rupee: a draw.
    own = find(tree, root_edge(camels))
    others = next(i for i in np.flatnonzero(tree.visits) if i not in (own, find(tree, ROOT)) and tree.visits[i] == 1)
    assert tree.visits[own] == 2
    # Second iteration: the new node is worth his reply's 0.5; third: the end itself is worth 0.5.
    assert tree.gain[own] == pytest.approx(2 * (0.5 - first), abs=1e-5)
    assert tree.gain[others] == pytest.approx(0, abs=1e-6)


# ---- the rule with rollouts ----


def test_rollouts_ask_no_network() -> None:
    """Before the first visits all moves count alike, so that they are tried in order."""
    info = seen_by(midway(1, 6), 0)
    buffer = np.empty(MAX_MOVES, np.uint64)
    moves = buffer[: legal_moves(info, SUBSETS, buffer)]
    root = root_of(info[None], [1.0], steady(), ROLLED_OUT)
    assert np.array_equal(root.moves, moves)
    assert root.utility.tolist() == [0.5] * len(moves)
    tree = empty_tree(256)
    run(info, ROLLED_OUT, 2, tree)
    assert tree.visits[find(tree, root_edge(moves[0]))] == 1

"""Measured odds against a slow playout by the plain rules, in the same worlds."""

import numpy as np
import plain
import pytest
from packed import SUBSETS, code, packed, text
from sight import alike, midway, seen_by, steady

from engine import odds, rules, state, streams
from engine.evaluation import evaluate, scratch
from engine.infoset import determinise
from engine.lanes import U
from engine.moves import MAX_MOVES
from engine.policy import EXCHANGE_CAP

MARGIN_WEIGHT = np.float32(0.0005)
SEED = 5


def measured(info: np.ndarray, moves: list[str], worlds: range) -> np.ndarray:
    """Outcomes float32[moves, worlds, 3]."""
    out = np.full((len(moves), len(worlds), 3), np.nan, np.float32)
    candidates = np.array([code(move) for move in moves], np.uint64)
    odds.measure(
        info[None], np.ones(1), alike(info)[None], candidates, worlds.start, out, SEED, MARGIN_WEIGHT,
        SUBSETS, steady(), scratch(),
    )  # fmt: skip
    return out


# ---- the slow twin ----


def same_world(table: plain.Table, info: np.ndarray, number: int) -> plain.Table:
    """World `number` of the mover's information set as a plain table, the mover as player 0, in its order of draws."""
    world, stream = np.empty_like(info), np.empty(1, np.uint64)
    streams.set_stream(stream, SEED, number, streams.MEASURE)
    streams.uniform(stream)
    determinise(info, alike(info), stream, world)
    left = world[state.DECK]
    deck = []
    while left:
        card = U(state.draw(left, stream))
        left -= card
        deck.append(next(kind for kind in range(rules.TYPES) if card == U(1) << U(8 * kind)))
    unseen = world[state.BONUS]
    bonus: dict[int, list[int]] = {3: [], 4: [], 5: []}
    for tier in range(rules.TIERS):
        for _ in range(state.bonus_left(world, tier)):
            value = state.draw_bonus(unseen, tier, stream)
            unseen -= U(1) << U(4 * value)
            bonus[tier + 3].insert(0, rules.BONUS_VALUES[value])
    fit = state.read(world)
    players = [
        plain.Player(
            cards(fit.holds[player][: rules.GOODS]),
            fit.holds[player][rules.CAMEL],
            cards(fit.knowns[player]),
            list(table.players[table.turn ^ player].tokens),
            [value for value, n in zip(rules.BONUS_VALUES, fit.owned[player], strict=True) for _ in range(n)],
        )
        for player in range(rules.PLAYERS)
    ]
    tokens = {good: list(pile) for good, pile in table.tokens.items()}
    ordered = [plain.TYPES[kind] for kind in reversed(deck)]
    return plain.Table(list(table.market), players, ordered, tokens, bonus, turn=0, deck_end=table.deck_end)


def cards(counts: tuple[int, ...]) -> list[str]:
    return [card for card, n in zip(plain.TYPES, counts, strict=False) for _ in range(n)]


def play_on(table: plain.Table, move: str) -> list[float]:
    """Make a move, go on by the evaluation until the end, and score by the plain rules."""
    moves = np.empty(MAX_MOVES, np.uint64)
    seal, margin = np.empty((2, MAX_MOVES), np.float32)
    exchanges = 0
    while True:
        plain.play(table, move)
        exchanges = exchanges + 1 if move.startswith("exchange") else 0
        if plain.over(table):
            break
        n = evaluate(packed(table, exchanges), SUBSETS, steady(), scratch(), moves, seal, margin)
        utility = seal[:n] + MARGIN_WEIGHT * margin[:n]
        ranked = [text(int(moves[i])) for i in np.argsort(-utility, kind="stable")]
        assert sorted(ranked) == plain.legal_moves(table)
        move = next(one for one in ranked if exchanges < EXCHANGE_CAP or not one.startswith("exchange"))
    taker = plain.winner(table)
    return [0.5 if taker is None else float(taker == 0), *plain.rupees(table)]


@pytest.mark.parametrize(("seed", "turns", "deck_end"), [(1, 0, "refill"), (2, 13, "empty"), (3, 24, "refill")])
def test_outcomes_are_those_of_the_slow_twin(seed: int, turns: int, deck_end: str) -> None:
    table = midway(seed, turns)
    table.deck_end = deck_end
    info = seen_by(table, table.turn)
    moves = plain.legal_moves(table)
    moves = [*moves[:: max(1, len(moves) // 4)], moves[-1]]
    out = measured(info, moves, range(6, 9))
    for row, move in zip(out, moves, strict=True):
        assert row.tolist() == [play_on(same_world(table, info, number), move) for number in range(6, 9)]


def test_a_last_move_by_hand() -> None:
    """The sale empties the third pile: 5 + 1 rupees and the bonus against 3, and the camels are his."""
    table = plain.Table(["camel"] * 5, [plain.Player(["spice"] * 4), plain.Player([], herd=2, tokens=[3])])
    table.tokens |= {"diamond": [], "gold": [], "spice": [1]}
    table.bonus = {3: [], 4: [6], 5: []}
    table.players[0].bonus, table.players[1].bonus = [*plain.BONUS[3], 4, 4, 5, 5], [6, *plain.BONUS[5]]
    [[outcome]] = measured(seen_by(table, 0), ["sell 4 spice"], range(1))
    # My tokens: 14 + 18 in hand, the spice, one of the two sixes; his: a six, 45, 3 and the camel token.
    assert outcome.tolist() == [0, 14 + 18 + 1 + 6, 6 + 45 + 3 + 5]


def test_a_drawn_round_counts_half() -> None:
    table = plain.Table(["camel"] * 5, [plain.Player(["spice"]), plain.Player([], herd=1, tokens=[1])])
    table.players[0].herd = 1
    table.tokens |= {"diamond": [], "gold": [], "spice": [1]}
    [[outcome]] = measured(seen_by(table, 0), ["sell 1 spice"], range(1))
    assert outcome.tolist() == [0.5, 1, 1]


# ---- worlds ----


def test_every_move_meets_the_same_worlds() -> None:
    table = midway(2, 10)
    first, last = plain.legal_moves(table)[0], plain.legal_moves(table)[-1]
    out = measured(seen_by(table, table.turn), [last, first, last], range(12))
    assert np.array_equal(out[0], out[2])
    assert not np.array_equal(out[0], out[1])


def test_worlds_do_not_depend_on_how_they_are_chunked() -> None:
    table = midway(2, 10)
    info, moves = seen_by(table, table.turn), plain.legal_moves(table)[:3]
    whole = measured(info, moves, range(40, 49))
    parts = [measured(info, moves, part) for part in (range(40, 41), range(41, 47), range(47, 49))]
    assert np.array_equal(whole, np.concatenate(parts, axis=1))
    assert len({outcome.tobytes() for outcome in whole[0]}) > 1


def test_moves_do_not_depend_on_their_company() -> None:
    table = midway(2, 10)
    info, moves = seen_by(table, table.turn), plain.legal_moves(table)[:6]
    assert len(moves) > 4
    together = measured(info, moves, range(5))
    assert np.array_equal(together[4], measured(info, moves[4:5], range(5))[0])

"""Between the plain twin and the engine: tables and moves as words here, as numbers there."""

import random
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import plain
from hypothesis import strategies as st

from engine import rules, state
from engine.codes import decode, encode
from engine.lanes import U, pack
from engine.moves import MAX_MOVES, legal_moves, subsets

JIT = not isinstance(legal_moves, FunctionType)
"""Kernels are compiled; else they run as plain Python, a hundred times slower."""

SUBSETS = subsets()
DECK_ENDS = ("refill", "empty")
OVERS = (None, "piles", "deck")
NOTHING = (0,) * rules.TYPES

Json = dict[str, Any]


# ---- moves ----


def counts(cards: list[str]) -> tuple[int, ...]:
    """Cards by type (7)."""
    return tuple(cards.count(card) for card in plain.TYPES)


@cache
def code(move: str) -> int:
    """The code of a move in words."""
    match move.split():
        case ["take", "camels"]:
            return encode(counts([plain.CAMEL]), NOTHING)
        case ["take", good]:
            return encode(counts([good]), NOTHING)
        case ["sell", count, good]:
            return encode(NOTHING, counts([good] * int(count)))
        case ["exchange", *words]:
            middle = words.index("for")
            return encode(counts(words[:middle]), counts(words[middle + 1 :]))
    raise ValueError(f"not a move: {move}")


@cache
def text(code: int) -> str:
    """The words of a move code."""
    taken, given = decode(code)
    if not any(given):
        return "take camels" if taken[rules.CAMEL] else f"take {spelled(taken)}"
    if not any(taken):
        return f"sell {sum(given)} {spelled(tuple(min(count, 1) for count in given))}"
    return f"exchange {spelled(taken)} for {spelled(given)}"


def spelled(cards: tuple[int, ...]) -> str:
    return " ".join(card for card, count in zip(plain.TYPES, cards, strict=True) for _ in range(count))


def legal(table: np.ndarray) -> list[str]:
    """The kernel's legal moves as sorted texts."""
    moves = np.empty(MAX_MOVES, np.uint64)
    return sorted(text(int(move)) for move in moves[: legal_moves(table, SUBSETS, moves)])


# ---- tables ----


def packed(table: plain.Table, exchanges: int = 0) -> np.ndarray:
    """The same table in the engine's words, after so many exchanges in a row."""
    words = state.table(
        market=counts(table.market),
        holds=[(*counts(player.hand)[: rules.GOODS], player.herd, 0) for player in table.players],
        knowns=[counts(player.seen)[: rules.GOODS] for player in table.players],
        unseen=counts(table.deck),
        tokens=[len(table.tokens[good]) for good in plain.GOODS],
        owned=[[player.bonus.count(value) for value in rules.BONUS_VALUES] for player in table.players],
        scores=[score(player) for player in table.players],
    )
    words[state.INFO] = pack(
        (table.turn, DECK_ENDS.index(table.deck_end), OVERS.index(plain.over(table)), min(exchanges, 255))
    )
    return words


def score(player: plain.Player) -> list[int]:
    tiers = [sum(value in values for value in player.bonus) for values in rules.BONUS]
    return [*tiers, sum(player.tokens), len(player.tokens)]


def step(table: np.ndarray, move: str, deck: list[str], bonus: dict[int, list[int]]) -> None:
    """Play a move by the kernels: refill from the head of `deck`, turn up the top of `bonus[3, 4 or 5]` if known."""
    player = state.turn_of(table)
    given = U(pack(decode(code(move))[1]))
    assert state.reveal(table, player, given)
    tier = state.play(table, U(code(move)))
    if tier >= 0 and bonus[tier + 3]:
        state.take_bonus(table, player, rules.BONUS_VALUES.index(bonus[tier + 3][0]))
    if places := state.vacancies(table):
        state.refill(table, pack(counts(deck[:places])))
    state.pass_turn(table)


def shown(table: np.ndarray) -> Json:
    """A replay's state of the table, without `legal` and `move`; the seal taken as if all bonus values were known."""
    seen = state.read(table)
    camels = state.camel_token(table) if seen.over else -1
    form = {
        "turn": seen.turn,
        "market": named(seen.market),
        "hands": [named(hold[: rules.GOODS]) for hold in seen.holds],
        "herds": [hold[rules.CAMEL] for hold in seen.holds],
        "deck": state.deck_size(table),
        "tokens": {
            good: list(values[len(values) - left :])
            for good, values, left in zip(plain.GOODS, rules.TOKENS, seen.tokens, strict=True)
        },
        "bonus": {str(tier + 3): state.bonus_left(table, tier) for tier in range(rules.TIERS)},
        "rupees": [state.rupees(table, player) + 5 * (camels == player) for player in range(rules.PLAYERS)],
        "unknown": [hold[state.HIDDEN] for hold in seen.holds],
    }
    if seen.over:
        winner = state.winner(table)
        seal, result = (None, "draw") if winner < 0 else (winner, "won")
        form |= {"over": OVERS[seen.over], "seal": seal, "result": result}
    return form


def named(cards: tuple[int, ...]) -> dict[str, int]:
    return {card: count for card, count in zip(plain.TYPES, cards, strict=False) if count}


# ---- made-up tables ----


def made_up(seed: int) -> plain.Table:
    """A table that keeps all cards and tokens, but need not come from any play; some types tend to lie together."""
    rng = random.Random(seed)
    pull = {card: rng.random() for card in plain.TYPES}
    cards = [card for card, count in plain.CARDS.items() for _ in range(count)]
    cards.sort(key=lambda card: rng.random() + pull[card])
    market, rest = cards[:5], cards[5:]
    goods = [card for card in rest if card != plain.CAMEL]
    camels = rest.count(plain.CAMEL)
    players = []
    for _ in range(rules.PLAYERS):
        hand, goods = goods[: (size := rng.randint(0, 7))], goods[size:]
        herd = rng.randint(0, camels)
        camels -= herd
        players.append(plain.Player(hand, herd, seen=rng.sample(hand, rng.randint(0, size))))
    rng.shuffle(goods)
    deck = goods[: rng.choice([0, 1, 2, 10, 30])] + [plain.CAMEL] * camels
    rng.shuffle(deck)
    bonus = {tier: rng.sample(values, len(values)) for tier, values in plain.BONUS.items()}
    table = plain.lay(market, [[], []], deck=deck, bonus=bonus, turn=rng.randint(0, 1), deck_end=rng.choice(DECK_ENDS))
    table.players = players
    for good_pile in table.tokens.values():
        hand_out(good_pile, rng.choice([0, 0, 1, len(good_pile) - 1, rng.randint(0, len(good_pile))]), players, rng)
    for bonus_pile in bonus.values():
        hand_out(bonus_pile, rng.choice([0, 1, len(bonus_pile)]), players, rng, bonus=True)
    return table


def hand_out(
    pile: list[int], count: int, players: list[plain.Player], rng: random.Random, *, bonus: bool = False
) -> None:
    """The top `count` tokens of a pile go to the players at random."""
    for _ in range(count):
        player = rng.choice(players)
        (player.bonus if bonus else player.tokens).append(pile.pop(0))


TABLES = st.builds(made_up, st.integers(0, 2**32 - 1))
"""Made-up tables for hypothesis."""

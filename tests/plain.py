"""Jaipur, plain and slow: the rules page as lists and dicts, to hold the fast engine against.

Cards are their canonical names, moves their canonical texts. A `Table` holds everything, the hidden
cards and tokens too; `play` changes it in place.
"""

import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

CAMEL = "camel"
CARDS = {"diamond": 6, "gold": 6, "silver": 6, "cloth": 8, "spice": 8, "leather": 10, CAMEL: 11}
TOKENS = {
    "diamond": [7, 7, 5, 5, 5],
    "gold": [6, 6, 5, 5, 5],
    "silver": [5, 5, 5, 5, 5],
    "cloth": [5, 3, 3, 2, 2, 1, 1],
    "spice": [5, 3, 3, 2, 2, 1, 1],
    "leather": [4, 3, 2, 1, 1, 1, 1, 1, 1],
}
BONUS = {3: [1, 1, 2, 2, 2, 3, 3], 4: [4, 4, 5, 5, 6, 6], 5: [8, 8, 9, 10, 10]}
CAMEL_TOKEN = 5

TYPES = list(CARDS)
GOODS = list(TOKENS)
LEAST_SALE = {"diamond": 2, "gold": 2, "silver": 2, "cloth": 1, "spice": 1, "leather": 1}


@dataclass
class Player:
    """What one player has."""

    hand: list[str]
    """Goods cards."""
    herd: int = 0
    seen: list[str] = field(default_factory=list)
    """Those cards of the hand that the other player has seen."""
    tokens: list[int] = field(default_factory=list)
    """Values of the goods tokens won."""
    bonus: list[int] = field(default_factory=list)
    """Values of the bonus tokens won."""


@dataclass
class Table:
    """A round at some moment; a new one has full piles."""

    market: list[str]
    players: list[Player]
    deck: list[str] = field(default_factory=list)
    """In the order in which the cards are drawn."""
    tokens: dict[str, list[int]] = field(default_factory=lambda: deepcopy(TOKENS))
    """Goods tokens left, top first."""
    bonus: dict[int, list[int]] = field(default_factory=lambda: deepcopy(BONUS))
    """Bonus tokens left by tier, top first."""
    sold: list[str] = field(default_factory=list)
    turn: int = 0
    """Who moves: 0 or 1."""
    deck_end: str = "refill"
    """`refill` or `empty`: when the deck ends the round."""

    @property
    def mover(self) -> Player:
        return self.players[self.turn]


# ---- the deal ----


def lay(market: list[str], hands: list[list[str]], **rest: Any) -> Table:
    """The table after the deal of these cards: the camels of the hands become the herds; `rest` as in `Table`."""
    players = [Player([card for card in hand if card != CAMEL], hand.count(CAMEL)) for hand in hands]
    return Table(list(market), players, **rest)


def deal(rng: random.Random, first: int = 0, deck_end: str = "refill") -> Table:
    """A shuffled and dealt round in which player `first` starts."""
    cards = [card for card in TYPES for _ in range(CARDS[card])]
    for _ in range(3):
        cards.remove(CAMEL)
    rng.shuffle(cards)
    market, hands, deck = [CAMEL] * 3 + cards[:2], [cards[2:7], cards[7:12]], cards[12:]
    bonus = {tier: rng.sample(values, len(values)) for tier, values in BONUS.items()}
    return lay(market, hands, deck=deck, bonus=bonus, turn=first, deck_end=deck_end)


# ---- what may be played ----


def legal_moves(table: Table) -> list[str]:
    """Every legal move, sorted as text; none when the round is over."""
    if over(table):
        return []
    return sorted([*takes(table), *sales(table), *exchanges(table)])


def takes(table: Table) -> Iterator[str]:
    for card in set(table.market):
        if card == CAMEL:
            yield "take camels"
        elif len(table.mover.hand) <= 6:
            yield f"take {card}"


def sales(table: Table) -> Iterator[str]:
    for good in GOODS:
        for count in range(LEAST_SALE[good], table.mover.hand.count(good) + 1):
            yield f"sell {count} {good}"


def exchanges(table: Table) -> Iterator[str]:
    mover = table.mover
    goods = [card for card in table.market if card != CAMEL]
    for size in range(2, 6):
        own = mover.hand + [CAMEL] * min(mover.herd, size)
        for taken, given in product(multisets(goods, size), multisets(own, size)):
            hand_after = len(mover.hand) + len(taken) - sum(card != CAMEL for card in given)
            if not set(taken) & set(given) and hand_after <= 7:
                yield f"exchange {' '.join(taken)} for {' '.join(given)}"


def multisets(cards: list[str], size: int) -> set[tuple[str, ...]]:
    """Every different choice of `size` of the cards, each in canonical order."""
    return set(combinations(sorted(cards, key=TYPES.index), size))


# ---- what a move does ----


def play(table: Table, move: str) -> None:
    """Play a legal move for the player whose turn it is."""
    match move.split():
        case ["take", "camels"]:
            table.mover.herd += table.market.count(CAMEL)
            table.market = [card for card in table.market if card != CAMEL]
            refill(table)
        case ["take", good]:
            take(table, good)
            refill(table)
        case ["sell", count, good]:
            sell(table, good, int(count))
        case ["exchange", *cards]:
            middle = cards.index("for")
            for card in cards[:middle]:
                take(table, card)
            for card in cards[middle + 1 :]:
                give(table, card)
        case _:
            raise ValueError(f"not a move: {move}")
    table.turn = 1 - table.turn


def take(table: Table, good: str) -> None:
    table.market.remove(good)
    table.mover.hand.append(good)
    table.mover.seen.append(good)


def give(table: Table, card: str) -> None:
    if card == CAMEL:
        table.mover.herd -= 1
    else:
        leave_hand(table.mover, card)
    table.market.append(card)


def sell(table: Table, good: str, count: int) -> None:
    for _ in range(count):
        leave_hand(table.mover, good)
        table.sold.append(good)
        if table.tokens[good]:
            table.mover.tokens.append(table.tokens[good].pop(0))
    if count >= 3 and table.bonus[tier(count)]:
        table.mover.bonus.append(table.bonus[tier(count)].pop(0))


def leave_hand(player: Player, good: str) -> None:
    """A card leaves the hand in the open: one that has been seen, if there is one."""
    player.hand.remove(good)
    if good in player.seen:
        player.seen.remove(good)


def tier(count: int) -> int:
    """The bonus tier of a sale of `count` cards, three or more."""
    return min(count, 5)


def refill(table: Table) -> None:
    """Fill the market from the deck, as far as it goes."""
    while len(table.market) < 5 and table.deck:
        table.market.append(table.deck.pop(0))


# ---- the end of a round and of a match ----


def over(table: Table) -> str | None:
    """Why the round is over, `piles` or `deck`; None while it goes on."""
    if sum(not pile for pile in table.tokens.values()) >= 3:
        return "piles"
    if len(table.market) < 5 or (table.deck_end == "empty" and not table.deck):
        return "deck"
    return None


def rupees(table: Table) -> list[int]:
    """What each player's tokens are worth; the camel token counts once the round is over."""
    totals = [sum(player.tokens) + sum(player.bonus) for player in table.players]
    herds = [player.herd for player in table.players]
    if over(table) and herds[0] != herds[1]:
        totals[herds.index(max(herds))] += CAMEL_TOKEN
    return totals


def winner(table: Table) -> int | None:
    """Who takes the seal of a finished round; None at a draw."""
    totals = rupees(table)
    ranks = [(totals[i], len(player.bonus), len(player.tokens)) for i, player in enumerate(table.players)]
    if ranks[0] == ranks[1]:
        return None
    return ranks.index(max(ranks))


@dataclass
class Match:
    """A match between two rounds."""

    first: int = 0
    """Who starts the next round."""
    seals: list[int] = field(default_factory=lambda: [0, 0])

    def settle(self, seal: int | None) -> None:
        """Count a finished round, won by player `seal`, None for a draw."""
        if seal is None:
            self.first = 1 - self.first
        else:
            self.seals[seal] += 1
            self.first = 1 - seal

    @property
    def champion(self) -> int | None:
        return self.seals.index(2) if 2 in self.seals else None


# ---- players ----


def random_round(seed: int, deck_end: str = "refill") -> Iterator[tuple[Table, list[str], str]]:
    """A round of uniformly random moves: before each turn the table, its legal moves and the one about to be played.

    The table is one and the same all along; when the loop ends it shows the end of the round.
    """
    rng = random.Random(seed)
    table = deal(rng, first=seed % 2, deck_end=deck_end)
    while legal := legal_moves(table):
        move = rng.choice(legal)
        yield table, legal, move
        play(table, move)


EXPECTED_BONUS = {3: 2, 4: 5, 5: 9}


def greedy(table: Table, legal: list[str]) -> str:
    """The greedy player's move: the largest `greedy_tenths`; at ties, the first as text."""
    return min(legal, key=lambda move: (-greedy_tenths(table, move), move))


def greedy_tenths(table: Table, move: str) -> int:
    """Tenths (so that ties are exact) of: rupees gained at once + 0.7 x worth of the hand then + own herd then."""
    after = deepcopy(table)
    play(after, move)
    mover = after.players[table.turn]
    gained = 0
    if move.startswith("sell"):
        _, count, good = move.split()
        gained = gain(table, good, int(count))
    worth = sum(gain(after, good, mover.hand.count(good)) for good in GOODS)
    return 10 * gained + 7 * worth + 10 * mover.herd


def gain(table: Table, good: str, count: int) -> int:
    """Rupees of a sale of `count` cards: the tokens, and what a bonus token is expected to bring."""
    bonus = EXPECTED_BONUS[tier(count)] if count >= 3 and table.bonus[tier(count)] else 0
    return sum(table.tokens[good][:count]) + bonus

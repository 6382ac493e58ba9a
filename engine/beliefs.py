"""What a player may believe about counts nobody tells him: pure arithmetic, exact up to one division.

*Herds.* Of the 52 cards that are shuffled, 8 are camels and 44 are goods; the other three camels open the market.
The D cards still in the deck are D of those 52, and shuffling makes every set of D equally likely, so the deck
holds c camels with the hypergeometric probability C(8, c) C(44, D - c) / C(52, D). The camels that lie in the
open are known up to the opponent's herd h, so each h tells the c that is left for the deck, and the weight of h is
this probability. It ignores how people play (a rich market is a reason to take camels).

*Deck.* Where the deck is open as well, each h goes with another D, and the weight is multiplied by a prior on D:
flat over 0 to 40, the sizes a round passes through.

*Goods tokens.* The missing tokens are split between two players whose rupees are known; every split
of the single tokens that gives these rupees is equally likely.
"""

from collections.abc import Sequence
from math import comb

from engine.rules import CAMEL, CARDS, DEALT, MARKET_SIZE, OPENING_CAMELS, PLAYERS

SHUFFLED_CAMELS = CARDS[CAMEL] - OPENING_CAMELS
SHUFFLED_GOODS = sum(CARDS[:CAMEL])
FULL_DECK = sum(CARDS) - MARKET_SIZE - PLAYERS * DEALT
"""Cards in the deck when a round begins."""


def herd_weight(deck: int, camels: int) -> float:
    """Probability that a deck of `deck` cards (0 to 52) holds `camels` camels (0 to `deck`); 0 above 8 camels."""
    ways = comb(SHUFFLED_CAMELS, camels) * comb(SHUFFLED_GOODS, deck - camels)
    return ways / comb(SHUFFLED_CAMELS + SHUFFLED_GOODS, deck)


def deck_prior(deck: int) -> float:
    """Prior weight of a deck of `deck` cards: 1 for 0 to 40, else 0."""
    return float(0 <= deck <= FULL_DECK)


def token_splits(values: Sequence[int], rupees: int) -> list[int]:
    """Ways in which k of these tokens are worth `rupees` together, for k = 0 to len(values).

    values: rupees of single tokens, at least 1 each, at most 38 of them. The generating function, the product of
    1 + x^value y over the tokens, is held in one integer: y stands for 2^LANE, and x for as many lanes as there
    are powers of y. A lane never overflows, since there are 2^38 splits at most.
    """
    lane, powers = 40, len(values) + 1
    product = 1
    for value in values:
        product += product << lane * (value * powers + 1)
    row = product >> lane * powers * rupees
    return [row >> lane * k & (1 << lane) - 1 for k in range(powers)]

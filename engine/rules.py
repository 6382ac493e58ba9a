"""The components and numbers of Jaipur, from which everything else is derived.

Card types are numbered in the canonical order: six goods, then the camel. Bonus tiers
0, 1 and 2 stand for sales of three, four, and five or more cards.
"""

DIAMOND, GOLD, SILVER, CLOTH, SPICE, LEATHER, CAMEL = range(7)
GOODS = 6
TYPES = 7
PLAYERS = 2

CARDS = (6, 6, 6, 8, 8, 10, 11)
"""Cards of each type; 55 in all."""

TOKENS = (
    (7, 7, 5, 5, 5),
    (6, 6, 5, 5, 5),
    (5, 5, 5, 5, 5),
    (5, 3, 3, 2, 2, 1, 1),
    (5, 3, 3, 2, 2, 1, 1),
    (4, 3, 2, 1, 1, 1, 1, 1, 1),
)
"""Values of the goods tokens of each good, top first."""

MIN_SALE = (2, 2, 2, 1, 1, 1)
"""Fewest cards of each good that may be sold at once."""

TIERS = 3
TIER_SIZE = (3, 4, 5)
"""Fewest sold cards that earn a bonus token of each tier."""

BONUS = ((1, 1, 2, 2, 2, 3, 3), (4, 4, 5, 5, 6, 6), (8, 8, 9, 10, 10))
"""Values of the bonus tokens of each tier."""

BONUS_VALUES = (1, 2, 3, 4, 5, 6, 8, 9, 10)
"""The different values of bonus tokens: three a tier, in order."""

BONUS_COUNTS = (2, 3, 2, 2, 2, 2, 2, 1, 2)
"""How many bonus tokens bear each of `BONUS_VALUES`."""

CAMEL_TOKEN = 5
"""Rupees for the larger herd at the end of a round."""

HAND_LIMIT = 7
MARKET_SIZE = 5
MAX_EXCHANGE = 5
MIN_EXCHANGE = 2
DEALT = 5
"""Cards dealt to each player."""
OPENING_CAMELS = 3
"""Camels laid into the market before the deal."""

PILES_TO_END = 3
"""Empty goods token piles that end a round."""
SEALS_TO_WIN = 2

DECK_END_REFILL = 0
"""The round ends when the market has to be filled and the deck cannot fill it."""
DECK_END_EMPTY = 1
"""The round ends at once when the deck's last card is drawn."""

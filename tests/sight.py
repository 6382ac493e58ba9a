"""What a player sees of a plain table, as words for the engine, and a network that never changes."""

from functools import cache

import numpy as np
import plain
from packed import DECK_ENDS, OVERS, counts, score

from engine import rules, state
from engine.belief import uniform
from engine.features import COLUMNS
from engine.hands import chances_of
from engine.lanes import pack
from engine.network import HEADS, HIDDEN_UNITS, Network, folded, fresh

NO_BONUS = [0] * len(rules.BONUS_VALUES)


def seen_by(table: plain.Table, player: int, exchanges: int = 0) -> np.ndarray:
    """The information set of a player, worked out by rule: hidden cards counted, their kinds among the unseen."""
    me, other = table.players[player], table.players[1 - player]
    hidden = list(other.hand)
    for card in other.seen:
        hidden.remove(card)
    words = state.table(
        market=counts(table.market),
        holds=[
            (*counts(me.hand)[: rules.GOODS], me.herd, 0),
            (*counts(other.seen)[: rules.GOODS], other.herd, len(hidden)),
        ],
        knowns=[counts(one.seen)[: rules.GOODS] for one in (me, other)],
        unseen=counts(table.deck + hidden),
        tokens=[len(table.tokens[good]) for good in plain.GOODS],
        owned=[[me.bonus.count(value) for value in rules.BONUS_VALUES], NO_BONUS],
        scores=[score(me), score(other)],
    )
    words[state.INFO] = pack(
        (table.turn ^ player, DECK_ENDS.index(table.deck_end), OVERS.index(plain.over(table)), min(exchanges, 255))
    )
    return words


def alike(info: np.ndarray) -> np.ndarray:
    """Chances of the hidden cards of an information set, every unseen good alike."""
    chances: np.ndarray = chances_of(info[None], uniform(info[None]))
    return chances[0]


def midway(seed: int, turns: int) -> plain.Table:
    """A table after so many random turns of a round, which goes on."""
    for number, (table, _, _) in enumerate(plain.random_round(seed)):
        if number == turns:
            return table
    raise ValueError(f"round {seed} is over before turn {turns}")


@cache
def steady() -> Network:
    """A network of random weights, the same for ever, whatever is shipped."""
    random = np.random.default_rng(7)
    columns = (random.standard_normal((COLUMNS, HIDDEN_UNITS)) * 0.05).astype(np.float32)
    out = (random.standard_normal((HEADS, 2, HIDDEN_UNITS)) * 0.1).astype(np.float32)
    return folded(fresh(7)._replace(columns=columns, out=out))

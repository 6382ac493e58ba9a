"""From odds of a seal to odds of the match: first to two seals, the loser of a round starts the next.

After a drawn round the player who did not start it starts the next. The only number that goes in is how often the
starter of a round wins it.
"""

from functools import cache

from engine.rules import SEALS_TO_WIN

STARTER_WINS = 0.61
"""Share of the rounds with a winner that their starter wins, when both play by the evaluation."""


@cache
def equity(mine: int, others: int, starting: bool) -> float:
    """Chance to win the match before a round, at these seals. Drawn rounds are rare enough to be left out here."""
    if mine >= SEALS_TO_WIN or others >= SEALS_TO_WIN:
        return float(mine >= SEALS_TO_WIN)
    win = STARTER_WINS if starting else 1.0 - STARTER_WINS
    return win * equity(mine + 1, others, False) + (1.0 - win) * equity(mine, others + 1, True)


def match_win(win, draw, loss, mine: int, others: int, started: bool | None):
    """Chance to win the match from the odds of the running round (floats or arrays that add up to 1).

    mine, others: seals held; started: whether I started this round, None where nobody knows (both are averaged).
    """
    if mine >= SEALS_TO_WIN or others >= SEALS_TO_WIN:
        return 0.0 * win + float(mine >= SEALS_TO_WIN)
    replayed = [equity(mine, others, not known) for known in ([started] if started is not None else [True, False])]
    after_draw = sum(replayed) / len(replayed)
    return win * equity(mine + 1, others, False) + draw * after_draw + loss * equity(mine, others + 1, True)

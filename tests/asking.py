"""Positions that are asked about, and Ctrl-C in the middle of the answer."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import current_thread, main_thread

import numpy as np
import plain
from sight import midway, seen_by

from advisor.position import read_position
from engine.analysis import Analysis

Readings = tuple[np.ndarray, np.ndarray]

ALONE = np.ones(1)
HERDS = Path(__file__).parents[1] / "examples" / "unknown-herd.toml"


def info(seed: int = 9, turns: int = 10) -> np.ndarray:
    table = midway(seed, turns)
    return seen_by(table, table.turn)[None]


def answer(analysis: Analysis) -> str:
    """All of an analysis but the time it took."""
    return repr(analysis._replace(seconds=0.0))


def forced_turn() -> np.ndarray:
    """Nothing but camels in the market and an empty hand: the camels must be taken."""
    table = plain.lay(["camel"] * 5, [[], ["gold"] * 3], deck=["spice"] * 8 + ["leather"] * 6)
    return seen_by(table, 0)[None]


def last_sale() -> np.ndarray:
    """I lead by five rupees, can sell the spice whose last token ends the round, or let him sell his cloth."""
    players = [plain.Player(["spice"], tokens=[5] * 5), plain.Player(["cloth"] * 7, tokens=[5] * 4)]
    table = plain.Table(["camel"] * 5, players, deck=["leather"] * 12)
    table.tokens |= {"diamond": [], "gold": [], "spice": [1]}
    return seen_by(table, 0)[None]


def open_herds() -> Readings:
    """A position that may stand for several tables."""
    return read_position(HERDS.read_text(encoding="utf-8")).alternatives()


def pressed_at(call: int, kernel: Callable) -> Callable:
    """A kernel during whose `call`-th run Ctrl-C is pressed; Python tells the main thread of it when it returns."""
    calls = count(1)

    def run(*arguments: object) -> None:
        kernel(*arguments)
        if current_thread() is main_thread() and next(calls) == call:
            raise KeyboardInterrupt

    return run

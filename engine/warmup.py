"""Compiling every kernel once, ahead of the first answer.

A marker in the cache folder tells that all kernels of these sources are there.
"""

import shutil
from collections.abc import Callable

from engine import cache

_MARKERS = {True: "complete", False: "search"}
"""By whether the solver of endings is there too."""


def compiled(endings: bool = True) -> bool:
    """Whether the kernels of these sources are in the cache."""
    folder = cache.folder()
    return (folder / _MARKERS[True]).exists() or (not endings and (folder / _MARKERS[False]).exists())


def warm(progress: Callable[[], None], endings: bool = True) -> None:
    """Make every kernel that an answer needs ready to run: from the cache, or by compiling it.

    endings: with the solver, which only endings need. `progress` is called before a compilation, which takes half a
    minute or less, once for each installation.
    """
    if compiled(endings):
        _use_kernels(endings)
        return
    folder = cache.folder()
    progress()
    _use_kernels(endings)
    for stale in folder.parent.glob("kernels-*"):
        if stale != folder:
            shutil.rmtree(stale, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARKERS[endings]).touch()


def _use_kernels(endings: bool) -> None:
    """Analyse a short round, and an ending if asked for, which call every kernel that an answer needs."""
    import numpy as np

    from engine import analysis, search
    from engine.rules import BONUS_VALUES, CARDS, TOKENS
    from engine.state import table

    nothing = (0,) * len(BONUS_VALUES)
    full = [len(pile) for pile in TOKENS]
    short = table(
        market=(1, 1, 0, 0, 0, 0, 3),
        holds=((0, 0, 1, 1, 1, 1, 1, 0), (0, 0, 0, 0, 0, 0, 1, 4)),
        knowns=(None, (0,) * 6),
        unseen=np.subtract(CARDS, (1, 1, 1, 1, 1, 1, 5)),
        tokens=(0, 0, 1, *full[3:]),  # two piles are empty, a third one nearly: the playouts are over soon
        owned=(nothing, nothing),
        scores=((0,) * 5, (0,) * 5),
    )
    ending = table(
        market=(0, 0, 1, 1, 1, 0, 2),
        holds=((0, 0, 1, 0, 0, 1, 4, 0), (0, 0, 0, 1, 0, 0, 5, 0)),
        knowns=((0,) * 6, (0, 0, 0, 1, 0, 0)),
        unseen=(0,) * 7,
        tokens=(0, 0, *full[2:]),
        owned=(nothing, nothing),
        scores=((0, 0, 0, 29, 5), (0, 0, 0, 27, 5)),
    )
    for position in (short[None], ending[None])[: 1 + endings]:
        search.legal(position)
        search.best(position, np.ones(1), iterations=2)
        analysis.analyse(position, np.ones(1), iterations=20)

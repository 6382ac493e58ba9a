"""The engine's kernels, ready to run, and what is said before they are compiled."""

import sys
from functools import cache


@cache
def prepare(endings: bool = True) -> None:
    """Load the kernels, with the solver of endings or without, or compile them: once for each installation."""
    from engine.warmup import warm

    warm(_say, endings)


def compile_first() -> None:
    """Have the kernels compiled before a command that uses few of them, and loads no others."""
    from engine.warmup import compiled

    if not compiled(endings=False):
        prepare(endings=False)


def _say() -> None:
    print("compiling the engine for this machine, once (about half a minute) ...", file=sys.stderr, flush=True)

"""Matches typed as a player types them, and `advisor live` on a terminal of its own."""

import os
import signal
import sys
import time
from pathlib import Path

import pexpect
import pyte

from advisor.notation import letters
from advisor.record import Round, Turn
from engine import rules
from engine.codes import decode


def brief(counts: tuple[int, ...]) -> str:
    """Cards as letters, three and more of a kind with a digit."""
    runs = zip("dgscplm", counts, strict=False)
    return "".join(letter * count if count < 3 else f"{count}{letter}" for letter, count in runs)


def typed(turn: Turn) -> str:
    """The line with the fewest keys for a turn: `gp`, `mgps`, `-3l2`, `gg/l`."""
    taken, given = decode(turn.move)
    if not any(given):
        return brief(taken) + brief(turn.refill or ())
    if not any(taken):
        value = "" if turn.bonus is None else str(rules.BONUS_VALUES[turn.bonus])
        return f"-{brief(given)}{value}"
    return f"{brief(taken)}/{brief(given[: rules.GOODS])}"


def typed_deal(played: Round, me: int) -> str:
    """The line for a deal, as one player sees it."""
    beside = (*played.market[: rules.GOODS], played.market[rules.CAMEL] - rules.OPENING_CAMELS)
    hand = letters(played.hands[me]).lower()
    first = "me" if played.first == me else "o"
    return f"{letters(beside).lower()} {hand} {played.hands[1 - me][rules.CAMEL]} {first}"


class Terminal:
    """A running `advisor live` and what its screen shows."""

    def __init__(self, *arguments: str, columns: int = 80, rows: int = 24, **environment: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "advisor", "live", *arguments],
            dimensions=(rows, columns),
            env=os.environ | {"TERM": "xterm", "LANG": "C.UTF-8", **environment},
            cwd=str(Path(__file__).parents[1]),
            timeout=60,
        )
        self.child.delaybeforesend = None
        self.raw = b""

    def read(self, seconds: float = 0.02) -> None:
        """Take in what comes within a moment."""
        try:
            part = self.child.read_nonblocking(1 << 16, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += part
        self.stream.feed(part)

    def until(self, text: str, seconds: float = 60.0) -> None:
        """Wait until the screen shows a text."""
        end = time.monotonic() + seconds
        while text not in self.text():
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} did not come:\n{self.text()}")
            self.read()

    def text(self) -> str:
        """The screen as lines without trailing blanks."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def send(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Another size of the window."""
        self.child.setwinsize(rows, columns)
        self.screen.resize(rows, columns)

    def kill(self) -> None:
        """End it by force."""
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()
        self.child.close()

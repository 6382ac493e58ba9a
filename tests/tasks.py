"""Tasks for batches; workers in other processes find them as they find the advisor, by import."""

import os
import signal
from pathlib import Path

from advisor.batch import stop
from advisor.faults import Fault, FaultyError


def square(number: int) -> int:
    return number * number


def faulty(number: int) -> int:
    if number == 3:
        raise FaultyError([Fault("me.hand", "read 3"), Fault("deck", "read -1")])
    return number


def until_stopped(number: int) -> int:
    """The first item takes long."""
    if number == 0:
        assert stop().wait(30)
    return number


def fatal_once(job: tuple[str, int]) -> int:
    """Kills its worker at the item 5, the first time."""
    marker, number = job
    if number == 5 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number

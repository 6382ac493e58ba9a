"""Many pieces of work: the one seam through which batches go, on this machine's threads or on a cluster.

The kernels let go of Python's lock, so threads share out the work; a cluster is a scheduler of dask.distributed with
its workers, started by somebody else (docs/scale.md). Either way the results are the same, in the order of the items.
"""

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from threading import Event, local
from typing import TYPE_CHECKING, TypeVar

from advisor.faults import quoted

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Done = TypeVar("Done")
Report = Callable[[str], None]
"""Tells that one more item is done, and what else there is to say."""

AHEAD = 16
"""Items handed over for each worker, those whose results nobody has taken yet included: what bounds memory."""

PATIENCE = 10.0
"""Seconds in which a scheduler, and the first of its workers, must answer."""

_here = local()


def each(
    task: Callable[[Item], Done],
    items: Iterable[Item],
    *,
    workers: int = 1,
    cluster: str | None = None,
    title: str = "positions",
) -> Iterator[Done]:
    """Yield `task(item)` for every item, in their order, while a bar on a terminal shows how far it is.

    task: a function of a module; its items and results can be pickled; it runs in a thread, so that Ctrl-C is raised
    here: what has been yielded is done, what has not begun is dropped. workers: threads; cluster: the address of a
    scheduler, which then runs everything, again where a worker dies. Whatever a task raises ends the batch. Raises
    ValueError where there is no such cluster.
    """
    total = len(items) if isinstance(items, Sized) else None
    with progress(total, title) as report, _pool(workers, cluster) as (submit, width):
        for result in _in_order(submit, task, items, AHEAD * width):
            report("")
            yield result


def stop() -> Event:
    """For tasks that take long: set when nobody wants the running task's result any more, as far as is known here."""
    event = getattr(_here, "stop", None)
    return event if isinstance(event, Event) else Event()


def _in_order(
    submit: "Callable[..., Future[Done]]", task: Callable[[Item], Done], items: Iterable[Item], most: int
) -> Iterator[Done]:
    """Results in the order of the items, `most` of which are under way at once."""
    waiting: deque[Future[Done]] = deque()
    try:
        for item in items:
            waiting.append(submit(task, item))
            if len(waiting) == most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def _pool(workers: int, cluster: str | None) -> "Iterator[tuple[Callable[..., Future], int]]":
    """How to submit work, and for how many workers."""
    executor: Executor
    if cluster is not None:
        with _connected(cluster) as (executor, width):
            here = identity()
            yield lambda task, item: executor.submit(_there, here, task, item), width
        return
    if workers < 1:
        raise ValueError(f"workers: read {workers}, expected a whole number from 1")
    event = Event()
    with ThreadPoolExecutor(workers) as executor:
        try:
            yield lambda task, item: executor.submit(_run, event, task, item), workers
        finally:
            event.set()


def _run(event: Event, task: Callable[[Item], Done], item: Item) -> Done:
    """A task in a thread of this process."""
    _here.stop = event
    return task(item)


# ---- a cluster ----


def _client(address: str) -> "Client":
    """A connection to a scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(
            "--cluster needs the package distributed, which is not installed: pip install 'jaipur-advisor[cluster]'"
        ) from None
    with suppress(OSError, ValueError):
        return Client(address, timeout=PATIENCE, set_as_default=False)
    gc.collect()  # a failed client that is collected later, in a thread of another one, locks both up
    raise ValueError(
        f"--cluster: read {quoted(address)}, but no scheduler answers there; docs/scale.md tells how to start one"
    )


@contextmanager
def _connected(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor on the workers of a scheduler, and how many threads they have."""
    with _client(address) as client:
        from distributed import KilledWorker

        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ValueError(f"--cluster: the scheduler at {address} has no workers") from None
        try:
            with client.get_executor(pure=False) as executor:
                yield executor, sum(client.nthreads().values())
        except KilledWorker as error:
            raise ValueError(f"--cluster: a task was given up: {error}") from None
        except CancelledError:
            raise ValueError(f"--cluster: the scheduler at {address} went away") from None


def _there(expected: str, task: Callable[[Item], Done], item: Item) -> Done:
    """A task on a worker of a cluster, which must be of the very same program."""
    if identity() != expected:
        raise ValueError(f"--cluster: a worker has {identity()}, expected {expected} as here")
    return task(item)


@cache
def identity() -> str:
    """What decides results besides the input: the version and the shipped weights."""
    from engine import belief, weights

    return f"version {version('jaipur-advisor')} with weights {weights.fingerprint(weights.SHIPPED, belief.SHIPPED)}"


# ---- what a person sees ----


@contextmanager
def progress(total: int | None, title: str) -> Iterator[Report]:
    """A bar on standard error, where that is a terminal; without a total it only counts."""
    if not sys.stderr.isatty():
        yield lambda said: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(title), TextColumn("{task.description}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        number = bar.add_task("", total=total)
        yield lambda said: bar.update(number, advance=1, description=said)

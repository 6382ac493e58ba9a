"""Batches: the same results in the same order, on threads and on a cluster that loses a worker."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from threading import Timer

import pytest
from tasks import fatal_once, faulty, square, until_stopped

from advisor import batch
from advisor.batch import AHEAD, each
from advisor.faults import Fault, FaultyError, PositionError


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Two workers, processes of this machine."""
    from distributed import LocalCluster

    tests = str(Path(__file__).parent)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", env={"PYTHONPATH": tests}) as started:
        yield started.scheduler_address


# ---- threads ----


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    assert list(each(square, range(200), workers=workers)) == [n * n for n in range(200)]
    assert list(each(square, [], workers=workers)) == []


def test_no_more_items_are_taken_than_are_wanted_soon() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    results = each(square, items(), workers=2)
    assert list(islice(results, 10)) == [n * n for n in range(10)]
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 10 + 2 * AHEAD


def test_what_a_task_raises_ends_the_batch() -> None:
    results = each(faulty, range(10))
    assert list(islice(results, 3)) == [0, 1, 2]
    with pytest.raises(FaultyError, match=r"me\.hand: read 3"):
        next(results)
    assert list(results) == []


def test_tasks_hear_that_nobody_wants_them_any_more() -> None:
    results = each(until_stopped, count(), workers=2)
    Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        next(results)
    assert not batch.stop().is_set()  # here no task is running


@pytest.mark.parametrize("workers", [0, -1])
def test_workers_are_counted_from_one(workers: int) -> None:
    with pytest.raises(ValueError, match=f"workers: read {workers}, expected a whole number from 1"):
        next(each(square, [1], workers=workers))


# ---- a cluster ----


def test_a_worker_that_dies_loses_nothing(cluster: str, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    jobs = [(str(marker), number) for number in range(60)]
    assert list(each(fatal_once, jobs, cluster=cluster)) == list(each(square, range(60)))
    assert marker.exists()


def test_faults_come_back_from_a_cluster_whole(cluster: str) -> None:
    with pytest.raises(FaultyError) as caught:
        list(each(faulty, range(10), cluster=cluster))
    assert caught.value.faults == (Fault("me.hand", "read 3"), Fault("deck", "read -1"))


def test_faults_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(PositionError([Fault("deck", "read -1")])))
    assert type(error) is PositionError
    assert error.faults == (Fault("deck", "read -1"),)


def test_workers_of_another_version_are_refused(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "identity", lambda: "version 0.0")
    with pytest.raises(ValueError, match=r"a worker has version .*, expected version 0\.0 as here"):
        list(each(square, range(3), cluster=cluster))


def test_clusters_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "PATIENCE", 0.2)
    for address in ("tcp://127.0.0.1:9", "127.0.0.1:9", "camel://127.0.0.1:9", ""):
        with pytest.raises(ValueError, match="no scheduler answers there"):
            list(each(square, range(3), cluster=address))


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(batch, "PATIENCE", 0.5)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ValueError, match="has no workers"),
    ):
        list(each(square, range(3), cluster=empty.scheduler_address))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"pip install 'jaipur-advisor\[cluster\]'"):
        list(each(square, range(3), cluster="tcp://127.0.0.1:9"))


# ---- the bar ----


def test_a_bar_is_drawn_on_terminals_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    list(each(square, range(3)))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    list(each(square, range(3), title="camels"))
    assert "camels" in capsys.readouterr().err

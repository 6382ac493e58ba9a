"""The moves: complete lists of the legal ones."""

from typing import Any

from layers import compare, workload


def test_legal_moves(benchmark: Any) -> None:
    work = workload()
    work.list()  # the first call compiles
    benchmark(work.list)
    compare(benchmark, "legal_list_ns", lambda seconds: 1e9 * seconds / work.positions)

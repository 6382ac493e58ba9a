"""The search: positions from an empty tree each."""

from typing import Any

from layers import compare, workload


def test_search(benchmark: Any) -> None:
    work = workload()
    work.search()  # the first call compiles
    benchmark(work.search)
    compare(benchmark, "search_iterations_per_s", lambda seconds: work.searched * work.iterations / seconds)

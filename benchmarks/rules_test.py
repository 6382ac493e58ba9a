"""The rules: whole rounds of uniformly random play."""

from typing import Any

from layers import compare, workload


def test_random_rounds(benchmark: Any) -> None:
    work = workload()
    work.play()  # the first call compiles
    benchmark(work.play)
    compare(benchmark, "random_rounds_per_s", lambda seconds: work.rounds / seconds)

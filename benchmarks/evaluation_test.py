"""The evaluation: the legal moves listed and valued by the network."""

from typing import Any

from layers import compare, workload


def test_evaluation(benchmark: Any) -> None:
    work = workload()
    work.evaluate()  # the first call compiles
    benchmark(work.evaluate)
    compare(benchmark, "list_and_evaluate_us", lambda seconds: 1e6 * seconds / work.positions)

"""What the benchmarks of all layers share: the work, and the comparison with the yardstick.

`JAIPUR_YARDSTICK` names a program that prints one JSON line with `random_rounds_per_s`, `legal_list_ns`,
`list_and_evaluate_us` and `search_iterations_per_s`; where it is not set, there is no comparison.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from advisor.bench import Workload, yardstick

workload = cache(Workload)
_yardstick = cache(yardstick)


def compare(benchmark: Any, name: str, figure: Callable[[float], float]) -> None:
    """Note a figure, worked out of the median seconds, and its ratio to the yardstick's with a benchmark's results."""
    if benchmark.disabled:
        return
    benchmark.extra_info[name] = figure(benchmark.stats["median"])
    if name in (yard := _yardstick()):
        benchmark.extra_info["ratio to the yardstick"] = benchmark.extra_info[name] / yard[name]

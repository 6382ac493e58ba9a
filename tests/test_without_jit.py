"""The kernel tests once more with the kernels as plain Python: the compiler must not have changed their meaning."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FILES = [FOLDER / f"test_{name}.py" for name in ("lanes", "streams", "state", "moves", "greedy", "rounds")]


def test_kernels_without_jit() -> None:
    options = ["-q", "-p", "no:cacheprovider", "--hypothesis-profile=few"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *FILES],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr

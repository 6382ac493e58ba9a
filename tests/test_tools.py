"""Ruff and mypy have nothing to say about the project."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("tool", ["ruff check", "ruff format --check", "mypy"])
def test_tool_is_content(tool: str) -> None:
    run = subprocess.run([sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr

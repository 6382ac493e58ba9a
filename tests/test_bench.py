"""The bench: its work is the same each time, and its figures stand beside those of a yardstick."""

from pathlib import Path

import pytest

from advisor.bench import Workload, text, yardstick


class Little(Workload):
    rounds, positions, searched, iterations = 20, 20, 2, 50
    clocked, moment, clocked_capacity = 2, 0.01, 1 << 10


def test_the_work_is_the_same_each_time() -> None:
    work = Little()
    first = [work.play(), work.list(), work.evaluate(), work.search()]
    again = Little()
    assert [again.play(), again.list(), again.evaluate(), again.search()] == first
    assert first[1] == first[2] > 0
    assert min(work.against_the_clock(threads) for threads in (1, 2)) > 2


@pytest.mark.parametrize("printed", ["", "fast", "[]", '{"legal_list_ns": 0}', '{"legal_list_ns": "50"}'])
def test_a_yardstick_prints_figures(printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "yardstick"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("JAIPUR_YARDSTICK", str(program))
    with pytest.raises(ValueError, match="expected an object of figures"):
        yardstick()


def test_figures_beside_a_yardstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAIPUR_YARDSTICK", raising=False)
    assert yardstick() == {}
    program = tmp_path / "yardstick"
    program.write_text("#!/bin/sh\necho '{\"legal_list_ns\": 50}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("JAIPUR_YARDSTICK", str(program))
    lines = text({"legal_list_ns": 100.0, "signature": 1234567}, yardstick()).splitlines()
    assert [line.split() for line in lines] == [
        ["legal", "list", "ns", "100.0", "2.00", "x", "yardstick"],
        ["signature", "1,234,567"],
    ]

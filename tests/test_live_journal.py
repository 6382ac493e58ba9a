"""The match file: whole after a cut at any byte, one writer, and nothing lost when it cannot be written."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from test_live_game import seen

from advisor.live.game import load
from advisor.live.journal import Journal, JournalError, latest, match_folder, new_file
from advisor.live.reasons import RefusedError
from advisor.notation import Heading, Step, Undo, heading_text, read_text, read_turn, step_text
from advisor.record import RecordError, Turn

HEADING = Heading(("me", "Ana"), 0)


def steps() -> list[tuple[Step, int | None]]:
    played = seen()
    told: list[tuple[Step, int | None]] = [(played._replace(turns=()), None)]
    told += [(turn, number) for number, turn in enumerate(played.turns[:6], 1)]
    return [*told, (Undo(2), None), (read_turn("+P L"), 5)]


def written(path: Path) -> Journal:
    journal = Journal.create(path, HEADING)
    for step in steps():
        journal.write([step])
    return journal


def texts(path: Path) -> list[str]:
    return [step_text(step) for _, step in read_text(path.read_bytes()).steps]


EXPECTED = [step_text(step) for step, _ in steps()]


def test_every_step_is_in_the_file_when_write_returns(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    journal = Journal.create(path, HEADING)
    assert path.read_text() == heading_text(HEADING)
    for count, step in enumerate(steps(), 1):
        journal.write([step])
        assert texts(path) == EXPECTED[:count]
    assert "\n6. DP/GM\n" in path.read_text()


def test_a_file_cut_at_any_byte_goes_on(tmp_path: Path) -> None:
    """Every phase of a write: what was whole is kept, the torn line is cut off, and the file is sound again."""
    path = tmp_path / "match.jaipur"
    written(path).close()
    whole = path.read_bytes()
    start = len(heading_text(HEADING))
    for cut in range(start, len(whole)):
        path.write_bytes(whole[:cut])
        journal, sheet, torn = Journal.resume(path)
        kept = whole[:cut].count(b"\n") - heading_text(HEADING).count("\n")
        assert torn == (whole[cut - 1 : cut] != b"\n")
        found = [step_text(step) for _, step in sheet.steps]
        assert found == EXPECTED[: len(found)]
        assert len(found) >= kept - 1  # an empty line stands before a round
        load(sheet.steps)
        journal.write(steps()[len(found) :])
        journal.close()
        assert texts(path) == EXPECTED


def test_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    journal = written(path)
    with pytest.raises(RefusedError, match="is open in another advisor live"):
        Journal.resume(path)
    journal.close()
    again, _, _ = Journal.resume(path)
    again.close()


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.jaipur"
    journal = Journal.create(path, HEADING)
    first, second, *_ = steps()
    journal.write([first])
    whole = path.read_bytes()
    real = os.pwrite

    def half(file: int, data: Any, place: int) -> int:
        if len(data) < 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, data[:2], place)

    monkeypatch.setattr(os, "pwrite", half)
    for step in steps()[1:4]:
        with pytest.raises(JournalError, match="no space left"):
            journal.write([step])
        assert path.read_bytes() == whole
    assert journal.behind
    monkeypatch.undo()
    journal.write([])
    assert not journal.behind
    assert texts(path) == EXPECTED[:4]
    assert second[1] == 1


def test_a_file_that_another_program_changed(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    journal = Journal.create(path, HEADING)
    with path.open("a") as other:
        other.write("# a remark\n")
    with pytest.raises(JournalError, match="changed by another program"):
        journal.write(steps()[:1])
    assert path.read_text().endswith("# a remark\n")
    path.unlink()
    with pytest.raises(JournalError, match="changed by another program"):
        journal.write([])


def test_what_is_no_match_file(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    with pytest.raises(FileNotFoundError):
        Journal.resume(path)
    path.write_text("hello\n")
    with pytest.raises(RecordError, match="expected 'jaipur-record/1'"):
        Journal.resume(path)
    assert path.read_text() == "hello\n"
    with pytest.raises(FileExistsError):
        Journal.create(path, HEADING)


def test_new_files_never_take_anothers_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [new_file(tmp_path / "matches", "today", HEADING) for _ in range(3)]
    assert [file.path.name for file in files] == ["today.jaipur", "today-2.jaipur", "today-3.jaipur"]
    os.utime(files[1].path, (2e9, 2e9))
    assert latest(tmp_path / "matches") == files[1].path
    assert latest(tmp_path / "nowhere") is None
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert match_folder() == tmp_path / "jaipur-advisor"
    for file in files:
        file.close()


def test_turns_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    written(path).close()
    numbers = [line.split(".")[0] for line in path.read_text().splitlines() if line[:1].isdigit()]
    assert numbers == ["1", "2", "3", "4", "5", "6", "5"]
    assert isinstance(read_text(path.read_bytes()).steps[1][1], Turn)

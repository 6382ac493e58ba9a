"""Compiling ahead: once, told to the user, with the kernels of older sources thrown away."""

from pathlib import Path

import pytest

from engine import cache, warmup


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for the cache; nothing is really compiled."""
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "kernels-new")
    monkeypatch.setattr(warmup, "_use_kernels", lambda endings: None)
    return tmp_path


def test_kernels_are_compiled_once(folder: Path) -> None:
    told: list[bool] = []
    assert not warmup.compiled()
    warmup.warm(lambda: told.append(True))
    assert warmup.compiled()
    warmup.warm(lambda: told.append(True))
    assert len(told) == 1


def test_the_solver_is_compiled_apart(folder: Path) -> None:
    told: list[bool] = []
    warmup.warm(lambda: told.append(True), endings=False)
    assert (warmup.compiled(endings=False), warmup.compiled()) == (True, False)
    warmup.warm(lambda: told.append(True))
    assert (warmup.compiled(endings=False), warmup.compiled()) == (True, True)
    warmup.warm(lambda: told.append(True), endings=False)
    assert len(told) == 2


def test_a_folder_alone_does_not_mean_that_all_is_compiled(folder: Path) -> None:
    (folder / "kernels-new").mkdir()
    assert not warmup.compiled()


def test_an_interrupted_compilation_is_not_complete(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(endings: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(warmup, "_use_kernels", stop)
    with pytest.raises(KeyboardInterrupt):
        warmup.warm(lambda: None)
    assert not warmup.compiled()


def test_older_kernels_go_and_other_files_stay(folder: Path) -> None:
    for name in ("kernels-old", "kernels-new", "other"):
        (folder / name).mkdir()
    (folder / "kernels-old" / "kernel").touch()
    (folder / "kernels-new" / "kernel").touch()
    warmup.warm(lambda: None)
    assert sorted(path.name for path in folder.iterdir()) == ["kernels-new", "other"]
    assert (folder / "kernels-new" / "kernel").exists()

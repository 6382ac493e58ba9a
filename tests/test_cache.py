"""Where compiled kernels are kept."""

import os
import sys
from pathlib import Path

import numba
import pytest

from engine import cache


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An engine of three sources in place of ours."""
    folder = tmp_path / "engine"
    (folder / "learning").mkdir(parents=True)
    for name in ("rules.py", "state.py", "learning/train.py"):
        (folder / name).write_text("A = 1\n")
    monkeypatch.setattr(cache, "_PACKAGE", folder)
    return folder


@pytest.mark.parametrize("name", ["rules.py", "learning/train.py"])
def test_the_fingerprint_changes_with_any_source(package: Path, name: str) -> None:
    """Its age, its size, its name, and whether it is there."""
    file = package / name
    seen = [cache.fingerprint()]
    assert cache.fingerprint() == seen[0]
    stat = file.stat()
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    seen.append(cache.fingerprint())
    file.write_text("A = 10\n")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    seen.append(cache.fingerprint())
    file.rename(file.with_name("other.py"))
    seen.append(cache.fingerprint())
    file.with_name("other.py").unlink()
    seen.append(cache.fingerprint())
    assert len(set(seen)) == len(seen)


def test_the_fingerprint_is_of_sources_alone(package: Path) -> None:
    before = cache.fingerprint()
    (package / "weights.npz").write_bytes(b"new")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "state.nbi").write_bytes(b"compiled")
    os.utime(package / "rules.py", ns=(0, (package / "rules.py").stat().st_mtime_ns))
    assert cache.fingerprint() == before
    assert len(before) == 16
    assert set(before) <= set("0123456789abcdef")


def test_a_package_that_moves_keeps_its_fingerprint(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.fingerprint()
    monkeypatch.setattr(cache, "_PACKAGE", package.rename(package.with_name("moved")))
    assert cache.fingerprint() == before


@pytest.mark.parametrize("compiled_before", [False, True])
def test_the_folder_lies_beside_the_sources(package: Path, compiled_before: bool) -> None:
    if compiled_before:
        (package / "__pycache__").mkdir()
    assert cache.folder() == package / "__pycache__" / f"kernels-{cache.fingerprint()}"


@pytest.mark.parametrize("compiled_before", [False, True])
def test_a_read_only_package_uses_the_cache_of_the_user(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiled_before: bool
) -> None:
    """The folder that would be written to is asked about: the package, or __pycache__ where there is one."""
    written = package
    if compiled_before:
        written = package / "__pycache__"
        written.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: (Path(path), mode) != (written, os.W_OK))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    name = f"kernels-{cache.fingerprint()}"
    assert cache.folder() == tmp_path / "xdg" / "jaipur-advisor" / name
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache.folder() == tmp_path / "home" / ".cache" / "jaipur-advisor" / name
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder() == tmp_path / "home" / ".cache" / "jaipur-advisor" / name


def numba_folder() -> str:
    return str(vars(numba.config)["CACHE_DIR"])


def test_numba_is_told(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the environment, and by itself where it has been imported already."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "elsewhere")
    cache.use()
    assert os.environ["NUMBA_CACHE_DIR"] == numba_folder() == str(cache.folder())
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.delitem(sys.modules, "numba")
    cache.use()
    assert os.environ["NUMBA_CACHE_DIR"] == str(cache.folder())


def test_the_environment_of_the_user_is_respected(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "elsewhere")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "chosen")
    cache.use()
    assert os.environ["NUMBA_CACHE_DIR"] == numba_folder() == "chosen"

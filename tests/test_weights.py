"""The weights file: there and back, no pickles, damage."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from naive import random_parameters

from engine import weights
from engine.features import COLUMNS
from engine.network import HEADS, HIDDEN_UNITS, Parameters, fresh

PROVENANCE = {"command": "by hand", "recipe": {"rounds": 3, "rate": [0.1, 0.2]}, "rounds": 3}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("weights") / "some.npz"
    weights.save(path, fresh(1), PROVENANCE)
    return path


@pytest.mark.parametrize("heads", [1, HEADS])
def test_there_and_back(tmp_path: Path, heads: int) -> None:
    """Rounded to 16-bit floats once; the second time nothing is lost."""
    parameters = random_parameters(1, heads)
    weights.save(tmp_path / "one.npz", parameters, PROVENANCE)
    loaded, provenance = weights.load(tmp_path / "one.npz")
    assert provenance == PROVENANCE
    for name, array in loaded._asdict().items():
        original = getattr(parameters, name)
        assert array.dtype == np.float32
        assert np.array_equal(array, original.astype(np.float16).astype(np.float32))
        np.testing.assert_allclose(array, original, rtol=2**-11, atol=2**-24)
    weights.save(tmp_path / "two.npz", loaded, provenance)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_the_file_holds_no_pickles(file: Path) -> None:
    with np.load(file, allow_pickle=False) as archive:
        assert {archive[name].dtype.kind for name in archive.files} == {"f", "U"}
        assert json.loads(str(archive["provenance"])) == PROVENANCE


def test_pickles_are_not_read(tmp_path: Path) -> None:
    arrays = fresh(1)._asdict() | {"bias": np.array([{}], object)}
    np.savez(tmp_path / "pickled.npz", provenance=np.array("{}"), **arrays)
    with pytest.raises(ValueError, match="pickle"):
        weights.load(tmp_path / "pickled.npz")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none\.npz"):
        weights.load(tmp_path / "none.npz")


def test_a_file_cut_short(file: Path, tmp_path: Path) -> None:
    data = file.read_bytes()
    for length in [*range(0, len(data), 97), len(data) - 1]:
        (tmp_path / "cut.npz").write_bytes(data[:length])
        with pytest.raises((OSError, ValueError)):
            weights.load(tmp_path / "cut.npz")


def test_a_damaged_file(file: Path, tmp_path: Path) -> None:
    """A flipped bit is either found out or of no consequence."""
    data = file.read_bytes()
    intact, found_out = weights.load(file), 0
    for place in range(0, len(data), 17):
        (tmp_path / "damaged.npz").write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        try:
            parameters, provenance = weights.load(tmp_path / "damaged.npz")
        except (OSError, ValueError):
            found_out += 1
        else:
            assert provenance == intact[1]
            assert all(np.array_equal(a, b) for a, b in zip(parameters, intact[0], strict=True))
    assert found_out > len(data) / 17 / 2


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"weights\n", id="text"),
        pytest.param(npy(np.zeros(3)), id="a single array"),
        pytest.param(npz(provenance=np.array("{}")), id="no arrays"),
        pytest.param(npz(**fresh(1)._asdict()), id="no provenance"),
        pytest.param(npz(**fresh(1)._asdict(), provenance=np.array("{")), id="broken provenance"),
    ],
)
def test_other_files(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "other.npz").write_bytes(data)
    with pytest.raises(ValueError):  # noqa: PT011 - NumPy's words, or json's, or ours
        weights.load(tmp_path / "other.npz")


@pytest.mark.parametrize("name", Parameters._fields)
def test_arrays_of_another_shape(tmp_path: Path, name: str) -> None:
    """Weights of another network: the kernels would read beyond their end."""
    arrays = fresh(1)._asdict()
    arrays[name] = arrays[name][..., :-1]
    (tmp_path / "other.npz").write_bytes(npz(**arrays, provenance=np.array("{}")))
    with pytest.raises(ValueError, match=name):
        weights.load(tmp_path / "other.npz")


def test_the_shipped_weights() -> None:
    parameters, provenance = weights.load()
    heads = len(parameters.out)
    shapes = [array.shape for array in parameters]
    assert shapes == [(COLUMNS, HIDDEN_UNITS), (HIDDEN_UNITS,), (heads, 2, HIDDEN_UNITS), (heads, 2)]
    assert heads in (1, HEADS)
    assert all(np.isfinite(array).all() for array in parameters)
    assert {"command", "rounds"} <= set(provenance)

"""The files of learned weights: compressed NumPy archives without pickles, their provenance inside."""

import hashlib
import json
from pathlib import Path

import numpy as np

from engine.network import HEADS, Parameters, fresh

SHIPPED = Path(__file__).with_name("weights.npz")
"""The network that the advisor plays with."""


def save(path, parameters, provenance):
    """Write a named tuple of arrays as 16-bit floats, with a dict of JSON values that tells how they came about."""
    arrays = {name: array.astype(np.float16) for name, array in parameters._asdict().items()}
    with Path(path).open("wb") as file:
        np.savez_compressed(file, provenance=np.array(json.dumps(provenance)), **arrays)


def fingerprint(*paths) -> str:
    """Hex digits that tell weights files apart."""
    return hashlib.sha256(b"".join(Path(path).read_bytes() for path in paths)).hexdigest()[:12]


def read(path, kind):
    """Read (float32 arrays, provenance), the arrays as a named tuple of type `kind`.

    Raises OSError or ValueError where the file is not such a file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            parameters = kind(*(file[name].astype(np.float32) for name in kind._fields))
            provenance = json.loads(str(file["provenance"]))
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(f"{path} is not a weights file: {error}") from error
    return parameters, provenance


def check(path, parameters, like):
    """Raise ValueError where arrays have not the shapes of another tuple of their type."""
    for name, array, wanted in zip(parameters._fields, parameters, like, strict=True):
        if array.shape != wanted.shape:
            raise ValueError(f"{path} has {name} of another shape: {array.shape}")


def load(path=SHIPPED):
    """Read (`Parameters`, provenance) of a network. Raises OSError or ValueError where the file is not such a file."""
    parameters, provenance = read(path, Parameters)
    check(path, parameters, fresh(0, 1 if parameters.out.shape[:1] == (1,) else HEADS))
    return parameters, provenance

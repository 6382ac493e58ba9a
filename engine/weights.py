"""The file of learned weights: a compressed NumPy archive without pickles, its provenance inside."""

import hashlib
import json
from pathlib import Path

import numpy as np

from engine.network import HEADS, Parameters, fresh

SHIPPED = Path(__file__).with_name("weights.npz")
"""The weights that the advisor plays with."""


def save(path, parameters, provenance):
    """Write `Parameters` as 16-bit floats, with a dict of JSON values that tells how they came about."""
    arrays = {name: array.astype(np.float16) for name, array in parameters._asdict().items()}
    with Path(path).open("wb") as file:
        np.savez_compressed(file, provenance=np.array(json.dumps(provenance)), **arrays)


def fingerprint(path=SHIPPED) -> str:
    """Hex digits that tell weights files apart."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def load(path=SHIPPED):
    """Read (`Parameters`, provenance). Raises OSError or ValueError where the file is not such a file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            parameters = Parameters(*(file[name].astype(np.float32) for name in Parameters._fields))
            provenance = json.loads(str(file["provenance"]))
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(f"{path} is not a weights file: {error}") from error
    heads = 1 if parameters.out.shape[:1] == (1,) else HEADS
    for name, array, like in zip(Parameters._fields, parameters, fresh(0, heads), strict=True):
        if array.shape != like.shape:
            raise ValueError(f"{path} has {name} of another network: {array.shape}")
    return parameters, provenance

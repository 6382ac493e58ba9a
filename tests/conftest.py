"""What all tests share."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

# A first example may have to wait for the compiler.
settings.register_profile("kernels", deadline=None)
settings.register_profile("few", deadline=None, max_examples=10)
settings.load_profile("kernels")


@pytest.fixture(scope="session", autouse=True)
def words_may_wrap() -> Iterator[None]:
    """Kernels that run without the JIT compiler wrap around at 2**64 as they do with it; NumPy need not warn."""
    with np.errstate(over="ignore"):
        yield

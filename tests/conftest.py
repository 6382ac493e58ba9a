"""What all tests share."""

import signal
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

# A first example may have to wait for the compiler.
settings.register_profile("kernels", deadline=None)
settings.register_profile("few", deadline=None, max_examples=10)
settings.load_profile("kernels")

# A job in the background is started with Ctrl-C ignored, and so would be the programs that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def words_may_wrap() -> Iterator[None]:
    """Kernels that run without the JIT compiler wrap around at 2**64 as they do with it; NumPy need not warn."""
    with np.errstate(over="ignore"):
        yield

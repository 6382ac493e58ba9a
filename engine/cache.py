"""Where compiled kernels are kept.

numba caches each kernel by the age of its own source file, and so would go on using a kernel into which an older
version of another file was compiled. Here the cache folder bears a fingerprint of all sources of the engine.
It lies beside them or, where that is read-only, among the user's cache files.
"""

import hashlib
import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).parent


def fingerprint() -> str:
    """Hex digits that change with the name, size or age of any source file of the engine."""
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.rglob("*.py")):
        stat = source.stat()
        digest.update(f"{source.relative_to(_PACKAGE)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def folder() -> Path:
    """The cache folder of the engine as it stands; it need not exist yet."""
    beside = _PACKAGE / "__pycache__"
    writable = os.access(beside if beside.exists() else _PACKAGE, os.W_OK)
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jaipur-advisor"
    return (beside if writable else user) / f"kernels-{fingerprint()}"


def use() -> None:
    """Make numba keep its cache there, unless the user's environment says otherwise.

    LLVM's first level of optimisation compiles a fifth faster than its third, and the kernels run as fast.
    """
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder()))
    os.environ.setdefault("NUMBA_OPT", "1")
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

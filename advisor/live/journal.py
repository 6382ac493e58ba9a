"""The match file: every step is appended to it, flushed and synced, before the prompt returns.

The file is a record in its text form (`advisor.notation`), corrections included. A line that was torn in the
middle of its writing has no end; it is cut off when the file is opened again. Whatever goes wrong leaves the steps in
memory, and the next write brings the file up to date.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

from advisor.live.reasons import RefusedError
from advisor.notation import Heading, Position, Sheet, Step, heading_text, read_text, step_text
from advisor.record import Round
from advisor.speech import _

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]


class JournalError(Exception):
    """The file cannot be written; the message says why, and what becomes of the entries."""


class Journal:
    """The file of one match; at most one `advisor live` has it open."""

    def __init__(self, path: Path, file: int, size: int) -> None:
        self.path = path
        self._file = file
        self._size = size
        """Bytes of the file that are known to be whole."""
        self._due = b""
        """What could not be written yet."""

    @classmethod
    def create(cls, path: Path, heading: Heading) -> "Journal":
        """A new file; raises FileExistsError, `RefusedError` for a file in use, or OSError."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent)) from None
        journal = cls(path, _open(path, os.O_CREAT | os.O_EXCL), 0)
        journal._due = heading_text(heading).encode()
        journal.write([])
        _sync_folder(path.parent)
        return journal

    @classmethod
    def resume(cls, path: Path) -> tuple["Journal", Sheet, bool]:
        """Go on with a file: the journal, what it tells, and whether a torn line was cut off."""
        file = _open(path, 0)
        try:
            found = _read_all(file)
            whole = found[: found.rfind(b"\n") + 1]
            sheet = read_text(whole)
        except BaseException:
            os.close(file)
            raise
        journal = cls(path, file, len(whole))
        if len(found) > len(whole):
            os.ftruncate(file, len(whole))
        return journal, sheet, len(found) > len(whole)

    def write(self, steps: list[tuple[Step, int | None]]) -> None:
        """Append steps, each with the number of its turn; raises `JournalError`, after which they are still due."""
        self._due += b"".join(_line(step, number) for step, number in steps)
        if self.changed:
            raise JournalError(_("{file} was changed by another program").format(file=self.path))
        try:
            self._append()
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise JournalError(_reason(error, self.path)) from None

    def close(self) -> None:
        """Give the file free."""
        with suppress(OSError):
            os.close(self._file)

    @property
    def behind(self) -> bool:
        """Whether entries wait to be written."""
        return bool(self._due)

    def _append(self) -> None:
        place = self._size
        due = memoryview(self._due)
        while due:
            count = os.pwrite(self._file, due, place)
            place += count
            due = due[count:]
        os.fsync(self._file)
        self._size, self._due = place, b""

    @property
    def changed(self) -> bool:
        """Whether the file is no more what was written last: another size, or another file in its place."""
        own = os.fstat(self._file)
        try:
            there = self.path.stat()
        except OSError:
            return True
        return own.st_size != self._size or (own.st_dev, own.st_ino) != (there.st_dev, there.st_ino)


def new_file(folder: Path, stem: str, heading: Heading) -> Journal:
    """A new file in a folder, numbered if there is one of this name."""
    for number in range(1, 1000):
        name = f"{stem}.jaipur" if number == 1 else f"{stem}-{number}.jaipur"
        with suppress(FileExistsError):
            return Journal.create(folder / name, heading)
    raise OSError(errno.EEXIST, "too many match files", str(folder))


def match_folder() -> Path:
    """Where matches are kept unless told otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "jaipur-advisor"


def latest(folder: Path) -> Path | None:
    """The match file that was written last."""
    return max(folder.glob("*.jaipur"), key=lambda path: path.stat().st_mtime_ns, default=None)


def _line(step: Step, number: int | None) -> bytes:
    blank = "\n" if isinstance(step, Round | Position) else ""
    return f"{blank}{step_text(step, number)}\n".encode()


def _open(path: Path, flags: int) -> int:
    file = os.open(path, os.O_RDWR | flags, 0o644)
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise RefusedError(_("{file} is open in another advisor live").format(file=path)) from None
    return file


def _read_all(file: int) -> bytes:
    size = os.fstat(file).st_size
    found = b""
    while part := os.pread(file, max(1, size - len(found)), len(found)):
        found += part
    return found


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def _reason(error: OSError, path: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _("no space left for {file}").format(file=path)
    return _("{file} cannot be written: {reason}").format(file=path, reason=error.strerror)

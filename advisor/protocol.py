"""The engine protocol: one JSON object a line in, one JSON object a line out, for programs that talk to the advisor.

Every line gets exactly one reply, in the order of the lines, flushed at once; a blank line is no JSON and gets an error
like any other. No line ends the service. A field that does not exist is refused, so that a misspelt budget is not
taken for none.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, BinaryIO

from advisor import record
from advisor.advice import BELIEFS, DEFAULT_SECONDS, LIMITS, advise, belief_of, legal_moves
from advisor.faults import Fault, FaultyError, PositionError, quoted
from advisor.fields import one_of
from advisor.forms import object_of, parse_json, parsed
from advisor.kernels import prepare
from advisor.position import read_position
from advisor.words import move_text

Json = dict[str, Any]

LEAST_SECONDS = 0.001
"""Left to a search whose time was used up before it began."""


_REHEARSAL = b"""{
    "do": "analyse", "iterations": 1,
    "position": {"market": "MMMGP", "me": {"hand": "SCPLL"}, "opponent": {"hand": 5}}
}"""
"""Answered before the first line is read: the time it takes to load the kernels is nobody's thinking time."""


class JsonError(FaultyError):
    """A line that is no JSON."""


class RequestError(FaultyError):
    """A request that cannot be understood."""


ERROR_CODES: dict[type[Exception], str] = {
    JsonError: "json",
    RequestError: "request",
    PositionError: "position",
    record.RecordError: "record",
}
"""The code of each error; that of any other is `internal`."""


# ---- the service ----


def run() -> None:
    """Serve standard input until it ends, or until nobody reads the replies any more."""
    prepare()
    reply(_REHEARSAL)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Python flushes standard output once more at its end: give it one that takes everything.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def serve(lines: Iterable[bytes], output: BinaryIO) -> None:
    """Reply to each line."""
    for line in lines:
        output.write(reply(line) + b"\n")
        output.flush()


def reply(line: bytes) -> bytes:
    """The reply to one line, whatever it holds: a JSON object in ASCII."""
    arrived = perf_counter()
    name = None
    try:
        request = _parse(line)
        name = _name(request)
        return _encode(name, _answer(request, arrived))
    except Exception as error:  # whatever happens, the next line is read
        return _encode(name, {"error": _explain(error)})


def _encode(name: str | None, answer: Json) -> bytes:
    shown = name if isinstance(name, _Number) else json.dumps(name)
    return f'{{"id": {shown}, {json.dumps(answer, allow_nan=False)[1:]}'.encode()


def _explain(error: Exception) -> Json:
    faults = error.faults if isinstance(error, FaultyError) else ()
    return {
        "code": ERROR_CODES.get(type(error), "internal"),
        "message": "; ".join(map(str, faults)) or f"{type(error).__name__}: {error}",
        "faults": [fault._asdict() for fault in faults],
    }


# ---- requests ----


class _Number(str):
    """A number of a JSON text as it stands there, such as `1E2` or one of any number of digits."""


def _parse(line: bytes) -> Any:
    """The JSON value of a line; an `id` in it that is a number comes as a `_Number`."""
    try:
        request = parse_json(line)
    except ValueError as error:
        raise JsonError([Fault("request", f"no JSON: {error}")]) from None
    if isinstance(request, dict) and isinstance(request.get("id"), int | float):
        request["id"] = json.loads(line, parse_int=_Number, parse_float=_Number)["id"]
    return request


def _name(request: Any) -> str | None:
    """The `id` of whatever was read; None where there is none to echo."""
    value = request.get("id") if isinstance(request, dict) else None
    return value if isinstance(value, str) else None


def _answer(request: Any, arrived: float) -> Json:
    """The answer to a request read at this time of `perf_counter`, without `id`; raises the errors of `ERROR_CODES`."""
    faults: list[Fault] = []
    told = _REQUEST(request, "", faults)
    task = told["do"]
    if (needed := _NEEDS.get(task)) and told[needed] is None:
        faults.append(Fault(needed, "left out"))
    if told["iterations"] and told["seconds"]:
        faults.append(Fault("seconds", "expected iterations or seconds, not both"))
    if faults:
        raise RequestError(Fault(field or "request", message) for field, message in faults)
    given = {name: value for name, value in told.items() if value is not None}
    return _TASKS[task](_DEFAULTS | given | {"arrived": arrived})


def _parse_name(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError(f"read {quoted(value)}, expected a text or a number")
    return value


def _search(told: Json) -> Json:
    """The keyword arguments of a search; its seconds are those left since the line arrived."""
    keywords = {name: told[name] for name in ("seed", "threads", "belief")}
    if told["iterations"]:
        return keywords | {"iterations": told["iterations"]}
    spent = perf_counter() - told["arrived"]
    return keywords | {"seconds": max(LEAST_SECONDS, (told["seconds"] or DEFAULT_SECONDS) - spent)}


# ---- tasks ----


def _legal(told: Json) -> Json:
    return {"legal": legal_moves(read_position(told["position"]))}


def _best(told: Json) -> Json:
    from engine.search import best

    position = read_position(told["position"])
    keywords = _search(told) | {"belief": belief_of(told["belief"])}
    move = None if position.over else best(*position.alternatives(), **keywords)
    return {"move": None if move is None else move_text(move)}


def _analyse(told: Json) -> Json:
    position = read_position(told["position"])
    return advise(position, top=told["top"], **_search(told)).to_dict()


def _replay(told: Json) -> Json:
    from advisor.replay import replay

    return {"rounds": replay(record.read(told["record"]))}


def _version(told: Json) -> Json:
    from importlib.metadata import version

    from engine import belief, weights

    network = f"network {weights.fingerprint(weights.SHIPPED, belief.SHIPPED)}"
    return {"version": version("jaipur-advisor"), "threads": os.cpu_count() or 1, "evaluation": network}


_TASKS: dict[str, Callable[[Json], Json]] = {
    "legal": _legal,
    "analyse": _analyse,
    "best": _best,
    "replay": _replay,
    "version": _version,
}
_NEEDS = {"legal": "position", "analyse": "position", "best": "position", "replay": "record"}
"""The field without which a task cannot be done."""

_REQUEST = object_of(
    {"do": one_of(*_TASKS)},
    {
        "id": parsed(_parse_name),
        "position": parsed(lambda value: value),
        "record": parsed(lambda value: value),
        **LIMITS,
    },
)
_DEFAULTS = dict.fromkeys(("iterations", "seconds", "top")) | {"seed": 1, "threads": 1, "belief": BELIEFS[0]}

"""The engine protocol: every request, every error, and whatever else may come down a line."""

import json
import os
import random
import subprocess
import sys
import time
from copy import deepcopy
from typing import Any

import golden
import pytest

from advisor import protocol
from advisor.position import read_position

Json = dict[str, Any]

POSITION: Json = {
    "market": "camel camel gold leather spice",
    "me": {"hand": "silver silver leather leather spice", "herd": 3},
    "opponent": {"hand": 5, "seen": "gold leather", "herd": 2},
    "deck": 35,
}
FINISHED = POSITION | {"me": {"hand": "GSCPL", "seals": 2}, "opponent": {"hand": 5}, "deck": None}
RECORD: Json = {
    "format": "jaipur-record/1",
    "players": ["north", "south"],
    "rounds": [{"first": 0, "market": "MMMGP", "hands": ["LMSMG", ""], "turns": ["GP/SM", "sell 1 spice"]}],
}
SERVICE = [sys.executable, "-c", "from advisor.protocol import run; run()"]


def ask(request: object) -> Json:
    """The reply to a request, or to a line of bytes, in this process."""
    line = request if isinstance(request, bytes) else json.dumps(request).encode()
    reply: Json = json.loads(protocol.reply(line))
    return reply


# ---- requests ----


def test_legal() -> None:
    for shown in golden.rounds("full")[0]["states"][:10]:
        mover, other = shown["turn"], 1 - shown["turn"]
        position = {
            "market": shown["market"],
            "me": {"hand": shown["hands"][mover], "herd": shown["herds"][mover]},
            "opponent": {"hand": sum(shown["hands"][other].values()), "herd": shown["herds"][other]},
        }
        assert ask({"id": 1, "do": "legal", "position": position}) == {"id": 1, "legal": shown["legal"]}


def test_analyse() -> None:
    reply = ask({"id": "a", "do": "analyse", "position": POSITION, "iterations": 100})
    assert list(reply) == ["id", "moves", "position", "line", "search", "solved"]
    assert sorted(row["move"] for row in reply["moves"]) == ask({"do": "legal", "position": POSITION})["legal"]
    for row in reply["moves"]:
        assert row["rupees"].keys() == {"me", "opponent", "margin", "stderr"}
        assert row["rupees"]["margin"] == row["rupees"]["me"] - row["rupees"]["opponent"]
        assert row["seal"].keys() == {"win", "draw", "loss", "stderr"}
        assert row["seal"]["win"] + row["seal"]["draw"] + row["seal"]["loss"] == pytest.approx(1)
        assert 0 <= row["match"]["win"] <= 1
    assert sum(row["visits"] for row in reply["moves"]) <= reply["search"]["iterations"] == 100
    assert sum(row["share"] for row in reply["moves"]) == pytest.approx(1)
    assert (reply["search"]["threads"], reply["search"]["seed"]) == (1, 1)
    assert reply["position"] == read_position(POSITION).to_dict()
    assert reply["line"] == read_position(POSITION).line()


def test_top_leaves_the_rest_out() -> None:
    request = {"do": "analyse", "position": POSITION, "iterations": 50}
    assert ask(request | {"top": 3})["moves"] == ask(request)["moves"][:3]


def test_best_is_legal_and_the_same_from_the_one_line_position() -> None:
    request = {"id": 2.5, "do": "best", "iterations": 50, "seed": 2**64 - 1}
    reply = ask(request | {"position": POSITION})
    assert list(reply) == ["id", "move"]
    assert reply["move"] in ask({"do": "legal", "position": POSITION})["legal"]
    assert ask(request | {"position": read_position(POSITION).line()}) == reply


def test_beliefs() -> None:
    request = {"do": "analyse", "position": POSITION, "iterations": 50}
    learned, uniform = (ask(request | {"belief": belief})["moves"] for belief in ("learned", "uniform"))
    assert ask(request)["moves"] == learned != uniform
    best = ask({"do": "best", "position": POSITION, "iterations": 50, "belief": "uniform"})
    assert best["move"] == uniform[0]["move"]
    assert ask(request | {"belief": "none"})["error"]["code"] == "request"


def test_finished_tables_have_no_moves() -> None:
    assert ask({"do": "legal", "position": FINISHED})["legal"] == []
    assert ask({"do": "best", "position": FINISHED})["move"] is None
    reply = ask({"do": "analyse", "position": FINISHED})
    assert (reply["moves"], reply["search"]["iterations"]) == ([], 0)


def test_replay() -> None:
    line = golden.rounds("full")[0]
    assert ask({"id": 3, "do": "replay", "record": line["record"]}) == {"id": 3, "rounds": [line["states"]]}


def test_version() -> None:
    reply = ask({"do": "version"})
    assert reply == {
        "id": None,
        "version": reply["version"],
        "threads": os.cpu_count(),
        "evaluation": reply["evaluation"],
    }
    assert isinstance(reply["version"], str)
    assert isinstance(reply["evaluation"], str)


def test_the_same_request_gets_the_same_bytes_whatever_came_before() -> None:
    line = json.dumps({"do": "analyse", "position": POSITION, "iterations": 50}).encode()
    first = ask(line)
    ask({"do": "best", "position": POSITION, "iterations": 70, "seed": 5})
    again = ask(line)
    del first["search"]["seconds"], again["search"]["seconds"]
    assert json.dumps(first) == json.dumps(again)


@pytest.mark.parametrize("do", ["best", "analyse"])
def test_the_budget_counts_from_the_arrival_of_the_line(do: str) -> None:
    ask({"do": do, "position": POSITION, "iterations": 10})
    start = time.perf_counter()
    ask({"do": do, "position": POSITION, "seconds": 0.3})
    assert time.perf_counter() - start == pytest.approx(0.3, abs=0.1)


def test_the_rehearsal_is_a_good_request() -> None:
    assert "error" not in ask(protocol._REHEARSAL)


# ---- errors ----


@pytest.mark.parametrize("name", ["", "a\ud800\0\n", 0, -1, 10**60, 0.5, -1e300])
def test_the_id_is_echoed(name: object) -> None:
    assert ask({"id": name, "do": "version"})["id"] == name
    assert ask({"id": name, "do": "?"})["id"] == name


@pytest.mark.parametrize("name", ["1E2", "1e400", "-0", "0.10", "1.0e-5", "9" * 5000])
def test_numbers_are_echoed_as_they_were_written(name: str) -> None:
    for line in ('{"id": %s, "do": "version"}', '{"do": "?", "id": %s}'):
        assert protocol.reply((line % name).encode()).startswith(f'{{"id": {name}, '.encode())


@pytest.mark.parametrize("name", [None, True, [], {}, float("nan"), float("inf")])
def test_what_is_no_id_is_not_echoed(name: object) -> None:
    assert ask({"id": name, "do": "version"})["id"] is None


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"do": None}, "do", "left out"),
        ({"do": "review"}, "do", "read 'review', expected 'legal' or 'analyse' or 'best' or 'replay' or 'version'"),
        ({"do": ["best"]}, "do", "read ['best']"),
        ({"id": True}, "id", "read True, expected a text or a number"),
        ({"position": None}, "position", "left out"),
        ({"do": "replay"}, "record", "left out"),
        ({"iteration": 5}, "iteration", "no such field; nearest: iterations"),
        ({"iterations": 0}, "iterations", "read 0, expected a whole number from 1 to"),
        ({"iterations": 1.5}, "iterations", "read 1.5"),
        ({"iterations": 10**50}, "iterations", "expected a whole number from 1 to"),
        ({"iterations": None, "seconds": 0}, "seconds", "read 0, expected a number above 0"),
        ({"iterations": None, "seconds": "1"}, "seconds", "read '1'"),
        ({"iterations": None, "seconds": float("inf")}, "seconds", "read inf"),
        ({"iterations": None, "seconds": float("nan")}, "seconds", "read nan"),
        ({"seconds": 1}, "seconds", "expected iterations or seconds, not both"),
        ({"seed": -1}, "seed", "read -1"),
        ({"seed": 2**64}, "seed", "expected a whole number from 0 to 18446744073709551615"),
        ({"threads": 0}, "threads", "read 0"),
        ({"threads": 10_000}, "threads", "read 10000"),
        ({"top": 0}, "top", "read 0"),
    ],
)
def test_bad_requests(change: Json, field: str, message: str) -> None:
    error = failure({"id": 1, "do": "best", "position": POSITION, "iterations": 20} | change, "request")
    (fault,) = error["faults"]
    assert fault["field"] == field
    assert message in fault["message"]


def failure(request: object, code: str) -> Json:
    """The error of a request, which has this code."""
    reply = ask(request)
    assert list(reply) == ["id", "error"]
    error: Json = reply["error"]
    assert list(error) == ["code", "message", "faults"]
    assert error["code"] == code
    assert error["message"]
    return error


@pytest.mark.parametrize("request_", [None, 5, "best", [], [{"do": "version"}], True])
def test_requests_are_objects(request_: object) -> None:
    assert "expected an object" in failure(request_, "request")["message"]


def test_faults_of_positions() -> None:
    position = POSITION | {"market": "MMMM", "me": {"hand": "DDDDDDDD"}}
    error = failure({"do": "legal", "position": position}, "position")
    assert {"market", "me.hand"} <= {fault["field"] for fault in error["faults"]}
    failure({"do": "best", "position": read_position(POSITION).line()[:-1]}, "position")
    failure({"do": "best", "position": 7}, "position")


def test_faults_of_records() -> None:
    record = RECORD | {"rounds": [RECORD["rounds"][0] | {"turns": ["take gold", "take spice"]}]}
    (fault,) = failure({"do": "replay", "record": record}, "record")["faults"]
    assert fault["field"] == "rounds[0].turns[0].refill"
    failure({"do": "replay", "record": []}, "record")


def test_what_goes_wrong_inside_is_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(protocol._TASKS, "version", lambda told: {"figure": float("nan")})
    assert ask({"id": 8, "do": "version"})["id"] == 8
    failure({"id": 8, "do": "version"}, "internal")


LONG = 10_000_000


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \r",
        b"\0",
        b"\xff\xfe{}",
        b'{"id": 1, "do": "version"',
        b'{"id": 1, "id": 2, "do": "version"}',
        b"[" * LONG,
        b'{"do":' * 1_000_000,
        b'"' + b"x" * LONG,
        b" " * LONG,
    ],
    ids=lambda line: repr(line[:24]),
)
def test_lines_that_are_no_json(line: bytes) -> None:
    failure(line, "json")


@pytest.mark.parametrize(
    "market", ["G" * LONG, "1" + " " * LONG, "x" * LONG, ["G"] * 1_000_000], ids=lambda value: repr(value[:3])
)
def test_long_values_are_refused_in_good_time(market: object) -> None:
    start = time.perf_counter()
    error = failure({"do": "legal", "position": POSITION | {"market": market}}, "position")
    assert len(error["message"]) < 2000
    assert time.perf_counter() - start < 5


# ---- the service ----


def test_no_kernel_is_loaded_before_it_is_needed() -> None:
    code = "import sys, advisor.protocol, advisor.replay; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_service_ends_with_its_input() -> None:
    run = subprocess.run(
        SERVICE, input=b'{"id": 1, "do": "version"}\n\n{"id": 2, "do": "version"}', stdout=subprocess.PIPE
    )
    assert run.returncode == 0
    assert [json.loads(line)["id"] for line in run.stdout.splitlines()] == [1, None, 2]


def test_service_replies_at_once_and_ends_quietly_when_nobody_listens() -> None:
    with subprocess.Popen(SERVICE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as service:
        assert service.stdin
        assert service.stdout
        assert service.stderr
        service.stdin.write(b'{"id": 1, "do": "version"}\n')
        service.stdin.flush()
        assert json.loads(service.stdout.readline())["id"] == 1
        service.stdout.close()
        service.stdin.write(b'{"id": 2, "do": "version"}\n')
        service.stdin.close()
        assert b"Traceback" not in service.stderr.read()
        assert service.wait() == 0


def test_every_fuzzed_line_gets_one_reply() -> None:
    rng = random.Random(1)
    lines = [fuzzed(rng, number) for number in range(10_000)]
    run = subprocess.run(SERVICE, input=b"".join(line + b"\n" for line in lines), stdout=subprocess.PIPE, timeout=120)
    assert run.returncode == 0
    replies = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(replies) == len(lines)
    codes = [reply.get("error", {}).get("code") for reply in replies]
    assert "internal" not in codes
    for number, code in enumerate(codes):
        if number % 4 == 0:
            assert (replies[number]["id"], code) == (number, None)
    assert {None, "json", "request", "position", "record"} == set(codes)


STRANGE: list[Any] = [
    None, True, -1, 0, 1, 7, 10**30, 1e308, float("nan"), float("inf"), "", "G", "camel", "\ud800", "\0", "JP1",
    "take gold", [], [[]], {}, {"gold": -1}, ["gold"] * 9,
]  # fmt: skip


def fuzzed(rng: random.Random, number: int) -> bytes:
    """Every fourth line is a good request; the others have a strange value somewhere, or wrong bytes, or are noise."""
    do = rng.choices(["legal", "analyse", "best", "replay", "version"], [40, 1, 30, 20, 10])[0]  # analyses take long
    subject, value = ("record", RECORD) if do == "replay" else ("position", POSITION)
    request: Json = {"id": number, "do": do, "iterations": rng.randint(1, 3), subject: deepcopy(value)}
    match number % 4:
        case 1:
            put_strange(rng, request[subject])
        case 2:
            request[rng.choice(["id", "do", "position", "record", "seed", "threads", "top", "x"])] = rng.choice(STRANGE)
        case 3 if rng.random() < 0.3:
            return rng.randbytes(rng.randint(0, 60)).replace(b"\n", b" ")
    line = json.dumps(request).encode()
    return garbled(rng, line) if number % 4 == 3 else line


def put_strange(rng: random.Random, value: Any) -> None:
    """A strange value, or none, in place of one somewhere inside of an object or list."""
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.8:
        return put_strange(rng, value[key])
    value[key] = rng.choice(STRANGE)
    return None


def garbled(rng: random.Random, line: bytes) -> bytes:
    """The line cut short, or with a few bytes changed, lost or put in."""
    if rng.random() < 0.2:
        return line[: rng.randrange(len(line))]
    changed = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(changed))
        changed[place : place + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2)).replace(b"\n", b" ")
    return bytes(changed)

"""The commands, from inside and as processes: what they print, and one message for whatever goes wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from golden import rounds
from test_position import FAULTY
from typer.testing import CliRunner

from advisor import cli, options
from advisor.position import read_position

EXAMPLES = Path(__file__).parents[1] / "examples"
MIDGAME = str(EXAMPLES / "midgame.toml")
POSITION = read_position(Path(MIDGAME).read_bytes())
BUDGET = ["--iterations", "100"]

AS_OPTIONS = [
    "--market=2 camels gold leather spice",
    *("--hand=SSLLP", "--herd=3", "--rupees=24", "--goods-tokens=7", "--own-bonus=2", "--seals=1"),
    *("--opponent-hand=5", "--opponent-seen=gold leather", "--opponent-herd=2", "--opponent-rupees=18"),
    *("--opponent-goods-tokens=5", "--opponent-bonus=3", "--opponent-seals=0"),
    *("--deck=23", "--tokens=silver 3, cloth 4, spice 4, leather 5", "--bonus-left=5 6 5"),
    *("--sold=2S 3C 3P 4L", "--first=opponent", "--deck-end=refill"),
]


def run(*arguments: str, given: str | None = None) -> str:
    result = CliRunner().invoke(cli.app, arguments, input=given, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def read(*arguments: str, given: str | None = None) -> Any:
    return json.loads(run(*arguments, given=given))


Refused = Callable[..., str]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run the program on arguments that it must refuse, within a second; its message."""

    def message(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["advisor", *arguments])
        start = time.monotonic()
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert time.monotonic() - start < 1
        assert left.value.code == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        return printed.err

    return message


# ---- commands ----


def test_best() -> None:
    shown = run("best", MIDGAME, *BUDGET, "--top", "3", "--move=-L", "--seed", "5")
    assert POSITION.line() in shown
    assert "100 iterations, seed 5; " in shown
    assert "sell 1 leather" in shown


def test_best_for_programs() -> None:
    reply = read("best", MIDGAME, *BUDGET, "--json")
    assert [row["rank"] for row in reply["moves"]] == list(range(1, 1 + len(reply["moves"])))
    assert len(reply["moves"]) == len(read("moves", MIDGAME, "--json")["legal"])
    assert len(read("best", MIDGAME, *BUDGET, "--json", "--top", "2")["moves"]) == 2


def test_moves() -> None:
    shown = run("moves", MIDGAME).splitlines()
    assert shown == sorted(shown) == read("moves", MIDGAME, "--json")["legal"]
    assert "sell 2 silver" in shown


def test_position() -> None:
    assert run("position", "line", MIDGAME) == f"{POSITION.line()}\n"
    assert POSITION.line() in run("position", "show", MIDGAME)
    assert "can occur" in run("position", "check", MIDGAME)
    assert read("position", "show", MIDGAME, "--json") == POSITION.to_dict()


def test_check_for_programs(tmp_path: Path) -> None:
    assert read("position", "check", MIDGAME, "--json") == {"faults": [], "open": []}
    opening = ["position", "check", "--json", "--market=MMMGP", "--hand=SCPL", "--herd=1"]
    assert read(*opening, "--opponent-hand=5", "--first=me") == {"faults": [], "open": ["opponent.herd", "deck"]}
    faulty = CliRunner().invoke(cli.app, [*opening, "--opponent-hand=8", "--deck=x"])
    assert faulty.exit_code == 2
    assert json.loads(faulty.stdout) == {
        "faults": [
            {"field": "opponent.hand", "message": "read 8, expected a whole number from 0 to 7"},
            {"field": "deck", "message": "read 'x', expected a whole number from 0 to 50"},
        ],
        "open": [],
    }


def test_every_source_of_a_position() -> None:
    sources = [[MIDGAME], [POSITION.line()], [f"\n {POSITION.line()} \n"], AS_OPTIONS]
    found = [read("position", "show", "--json", *source) for source in sources]
    found.append(read("position", "show", "-", "--json", given=Path(MIDGAME).read_text(encoding="utf-8")))
    assert found == [POSITION.to_dict()] * 5


def test_every_field_has_an_option() -> None:
    fields = POSITION.to_dict()
    paths = {f"{table}.{name}" for table in ("me", "opponent") for name in fields.pop(table)} | set(fields)
    assert {field.path for field in options.FIELDS} == paths


@pytest.mark.parametrize(
    "written", ["gold 3 cloth 0", "3 gold, 0 cloth", "gold=3, cloth=0", "ouro: 3; tecido: 0", "aur 3 pa\u0302nze 0"]
)
def test_tokens_as_people_write_them(written: str) -> None:
    told = ["--market=5L", "--hand=S", "--opponent-hand=5", "--rupees=20", f"--tokens={written}"]
    tokens = read("position", "show", "--json", *told)["tokens"]
    assert tokens == {"diamond": 5, "gold": 3, "silver": 5, "cloth": 0, "spice": 7, "leather": 9}


def test_a_finished_table() -> None:
    finished = ["--market=DGCPL", "--hand=CL", "--opponent-hand=5", "--seals=2"]
    assert "two seals" in run("best", *finished)
    assert "two seals" in run("moves", *finished)
    assert read("moves", *finished, "--json") == {"legal": []}
    assert read("best", *finished, "--json")["moves"] == []


def test_replay(tmp_path: Path) -> None:
    played = rounds("full")[0]
    record = tmp_path / "record.json"
    record.write_text(json.dumps(played["record"]), encoding="utf-8")
    assert read("replay", str(record), "--json") == {"rounds": [played["states"]]}
    shown = run("replay", str(record))
    assert "Round 1: north starts" in shown
    assert "wins the seal" in shown
    assert run("replay", "-", given=json.dumps(played["record"])) == shown


def test_warmup_and_version() -> None:
    assert run("warmup") == "Everything is compiled.\n"
    assert run("--version").startswith("0.")


# ---- what is refused ----


def as_file(source: Any) -> bytes | None:
    """A faulty position as a file holds it; None where no file can."""
    if isinstance(source, dict):
        try:
            return json.dumps(source).encode()
        except ValueError:  # a number of more digits than Python prints
            return None
    return source.encode() if isinstance(source, str) else source if isinstance(source, bytes) else None


FILES = {name: content for name, source, _ in FAULTY if (content := as_file(source)) is not None}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_faulty_files(content: bytes, refused: Refused, tmp_path: Path) -> None:
    file = tmp_path / "position"
    file.write_bytes(content)
    for command in (["best"], ["position", "check"]):
        message = refused(*command, str(file))
        assert message.startswith("advisor: ")
        assert "Traceback" not in message
        assert "internal" not in message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["best"], "no position"),
        (["position", "show", ""], "read '', expected the name of a file"),
        (["position", "show", " \n"], "expected the name of a file"),
        (["replay", ""], "expected the name of a file"),
        (["best", "no-such-file.toml"], "no-such-file.toml: No such file"),
        (["best", "n" * 5000], "File name too long"),
        (["best", "."], "Is a directory"),
        (["best", "/dev/zero"], "at most"),
        (["best", "JP1ABC"], "expected 31 characters"),
        (["best", MIDGAME, "--hand=GG"], "expected one of them"),
        (["best", MIDGAME, "--seconds=nan"], "seconds: read nan"),
        (["best", MIDGAME, "--seconds=1", "--iterations=1"], "not both"),
        (["best", MIDGAME, "--iterations=many"], "'--iterations'"),
        (["best", MIDGAME, "--seed=-1"], "seed: read -1"),
        (["best", MIDGAME, "--top=0"], "top: read 0"),
        (["best", MIDGAME, "--belief=none"], "belief: read 'none', expected 'learned' or 'uniform'"),
        (["best", MIDGAME, "--move=+D"], "take diamond is not legal: takes diamond, but the market has gold"),
        (["best", MIDGAME, "--move=castle"], "'castle' is no move"),
        (["best", "--market=GG", "--hand=8 silver", "--herd=x"], "market: read 'GG', 2 cards, expected 5"),
        (["best", "--market=GG", "--hand=8 silver", "--herd=x"], "me.herd: read 'x', expected a whole number"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--tokens=gold"], "tokens: read 'gold'"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--tokens=gold -3"], "tokens: read 'gold -3'"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--tokens=gold 3.5"], "tokens: '.' is no card"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--tokens=gold 3 ?"], "tokens: read 'gold 3 ?'"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--tokens=gold three"], "gold: read 'three'"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--bonus-left=7 6"], "bonus: read '7 6'"),
        (["moves", "--market=5G", "--hand=D", "--opponent-hand=3", "--own-bonus=two"], "me.bonus: read ['two']"),
        (["replay", "no-such-file.json"], "No such file"),
        (["replay", MIDGAME], "record: no JSON"),
        (["replay", "/dev/zero"], "at most"),
        (["castle"], "castle"),
        (["best", "--castle"], "castle"),
    ],
)
def test_faulty_arguments(arguments: list[str], says: str, refused: Refused) -> None:
    message = refused(*arguments)
    assert says in message
    assert "Traceback" not in message
    assert "internal" not in message


def test_even_a_bug_is_one_message(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.position.read_position", lambda source: [][0])
    message = refused("position", "line", MIDGAME)
    assert message == "advisor: internal error: IndexError('list index out of range')\n"


# ---- processes ----


def process(*arguments: str, **rest: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "advisor", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **rest)


@pytest.mark.parametrize("arguments", [["--help"], ["best", "--help"], ["--version"]])
def test_help_loads_no_heavy_modules(arguments: list[str]) -> None:
    code = f"""
import sys
from advisor.cli import main
sys.argv = ["advisor", *{arguments}]
try:
    main()
finally:
    print(sorted({{"numba", "numpy", "rich", "engine.state"}} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_help_is_quick() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        assert process("--help").wait() == 0
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.3


def test_a_missing_file_in_a_process() -> None:
    with process("best", "no-such-file.toml") as missing:
        out, err = missing.communicate()
    assert (missing.returncode, out, err) == (2, "", "advisor: no-such-file.toml: No such file or directory\n")


def test_an_interrupted_search_gives_its_best() -> None:
    run("best", MIDGAME, *BUDGET)  # loads what is compiled
    ctrl_c = Timer(0.5, signal.raise_signal, [signal.SIGINT])
    ctrl_c.start()
    shown = run("best", MIDGAME, "--seconds", "60")
    assert "stopped after" in shown
    assert "seal %" in shown


def test_a_reader_who_leaves_is_no_fault() -> None:
    unread, write = os.pipe()
    os.close(unread)
    command = [sys.executable, "-m", "advisor", "position", "show", MIDGAME]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""


def test_no_codes_and_no_unicode_where_they_cannot_be() -> None:
    with process("best", MIDGAME, *BUDGET, env=os.environ | {"PYTHONIOENCODING": "ascii"}) as search:
        out, err = search.communicate()
    assert (search.returncode, err) == (0, "")
    assert out.isascii()
    assert "\x1b" not in out
    assert "+-" in out

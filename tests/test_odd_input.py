"""Odd input that once went wrong, each with what is right."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.advice import advise
from advisor.position import read_position
from advisor.protocol import reply
from advisor.words import WordError
from engine.state import read

ROOT = Path(__file__).parent.parent
MIDGAME = ROOT / "examples" / "midgame.toml"
OPEN_DECK = {
    "market": "GGMMM",
    "me": {"hand": "LSSDLS", "herd": 3, "rupees": 61, "bonus": [3, 3, 9], "seals": 1},
    "opponent": {"hand": 6, "seen": "DCPCDP", "bonus": [3, 3, 4, 5], "seals": 0},
    "tokens": {"diamond": 2, "gold": 1, "silver": 2, "cloth": 1, "spice": 1, "leather": 1},
    "deck_end": "empty",
}
OPENING = {"market": "MMMGP", "me": {"hand": "SCPLL"}, "opponent": {"hand": 5}}


def test_an_open_deck_is_not_empty_while_the_round_goes_on() -> None:
    tables, probabilities = read_position(OPEN_DECK).alternatives()
    assert not any(read(table).over for table in tables)
    assert probabilities.sum() == pytest.approx(1)
    answer = json.loads(reply(json.dumps({"id": 1, "do": "best", "position": OPEN_DECK, "iterations": 8}).encode()))
    assert answer["move"] in json.loads(reply(json.dumps({"do": "legal", "position": OPEN_DECK}).encode()))["legal"]


def test_a_deck_of_more_than_forty_cards_is_measured() -> None:
    made_up = {"market": "MMMGP", "me": {"hand": []}, "opponent": {"hand": 0}}
    advice = advise(read_position(made_up), iterations=8)
    assert advice.rows[0].seal.win + advice.rows[0].seal.draw + advice.rows[0].seal.loss == pytest.approx(1)


def test_true_is_no_number_of_seconds() -> None:
    answer = json.loads(reply(json.dumps({"do": "best", "position": OPENING, "seconds": True}).encode()))
    assert answer["error"]["code"] == "request"


def test_more_threads_than_cores() -> None:
    request = {"do": "best", "position": OPENING, "iterations": 8, "threads": 1 + (os.cpu_count() or 1)}
    assert "move" in json.loads(reply(json.dumps(request).encode()))


def test_a_move_is_read_on_a_finished_table_too() -> None:
    finished = read_position(OPENING | {"opponent": {"hand": 5, "seals": 2}})
    assert advise(finished, moves=["take gold"]).rows == ()
    with pytest.raises(WordError):
        advise(finished, moves=["garbage"])


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(closed: str) -> None:
    command = f"{sys.executable} -m advisor position show {MIDGAME} {closed}"
    run = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert "Traceback" not in run.stderr
    assert run.returncode == 0


@pytest.mark.parametrize("columns", ["0", "20"])
def test_a_very_narrow_terminal_shows_the_table(columns: str) -> None:
    command = [sys.executable, "-m", "advisor", "position", "show", str(MIDGAME)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "COLUMNS": columns})
    assert "market" in run.stdout


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    record = json.loads((ROOT / "examples" / "record.json").read_text())
    record["players"][0] = "\x1b[2J\x07x"
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    run = subprocess.run(
        [sys.executable, "-m", "advisor", "replay", str(path)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "\x1b" not in run.stdout

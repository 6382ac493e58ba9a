"""`advisor live` measured: `python benchmarks/live.py keys|states|kills|echo|lines [--count N]`; seeds are fixed.

keys: golden rounds through a pseudo-terminal, keys a turn with Enter; every turn is checked in the match file
states: every state of golden rounds, fully known, and as one player saw them
kills: kill -9 at random moments of driven sessions; what was entered must be in the file
echo: from a key press to its echo while both threads think
lines: entry lines made of right and wrong parts; a refused one changes nothing
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import golden
from at_table import Terminal, typed, typed_deal

from advisor.live.entry import read_entry
from advisor.live.game import Game, load
from advisor.live.reasons import RefusedError
from advisor.notation import read_text
from advisor.record import Round, Turn, read
from advisor.speech import use
from advisor.words import CARD_NAMES
from engine import rules
from engine.codes import decode


def seen_rounds() -> list[tuple[Round, int, list[dict]]]:
    """The rounds of one player's view: the round, the player, the states."""
    return [(read(line["record"]).rounds[0], line["viewer"], line["states"]) for line in golden.rounds("seen")]


def all_rounds() -> Iterator[tuple[Round, int]]:
    """Every golden round as one player sees it, the others' cards and tokens unknown: the round, the player."""
    for played, me, _states in seen_rounds():
        yield played, me
    for number, line in enumerate(golden.rounds("full") + golden.rounds("brief")):
        yield as_seen(read(line["record"]).rounds[0], number % 2, line["states"]), number % 2


def as_seen(played: Round, me: int, states: list[dict]) -> Round:
    """What a player knows of a round with everything open."""
    assert played.bonus
    camels = (0,) * rules.GOODS + (played.hands[1 - me][rules.CAMEL],)
    hands = (played.hands[0], camels) if me == 0 else (camels, played.hands[1])
    turns = []
    for turn, before, after in zip(played.turns, states, states[1:], strict=False):
        taken, given = decode(turn.move)
        left = [before["market"].get(name, 0) - taken[kind] for kind, name in enumerate(CARD_NAMES)]
        left[rules.CAMEL] *= not taken[rules.CAMEL]  # all of them are taken
        came = tuple(after["market"].get(name, 0) - n for name, n in zip(CARD_NAMES, left, strict=True))
        drawn = [tier for tier in "345" if after["bonus"][tier] < before["bonus"][tier]]
        mine = before["turn"] == me and drawn
        value = played.bonus[int(drawn[0]) - 3][-before["bonus"][drawn[0]]] if mine else None
        turns.append(Turn(turn.move, came if any(came) and not any(given) else None, value))
    return played._replace(hands=hands, deck=None, bonus=None, turns=tuple(turns))


def keys(count: int) -> None:
    """Drive whole rounds through a pseudo-terminal."""
    pressed = turns = 0
    for number, (played, me) in enumerate(islice(all_rounds(), count)):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "match.jaipur"
            table = Terminal(f"--file={file}", "--threads=1")
            table.until("deal>")
            table.send(typed_deal(played, me) + "\r")
            for turn in played.turns:
                line = typed(turn)
                table.send(line + "\r")
                pressed += len(line) + 1
                turns += 1
                table.read(0)
            wanted = [turn.move for turn in played.turns]
            end = time.monotonic() + 120
            while (found := moves_in(file)) != wanted:
                if time.monotonic() > end:
                    raise SystemExit(f"round {number}: {len(found)} of {len(wanted)} turns\n{table.text()}")
                table.read(0.05)
            table.kill()
        print(f"round {number + 1}: {turns} turns so far, {pressed / turns:.2f} keys a turn", flush=True)


def moves_in(file: Path) -> list[int]:
    """The moves that a match file keeps, a torn last line left out."""
    whole = file.read_bytes().rpartition(b"\n")[0] + b"\n" if file.exists() else b""
    return [entry.move for _line, entry in read_text(whole).entries if isinstance(entry, Turn)]


def states(count: int) -> None:
    """Compare the state after every turn with the golden one."""
    compared = 0
    lines = [(name, line) for name in ("seen", "full", "brief") for line in golden.rounds(name)][:count]
    for name, line in lines:
        told = read(line["record"]).rounds[0]
        game = Game()
        game.enter(told._replace(turns=()))
        for turn, expected in zip([*told.turns, None], line["states"], strict=True):
            state = game.now.state()
            if name == "brief":
                state.pop("legal")
            same = {key: value for key, value in state.items() if key in expected}
            want = {key: value for key, value in expected.items() if key in state}
            if same != want:
                raise SystemExit(f"{name}: {same} is not {want}")
            compared += 1
            if turn:
                game.enter(turn)
    print(f"{len(lines)} rounds, {compared} states equal")


def kills(count: int) -> None:
    """Kill sessions at random moments and read what they left."""
    random.seed(1)
    rounds = seen_rounds()
    confirmed_at_death = []
    for number in range(count):
        played, me, _states = rounds[number % len(rounds)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "match.jaipur"
            table = Terminal(f"--file={file}", "--threads=1", "--lang=en")
            table.until("deal>")
            table.send(typed_deal(played, me) + "\r")
            table.until("turn 1 ")
            confirmed, wanted = 0, random.randrange(1, 12)
            for turn in played.turns[:wanted]:
                table.send(typed(turn) + "\r")
                if confirmed + 1 == wanted:
                    break
                table.until(f"turn {confirmed + 2} ")
                confirmed += 1
            time.sleep(random.random() * 0.03)
            table.kill()
            found = moves_in(file)
            expected = [turn.move for turn in played.turns]
            if not (confirmed <= len(found) <= confirmed + 1 and found == expected[: len(found)]):
                raise SystemExit(f"kill {number}: {confirmed} confirmed, {len(found)} found")
            load(read_text(file.read_bytes().rpartition(b"\n")[0] + b"\n").steps)
            confirmed_at_death.append(len(found) - confirmed)
        if number % 25 == 24:
            written = sum(confirmed_at_death)
            print(
                f"{number + 1} kills, nothing lost; the last line was in the file already {written} times", flush=True
            )


def echo(count: int) -> None:
    """Type while both threads think, and time the echo of each key."""
    with tempfile.TemporaryDirectory() as folder:
        table = Terminal(f"--file={Path(folder) / 'match.jaipur'}", "--threads=2")
        table.until("deal>")
        table.send("gp lsgmm 1 me\r")
        table.until("seal")
        random.seed(1)
        waits = []
        for number in range(count):
            key = "+-gl"[number % 4]
            before = table.text().rsplit("you> ", 1)[-1]
            start = time.perf_counter()
            table.send(key)
            while table.text().rsplit("you> ", 1)[-1] == before:
                table.read(0.002)
            waits.append(1000 * (time.perf_counter() - start))
            time.sleep(random.random() * 0.1)
            if number % 12 == 11:
                table.send("\x15")
                time.sleep(0.1)
                table.read()
            if number % 300 == 299:  # thinking ends after a while: begin anew
                table.send("\x15gp\r")
                table.until("turn 2")
                table.send("undo\r")
                table.until("turn 1")
                time.sleep(0.5)
                table.read()
        table.kill()
    waits.sort()
    print(
        f"{count} keys: median {statistics.median(waits):.1f} ms, 99th percentile {waits[int(0.99 * count)]:.1f} ms, "
        f"longest {waits[-1]:.1f} ms"
    )


def lines(count: int) -> None:
    """Type lines from a grammar with mistakes, and noise."""
    source = random.Random(1)
    use("en")
    rounds = seen_rounds()
    refused = 0
    for number in range(count):
        played, me, _states = rounds[number % len(rounds)]
        game = Game()
        game.enter(played._replace(turns=()))
        length = source.randrange(10)
        for turn in played.turns[:length]:
            game.enter(turn)
        line = line_with_mistakes(source, typed(played.turns[length]))
        before = (game.now, tuple(game.entries), tuple(game.waiting))
        tables = [one.tobytes() for one in game.now.tables]
        try:
            game.enter(read_entry(line, game.now, me))
        except RefusedError as error:
            refused += 1
            if not str(error) or (game.now, tuple(game.entries), tuple(game.waiting)) != before:
                raise SystemExit("a refused entry changed the state") from error
            if tables != [one.tobytes() for one in game.now.tables]:
                raise SystemExit("a refused entry changed the table") from error
    print(f"{count} lines: {refused} refused and explained, {count - refused} played, no traceback")


NOISE = [
    "+",
    "-",
    "/",
    " ",
    "3",
    "10",
    *"dgscplmDGSCPLM",
    "gold",
    "camels",
    "take ",
    "sell ",
    " for ",
    "ä",
    "\x00",
    "undo",
]


def line_with_mistakes(source: random.Random, right: str) -> str:
    """A line that is nearly the right one, or noise."""
    if source.random() < 0.3:
        return "".join(source.choice(NOISE) for _number in range(source.randrange(1, 9)))
    line = list(right)
    for _number in range(source.randrange(3)):
        place = source.randrange(len(line) + 1)
        line[place : place + source.randrange(2)] = source.choice([[], [source.choice(NOISE)]])
    return "".join(line)


if __name__ == "__main__":
    tasks = {
        "keys": (keys, 252),
        "states": (states, 152),
        "kills": (kills, 300),
        "echo": (echo, 1000),
        "lines": (lines, 2000),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=tasks)
    parser.add_argument("--count", type=int)
    asked = parser.parse_args()
    task, usual = tasks[asked.task]
    task(asked.count or usual)

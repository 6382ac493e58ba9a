"""The screens of docs/at-the-table.md and docs/live.svg: `python docs/screens.py` makes them anew.

They are made by playing the round of examples/round.jaipur in a session of `advisor live`, which thinks a fixed number
of iterations, so that the same engine gives the same screens.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console

from advisor import speech
from advisor.live.session import Session
from advisor.live.thinking import Answer, Line, Thinker
from advisor.notation import read_text, step_text
from advisor.record import Round

DOCS = Path(__file__).parent
PAGE = DOCS / "at-the-table.md"
PICTURE = DOCS / "live.svg"
ROUND = DOCS.parent / "examples" / "round.jaipur"
ITERATIONS = 4000
WIDTH = 72
_BLOCK = re.compile(r"(<!-- screen: (\w+) -->\n```text\n).*?(```\n)", re.DOTALL)


class FixedThinker(Thinker):
    """Thinks a fixed number of iterations, when it is asked."""

    asked: tuple[np.ndarray, np.ndarray, tuple[int, ...]] | None = None

    def start(self, readings: np.ndarray, probabilities: np.ndarray, mine: bool, moves: tuple[int, ...] = ()) -> None:
        """Remember the position."""
        self.answer = None
        self.asked = (readings, probabilities, moves) if mine else None

    def stop(self) -> None:
        """There is nothing to stop."""

    def wait(self, seconds: float) -> Answer | None:
        """The answer to the position."""
        from engine.analysis import analyse

        if self.answer is None and self.asked:
            readings, probabilities, moves = self.asked
            found = analyse(readings, probabilities, iterations=ITERATIONS, seed=1, forced=moves)
            figures = zip(
                found.moves, found.win, found.draw, found.win_stderr, found.me, found.opponent, found.gap,
                found.gap_stderr, strict=True,
            )  # fmt: skip
            lines = tuple(Line(*one) for one in figures)
            self.answer = Answer(True, lines, (), lines[0].win, found.iterations, 1.0, found.solved)
        return self.answer


class Scene:
    """A session whose screens are kept."""

    def __init__(self, out: Console, practice: bool = False) -> None:
        sheet = read_text(ROUND.read_bytes())
        self.out = out
        self.session = Session(out, sheet.heading, FixedThinker(), practice=practice)
        self.turns = [step_text(entry) for _, entry in sheet.entries if not isinstance(entry, Round)]

    def type(self, line: str) -> None:
        """Type a line, and show it after the prompt."""
        self.session.thinker.wait(0)
        if self.session.game.now.mover == self.session.me and self.session.thinker.answer:
            for thought in self.session.thoughts()[:-1]:
                self.session.say(thought)
        self.session.say(f"{self.session.prompt()}{line}")
        self.session.handle(line)

    def play_to(self, turn: int) -> None:
        """Make the round's turns up to number `turn`, unseen."""
        quiet, self.session.out = self.session.out, Console(file=io.StringIO(), width=WIDTH)
        for line in self.turns[self.session.game.now.turn : turn]:
            self.session.handle(line)
        self.session.out = quiet


DEAL = "gl ddclm 1 me"


def console() -> Console:
    """A console that keeps what it shows."""
    return Console(file=io.StringIO(), width=WIDTH, record=True, force_terminal=True, color_system="truecolor")


def screens() -> Iterator[tuple[str, str]]:
    """The screens by name, as plain text."""
    speech.use("en")

    def taken() -> str:
        text = out.export_text(styles=False)
        return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"

    out = console()
    scene = Scene(out)
    scene.session.begin()
    scene.type(DEAL)
    yield "opening", taken()
    scene.type("gm")
    yield "took", taken()
    scene.type("+d")
    yield "refused", taken()
    scene.type("msllm")
    yield "camels", taken()
    scene.type("why")
    yield "why", taken()
    scene.play_to(14)
    scene.type("fix 7 +m sppl")
    yield "fix", taken()
    scene.type("fix 7 +m cppl")
    scene.type("redo")
    yield "fixed", taken()
    scene.play_to(20)
    out.export_text()
    scene.type("-3c")
    scene.type("-3c1")
    yield "bonus", taken()
    scene.play_to(37)
    out.export_text()
    scene.type("table")
    yield "notices", taken()
    scene.play_to(38)
    scene.type("-c")
    yield "end", taken()
    scene = Scene(out, practice=True)
    scene.session.handle(DEAL)
    out.export_text()
    scene.session.handle("lg")
    text = taken()
    yield "practice", text[: text.index("\n\n") + 1]
    speech.use("pt")
    scene = Scene(out)
    scene.session.handle(DEAL)
    out.export_text()
    scene.type("+prata")
    scene.type("porque")
    yield "portuguese", taken()
    speech.use("en")


def picture() -> str:
    """A few turns as an SVG."""
    speech.use("en")
    out = console()
    scene = Scene(out)
    scene.session.handle(DEAL)
    out.export_text()
    scene.session.show_table()
    scene.type("gm")
    return out.export_svg(title="advisor live", unique_id="live")


def page(text: str) -> str:
    """The page with its screens made anew."""
    made = dict(screens())
    return _BLOCK.sub(lambda block: f"{block[1]}{made[block[2]]}{block[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
    PICTURE.write_text(picture())
    sys.stderr.write(f"{PAGE} and {PICTURE} are current.\n")

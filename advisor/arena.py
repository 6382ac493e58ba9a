"""A match between two players: its log, its progress, and its result in figures."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.faults import quoted
from advisor.forms import parse_json
from advisor.players import Entrant

if TYPE_CHECKING:
    from rich.progress import Progress

    from engine.arena import Pair
    from engine.standing import Standing

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Match:
    """What decides the rounds of a match: a log goes on only where all of it is the same."""

    players: tuple[str, str]
    weights: tuple[str | None, str | None]
    """Fingerprints of the weights files."""
    seed: int


@dataclass(frozen=True, slots=True)
class Result:
    """How far a match came."""

    match: Match
    standing: "Standing"
    bounds: tuple[float, float] | None
    """elo0 and elo1 of the sequential test; None without it."""
    interrupted: bool

    def to_dict(self) -> Json:
        """The result for programs; null stands for what the pairs do not tell (yet)."""
        s = self.standing
        played = s.pairs > 0
        return {
            **asdict(self.match),
            "rounds": s.rounds,
            "score": _finite(s.score),
            "stderr": _finite(s.stderr),
            "elo": _finite(s.elo),
            "elo_stderr": _finite(s.elo_stderr),
            "pairs": s.counts.tolist(),
            "rupees": s.rupees if played else None,
            "moves": s.moves if played else None,
            "seconds": s.seconds if played else None,
            "cut": s.cut,
            "sprt": self.test(),
            "interrupted": self.interrupted,
        }

    def test(self) -> Json | None:
        """The sequential test: its bounds, the log-likelihood ratio, and the verdict, null while there is none."""
        from engine.standing import BOUND, ERROR

        if self.bounds is None:
            return None
        ratio = _ratio(self.standing, self.bounds)
        verdict = None if abs(ratio) < BOUND else "elo1" if ratio > 0 else "elo0"
        elo0, elo1 = self.bounds
        return {
            "elo0": elo0, "elo1": elo1, "alpha": ERROR, "beta": ERROR, "llr": ratio, "bound": BOUND, "verdict": verdict,
        }  # fmt: skip


def run(
    players: tuple[Entrant, Entrant],
    *,
    rounds: int,
    seed: int = 1,
    workers: int = 1,
    log: Path | None = None,
    bounds: tuple[float, float] | None = None,
) -> Result:
    """Play a match, an even number of rounds, or go on with its log; Ctrl-C ends it early.

    bounds: elo0 and elo1 of a sequential test that ends the match when it is decided. Raises ValueError or OSError for
    a log that cannot be used, and where a program fails.
    """
    from engine.arena import play_pairs, warm
    from engine.standing import BOUND, Standing

    if rounds % 2:
        raise ValueError(f"read {rounds} rounds, expected an even number: each deal is played from both seats")
    if bounds and not -inf < bounds[0] < bounds[1] < inf:
        raise ValueError(f"read the bounds {bounds[0]:g} {bounds[1]:g}, expected two Elo figures, the lower one first")
    first, second = players
    match = Match((first.name, second.name), (first.weights, second.weights), seed)
    logged = read_log(log, match)[: rounds // 2] if log else []
    standing = Standing()
    interrupted = False
    try:
        with ExitStack() as stack:
            progress = stack.enter_context(_progress(rounds))
            warm()
            deals = range(len(logged), rounds // 2)
            played = stack.enter_context(closing(play_pairs([each.make for each in players], deals, seed, workers)))
            fresh = stack.enter_context(_logging(log, match, len(logged), played)) if log else played
            for pair in chain(logged, fresh):
                standing.add(pair)
                _advance(progress, standing)
                if bounds and abs(_ratio(standing, bounds)) >= BOUND:
                    break
    except KeyboardInterrupt:
        interrupted = True
    return Result(match, standing, bounds, interrupted)


def _ratio(standing: "Standing", bounds: tuple[float, float]) -> float:
    from engine.standing import log_likelihood_ratio

    return log_likelihood_ratio(standing.counts, *bounds)


# ---- the log ----


def read_log(path: Path, match: Match) -> list["Pair"]:
    """The pairs of a log, one a line in the order of the deals; none where there is no file.

    A last line that was cut off is taken out of the file. Raises ValueError where it is the log of another match.
    """
    if not path.exists():
        return []
    whole, _, rest = path.read_bytes().rpartition(b"\n")
    if rest:
        with path.open("r+b") as file:
            file.truncate(len(whole) + bool(whole))
    lines = whole.split(b"\n") if whole else []
    return [_pair(path, number, line, match) for number, line in enumerate(lines)]


def _pair(path: Path, number: int, line: bytes, match: Match) -> "Pair":
    from engine.arena import Round

    try:
        told = parse_json(line)
        found = Match(tuple(told["players"]), tuple(told["weights"]), told["seed"])
        if told["deal"] != number:
            raise ValueError
        first, second = (Round(**{name: _pairwise(value) for name, value in each.items()}) for each in told["rounds"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path}, line {number + 1}: no line of a match's log: {quoted(line)}") from None
    for field, expected in asdict(match).items():
        if (read := getattr(found, field)) != expected:
            raise ValueError(f"{path} is the log of another match: read {field} {read}, expected {expected}")
    return first, second


def _pairwise(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@contextmanager
def _logging(path: Path, match: Match, first: int, pairs: Iterator["Pair"]) -> Iterator[Iterator["Pair"]]:
    """The same pairs, each written to the log as it comes; `first` is the deal of the first one."""
    with path.open("a", encoding="utf-8") as file:

        def write() -> Iterator["Pair"]:
            for deal, pair in enumerate(pairs, first):
                line = {**asdict(match), "deal": deal, "rounds": [each._asdict() for each in pair]}
                file.write(json.dumps(line) + "\n")
                file.flush()
                yield pair

        yield write()


# ---- what a person sees ----


@contextmanager
def _progress(rounds: int) -> Iterator["Progress | None"]:
    """A bar on standard error, where that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task("", total=rounds)
        yield progress


def _advance(progress: "Progress | None", standing: "Standing") -> None:
    if progress:
        task = progress.task_ids[0]
        progress.update(task, completed=standing.rounds, description=_score(standing))


def text(result: Result) -> str:
    """The result for a person."""
    return "\n".join(_lines(result))


def _lines(result: Result) -> Iterator[str]:
    s = result.standing
    first, second = result.match.players
    yield f"A  {first}"
    yield f"B  {second}"
    if not s.pairs:
        yield "No pair of rounds was finished."
        return
    stopped = ", interrupted" if result.interrupted else ""
    cut = f", {s.cut} of them cut off" if s.cut else ""
    yield f"A wins   {_score(s)}   (draws count half; {s.rounds:,} rounds, seed {result.match.seed}{stopped})"
    yield f"Elo      {_number(s.elo, '+.0f')} ± {_number(s.elo_stderr, '.0f')}"
    yield f"pairs    {'  '.join(f'{count:,}' for count in s.counts)}   (A took 0, ½, 1, 1½, 2 of the two seals)"
    yield f"rupees   {s.rupees[0]:.1f} : {s.rupees[1]:.1f}"
    yield f"moves    {s.moves:.1f} a round{cut}"
    yield f"time     {_duration(s.seconds[0])} : {_duration(s.seconds[1])} a move"
    if test := result.test():
        verdict = {"elo1": "elo1 accepted", "elo0": "elo0 accepted", None: "undecided"}[test["verdict"]]
        yield (
            f"SPRT     {verdict}: LLR {test['llr']:+.2f} in ({-test['bound']:.2f}, {test['bound']:.2f}), "
            f"elo0 {test['elo0']:g}, elo1 {test['elo1']:g}, alpha = beta = {test['alpha']:g}"
        )


def _score(standing: "Standing") -> str:
    return f"{100 * standing.score:.2f} ± {_number(100 * standing.stderr, '.2f')} %"


def _number(value: float, form: str) -> str:
    """A figure, `?` where the pairs do not tell it; a zero has no minus."""
    return "?" if isnan(value) else f"{value + 0.0:{form}}"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e6 * seconds:.3g} µs"

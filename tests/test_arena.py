"""The arena: players by name, pairs of rounds, what they add up to, the log, and programs that play."""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from math import inf, isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from advisor import arena, players
from advisor.cli import app
from advisor.players import Entrant, entrant, position_of
from advisor.position import read_position
from engine import state, weights
from engine.arena import MOVE_CAP, Evaluation, Greedy, Pair, Player, Random, Round, Search, play_pairs
from engine.belief import learned, uniform
from engine.infoset import information_set
from engine.moves import subsets
from engine.network import fresh
from engine.playout import random_tables
from engine.standing import BOUND, Standing, elo_of, log_likelihood_ratio, score_of

STUB = f"program:'{sys.executable}' '{Path(__file__).with_name('stub_engine.py')}' {{}}:5"


def both(first: str, second: str) -> tuple[Entrant, Entrant]:
    return entrant(first), entrant(second)


def untimed(pairs: list[Pair]) -> list[Any]:
    return [[each._replace(seconds=(0.0, 0.0)) for each in pair] for pair in pairs]


# ---- names ----


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("random", Random),
        ("greedy", Greedy),
        ("evaluation", Evaluation),
        ("search:1000", Search),
        ("search:1000:uniform", Search),
    ],
)
def test_names(name: str, kind: type[Player]) -> None:
    assert type(entrant(name).make()) is kind


def test_budgets() -> None:
    budgets = {"search:1000": (1000, None), "search:100ms": (None, 0.1), "rollouts:1s": (None, 1.0)}
    for name, (iterations, seconds) in budgets.items():
        player = entrant(name).make()
        assert isinstance(player, Search)
        assert player.budget == {"iterations": iterations, "seconds": seconds}
        assert player.rule.rollouts == name.startswith("rollouts")


def test_beliefs() -> None:
    """The search believes what it has learned unless its name tells otherwise; the first version's knew nothing."""
    beliefs = {"search:9": learned, "search:9:uniform": uniform, "search:9:learned": learned, "rollouts:9": uniform}
    for name, belief in beliefs.items():
        player = entrant(name).make()
        assert isinstance(player, Search)
        assert player.belief is belief
        assert player.budget == {"iterations": 9, "seconds": None}
    prints = [entrant(name).weights for name in ("search:9", "search:9:learned", "search:9:uniform", "evaluation")]
    assert prints[0] == prints[1] != prints[2] == prints[3]


def test_quotes_of_a_command_are_optional() -> None:
    for command in ("python -m other engine", '"python -m other engine"', "'python -m other engine'"):
        assert players._arguments("x", command) == ["python", "-m", "other", "engine"]
    assert players._arguments("x", "'my python' -m other") == ["my python", "-m", "other"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("evaluatio", "nearest: evaluation"),
        ("serch:10", "nearest: search"),
        ("", "no player"),
        ("search", "expected a budget"),
        ("search:10h", "read '10h'"),
        ("search:1.5", "read '1.5'"),
        ("search:0", "iterations"),
        (f"search:{'9' * 5000}", "expected a budget"),
        ("search:9999s", "seconds"),
        ("search:10:unifrom", "expected 'learned' or 'uniform'"),
        ("search:uniform", "expected a budget"),
        ("rollouts:10:uniform", "expected a budget"),
        ("greedy:10", "has no budget"),
        ("random@x.npz", "plays without weights"),
        ("evaluation@", "no file after @"),
        ("program:10", "no command"),
        ("program:python:fast", "expected a budget"),
        ("program:'a b:10", "cannot be read"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        entrant(name)


def test_weights_files(tmp_path: Path) -> None:
    old, other, text = tmp_path / "old.npz", tmp_path / "other.npz", tmp_path / "text.npz"
    weights.save(old, fresh(1, heads=1), {})
    weights.save(other, fresh(1)._replace(bias=np.zeros(3, np.float32)), {})
    text.write_text("camel")
    assert isinstance(entrant(f"evaluation@{old}").make(), Evaluation)
    assert isinstance(entrant(f"search:20@{old}").make(), Search)
    assert entrant(f"evaluation@{old}").weights != entrant("evaluation").weights
    with pytest.raises(ValueError, match="bias of another shape"):
        entrant(f"evaluation@{other}")
    with pytest.raises(ValueError, match="not a weights file"):
        entrant(f"evaluation@{text}")
    with pytest.raises(FileNotFoundError):
        entrant(f"evaluation@{tmp_path / 'none.npz'}")


# ---- pairs ----


@pytest.mark.parametrize("name", ["random", "greedy", "evaluation", "search:10", "rollouts:3"])
def test_against_himself_each_player_gets_half_of_every_pair(name: str) -> None:
    for first, second in play_pairs([entrant(name).make] * 2, range(4), seed=3):
        assert first.score + second.score == 1.0
        assert first.rupees == second.rupees[::-1]
        assert first.moves == second.moves[::-1]


def test_swapped_players_swap_the_results() -> None:
    there = list(play_pairs([Random, Greedy], range(10), seed=3))
    back = list(play_pairs([Greedy, Random], range(10), seed=3))
    for (first, second), (other, one) in zip(there, back, strict=True):
        assert (first.score, first.rupees) == (1 - one.score, one.rupees[::-1])
        assert (second.score, second.rupees) == (1 - other.score, other.rupees[::-1])


def test_workers_change_nothing() -> None:
    alone = list(play_pairs([Evaluation, Random], range(20), seed=3))
    assert untimed(list(play_pairs([Evaluation, Random], range(20), seed=3, workers=3))) == untimed(alone)
    assert all(each.seconds[0] > 0 and not each.cut for pair in alone for each in pair)


class Restless(Greedy):
    """Exchanges for ever, once it can."""

    def choose(self, info: Any, seed: int) -> Any:
        from engine.policy import is_exchange
        from engine.search import legal

        return next((move for move in legal(info[None]) if is_exchange(np.uint64(move))), super().choose(info, seed))


def test_endless_rounds_are_cut_off() -> None:
    ((first, second),) = play_pairs([Restless, Restless], range(1), seed=1)
    assert first.cut
    assert sum(first.moves) == sum(second.moves) == MOVE_CAP


def test_players_are_closed_when_nobody_wants_more() -> None:
    closed = []

    class Leaving(Random):
        def close(self) -> None:
            closed.append(self)

    pairs = play_pairs([Leaving, Leaving], range(1000), seed=1, workers=2)
    next(pairs)
    pairs.close()
    assert len(closed) == 4


# ---- what they add up to ----


def test_elo() -> None:
    assert elo_of(0.5) == 0.0
    assert elo_of(0.75) == pytest.approx(190.8485)
    assert score_of(400) == pytest.approx(10 / 11)
    assert (elo_of(1), elo_of(0)) == (inf, -inf)
    assert score_of(elo_of(0.3)) == pytest.approx(0.3)


def test_sequential_test() -> None:
    assert pytest.approx(log(19)) == BOUND
    # Mean 1/2; variance (2 * 10.5 / 4 + 2 * 20.5 / 16) / 102.5 = 0.07622; scores expected 1/2 and 10/11:
    # 100 * 9/22 * (1 - 1/2 - 10/11) / (2 * 0.07622)
    assert log_likelihood_ratio([10, 20, 40, 20, 10], 0, 400) == pytest.approx(-109.785, abs=0.001)
    assert log_likelihood_ratio([10, 20, 40, 20, 10], -400, 400) == pytest.approx(0)
    assert log_likelihood_ratio([0] * 5, 0, 10) == 0
    assert log_likelihood_ratio([0, 0, 0, 0, 3], 0, 10) < BOUND  # three pairs are no proof


def pair(*scores: float) -> Pair:
    first, second = (Round(score, (60, 40), (20, 30), (0.2, 0.6), False) for score in scores)
    return first, second


def test_standing() -> None:
    standing = Standing()
    assert isnan(standing.score)
    for one in (pair(1.0, 1.0), pair(1.0, 0.0), pair(0.5, 1.0)):
        standing.add(one)
    assert standing.counts.tolist() == [0, 0, 1, 1, 1]
    assert standing.score == 0.75
    assert standing.stderr == pytest.approx((2 * 0.25**2 / 2 / 3) ** 0.5)
    assert standing.elo_stderr == pytest.approx(400 / log(10) * standing.stderr / (0.75 * 0.25))
    assert (standing.rounds, standing.moves, standing.rupees) == (6, 50.0, (60.0, 40.0))
    assert standing.seconds == pytest.approx((0.01, 0.02))


# ---- the match and its log ----


def test_a_log_goes_on_where_it_stopped(tmp_path: Path) -> None:
    names = both("greedy", "random")
    unbroken, resumed = tmp_path / "unbroken.jsonl", tmp_path / "resumed.jsonl"
    whole = arena.run(names, rounds=40, log=unbroken)
    arena.run(names, rounds=10, log=resumed)
    with resumed.open("a") as file:
        file.write('{"players": ["gre')  # killed while it wrote
    again = arena.run(names, rounds=40, log=resumed)
    match = whole.match
    assert untimed(arena.read_log(resumed, match)) == untimed(arena.read_log(unbroken, match))
    assert len(resumed.read_bytes().splitlines()) == 20
    assert again.to_dict() | {"seconds": None} == whole.to_dict() | {"seconds": None}
    assert arena.run(names, rounds=10, log=resumed).standing.rounds == 10


def test_logs_of_other_matches_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    arena.run(both("greedy", "random"), rounds=2, log=path)
    with pytest.raises(ValueError, match="another match: read seed 1, expected 2"):
        arena.run(both("greedy", "random"), rounds=2, seed=2, log=path)
    with pytest.raises(ValueError, match="another match: read players"):
        arena.run(both("random", "greedy"), rounds=2, log=path)
    path.write_text("[1, 2]\n")
    with pytest.raises(ValueError, match="line 1: no line of a match's log"):
        arena.run(both("greedy", "random"), rounds=2, log=path)


@pytest.mark.parametrize("bounds", [(5.0, 0.0), (0.0, 0.0), (float("nan"), 5.0), (0.0, float("inf"))])
def test_bounds_of_the_sequential_test_are_two_figures_in_order(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="expected two Elo figures, the lower one first"):
        arena.run(both("greedy", "random"), rounds=2, bounds=bounds)


def test_the_sequential_test_ends_a_match() -> None:
    result = arena.run(both("greedy", "random"), rounds=2000, bounds=(0, 10))
    test = result.to_dict()["sprt"]
    assert result.standing.rounds < 200
    assert test["verdict"] == "elo1"
    assert test["llr"] >= BOUND
    assert "elo1 accepted" in arena.text(result)


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> Iterator[Pair]:
        yield from islice(play_pairs(*given), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.arena.play_pairs", interrupted)
    result = arena.run(both("greedy", "random"), rounds=100)
    assert (result.interrupted, result.standing.rounds) == (True, 6)
    assert "interrupted" in arena.text(result)


def test_command() -> None:
    run: Callable[..., Any] = CliRunner().invoke
    shown = run(app, ["arena", "greedy", "random", "--rounds", "10"]).stdout
    assert "A  greedy" in shown
    assert "10 rounds, seed 1" in shown
    told = json.loads(run(app, ["arena", "greedy", "greedy", "--rounds", "10", "--json"]).stdout)
    assert (told["score"], told["stderr"], told["pairs"]) == (0.5, 0.0, [0, 0, 5, 0, 0])
    assert isinstance(run(app, ["arena", "greedy", "greedy", "--rounds", "3"]).exception, ValueError)
    assert isinstance(run(app, ["arena", "greedy", "gredy"]).exception, ValueError)


# ---- programs ----


def test_positions_for_programs_tell_what_the_player_knows() -> None:
    info = np.empty(state.STATE_WORDS, np.uint64)
    for world in random_tables(50, 7, subsets()):
        information_set(world, state.turn_of(world), info)
        position = position_of(info)
        assert read_position(position.to_dict()) == position
        tables, probabilities = position.alternatives()
        assert probabilities.tolist() == [1.0]
        told, known = state.read(tables[0]), state.read(info)
        assert told == known._replace(knowns=told.knowns)
        assert told.knowns[1] == known.knowns[1]


def test_programs_play() -> None:
    result = arena.run(both(STUB.format("well"), "random"), rounds=4)
    assert result.standing.rounds == 4
    assert result.standing.seconds[0] > 0


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("die", "ended without an answer: out of camels"),
        ("garbage", "expected a JSON object"),
        ("silent", "answered {}; the position was JP1"),
        ("illegal", "sell 6 diamond is not legal; the position was JP1"),
        ("hang", "no answer within 0.5 seconds"),
    ],
)
def test_programs_that_fail(fault: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault == "hang":
        monkeypatch.setattr(players, "PATIENCE", 0.5)
    with pytest.raises(ValueError, match=message):
        arena.run(both(STUB.format(fault), "random"), rounds=2)


def test_programs_that_cannot_be_started() -> None:
    with pytest.raises(ValueError, match="no-such-program: cannot be started: No such file"):
        arena.run(both("program:no-such-program:5", "random"), rounds=2)

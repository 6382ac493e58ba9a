"""Learning from self-play: targets, gradients and steps against slow twins; runs that go on as if never broken."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive import MARGIN_UNIT, outputs, random_parameters, sigmoid
from packed import SUBSETS

from engine import features, rules, weights
from engine.evaluation import scratch
from engine.learning import __main__ as command
from engine.learning import adam, selfplay
from engine.learning import train as training
from engine.learning.adam import fresh_optimiser, learn
from engine.learning.selfplay import ROUND_LIMIT, Samples, buffer, play_rounds
from engine.learning.train import Recipe, Run, train, used_columns
from engine.network import HEADS, HIDDEN_UNITS, Parameters, folded

RATE = np.float32(0.001)
ALL = np.ones(features.COLUMNS, np.bool_)


def self_play(
    wanted: int, *, seed: int = 1, world: int = 0, explore: float = 0.0, trace: float = 0.9, parameters_seed: int = 3
) -> tuple[Samples, int]:
    """Samples of rounds of self-play, cut to those there are, and the number of rounds."""
    samples = buffer(wanted)
    network = folded(random_parameters(parameters_seed))
    weight = np.float32(0.0005)
    count, rounds = play_rounds(
        wanted, seed, world, explore, np.float32(trace), weight, SUBSETS, network, scratch(), samples
    )
    return Samples(*(array[:count] for array in samples)), rounds


# ---- targets ----


def test_targets_by_hand() -> None:
    """Two players, five samples of a round behind another one's, lambda 1/4; the second output is ten times the first.

    | sample | player | value | target | passed on to the player's sample before |
    |---|---|---|---|---|
    | 4 | 0 | 0.5 | 1 (won) | 0.5 + (1 - 0.5) / 4 = 0.625 |
    | 3 | 1 | 0.25 | 0 (lost) | an exploring move, so what the best one promised: 0.75 |
    | 2 | 0 | 0.25 | 0.625 | 0.25 + (0.625 - 0.25) / 4 = 0.34375 |
    | 1 | 1 | 0.5 | 0.75 | |
    | 0 | 0 | 0.125 | 0.34375 | |
    """
    samples = buffer(8)
    samples.target[:] = -1
    both = np.array([1, 10], np.float32)
    values = np.array([0.125, 0.5, 0.25, 0.25, 0.5], np.float32)[:, None] * both
    best = np.array([9, 9, 9, 0.75, 9], np.float32)[:, None] * both
    cut = np.array([False, False, False, True, False])
    outcome = np.array([1, 0], np.float32)[:, None] * both
    selfplay._set_targets(samples, np.array([0, 1, 0, 1, 0]), 2, 7, outcome, np.float32(0.25), values, best, cut)
    assert samples.target[2:7].tolist() == [[x, 10 * x] for x in (0.34375, 0.75, 0.625, 0, 1)]
    assert (np.delete(samples.target, range(2, 7), 0) == -1).all()


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_the_targets_of_whole_rounds(trace: float) -> None:
    """Without exploring moves each target follows from the values and targets two samples on, the last from the end."""
    parameters = random_parameters(3)
    for world in range(3):
        samples, rounds = self_play(1, world=world, trace=trace)
        assert rounds == 1
        *_, out = outputs(parameters, samples.columns, samples.weight, samples.stage)
        values = np.stack([sigmoid(out[:, 0]), out[:, 1]], 1)
        later = samples.target[2:]
        expected = values[2:] + trace * (later - values[2:])
        np.testing.assert_allclose(samples.target[:-2], expected, atol=2e-5)
        seal, margin = samples.target[-2:].T
        assert seal.sum() == 1
        assert set(seal) <= {0, 0.5, 1}
        assert margin.sum() == 0
        assert margin[0] * MARGIN_UNIT == pytest.approx(round(margin[0] * MARGIN_UNIT), abs=1e-4)
        assert (margin[0] > 0) <= (seal[0] == 1)


def test_rounds_are_played_until_there_are_enough_samples() -> None:
    """Each round is a function of its number: the same alone as among others; the players start by turns."""
    samples, rounds = self_play(300)
    assert rounds > 2
    alone = [self_play(1, world=world)[0] for world in range(rounds)]
    lengths = [len(one.stage) for one in alone]
    assert sum(lengths[:-1]) < 300 <= sum(lengths) == len(samples.stage)
    assert max(lengths) < ROUND_LIMIT
    for together, apart in zip(samples, zip(*alone, strict=True), strict=True):
        assert np.array_equal(together, np.concatenate(apart))


def test_the_seed_the_world_and_exploring_matter() -> None:
    """And nothing else: the same again gives the same."""
    plain, rounds = self_play(100)
    again, _ = self_play(100)
    assert all(np.array_equal(a, b) for a, b in zip(plain, again, strict=True))
    for other in (self_play(100, seed=2), self_play(100, explore=0.5), self_play(100, world=rounds)):
        assert not np.array_equal(other[0].columns[:40], plain.columns[:40])


# ---- steps ----


def loss(parameters: Parameters, samples: Samples) -> float:
    """Mean of the logistic loss of the seal and of a quarter of the margin's, half a square."""
    *_, out = outputs(parameters, samples.columns, samples.weight, samples.stage)
    seal, margin = samples.target.astype(np.float64).T
    logistic = np.log1p(np.exp(out[:, 0])) - seal * out[:, 0]
    return float(np.mean(logistic + 0.25 * (out[:, 1] - margin) ** 2 / 2))


def gradient(parameters: Parameters, samples: Samples) -> Parameters:
    """The gradient of `loss`, by the chain rule."""
    weights_, hidden, heads, out = outputs(parameters, samples.columns, samples.weight, samples.stage)
    slopes = np.stack([sigmoid(out[:, 0]), 0.25 * out[:, 1]], 1) - samples.target * [1, 0.25]
    slopes /= len(slopes)
    found = Parameters(*(np.zeros(array.shape) for array in parameters))
    np.add.at(found.out_bias, heads, slopes)
    np.add.at(found.out, heads, slopes[:, :, None] * np.maximum(hidden, 0)[:, None, :])
    units = np.einsum("no,noh->nh", slopes, parameters.out[heads]) * (hidden > 0)
    found.bias[:] = units.sum(0)
    np.add.at(found.columns, samples.columns, weights_[:, :, None] * units[:, None, :])
    return found


def doubles(parameters: Parameters) -> Parameters:
    return Parameters(*(array.astype(np.float64) for array in parameters))


def samples_of(size: int) -> Samples:
    """Samples from all over a few rounds."""
    samples, _ = self_play(400)
    chosen = np.random.default_rng(1).choice(len(samples.stage), size, replace=False)
    return Samples(*(array[chosen] for array in samples))


@pytest.mark.parametrize("heads", [1, HEADS])
def test_the_gradient_against_finite_differences(heads: int) -> None:
    parameters, samples = random_parameters(4, heads), samples_of(3)
    optimiser = fresh_optimiser(parameters)
    space = np.empty(HIDDEN_UNITS, np.float32), np.empty(features.ACTIVE, np.float32)
    errors = [
        adam._add_gradient(parameters, samples, i, np.float32(1 / 3), optimiser.gradient, optimiser.touched, *space)
        for i in range(3)
    ]
    *_, out = outputs(parameters, samples.columns, samples.weight, samples.stage)
    np.testing.assert_allclose(errors, (sigmoid(out[:, 0]) - samples.target[:, 0]) ** 2, atol=1e-6)
    assert set(np.flatnonzero(optimiser.touched)) == set(samples.columns.flat)
    exact, step = doubles(parameters), 1e-6
    random = np.random.default_rng(2)
    for array, found in zip(exact, optimiser.gradient, strict=True):
        for place in random.permutation(np.argwhere(found))[:60]:
            at, value = tuple(place), array[tuple(place)]
            array[at] = value + step
            above = loss(exact, samples)
            array[at] = value - step
            difference = (above - loss(exact, samples)) / (2 * step)
            array[at] = value
            assert found[at] == pytest.approx(difference, rel=1e-3, abs=1e-6)
    for found, expected in zip(optimiser.gradient, gradient(exact, samples), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)


def adam_steps(
    parameters: Parameters, samples: Samples, order: np.ndarray, batch: int, used: np.ndarray
) -> tuple[Parameters, Parameters, Parameters]:
    """Adam as in the paper, but columns that a batch does not touch stay as they are, moments and all."""
    values, mean, square = (doubles(parameters) for _ in range(3))
    for array in (*mean, *square):
        array[:] = 0
    for step in range(1, len(order) // batch + 1):
        chosen = order[(step - 1) * batch : step * batch]
        part = Samples(*(array[chosen] for array in samples))
        touched = np.unique(part.columns)
        moved: tuple[Any, ...] = (touched[used[touched]], ..., ..., ...)
        for value, m, s, g, where in zip(values, mean, square, gradient(values, part), moved, strict=True):
            m[where] = 0.9 * m[where] + 0.1 * g[where]
            s[where] = 0.999 * s[where] + 0.001 * g[where] ** 2
            corrected = m[where] / (1 - 0.9**step), s[where] / (1 - 0.999**step)
            value[where] -= RATE * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
    return values, mean, square


@pytest.mark.parametrize("heads", [1, HEADS])
def test_steps_against_adam_in_plain_numpy(heads: int) -> None:
    """Three steps of four samples; the fourth, incomplete one is not made. Columns of no use stay untouched."""
    parameters, samples = random_parameters(4, heads), samples_of(16)
    order = np.random.default_rng(1).permutation(16)[:14]
    used = np.random.default_rng(2).random(features.COLUMNS) < 0.8
    before = Parameters(*(array.copy() for array in parameters))
    values, mean, square = adam_steps(before, samples, order, 4, used)
    optimiser = fresh_optimiser(parameters)
    learn(parameters, optimiser, samples, order, 4, RATE, used)
    assert optimiser.steps[0] == 3
    for name in Parameters._fields:
        got, expected = getattr(parameters, name), getattr(values, name)
        np.testing.assert_allclose(getattr(optimiser.mean, name), getattr(mean, name), atol=1e-6)
        np.testing.assert_allclose(getattr(optimiser.square, name), getattr(square, name), rtol=1e-3, atol=1e-9)
        np.testing.assert_allclose(got, expected, atol=float(RATE) / 50)
    assert np.array_equal(parameters.columns[~used], before.columns[~used])
    assert (np.abs(values.columns - before.columns) > RATE).any()


def test_learning_returns_the_error_and_lessens_it() -> None:
    parameters, samples = random_parameters(4), samples_of(64)
    *_, out = outputs(parameters, samples.columns, samples.weight, samples.stage)
    error = np.mean((sigmoid(out[:, 0]) - samples.target[:, 0]) ** 2)
    optimiser, order, before = fresh_optimiser(parameters), np.arange(64), loss(parameters, samples)
    assert learn(parameters, optimiser, samples, order, 64, RATE, ALL) == pytest.approx(error, rel=1e-4)
    for _ in range(50):
        learn(parameters, optimiser, samples, order, 16, RATE, ALL)
    assert loss(parameters, samples) < before - 0.1


# ---- runs ----

SHORT = Recipe(rounds=7, generation=64, batch=16, averaged=0.9)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints every other generation, averages at each."""
    monkeypatch.setattr(training, "CHAIN", 2)
    monkeypatch.setattr(training, "AVERAGE_EVERY", 1)


def report(run: Run, seconds: float) -> None:
    assert seconds >= 0


def contents(run: Run) -> list[Any]:
    """All that a run is, as bytes and numbers."""
    groups = [array.tobytes() for group in run._groups().values() for array in group]
    return [groups, run.contributions, run.generation, run.rounds, run.error, int(run.optimiser.steps[0])]


def broken_off(after: int) -> Callable[..., float]:
    """`learn`, until it is killed in the middle of a run."""
    calls = 0

    def learn_or_break(*arguments: Any) -> float:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return float(learn(*arguments))

    return learn_or_break


@pytest.mark.usefixtures("short")
def test_a_resumed_run_is_the_unbroken_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the second chain, it goes on from the first checkpoint; killed before there is one, it starts anew."""
    whole = train(SHORT, tmp_path / "whole", report)
    assert whole.generation > 4
    assert whole.contributions > 0
    for killed_after in (1, 3):
        monkeypatch.setattr(training, "learn", broken_off(killed_after))
        with pytest.raises(KeyboardInterrupt):
            train(SHORT, tmp_path / "broken", report)
        assert (tmp_path / "broken").exists() == (killed_after == 3)
    monkeypatch.setattr(training, "learn", learn)
    resumed = train(SHORT, tmp_path / "broken", report)
    assert contents(resumed) == contents(whole)
    assert (tmp_path / "broken").read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "whole"]


@pytest.mark.usefixtures("short")
def test_a_finished_run_is_not_gone_on_with(tmp_path: Path) -> None:
    told: list[int] = []
    recipe = Recipe(rounds=1, generation=64, batch=16)
    whole = train(recipe, tmp_path / "run", lambda run, seconds: told.append(run.generation))
    assert told == [2]
    again = train(recipe, tmp_path / "run", lambda run, seconds: told.append(run.generation))
    assert told == [2]
    assert contents(again) == contents(whole)


@pytest.mark.usefixtures("short")
def test_the_seed_is_all_there_is_to_a_run(tmp_path: Path) -> None:
    first, second, other = (
        train(Recipe(rounds=2, seed=seed, generation=64, batch=16), tmp_path / name, report)
        for name, seed in (("first", 1), ("second", 1), ("other", 2))
    )
    assert contents(first) == contents(second)
    assert contents(first)[0] != contents(other)[0]


@pytest.mark.usefixtures("short")
def test_every_round_is_played_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The generations share out the worlds of the recipe's seed, as its other numbers want."""
    calls = []

    def watched(*arguments: Any) -> tuple[int, int]:
        count, rounds = play_rounds(*arguments)
        calls.append((*arguments[:3], *map(float, arguments[3:6]), rounds))
        return count, rounds

    monkeypatch.setattr(training, "play_rounds", watched)
    recipe = Recipe(rounds=4, seed=9, generation=64, batch=16, explore=(0.5, 0.25), trace=0.75, margin_weight=0.125)
    run = train(recipe, tmp_path / "run", report)
    world = 0
    for wanted, seed, first, explore, trace, weight, rounds in calls:
        assert (wanted, seed, first, trace, weight) == (64, 9, world, 0.75, 0.125)
        assert explore == pytest.approx(0.5 ** (1 + min(world / 4, 1)))
        world += rounds
    assert len(calls) == run.generation
    assert world == run.rounds


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path: Path) -> None:
    Run(SHORT).save(tmp_path / "run")
    Run(SHORT).load(tmp_path / "run")
    for other in (Recipe(rounds=8, generation=64, batch=16, averaged=0.9), Recipe(rounds=7)):
        with pytest.raises(ValueError, match="another recipe"):
            train(other, tmp_path / "run", report)


def test_a_checkpoint_holds_everything(tmp_path: Path) -> None:
    run, copy = Run(SHORT), Run(SHORT)
    for i, group in enumerate(run._groups().values()):
        for j, array in enumerate(group):
            array[:] = 10 * i + j
    run.contributions, run.generation, run.rounds, run.error = 3, 1000, 123456789, 0.125
    run.optimiser.steps[0] = 77
    run.save(tmp_path / "run")
    assert contents(copy) != contents(run)
    copy.load(tmp_path / "run")
    assert contents(copy) == contents(run)


def test_rates_fall_geometrically() -> None:
    run = Run(Recipe(rounds=100))
    values = []
    for rounds in (0, 50, 100, 130):
        run.rounds = rounds
        values.append(run.between((0.16, 0.01)))
    assert values == pytest.approx([0.16, 0.04, 0.01, 0.01])


def test_the_average_is_over_the_end_of_the_run() -> None:
    """Every sixteenth generation in the last part counts, and the fresh weights do not."""
    run = Run(Recipe(rounds=100, averaged=0.3))
    for generation, rounds, value in ((16, 69, 50), (32, 70, 1), (33, 71, 70), (48, 80, 3), (64, 100, 8)):
        run.generation, run.rounds = generation, rounds
        for array in run.parameters:
            array[:] = value
        run.contribute()
    assert run.contributions == 3
    assert all((array == 4).all() for array in run.average)


@pytest.mark.usefixtures("short")
def test_a_plain_run_learns_plain_columns_with_one_head(tmp_path: Path) -> None:
    """(o, k), POOL, HERDS, TEMPO, END and the score by camels are left out."""
    run = train(Recipe(rounds=3, generation=64, batch=16, plain=True), tmp_path / "run", report)
    assert run.parameters.out.shape == (1, 2, HIDDEN_UNITS)
    moved = set(np.flatnonzero(run.parameters.columns.any(1)).tolist())
    left_out = {
        *range(features.POOL[0], features.UNSEEN),
        *range(features.HERDS, features.CAMELS),
        *range(features.TEMPO, features.DECK),
        *range(features.END, features.SCORE),
        *range(features.SCORE_CAMELS, features.COLUMNS),
        *(
            features.good_column(good, t, 5, index)
            for good in range(rules.GOODS)
            for t in range(len(rules.TOKENS[good]) + 1)
            for index in range(8 * 8)
        ),
    }
    assert set(np.flatnonzero(~used_columns(True)).tolist()) == left_out
    assert moved
    assert not moved & left_out
    assert used_columns(False).all()


@pytest.mark.usefixtures("short")
def test_the_command_writes_averaged_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new.npz"
    options = "--rounds 2 --seed 5 --generation 64 --batch 16 --rate 0.01 0.001 --averaged 0.9"
    monkeypatch.setattr(sys, "argv", ["learning", str(out), *options.split()])
    command.main()
    recipe = Recipe(rounds=2, seed=5, generation=64, batch=16, rate=(0.01, 0.001), averaged=0.9)
    run = train(recipe, out.with_suffix(".checkpoint"), report)
    assert run.contributions > 0
    parameters, provenance = weights.load(out)
    assert all(
        np.array_equal(array, average.astype(np.float16))
        for array, average in zip(parameters, run.average, strict=True)
    )
    assert json.dumps(provenance["recipe"], sort_keys=True) == json.dumps(vars(recipe), sort_keys=True)
    assert provenance["rounds"] == run.rounds
    assert options in provenance["command"]
    assert f"{run.rounds:,} of 2 rounds" in capsys.readouterr().err

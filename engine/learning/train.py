"""The training run: self-play and learning side by side, checkpointed and resumable.

While one generation of samples is learned, the next is already played, with the network as it was before. Every
CHAIN generations the two wait for each other; there checkpoints are written, so that a resumed run goes on exactly as
an unbroken one.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine import features
from engine.evaluation import scratch
from engine.learning.adam import Optimiser, fresh_optimiser, learn
from engine.learning.selfplay import buffer, play_rounds
from engine.moves import subsets
from engine.network import HEADS, Parameters, fold, folded, fresh
from engine.weights import load

CHAIN = 256
"""Generations between two checkpoints."""
AVERAGE_EVERY = 16
"""Generations between two contributions to the averaged weights."""


@dataclass(frozen=True)
class Recipe:
    """How to train. Rates and exploration fall geometrically from the first to the last value."""

    rounds: int
    seed: int = 1
    rate: tuple[float, float] = (1.2e-3, 2e-5)
    explore: tuple[float, float] = (0.03, 0.006)
    trace: float = 0.9
    """TD's lambda."""
    batch: int = 1024
    generation: int = 4096
    """Samples played with one network."""
    margin_weight: float = 0.0005
    """Probability of the seal that a rupee is worth to the players."""
    averaged: float = 0.3
    """The part of the run, at its end, over which the weights are averaged."""
    start: str = ""
    """Weights file that the run starts from, where it is not fresh."""
    plain: bool = False
    """One head, and only the columns of a plain TD network: the reference that the shipped weights are measured by."""


def used_columns(plain):
    """bool[COLUMNS]: the columns that may be learned."""
    used = np.ones(features.COLUMNS, np.bool_)
    if plain:
        for good in range(len(features.GOOD)):
            for tokens in range(features.PILE[good] + 1):
                first = features.GOOD[good] + tokens * features.GOOD_STRIDE
                used[first + features.GOOD_COLUMNS[5] : first + features.GOOD_STRIDE] = False
        for first, end in (
            (features.POOL[0], features.UNSEEN),
            (features.HERDS, features.CAMELS),
            (features.TEMPO, features.DECK),
            (features.END, features.SCORE),
            (features.SCORE_CAMELS, features.COLUMNS),
        ):
            used[first:end] = False
    return used


class Run:
    """The state of a training run; everything in it is in its checkpoint."""

    def __init__(self, recipe: Recipe):
        self.recipe = recipe
        self.parameters = load(recipe.start)[0] if recipe.start else fresh(recipe.seed, 1 if recipe.plain else HEADS)
        self.optimiser = fresh_optimiser(self.parameters)
        self.average = Parameters(*(array.copy() for array in self.parameters))
        self.contributions = 0
        self.generation = 0
        self.rounds = 0
        self.error = 0.25

    def save(self, path: Path) -> None:
        """Write the checkpoint, all at once or not at all."""
        arrays = {}
        for prefix, group in self._groups().items():
            arrays.update({f"{prefix}.{name}": array for name, array in group._asdict().items()})
        numbers = np.array([self.contributions, self.generation, self.rounds, self.optimiser.steps[0], self.error])
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, numbers=numbers, recipe=np.array(repr(asdict(self.recipe))), **arrays)
        part.replace(path)

    def load(self, path: Path) -> None:
        """Take up the checkpoint at `path`. Raises ValueError where it is of another recipe."""
        with np.load(path, allow_pickle=False) as file:
            if str(file["recipe"]) != repr(asdict(self.recipe)):
                raise ValueError(f"{path} is a checkpoint of another recipe: {file['recipe']}")
            for prefix, group in self._groups().items():
                for name, array in group._asdict().items():
                    array[...] = file[f"{prefix}.{name}"]
            numbers = file["numbers"]
        self.contributions, self.generation, self.rounds, self.optimiser.steps[0] = (int(x) for x in numbers[:4])
        self.error = float(numbers[4])

    def _groups(self) -> dict[str, Parameters]:
        optimiser: Optimiser = self.optimiser
        return {
            "parameters": self.parameters,
            "average": self.average,
            "mean": optimiser.mean,
            "square": optimiser.square,
        }

    @property
    def progress(self) -> float:
        """From 0 to 1."""
        return min(1.0, self.rounds / self.recipe.rounds)

    def between(self, ends: tuple[float, float]) -> float:
        """The value between the two ends that the progress calls for."""
        return ends[0] ** (1.0 - self.progress) * ends[1] ** self.progress

    def contribute(self) -> None:
        """Add the weights of this moment to the average, if the time has come."""
        if self.generation % AVERAGE_EVERY == 0 and self.progress >= 1.0 - self.recipe.averaged:
            self.contributions += 1
            for mean, now in zip(self.average, self.parameters, strict=True):
                mean += (now - mean) / np.float32(self.contributions)


def train(recipe: Recipe, checkpoint: Path, report: Callable[[Run, float], None]) -> Run:
    """Train, going on from `checkpoint` where it exists; `report(run, seconds)` is called at each checkpoint."""
    run = Run(recipe)
    if checkpoint.exists():
        run.load(checkpoint)
    network = folded(run.parameters)
    tables, space = subsets(), scratch()
    buffers = [buffer(recipe.generation) for _ in range(2)]
    used = used_columns(recipe.plain)
    start = time.monotonic()

    def play(samples):
        count, rounds = play_rounds(
            recipe.generation, recipe.seed, run.rounds, run.between(recipe.explore), np.float32(recipe.trace),
            np.float32(recipe.margin_weight), tables, network, space, samples,
        )  # fmt: skip
        run.rounds += rounds
        return samples, count

    with ThreadPoolExecutor(1) as executor:
        while run.progress < 1.0:
            samples, count = play(buffers[0])
            for step in range(1, CHAIN + 1):
                rate = np.float32(run.between(recipe.rate))
                ahead = executor.submit(play, buffers[step % 2]) if step < CHAIN else None
                order = np.random.default_rng((recipe.seed, run.generation)).permutation(count)[: recipe.generation]
                error = learn(run.parameters, run.optimiser, samples, order, recipe.batch, rate, used)
                run.error += 0.01 * (error - run.error)
                if ahead:
                    samples, count = ahead.result()
                fold(run.parameters, network)
                run.generation += 1
                run.contribute()
            run.save(checkpoint)
            report(run, time.monotonic() - start)
    return run

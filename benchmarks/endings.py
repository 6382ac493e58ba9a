"""Does the search end a round as well as can be? `python benchmarks/endings.py [--endings N] [--seed S]`.

Endings (nothing hidden but bonus tokens) from self-play of the shipped evaluation, at most one a round, solved without
a limit; then the move that the search makes within a second, one thread. Prints how often it is as good as any, what it
loses on average in points of seal odds, and by the cards in the deck how often the best move is proven within a second.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np

from engine import arena, rules, search
from engine.infoset import information_set
from engine.state import STATE_WORDS, complete_turn, deal, deck_size, hand_size, over_of, play, turn_of
from engine.streams import DEAL, below, set_stream

UNLIMITED = 50_000_000
SLOTS = 1 << 24
CHANCE = 4
"""One ending in so many is taken, so that all lengths turn up."""
EQUAL = 1e-9


def endings(seed: int) -> Iterator[np.ndarray]:
    """Information sets uint64[1, STATE_WORDS] with a choice to make, without end."""
    player = arena.Evaluation()
    world, info = np.empty((2, STATE_WORDS), np.uint64)
    stream = np.empty(1, np.uint64)
    number = 0
    while True:
        set_stream(stream, seed, number, DEAL)
        deal(world, number & 1, rules.DECK_END_REFILL, stream)
        number += 1
        while not over_of(world):
            information_set(world, turn_of(world), info)
            if search.is_ending(info[None]) and len(search.legal(info[None])) > 1 and below(stream, CHANCE) == 0:
                yield info[None].copy()
                break
            complete_turn(world, play(world, np.uint64(player.choose(info, 0))), stream)


def judged(info: np.ndarray) -> tuple[float, bool] | None:
    """Points of seal odds that the search loses, and whether the best move was proven; None where nobody can tell."""
    position = search.Position(info, [1.0], 1, threads=1, capacity=1024)
    solution = position.solve(UNLIMITED, with_results=False)
    if not solution or not solution.complete:
        return None
    start = time.perf_counter()
    quick = position.solve(search.solver_nodes(None, 1.0), with_results=False)
    in_time = bool(quick) and time.perf_counter() - start <= 1.0
    chosen = search.best(info, np.ones(1), seconds=1.0)
    value = solution.values[position.root.moves.tolist().index(chosen)]
    return 100 * float(solution.values.max() - value), in_time


def main() -> None:
    """Read the command line, play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--endings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    search.MOST_SLOTS = SLOTS
    rows: list[tuple[int, int, float, bool]] = []
    untold = 0
    start = time.monotonic()
    for info in endings(options.seed):
        loss = judged(info)
        if loss is None:
            untold += 1
            continue
        rows.append((int(deck_size(info[0])), int(hand_size(info[0], 0) + hand_size(info[0], 1)), *loss))
        if len(rows) == options.endings:
            break
    losses = np.array([loss for *_, loss, _ in rows])
    print(f"{len(rows)} endings in {time.monotonic() - start:.0f} s, {untold} more not solved by anybody")
    print(f"as good as any {100 * (losses <= EQUAL).mean():.1f} %   mean loss {losses.mean():.3f} points")
    for deck in sorted({row[0] for row in rows}):
        some = [row for row in rows if row[0] == deck]
        cards = [row[1] for row in some]
        solved = 100 * np.mean([row[3] for row in some])
        print(
            f"deck {deck}: {len(some):4} endings, {min(cards)} to {max(cards)} cards in hands, "
            f"{solved:5.1f} % proven within a second"
        )


if __name__ == "__main__":
    main()

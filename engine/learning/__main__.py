"""`python -m engine.learning OUT`: train a network and write its weights file."""

import argparse
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from engine import weights
from engine.learning.train import Recipe, Run, train


def main() -> None:
    """Read the command line, train, and write the averaged weights."""
    parser = argparse.ArgumentParser(prog="python -m engine.learning", description=__doc__)
    parser.add_argument("out", type=Path, help="weights file to write; OUT.checkpoint is kept beside it")
    for field in fields(Recipe):
        name = "--" + field.name.replace("_", "-")
        if field.type is bool:
            parser.add_argument(name, action="store_true")
        elif field.name in ("rate", "explore"):
            parser.add_argument(name, type=float, nargs=2, default=field.default, metavar=("FIRST", "LAST"))
        elif field.name == "rounds":
            parser.add_argument(name, type=int, required=True)
        else:
            parser.add_argument(name, type=type(field.default), default=field.default)
    options = vars(parser.parse_args())
    out = options.pop("out")
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
    }
    recipe = Recipe(**given)
    done = 0

    def report(run: Run, seconds: float) -> None:
        nonlocal done
        done = done or run.rounds
        speed = (run.rounds - done) / seconds
        print(
            f"\r{run.rounds:,} of {recipe.rounds:,} rounds, {speed:,.0f}/s, squared error {run.error:.4f}",
            end="",
            file=sys.stderr,
            flush=True,
        )

    run = train(recipe, out.with_suffix(".checkpoint"), report)
    command = f"python -m engine.learning {' '.join(sys.argv[1:])}"
    weights.save(out, run.average, {"command": command, "recipe": asdict(recipe), "rounds": run.rounds})
    print(file=sys.stderr)


if __name__ == "__main__":
    main()

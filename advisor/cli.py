"""The commands: they read, call and print. What they call is imported where it is called, so that help is quick."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.kernels import compile_first, prepare
from advisor.options import Document, read_bytes, takes_document, takes_position

if TYPE_CHECKING:
    from advisor.position import Position

FAULT = 2
"""Exit code where something cannot be read or done."""

SCREEN_MOVES = 8
"""Moves on a screen unless `--top` says otherwise."""

app = typer.Typer(
    help="Advice for the card game Jaipur: tell what lies on the table, and get the moves ranked, with their odds.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # rich is slow to import
    pretty_exceptions_enable=False,
)
positions = typer.Typer(help="Read, check and print positions.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(positions, name="position")
records = typer.Typer(help="Check, show and convert records of matches.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(records, name="record")

RecordFile = Annotated[str, typer.Argument(metavar="RECORD", help="A file, JSON or text, or - for standard input.")]
Language = Annotated[str | None, typer.Option("--lang", metavar="LANG", help="en, pt, es or ro; else the locale's.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def main() -> None:
    """Run the command line. Whatever goes wrong is one message on standard error and exit code 2."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 (open as long as the process)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except Exception as error:  # no traceback, ever
        typer.echo(f"advisor: {_message(error)}", err=True)
        sys.exit(FAULT)


def _message(error: Exception) -> str:
    from advisor.faults import FaultyError

    if isinstance(error, FaultyError) and len(error.faults) > 1:
        return "\n  ".join([f"{len(error.faults)} faults", *map(str, error.faults)])
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) if isinstance(error, ValueError | OSError) else f"internal error: {error!r}"


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, allow_nan=False))


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("jaipur-advisor"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command()
@takes_position
def best(
    position: "Position",
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Time to think, 1 second unless told.")] = None,
    iterations: Annotated[int | None, typer.Option(metavar="N", help="The work to do, instead of a time.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same answer.")] = 1,
    threads: Annotated[int, typer.Option(metavar="N", help="Processors to use.")] = 1,
    top: Annotated[int | None, typer.Option(metavar="N", help="Show the N best moves.")] = None,
    move: Annotated[list[str] | None, typer.Option(metavar="MOVE", help="Show this move too; may be repeated.")] = None,
    belief: Annotated[
        str, typer.Option(metavar="WHAT", help="How hidden cards are drawn: learned from play, or uniform.")
    ] = "learned",
    as_json: AsJson = False,
) -> None:
    """Rank the moves of a position, with their odds."""
    from advisor.advice import advise

    if top is None and not as_json:
        top = SCREEN_MOVES
    advice = advise(
        position,
        seconds=seconds,
        iterations=iterations,
        seed=seed,
        threads=threads,
        top=top,
        moves=move or (),
        belief=belief,
    )
    if as_json:
        _print_json(advice.to_dict())
    else:
        from advisor.report import console, show_advice

        show_advice(console(), advice)


@app.command()
@takes_position
def moves(position: "Position", as_json: AsJson = False) -> None:
    """List the legal moves of a position."""
    from advisor.advice import legal_moves

    compile_first()
    legal = legal_moves(position)
    if as_json:
        _print_json({"legal": legal})
    else:
        from advisor.report import console, show_moves

        show_moves(console(), position, legal)


@positions.command()
@takes_position
def show(position: "Position", as_json: AsJson = False) -> None:
    """Draw a position, everything that follows from it worked out."""
    if as_json:
        _print_json(position.to_dict())
    else:
        from advisor.report import console, show_position

        show_position(console(), position)


@positions.command()
@takes_document
def check(document: Document, as_json: AsJson = False) -> None:
    """Name everything that is wrong with a position, or what is not known."""
    from advisor.faults import PositionError
    from advisor.position import read_position

    try:
        position = read_position(document)
    except PositionError as error:
        if not as_json:
            raise
        _print_json({"faults": [fault._asdict() for fault in error.faults], "open": []})
        raise typer.Exit(FAULT) from None
    if as_json:
        _print_json({"faults": [], "open": position.open_fields()})
    else:
        from advisor.report import console, show_check

        show_check(console(), position)


@positions.command()
@takes_position
def line(position: "Position") -> None:
    """Print a position as one line, to paste in a chat."""
    typer.echo(position.line())


@app.command()
def replay(
    record: RecordFile,
    as_json: AsJson = False,
) -> None:
    """Play a record again, turn by turn, and check it."""
    from advisor.notation import read_any
    from advisor.replay import replay as states

    played = read_any(read_bytes(record))
    compile_first()
    rounds = states(played)
    if as_json:
        _print_json({"rounds": rounds})
    else:
        from advisor.report import console, show_replay

        show_replay(console(), played.players, rounds)


@records.command("check")
def check_record(record: RecordFile) -> None:
    """Find out whether a record can be played, and name the first turn that cannot."""
    from advisor.notation import read_any
    from advisor.replay import replay as states

    played = read_any(read_bytes(record))
    compile_first()
    rounds = states(played)
    turns = sum(len(one) - 1 for one in rounds)
    typer.echo(f"The record is sound: {len(rounds)} round{'s' * (len(rounds) != 1)}, {turns} turns.")


@records.command("show")
def show_record(record: RecordFile) -> None:
    """Play a record again, turn by turn."""
    replay(record)


@records.command("convert")
def convert_record(
    record: RecordFile,
    to: Annotated[str | None, typer.Option("--to", metavar="FORM", help="json or text; else the other one.")] = None,
) -> None:
    """Print a JSON record as text, or a text as JSON."""
    from advisor.notation import is_text, read_any, record_json, record_text

    source = read_bytes(record)
    form = to or ("json" if is_text(source) else "text")
    if form not in ("json", "text"):
        raise ValueError(f"--to: read {form!r}, expected json or text")
    read_record = read_any(source)
    if form == "json":
        _print_json(record_json(read_record))
    else:
        typer.echo(record_text(read_record), nl=False)


@app.command()
def live(
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="A record or a position to begin from: a file, or JP1...")
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to keep the match.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with FILE, or with the latest match.")] = False,
    practice: Annotated[bool, typer.Option("--practice", help="Judge my move before the best one is shown.")] = False,
    threads: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processors to think with.")] = 2,
    name: Annotated[str, typer.Option(metavar="NAME", help="Your name in the record.")] = "me",
    opponent: Annotated[str, typer.Option(metavar="NAME", help="The opponent's name.")] = "opponent",
    lang: Language = None,
) -> None:
    """Follow a match at the table: a few keys a turn, and the best move whenever it is yours."""
    _speak(lang)
    prepare()
    from advisor.live.terminal import run

    run(source, file, resume, practice, threads, name, opponent)


@app.command()
def rules(lang: Language = None) -> None:
    """Print the rules with their rulings, short."""
    _speak(lang)
    from advisor.report import console
    from advisor.rulebook import show

    show(console())


def _speak(lang: str | None) -> None:
    """Use a language for the screens; raises ValueError for one that there is not."""
    from advisor import speech

    if lang is not None and lang not in speech.LANGUAGES:
        raise ValueError(f"--lang: read {lang!r}, expected one of {', '.join(speech.LANGUAGES)}")
    encoding = (sys.stdout.encoding or "ascii").lower()
    speech.use(lang or speech.preferred(), ascii_only="utf" not in encoding)


@app.command()
def engine() -> None:
    """Serve programs: JSON requests, one a line."""
    from advisor.protocol import run

    run()


@app.command()
def bench(as_json: AsJson = False) -> None:
    """Measure the speed of each layer."""
    from advisor.bench import measure, text, yardstick

    compile_first()
    compared, figures = yardstick(), measure()
    if as_json:
        _print_json(figures | {"yardstick": compared})
    else:
        typer.echo(text(figures, compared))


@app.command()
def arena(
    first: Annotated[str, typer.Argument(metavar="A", help="A player, such as evaluation, search:1000 or search:1s.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other one; docs/arena.md tells all their names.")],
    rounds: Annotated[int, typer.Option(metavar="N", min=2, help="Rounds, two on each deal.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**63 - 1, help="The same seed, the same deals.")] = 1,
    workers: Annotated[int, typer.Option(metavar="N", min=1, help="Pairs of rounds played side by side.")] = 1,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the pairs, and go on from there.")] = None,
    sprt: Annotated[
        tuple[float, float] | None, typer.Option(metavar="ELO0 ELO1", help="Stop when it is clear which one holds.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let two players play a match: who wins how often, and how sure that is."""
    from advisor.arena import run, text
    from advisor.players import entrant

    players = entrant(first), entrant(second)
    prepare()
    result = run(players, rounds=rounds, seed=seed, workers=workers, log=log, bounds=sprt)
    if as_json:
        _print_json(result.to_dict())
    else:
        typer.echo(text(result))


@app.command()
def warmup() -> None:
    """Compile everything now, not at the first use."""
    prepare()
    typer.echo("Everything is compiled.")

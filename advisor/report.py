"""What a person sees: positions, advice and records on a terminal of any width, with or without colours and Unicode."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.advice import Advice, Row
from advisor.faults import printable
from advisor.position import Position
from advisor.words import CARD_NAMES, LETTERS, Counts, names
from engine.rules import TIER_SIZE, TOKENS

STYLES = {
    "diamond": "#ffffff on #b3202a",
    "gold": "#000000 on #f2c037",
    "silver": "#000000 on #c8ccd0",
    "cloth": "#ffffff on #8e44ad",
    "spice": "#000000 on #6fb64a",
    "leather": "#ffffff on #8a5a2b",
    "camel": "#000000 on #e3c598",
}
"""Cards look like cards; in text that names them they keep the look."""

_WORD_STYLES = STYLES | {"camels": STYLES["camel"]}

ENDINGS = {
    "match": "The match is over: a player has two seals.",
    "piles": "The round is over: three piles of goods tokens are empty.",
    "deck": "The round is over: the deck is exhausted.",
}
"""Why there is nothing to play, by `Position.over` or the last state of a replay."""

_WIDE = 64
"""Columns from which the ranked moves get all of theirs."""
_LABEL = 9
_PILE = 23
"""Columns that a label and a pile of tokens take, the largest pile a little more."""


NARROWEST = 40
"""Columns that a screen takes at the least, however narrow the terminal says it is."""


def console() -> Console:
    """Standard output: no escape codes under NO_COLOR or where it is no terminal."""
    color_system = None if os.environ.get("NO_COLOR") else "auto"
    out = Console(color_system=color_system, highlight=False, markup=False, emoji=False)  # type: ignore[arg-type]
    out.width = max(out.width, NARROWEST)
    return out


def show_position(out: Console, position: Position) -> None:
    """The table, why it is finished if it is, and the one-line position."""
    out.print(_table(position, out.width))
    if position.over:
        out.print(f"\n{ENDINGS[position.over]}")
    out.print(f"\n{position.line()}", soft_wrap=True)


def show_check(out: Console, position: Position) -> None:
    """That a position has no fault, and what it leaves open."""
    out.print("The position can occur.")
    if unknown := position.open_fields():
        out.print(f"Not known: {', '.join(unknown)}.")


def show_advice(out: Console, advice: Advice) -> None:
    """The table, the ranked moves, how clear the best one is, and what the search spent."""
    out.print(_table(advice.position, out.width))
    out.print()
    plus_minus = "+-" if out.options.ascii_only else "±"
    if advice.rows:
        out.print(_ranking(advice.rows, plus_minus, wide=out.width >= _WIDE))
        out.print()
        out.print(_verdict(advice, plus_minus))
    else:
        out.print(ENDINGS[advice.position.over or ""])
    out.print(f"\n{advice.position.line()}", soft_wrap=True)
    if advice.rows:
        out.print(_effort(advice), style="dim")


def show_moves(out: Console, position: Position, moves: Iterable[str]) -> None:
    """Moves, one a line, or why there are none."""
    if position.over:
        out.print(ENDINGS[position.over])
    for move in moves:
        out.print(_styled(move), soft_wrap=True)


def show_replay(out: Console, players: Sequence[str], rounds: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Rounds turn by turn, from the states of `advisor.replay`."""
    players = [printable(name) for name in players]
    if not rounds:
        out.print("The record has no rounds.")
    for number, states in enumerate(rounds, 1):
        out.print(f"Round {number}: {players[states[0]['turn']]} starts", style="bold")
        out.print(_turns(players, states, wide=out.width >= _WIDE))
        out.print(f"{_result(players, states[-1])}\n")


# ---- the table ----


def _table(position: Position, width: int) -> Table:
    me, opponent = position.me, position.opponent
    unknown = opponent.hand - sum(opponent.seen)
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    grid.add_row("market", _cards(position.market))
    grid.add_row("you", _cards(me.hand) if any(me.hand) else "no cards")
    grid.add_row("", _belongings(me.herd, me.rupees, me.seals, " ".join(map(str, me.bonus))))
    grid.add_row("opponent", _hand(opponent.seen, unknown))
    tiers = " and ".join(map(str, opponent.bonus))
    grid.add_row("", _belongings(opponent.herd, opponent.rupees, opponent.seals, tiers and f"for {tiers} cards"))
    grid.add_row("tokens", _piles(position.tokens, columns=max(1, min(3, (width - _LABEL) // _PILE))))
    grid.add_row("bonus", _spaced(f"{n} for {size} cards" for n, size in zip(position.bonus, TIER_SIZE, strict=True)))
    grid.add_row("deck", _spaced(_deck(position)))
    if position.sold != (0,) * len(position.sold):
        grid.add_row("sold", _sold(position))
    return grid


def _cards(counts: Counts) -> Text:
    """The cards one by one, each in its look."""
    return _styled(names(counts))


def _hand(seen: Counts, unknown: int) -> Text:
    """A hand of which only some cards are known."""
    if not unknown:
        return _cards(seen) if any(seen) else Text("no cards")
    return _cards(seen) + Text(f"{' + ' if any(seen) else ''}{unknown} unknown")


def _belongings(herd: int | None, rupees: int, seals: int, bonus: str) -> str:
    return f"herd {_known(herd):<4}rupees {rupees:<5}seals {seals}  {'bonus ' + bonus if bonus else 'no bonus'}"


def _piles(tokens: Counts, columns: int) -> Table:
    """The tokens left of each good, top first."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    piles = [_pile(*pile) for pile in zip(CARD_NAMES, TOKENS, tokens, strict=False)]
    for first in range(0, len(piles), columns):
        grid.add_row(*piles[first : first + columns])
    return grid


def _pile(name: str, pile: Sequence[int], left: int) -> Text:
    values = " ".join(map(str, pile[len(pile) - left :])) if left else "empty"
    return Text.assemble((name, STYLES[name]), " " * (8 - len(name)), values)


def _deck(position: Position) -> Iterator[str]:
    yield f"{_known(position.deck)} cards"
    if position.first:
        yield "you started" if position.first == "me" else "the opponent started"
    if position.deck_end == "empty":
        yield "the round ends with the last card"


def _sold(position: Position) -> Columns:
    parts = zip(map(_known, position.sold), CARD_NAMES, strict=False)
    return Columns([_styled(f"{count} {name}") for count, name in parts if count != "0"], padding=(0, 3))


def _known(count: int | None) -> str:
    return "?" if count is None else str(count)


def _spaced(parts: Iterable[str]) -> str:
    return "   ".join(parts)


# ---- the ranked moves ----


def _ranking(rows: Sequence[Row], plus_minus: str, wide: bool) -> Table:
    """The moves with what they lead to; those played out less than the best one are dim."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("move", ratio=1)
    table.add_column("seal %", justify="right", no_wrap=True)
    if wide:
        table.add_column("match", justify="right", no_wrap=True)
        table.add_column("rupees", justify="right", no_wrap=True)
    table.add_column("lead", justify="right", no_wrap=True)
    if wide:
        table.add_column("tried", justify="right", no_wrap=True)
    for row in rows:
        style = "bold" if row.rank == 1 else "dim" if row.samples < rows[0].samples else ""
        seal = f"{100 * row.seal.win:.1f} {plus_minus}{100 * row.seal.stderr:.1f}"
        margin = f"{row.rupees.margin:+.1f}"
        rupees = f"{row.rupees.me:.0f}:{row.rupees.opponent:.0f}"
        more = [f"{100 * row.match.win:.1f}", rupees, margin, f"{100 * row.share:.0f} %"] if wide else [margin]
        table.add_row(str(row.rank), _styled(row.move), seal, *more, style=style)
    return table


def _styled(text: str) -> Text:
    """A text whose cards have their look."""
    return Text(" ").join(Text(word, _WORD_STYLES.get(word, "")) for word in text.split())


def _verdict(advice: Advice, plus_minus: str) -> str:
    """Whether the difference between the two best moves is more than twice its standard error."""
    if advice.legal == 1:
        return "This is the only legal move."
    if len(advice.rows) < 2 or advice.rows[1].rank > 2:
        return f"The best of {advice.legal} moves."
    gap = advice.rows[1].gap
    verdict = "Solved" if advice.solved else "Clear" if abs(gap.seal) > 2 * gap.stderr else "Close call"
    if not gap.seal:
        return f"{verdict}: 1 and 2 lead to the same seal odds."
    ahead, behind = (1, 2) if gap.seal > 0 else (2, 1)
    points = f"{100 * abs(gap.seal):.1f}" + ("" if advice.solved else f" {plus_minus}{100 * gap.stderr:.1f}")
    return f"{verdict}: {ahead} is ahead of {behind} by {points} points of seal odds."


def _effort(advice: Advice) -> str:
    search = advice.search
    if advice.solved:
        return f"solved exactly in {search.seconds:.1f} s"
    stopped = "stopped after " if advice.interrupted else ""
    threads = f", {search.threads} threads" if search.threads > 1 else ""
    shown = f"; {len(advice.rows)} of {advice.legal} moves" if len(advice.rows) < advice.legal else ""
    return f"{stopped}{search.seconds:.1f} s, {search.iterations:,} iterations{threads}, seed {search.seed}{shown}"


# ---- records ----


def _turns(players: Sequence[str], states: Sequence[Mapping[str, Any]], wide: bool) -> Table:
    """Each turn with what it left: the market by letters, the deck, and the rupees won so far."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("player", no_wrap=True, max_width=10)
    table.add_column("move", ratio=1)
    if wide:
        table.add_column("market", no_wrap=True)
        table.add_column("deck", justify="right", no_wrap=True)
    table.add_column("rupees", justify="right", no_wrap=True)
    for number, (before, after) in enumerate(pairwise(states), 1):
        lying: list[RenderableType] = [_letters(after["market"]), str(after["deck"])] if wide else []
        rupees = "{} : {}".format(*after["rupees"])
        table.add_row(str(number), players[before["turn"]], _styled(before["move"]), *lying, rupees)
    return table


def _letters(cards: Mapping[str, int]) -> Text:
    shown = Text()
    for name, letter in zip(CARD_NAMES, LETTERS, strict=True):
        shown.append(letter * cards.get(name, 0), STYLES[name])
    return shown


def _result(players: Sequence[str], last: Mapping[str, Any]) -> str:
    """How a round ended, or who is to move where the record stops."""
    if "over" not in last:
        return f"The record stops here: {players[last['turn']]} is to move."
    outcome = {
        "won": f"{players[last['seal'] or 0]} wins the seal",
        "draw": "a draw",
        "unknown": "bonus tokens of unknown value decide",
    }[last["result"]]
    return f"{ENDINGS[last['over']]} {' : '.join(map(str, last['rupees']))}, {outcome}."

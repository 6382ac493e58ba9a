"""What `advisor live` shows: the table, the answer, what to look out for, how a round ended.

Texts are in the language in use; every screen fits the width of the console, 40 columns at the least.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.live.entry import short_move
from advisor.live.game import Standing
from advisor.live.thinking import Answer, Line
from advisor.report import STYLES
from advisor.speech import _, card_list, card_name, plain, plural
from advisor.words import CARD_NAMES, LETTERS
from engine import rules
from engine.codes import decode

if TYPE_CHECKING:
    from engine.state import State

WIDE = 64
"""Columns from which the answer gets all of its figures."""
DECK_SHORT = 6
"""Cards in the deck from which its end is pointed out."""
FEW_MOVES = 3


# ---- the table ----


def table(now: Standing, me: int, opponent: str, width: int) -> RenderableType:
    """The whole table as I see it, after a deal."""
    from engine import state

    seen = state.read(now.tables[0])
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(style="bold", no_wrap=True, max_width=max(9, width // 4))
    grid.add_column()
    grid.add_row(_("market"), cards(seen.market))
    grid.add_row(_("you"), _hand(seen, me))
    grid.add_row("", _belongings(now, seen, me, me))
    grid.add_row(opponent, _hand(seen, 1 - me))
    grid.add_row("", _belongings(now, seen, 1 - me, me))
    wide = width >= WIDE
    grid.add_row(_("tokens"), _piles(seen.tokens, wide))
    left = {size: state.bonus_left(now.tables[0], tier) for tier, size in enumerate(rules.TIER_SIZE)}
    form = _("{n} for {size} cards") if wide else "{size}: {n}"
    grid.add_row(_("bonus"), ("  " if not wide else ", ").join(form.format(n=n, size=size) for size, n in left.items()))
    deck = sorted({state.deck_size(one) for one in now.tables})
    count = str(deck[0]) if len(deck) == 1 else f"{deck[0]}-{deck[-1]}"
    grid.add_row(_("deck"), _("{n} cards").format(n=count))
    return Group(Text(headline(now, me, opponent), style="bold"), grid)


def headline(now: Standing, me: int, opponent: str) -> str:
    """Where the match stands, and whose turn it is."""
    parts = [_("Round {n}").format(n=now.round), _("turn {n}").format(n=now.turn + 1)]
    if now.mover is None:
        parts[1:] = [_("over")]
    elif now.mover == me:
        parts.append(_("you to move"))
    else:
        parts.append(_("{name} to move").format(name=opponent))
    parts.append(_("seals {mine}:{theirs}").format(mine=now.seals[me], theirs=now.seals[1 - me]))
    return plain(" · ".join(parts))


def cards(counts: Sequence[int]) -> Text:
    """Cards as their names, each in its look, the same ones counted."""
    shown = []
    for kind, count in enumerate(counts):
        if count:
            name = card_name(kind, count)
            shown.append(Text(f"{count} {name}" if count > 1 else name, STYLES[CARD_NAMES[kind]]))
    return Text(" ").join(shown) if shown else Text(_("no cards"))


def _hand(seen: "State", player: int) -> Text:
    from engine.state import HIDDEN

    hidden = seen.holds[player][HIDDEN]
    known = seen.holds[player][: rules.GOODS]
    if not hidden:
        return cards(known)
    unknown = Text(plural("{n} unknown", "{n} unknown", hidden))
    return cards(known) + Text(" + ") + unknown if any(known) else unknown


def _belongings(now: Standing, seen: "State", player: int, me: int) -> str:
    herds = sorted({_herd(one, player) for one in now.tables})
    herd = str(herds[0]) if len(herds) == 1 else f"{herds[0]}-{herds[-1]}"
    parts = [_("herd {n}").format(n=herd), _("{n} rupees").format(n=seen.scores[player][6] + _face_up(seen, player))]
    values = [
        str(value) for value, n in zip(rules.BONUS_VALUES, seen.owned[player], strict=True) for _number in range(n)
    ]
    for tier, size in enumerate(rules.TIER_SIZE):
        unknown = seen.scores[player][tier] - sum(seen.owned[player][3 * tier : 3 * tier + 3])
        values += [f"?({size})"] * unknown
    if values:
        parts.append(_("bonus {values}").format(values=" ".join(values)))
    return "  ".join(parts)


def _herd(one: object, player: int) -> int:
    from engine.state import read

    return read(one).holds[player][rules.CAMEL]


def _face_up(seen: "State", player: int) -> int:
    return sum(seen.scores[player][3:6])


def _piles(tokens: Sequence[int], wide: bool) -> Table:
    """The tokens left of each good, top first; on a narrow screen by letters."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    cells = []
    for kind, (pile, left) in enumerate(zip(rules.TOKENS, tokens, strict=True)):
        values = "".join(map(str, pile[len(pile) - left :])) if left else _("empty")
        name = card_name(kind) if wide else LETTERS[kind]
        cells.append(Text.assemble((name, STYLES[CARD_NAMES[kind]]), " ", values))
    columns = 3 if wide else 2
    for first in range(0, len(cells), columns):
        grid.add_row(*cells[first : first + columns])
    return grid


# ---- what to look out for ----


def notices(now: Standing, me: int, opponent: str) -> Iterator[str]:
    """What a player should not overlook: a short deck, a round about to end, a full hand."""
    from engine import state

    if now.mover is None:
        return
    seen = state.read(now.tables[0])
    deck = min(state.deck_size(one) for one in now.tables)
    camels = seen.market[rules.CAMEL]
    if deck < camels:
        yield _("The deck has {n} cards: whoever takes the {m} camels ends the round.").format(n=deck, m=camels)
    elif deck == 0:
        yield _("The deck is empty: the next move that needs a card ends the round.")
    elif deck <= DECK_SHORT:
        yield plural("Only {n} card is left in the deck.", "Only {n} cards are left in the deck.", deck)
    if sum(1 for left in seen.tokens if left == 0) == rules.PILES_TO_END - 1:
        for player in (me, 1 - me):
            goods = list(_enders(seen, player))
            if goods and player == me:
                yield _("You can end the round by selling {goods}.").format(goods=", ".join(goods))
            elif goods:
                yield _("{name} may end the round by selling {goods}.").format(name=opponent, goods=", ".join(goods))
    if state.hand_size(now.tables[0], me) == rules.HAND_LIMIT and now.mover == me:
        yield _("Your hand is full: sell, exchange or take the camels.")


def _enders(seen: "State", player: int) -> Iterator[str]:
    """Goods of which a player may hold enough to empty the third pile."""
    from engine.state import HIDDEN

    hidden = seen.holds[player][HIDDEN]
    for kind, left in enumerate(seen.tokens):
        held = seen.holds[player][kind]
        most = held + min(hidden, seen.unseen[kind])
        if 0 < left <= most and most >= rules.MIN_SALE[kind]:
            yield card_name(kind, 2)


# ---- the answer ----


def answer_lines(answer: Answer | None, width: int, hidden: bool) -> list[str]:
    """A few short lines above the prompt; hidden: practice, where the best move is not told before one is made."""
    if answer is None:
        return [_("thinking …")]
    if not answer.mine:
        guesses = ", ".join(f"{short_move(move)} {100 * share:.0f} %" for move, share in answer.expected)
        return [_fit(_("expected: {moves}").format(moves=guesses), width), _chance(answer)]
    if hidden:
        return [_("practice: your move first")]
    best, *others = answer.lines[:FEW_MOVES]
    lines = [
        _fit(f"> {short_move(best.move)}   {_seal(best)}   {_rupees(best)}   {_verdict(answer)}", width),
        *(_fit(f"  {short_move(line.move)}   {_seal(line)}   {_rupees(line)}", width) for line in others),
    ]
    return [*lines, _fit(_effort(answer), width)]


def _fit(text: str, width: int) -> str:
    return plain(text[: max(1, width - 1)])


def _chance(answer: Answer) -> str:
    return _("your chance of the seal: {n} %").format(n=round(100 * answer.win))


def _seal(line: Line) -> str:
    return _("seal {n} %").format(n=round(100 * line.win))


def _rupees(line: Line) -> str:
    return f"{line.me:.0f}:{line.opponent:.0f}"


def _verdict(answer: Answer) -> str:
    if answer.solved:
        return _("solved")
    if len(answer.lines) < 2:
        return _("the only move")
    second = answer.lines[1]
    return _("clear") if abs(second.gap) > 2 * second.gap_stderr else _("close call")


def _effort(answer: Answer) -> str:
    return _("{n} tries in {seconds} s").format(n=f"{answer.iterations:,}", seconds=f"{answer.seconds:.1f}")


def ranking(answer: Answer, width: int, most: int) -> RenderableType:
    """The moves with their odds."""
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column(_("move"), no_wrap=True)
    if width >= WIDE:
        grid.add_column(_("in words"), ratio=1)
    grid.add_column(plain(_("seal %")), justify="right", no_wrap=True)
    grid.add_column(_("rupees"), justify="right", no_wrap=True)
    for number, line in enumerate(answer.lines[:most]):
        words = [move_words(line.move)] if width >= WIDE else []
        seal = f"{100 * line.win:.0f} ±{100 * line.stderr:.0f}"
        grid.add_row(short_move(line.move), *words, plain(seal), _rupees(line), style="bold" if not number else "")
    return grid


def move_words(move: int) -> str:
    """A move in the words of the language in use."""
    taken, given = decode(move)
    if not any(given):
        if taken[rules.CAMEL]:
            return _("take the camels")
        return _("take {cards}").format(cards=card_list(taken))
    if not any(taken):
        return _("sell {cards}").format(cards=card_list(given))
    return _("exchange: take {taken}, give {given}").format(taken=card_list(taken), given=card_list(given))


def why(answer: Answer, now: Standing, me: int) -> Iterator[str]:
    """What speaks for the best move, and against those behind it."""
    best = answer.lines[0]
    yield _("{move} ({words}) leads to {me} : {opponent} rupees on average, and the seal in {n} of 100 rounds.").format(
        move=short_move(best.move),
        words=move_words(best.move),
        me=round(best.me),
        opponent=round(best.opponent),
        n=round(100 * best.win),
    )
    yield from _gains(best.move, now, me)
    for line in answer.lines[1:3]:
        points = f"{100 * abs(line.gap):.1f} ±{100 * line.gap_stderr:.1f}"
        form = (
            _("{move} is {points} points of seal odds behind.")
            if line.gap >= 0
            else _("{move} was ahead by {points} points where both were played out, but was tried less.")
        )
        yield plain(form.format(move=short_move(line.move), points=points))


def _gains(move: int, now: Standing, me: int) -> Iterator[str]:
    """What a move brings at once."""
    from engine import state

    seen = state.read(now.tables[0])
    taken, given = decode(move)
    if not any(taken):
        kind = next(kind for kind, count in enumerate(given) if count)
        left = seen.tokens[kind]
        pile = rules.TOKENS[kind][len(rules.TOKENS[kind]) - left :][: given[kind]]
        yield _("It brings tokens of {n} rupees now.").format(n=sum(pile))
        if sum(given) >= min(rules.TIER_SIZE):
            yield _("It earns a bonus token for {n} cards.").format(n=min(5, sum(given)))
    elif not any(given):
        yield _("New cards come into the market for the opponent: {n}.").format(
            n=seen.market[rules.CAMEL] if taken[rules.CAMEL] else 1
        )
    else:
        yield _("No new card comes into the market; the opponent finds {cards} there.").format(cards=card_list(given))
    for kind in range(rules.GOODS):
        held = seen.holds[me][kind] + taken[kind] - given[kind]
        if taken[kind] and held >= 3:
            yield _("Then you hold {cards}.").format(
                cards=card_list(tuple(held * (other == kind) for other in range(rules.GOODS)))
            )


def judgement(answer: Answer, move: int) -> str:
    """How good a move was that I made."""
    best, line = answer.lines[0], answer.line_of(move)
    if move == best.move:
        return _("{move} is the best move.").format(move=short_move(move))
    if line is None:
        return _("{move} is not among the best moves.").format(move=short_move(move))
    points = f"{100 * max(0.0, line.gap):.1f} ±{100 * line.gap_stderr:.1f}"
    if line.gap <= 2 * line.gap_stderr:
        form = _("{move} is as good as the best move as far as can be told ({points} points behind).")
    else:
        form = _("{move} loses {points} points of seal odds.")
    return plain(form.format(move=short_move(move), points=points))


# ---- the end of a round ----


def ending(now: Standing, me: int, opponent: str) -> Iterator[str]:
    """How a round ended, who takes the seal and why, and what comes next."""
    from engine import state

    last = now.tables[0]
    seen = state.read(last)
    if seen.over == state.OVER_PILES:
        yield _("The round is over: three piles of tokens are empty.")
    else:
        yield _("The round is over: the deck cannot fill the market.")
    camels = state.camel_token(last)
    herds = {"mine": seen.holds[me][rules.CAMEL], "theirs": seen.holds[1 - me][rules.CAMEL]}
    if camels < 0:
        yield _("Nobody gets the camel token: {mine} camels each.").format(**herds)
    elif camels == me:
        yield _("You get the camel token (5 rupees): {mine} camels to {theirs}.").format(**herds)
    else:
        yield _("{name} gets the camel token (5 rupees): {theirs} camels to {mine}.").format(name=opponent, **herds)
    rupees = [state.rupees(last, player) + rules.CAMEL_TOKEN * (camels == player) for player in (me, 1 - me)]
    unknown = sum(sum(score[:3]) for score in seen.scores) - sum(map(sum, seen.owned))
    points = {"mine": rupees[0], "theirs": rupees[1]}
    if unknown:
        yield _("Rupees {mine} : {theirs}, without the bonus tokens nobody has told.").format(**points)
    else:
        yield _("Rupees {mine} : {theirs}.").format(**points)
    if len(now.winners) > 1:
        yield _("Those tokens decide: turn them up, and type seals me, seals opponent or seals draw.")
        return
    (winner,) = now.winners
    if not unknown and rupees[0] == rupees[1]:
        yield from _tie(seen, me)
    if winner is None:
        yield _("A draw: nobody takes the seal, the round is played again.")
    elif winner == me:
        yield _("You take the seal.")
    else:
        yield _("{name} takes the seal.").format(name=opponent)
    yield from next_round(now, me, opponent)


def _tie(seen: "State", me: int) -> Iterator[str]:
    bonus = [sum(seen.scores[player][:3]) for player in (me, 1 - me)]
    goods = [seen.scores[player][7] for player in (me, 1 - me)]
    yield _("Equal rupees; bonus tokens {mine} : {theirs}.").format(mine=bonus[0], theirs=bonus[1])
    if bonus[0] == bonus[1]:
        yield _("Equal too; goods tokens {mine} : {theirs}.").format(mine=goods[0], theirs=goods[1])


def next_round(now: Standing, me: int, opponent: str) -> Iterator[str]:
    """The seals, and who starts next."""
    mine, theirs = now.seals[me], now.seals[1 - me]
    yield _("Seals {mine} : {theirs}.").format(mine=mine, theirs=theirs)
    if now.champion == me:
        yield _("You have won the match.")
    elif now.champion is not None:
        yield _("{name} has won the match.").format(name=opponent)
    elif now.starters == {me}:
        yield _("You start the next round.")
    elif now.starters == {1 - me}:
        yield _("{name} starts the next round.").format(name=opponent)


def width_of(out: Console) -> int:
    """Columns, 40 at the least."""
    return max(40, out.width)

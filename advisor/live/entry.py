"""What a player types in a line, read as an entry: the shortest forms first, then words in all four languages.

A turn is a move and what came of it: `+G P` or `GP` (took gold, a spice came), `+M GPS` or `MGPS`, `-3L` or `-3L 2` or
`-3L2` (sold three leather, the bonus token read 2), `GG/LM` or `GG/L` (camels make up the number), `take gold spice`.
Small letters will do. A deal is the market, one's hand, the opponent's camels and who starts: `gp lsgmm 1 me`.
"""

import re
from collections.abc import Iterator

from advisor.live.game import Standing
from advisor.live.reasons import RefusedError, turn_fault
from advisor.notation import Entry, Seal
from advisor.record import RecordError, Round, Turn, read
from advisor.replay import bonus_tier
from advisor.speech import _
from advisor.words import LETTERS, Counts, WordError, cards, names, parse_move
from engine import rules
from engine.codes import decode, encode

LONGEST = 200
"""Characters of a line; nobody types more."""

_MARK = f"[{LETTERS}]"
_GROUP = rf"(?:\d?{_MARK})+"
_TAKE = re.compile(rf"\+?\s*({_MARK})\s*({_GROUP})?")
_SELL = re.compile(rf"[-\u2212\u2013]\s*(?:(\d)\s*({_MARK})|({_MARK}+))\s*(\d{{1,2}})?")
_EXCHANGE = re.compile(rf"({_GROUP})\s*[/.]\s*({_GROUP})?")
_NO_CARDS: Counts = (0,) * rules.TYPES

ME = {"me", "i", "eu", "yo", "mim", "ja"}
OPPONENT = {"opponent", "opp", "o", "oponente", "adversario", "adversar", "rival", "adv"}
DRAW = {"draw", "empate", "egalitate", "remiza", "nobody"}
"""Words for who starts and who took a seal, without accents."""


def read_entry(text: str, now: Standing, me: int) -> Entry:
    """The entry that a line stands for at this moment; raises `RefusedError` with the reason."""
    text = text.strip()
    if len(text) > LONGEST:
        raise RefusedError(_("a line of {n} characters is too long").format(n=len(text)))
    if now.awaits == "deal":
        return _deal(text, now, me)
    if now.awaits == "turn":
        return _turn(text, now, me)
    if now.awaits == "seal":
        return Seal(read_player(text, me))
    raise RefusedError(_("the match is over"))


# ---- turns ----


def _turn(text: str, now: Standing, me: int) -> Turn:
    deal = now.deal
    assert deal
    table = now.tables[0]
    reasons: list[str] = []
    for turn in _readings(text, now):
        reason = turn_fault(table.copy(), turn, deal) or _untold(turn, now, me)
        if not reason:
            return turn
        reasons.append(reason)
    raise RefusedError(reasons[0])


def _readings(text: str, now: Standing) -> Iterator[Turn]:
    """The turns that a line may stand for, the likeliest first; raises `RefusedError` for one that is none."""
    if (turn := _short(text.upper(), now)) is not None:
        yield turn
        return
    words = text.split()
    complaint: WordError | None = None
    found = False
    for end in range(len(words), 0, -1):
        try:
            move = parse_move(" ".join(words[:end]))
            turn = _with_rest(move, " ".join(words[end:]))
        except WordError as error:
            complaint = complaint or error
            continue
        found = True
        yield turn
    if not found:
        raise RefusedError(_not_understood(text, complaint))


def _not_understood(text: str, complaint: WordError | None) -> str:
    from advisor.faults import quoted

    return _("{text} is no move; write +G P (took gold, a spice came), +M GPS, -3L, GG/LM; ? for help").format(
        text=quoted(text)
    )


def _short(text: str, now: Standing) -> Turn | None:
    """A turn in letters, None if it is none."""
    if take := _TAKE.fullmatch(text):
        kind = LETTERS.index(take[1])
        taken = tuple(int(kind == other) for other in range(rules.TYPES))
        return Turn(encode(taken, _NO_CARDS), _group(take[2]) if take[2] else None, None)
    if sell := _SELL.fullmatch(text):
        return _sale(*sell.groups())
    if exchange := _EXCHANGE.fullmatch(text):
        taken, given = _group(exchange[1]), _group(exchange[2] or "")
        short = sum(taken) - sum(given)
        if short > 0 and not given[rules.CAMEL]:  # camels make up the number
            given = (*given[: rules.GOODS], short)
        if max(*taken, *given) > 11 or taken[rules.CAMEL]:
            return None
        return Turn(encode(taken, given), None, None)
    return None


def _sale(count: str | None, mark: str | None, run: str | None, value: str | None) -> Turn | None:
    marks = run or (mark or "") * int(count or 0)
    if len(set(marks)) != 1 or marks[0] == LETTERS[rules.CAMEL]:
        return None
    kind = LETTERS.index(marks[0])
    given = tuple(len(marks) * (kind == other) for other in range(rules.TYPES))
    if len(marks) > rules.CARDS[kind]:
        return None
    return Turn(encode(_NO_CARDS, given), None, _bonus(value) if value else None)


def _group(text: str) -> Counts:
    """Cards as letters with digits before them: `2GM`."""
    counts = [0] * rules.TYPES
    for digit, mark in re.findall(rf"(\d?)({_MARK})", text):
        counts[LETTERS.index(mark)] += int(digit or 1)
    return tuple(counts)


def _with_rest(move: int, rest: str) -> Turn:
    taken, _given = decode(move)
    if not any(taken):
        return Turn(move, None, _bonus(rest) if rest else None)
    return Turn(move, cards(rest) if rest else None, None)


def _bonus(text: str) -> int:
    if not re.fullmatch(r"\d{1,2}", text) or int(text) not in rules.BONUS_VALUES:
        raise RefusedError(_("read {text}, expected the value of a bonus token").format(text=repr(text)))
    return rules.BONUS_VALUES.index(int(text))


def _untold(turn: Turn, now: Standing, me: int) -> str | None:
    """What the player must add, though the rules could do without: the value of his own bonus token."""
    from engine.state import read

    if now.mover != me or turn.bonus is not None or (now.deal and now.deal.bonus is not None):
        return None
    tier = bonus_tier(read(now.tables[0]), *decode(turn.move))
    if tier is None:
        return None
    values = ", ".join(map(str, sorted(set(rules.BONUS[tier]))))
    return _("you won a bonus token: add its value, one of {values}").format(values=values)


# ---- deals and seals ----


def _deal(text: str, now: Standing, me: int) -> Round:
    parts = [part.strip() for part in text.split(";")] if ";" in text else text.split()
    if len(parts) not in (3, 4):
        raise RefusedError(deal_help(now, me))
    market, hand = (_dealt(part) for part in parts[:2])
    if sum(market) == rules.MARKET_SIZE - rules.OPENING_CAMELS:
        market = (*market[: rules.GOODS], market[rules.CAMEL] + rules.OPENING_CAMELS)
    if not re.fullmatch(r"[0-5]", parts[2]):
        raise RefusedError(
            _("read {text}, expected the number of camels before the opponent, 0 to 5").format(text=repr(parts[2]))
        )
    if len(parts) == 4:
        first = read_player(parts[3], me)
        if first is None:
            raise RefusedError(_("say who starts: me or opponent"))
    elif len(now.starters) == 1:
        (first,) = now.starters
    else:
        raise RefusedError(_("say who starts: me or opponent"))
    if sum(hand) != rules.DEALT:
        raise RefusedError(_("read {n} cards in your hand, expected 5").format(n=sum(hand)))
    hands = [names(hand), names((0,) * rules.GOODS + (int(parts[2]),))]
    form = {"first": first, "market": names(market), "hands": hands if me == 0 else hands[::-1], "turns": []}
    try:
        return read({"format": "jaipur-record/1", "players": ["", ""], "rounds": [form]}).rounds[0]
    except RecordError:
        raise RefusedError(_deal_faults(market, hand, int(parts[2]))) from None


def _deal_faults(market: Counts, hand: Counts, camels: int) -> str:
    if sum(market) != rules.MARKET_SIZE:
        return _("read {n} cards in the market, expected 5, or the 2 beside the three camels").format(n=sum(market))
    if market[rules.CAMEL] < rules.OPENING_CAMELS:
        return _("three camels at least lie in the market at the start")
    return _("there are not so many cards of one kind in the game")


def _dealt(part: str) -> Counts:
    compact = part.upper().replace(" ", "")
    if re.fullmatch(_GROUP, compact):
        return _group(compact)
    try:
        return cards(part)
    except WordError:
        raise RefusedError(
            _("{text} is no list of cards; the letters are {letters}").format(
                text=repr(part[:40]), letters=" ".join(LETTERS)
            )
        ) from None


def deal_help(now: Standing, me: int) -> str:
    """What to type for a deal."""
    if len(now.starters) == 1:
        return _(
            "the deal: the market's two cards beside the three camels, your hand, the opponent's camels: gp lsgmm 1"
        )
    return _(
        "the deal: the market's two cards beside the three camels, your hand, the opponent's camels, who starts: "
        "gp lsgmm 1 me"
    )


def read_player(text: str, me: int) -> int | None:
    """The player whom a word names; None for a draw. Raises `RefusedError`."""
    import unicodedata

    word = "".join(mark for mark in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(mark))
    if word in ME:
        return me
    if word in OPPONENT:
        return 1 - me
    if word in DRAW:
        return None
    raise RefusedError(_("read {text}, expected me, opponent or draw").format(text=repr(text[:40])))


# ---- completion ----


def short_move(move: int) -> str:
    """A move as it is typed: `+G`, `-3L`, `GG/LM`."""
    from advisor.notation import turn_text

    return turn_text(Turn(move, None, None))

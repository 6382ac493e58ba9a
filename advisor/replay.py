"""Records played again, turn by turn, through the engine's kernels.

A table of a record is a state of `engine.state`: cards of a hand that nobody has told are counted in its lane 7, bonus
tokens of unknown value lie face down. What cannot be played raises `RecordError`; whatever came before it is sound.
"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from advisor.faults import Fault
from advisor.record import Record, RecordError, Round, Turn, tally
from advisor.words import CARD_NAMES, Counts, count_by_name, move_text, names
from engine import rules
from engine.beliefs import FULL_DECK
from engine.codes import decode

if TYPE_CHECKING:  # the engine's kernels are imported where they are called: they need numba
    import numpy as np

    from engine.state import State

Json = dict[str, Any]

OVERS = ("", "piles", "deck")
"""How a round ended, by the state's `over`."""
_OVER_REASONS = ("", "three token piles are empty", "the deck is exhausted")

_NOTHING: Counts = (0,) * rules.TYPES


class TurnError(ValueError):
    """Part of a turn (`move`, `refill` or `bonus`) that the rules do not allow, and why."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part


# ---- rounds and matches ----


def replay(record: Record) -> list[list[Json]]:
    """For each round the state before each turn, then the last one, as the engine protocol shows them.

    Raises `RecordError` at the first thing that the rules do not allow.
    """
    rounds = []
    match = _Match(record.players)
    for index, played in enumerate(record.rounds):
        match.start(index, played)
        states = []
        for table, turn in tables(played, index):
            states.append(shown(table, played) | ({"move": move_text(turn.move)} if turn else {}))
        match.settle(played, table)
        rounds.append(states)
    return rounds


def tables(played: Round, index: int = 0) -> Iterator[tuple["np.ndarray", Turn | None]]:
    """Before each turn of round number `index` the table and the turn; then the last table and None.

    Tables are uint64[STATE_WORDS]. Raises `RecordError` at a turn that cannot be played.
    """
    table = opening(played)
    for number, turn in enumerate(played.turns):
        yield table.copy(), turn
        try:
            play_turn(table, turn, played)
        except TurnError as refused:
            place = f"round {index + 1}, turn {number + 1}, {move_text(turn.move)}"
            fault = Fault(f"rounds[{index}].turns[{number}].{refused.part}", f"{place}: {refused}")
            raise RecordError([fault]) from None
    yield table, None


def opening(played: Round) -> "np.ndarray":
    """The table after the deal as far as it is told: uint64[STATE_WORDS]."""
    from engine import state

    dealt = [sum(counts) for counts in zip(played.market, *played.hands, strict=True)]
    return state.table(
        market=played.market,
        holds=[(*hand, rules.DEALT - sum(hand)) for hand in played.hands],
        knowns=[_NOTHING[: rules.GOODS]] * rules.PLAYERS,
        unseen=[count - gone for count, gone in zip(rules.CARDS, dealt, strict=True)],
        tokens=[len(pile) for pile in rules.TOKENS],
        owned=[[0] * len(rules.BONUS_VALUES)] * rules.PLAYERS,
        scores=[[0] * (rules.TIERS + 2)] * rules.PLAYERS,
        turn=played.first,
        deck_end=played.deck_end,
    )


class _Match:
    """Who may start the next round, and who holds how many seals."""

    def __init__(self, players: tuple[str, str]) -> None:
        self.players = players
        self.seals = [0] * rules.PLAYERS
        self.starters = {0, 1}
        """Nobody, while a round has not ended."""

    def start(self, index: int, played: Round) -> None:
        """Check that round number `index` may follow, with its starter; raises `RecordError`."""
        if not self.starters:
            raise RecordError(
                [Fault(f"rounds[{index - 1}].turns", f"round {index} stops before its end, but another follows")]
            )
        if rules.SEALS_TO_WIN in self.seals:
            winner = self.players[self.seals.index(rules.SEALS_TO_WIN)]
            raise RecordError(
                [Fault(f"rounds[{index}]", f"round {index + 1}: the match was over, {winner} had won it")]
            )
        if played.first not in self.starters:
            expected = "the loser of a round starts the next; after a draw, who did not start it"
            message = f"round {index + 1}: read {played.first}, expected {1 - played.first}: {expected}"
            raise RecordError([Fault(f"rounds[{index}].first", message)])

    def settle(self, played: Round, table: "np.ndarray") -> None:
        """Draw the consequences of a round's last table."""
        winners = outcomes(table)
        self.starters = {1 - (played.first if winner is None else winner) for winner in winners}
        if len(winners) == 1 and (winner := winners.pop()) is not None:
            self.seals[winner] += 1


# ---- turns ----


def play_turn(table: "np.ndarray", turn: Turn, played: Round) -> None:
    """Play one turn of a round on its table, in place; raises `TurnError`."""
    from engine import state
    from engine.lanes import U, pack

    taken, given = decode(turn.move)
    if reason := next(objections(state.read(table), taken, given, _deck_left(table, played)), None):
        raise TurnError("move", reason)
    player = state.turn_of(table)
    state.reveal(table, player, pack(given))
    tier = state.play(table, U(turn.move))
    if (value := _bonus_won(state.read(table), tier, turn, played)) is not None:
        state.take_bonus(table, player, value)
    cards = _drawn(table, turn, played)
    if cards is not None and state.vacancies(table):
        state.refill(table, pack(cards))
    state.pass_turn(table)


def objections(table: "State", taken: Counts, given: Counts, deck: tuple[int, ...]) -> Iterator[str]:
    """Why the mover may not take and give these cards: nothing for a legal move.

    deck: the types left in the deck, if they are told; the unknown cards of a hand are none of these.
    """
    *hand, herd, hidden = table.holds[table.turn]
    if table.over:
        yield f"the round is over: {_OVER_REASONS[table.over]}"
    if any(count > there for count, there in zip(taken, table.market, strict=True)):
        yield f"takes {names(taken)}, but the market has {names(table.market)}"
    missing = [max(0, count - there) for count, there in zip(given, hand, strict=False)]
    if sum(missing) > hidden:
        held = [names(tuple(hand)), f"{hidden} unknown" if hidden else ""]
        yield f"gives {names(given)}, but the hand has {' and '.join(filter(None, held)) or 'no card'}"
    spare = [unseen - coming for unseen, coming in zip(table.unseen, tally(deck), strict=True)]
    for name, count, most in zip(CARD_NAMES, missing, spare, strict=False):
        if count > most:
            yield f"gives {names(given)}, but at most {most} of the unknown cards can be {name}"
    if given[rules.CAMEL] > herd:
        yield f"gives {given[rules.CAMEL]} camel, but the herd has {herd}"
    yield from _misfits(taken, given)
    size = sum(hand) + hidden + sum(taken[: rules.GOODS]) - sum(given[: rules.GOODS])
    if size > rules.HAND_LIMIT:
        yield f"the hand would hold {size} goods, expected at most {rules.HAND_LIMIT}"


def _misfits(taken: Counts, given: Counts) -> Iterator[str]:
    """Why these cards make no sale or exchange on any table."""
    if not any(taken):
        for name, count, least in zip(CARD_NAMES, given, rules.MIN_SALE, strict=False):
            if 0 < count < least:
                yield f"{name} is sold by {least} cards at least"
    elif any(given):
        if sum(taken) != sum(given):
            yield f"takes {sum(taken)} cards for {sum(given)}, expected as many"
        if sum(taken) < rules.MIN_EXCHANGE:
            yield f"exchanges {sum(taken)} card, expected {rules.MIN_EXCHANGE} at least"
        for name, count, other in zip(CARD_NAMES, taken, given, strict=True):
            if count and other:
                yield f"{name} is both taken and given"


def bonus_tier(table: "State", taken: Counts, given: Counts) -> int | None:
    """The tier of the bonus token that a legal move wins on this table, None if none."""
    tier = min(sum(given), max(rules.TIER_SIZE)) - min(rules.TIER_SIZE)
    if any(taken) or tier < 0:
        return None
    left = len(rules.BONUS[tier]) - sum(score[tier] for score in table.scores)
    return tier if left else None


def _bonus_won(table: "State", tier: int, turn: Turn, played: Round) -> int | None:
    """Index of the bonus token that a turn has just won; None if it won none or its value is unknown."""
    if tier < 0:
        if turn.bonus is not None:
            raise TurnError("bonus", "expected none, as the turn wins no bonus token")
        return None
    if played.bonus is not None:
        won = sum(score[tier] for score in table.scores)
        return played.bonus[tier][won - 1]
    if turn.bonus is None:
        return None
    value = rules.BONUS_VALUES[turn.bonus]
    if value not in rules.BONUS[tier]:
        values = sorted(set(rules.BONUS[tier]))
        raise TurnError("bonus", f"read {value}, expected one of {values} for {rules.TIER_SIZE[tier]} cards sold")
    if not table.bonus[turn.bonus]:
        raise TurnError("bonus", f"read {value}, but every bonus token of this value was won before")
    return turn.bonus


def _drawn(table: "np.ndarray", turn: Turn, played: Round) -> Counts | None:
    """The cards that come from the deck to fill the market; None where a record that stops does not tell them."""
    from engine import state

    size = min(state.vacancies(table), state.deck_size(table))
    if played.deck is not None:
        return tally(_deck_left(table, played)[:size])
    last = bool(played.turns) and turn is played.turns[-1]
    if turn.refill is None and last and state.deck_size(table) > size:
        return None  # the round goes on, whatever turns up
    cards = turn.refill or _NOTHING
    seen = state.read(table)
    if sum(cards) != size:
        raise TurnError("refill", f"read {names(cards) or 'no card'}, expected {size} cards")
    for name, count, unseen in zip(CARD_NAMES, cards, seen.unseen, strict=True):
        if count > unseen:
            raise TurnError("refill", f"read {count} {name}, but {unseen} can be left in the deck")
    hidden = sum(_unknown(seen))
    if sum(seen.unseen[: rules.GOODS]) - sum(cards[: rules.GOODS]) < hidden:
        raise TurnError(
            "refill", f"read {names(cards)}, but that leaves too few goods for {hidden} unknown cards in hand"
        )
    return cards


def _deck_left(table: "np.ndarray", played: Round) -> tuple[int, ...]:
    """The types left in a deck that is told, next one first; else none."""
    from engine import state

    return (played.deck or ())[FULL_DECK - state.deck_size(table) :]


# ---- states ----


def shown(table: "np.ndarray", played: Round) -> Json:
    """A table of a round as the engine protocol shows it, without `move`."""
    from engine import state

    seen = state.read(table)
    unknown = _unknown(seen)
    form: Json = {
        "turn": seen.turn,
        "market": count_by_name(seen.market),
        "hands": [count_by_name(hold[: rules.GOODS]) for hold in seen.holds],
        "herds": [hold[rules.CAMEL] for hold in seen.holds],
        "deck": state.deck_size(table),
        "tokens": {
            name: list(pile[len(pile) - left :])
            for name, pile, left in zip(CARD_NAMES, rules.TOKENS, seen.tokens, strict=False)
        },
        "bonus": {str(size): state.bonus_left(table, tier) for tier, size in enumerate(rules.TIER_SIZE)},
        "rupees": [state.rupees(table, player) for player in range(rules.PLAYERS)],
        "unknown": unknown,
    }
    if not played.fully_known:
        form["bonus_unknown"] = [sum(tiers) for tiers in _face_down(seen)]
    if seen.over:
        return form | {"legal": [], "over": OVERS[seen.over]} | _ending(table, form["rupees"])
    told = not unknown[seen.turn] and not state.vacancies(table)
    return form | {"legal": _legal(table) if told else None}


def _ending(table: "np.ndarray", rupees: list[int]) -> Json:
    """The rupees with the camel token, and who takes the seal."""
    from engine import state

    camels = state.camel_token(table)
    final = [own + rules.CAMEL_TOKEN * (player == camels) for player, own in enumerate(rupees)]
    winners = outcomes(table)
    if len(winners) > 1:
        return {"rupees": final, "seal": None, "result": "unknown"}
    (seal,) = winners
    return {"rupees": final, "seal": seal, "result": "draw" if seal is None else "won"}


def outcomes(table: "np.ndarray") -> set[int | None]:
    """Who can have taken the seal, None for a draw, over all values of the bonus tokens that lie face down.

    Empty while the round goes on.
    """
    from engine import state

    seen = state.read(table)
    if not seen.over:
        return set()
    by_tier = [
        _differences([value for value, left in _values(seen.bonus, tier) for _ in range(left)], *down)
        for tier, down in enumerate(zip(*_face_down(seen), strict=True))
    ]
    margin, tie_break = state.margin(table), state.tie_break(table)
    signs = {margin + sum(difference) or tie_break for difference in product(*by_tier)}
    return {None if sign == 0 else int(sign < 0) for sign in signs}


def _differences(unseen: list[int], mine: int, others: int) -> set[int]:
    """All differences in rupees when `mine` of the unseen tokens lie before player 0, `others` before player 1."""
    tokens = set(range(len(unseen)))
    return {
        sum(unseen[i] for i in own) - sum(unseen[i] for i in other)
        for own in combinations(tokens, mine)
        for other in combinations(tokens.difference(own), others)
    }


def _values(bonus: tuple[int, ...], tier: int) -> list[tuple[int, int]]:
    """The values of a tier with their counts in nine counts by `rules.BONUS_VALUES`."""
    return list(zip(rules.BONUS_VALUES, bonus, strict=True))[3 * tier : 3 * tier + 3]


def _face_down(table: "State") -> list[list[int]]:
    """For each player the bonus tokens of each tier whose value is unknown."""
    return [
        [score[tier] - sum(count for _, count in _values(owned, tier)) for tier in range(rules.TIERS)]
        for score, owned in zip(table.scores, table.owned, strict=True)
    ]


def _unknown(table: "State") -> list[int]:
    """For each player the cards in hand that nobody has told."""
    from engine.state import HIDDEN

    return [hold[HIDDEN] for hold in table.holds]


def _legal(table: "np.ndarray") -> list[str]:
    """The legal moves as text, sorted."""
    from engine.search import legal

    return sorted(map(move_text, legal(table[None])))

"""What a player types: few keys, every short form, and refusals that say what the table holds."""

import random

import golden
import pytest
from at_table import typed, typed_deal
from hypothesis import given, settings
from hypothesis import strategies as st
from test_live_game import dealt, played_to, seen, undecided

from advisor.live.entry import read_entry, short_move
from advisor.live.game import Game, Standing
from advisor.live.reasons import RefusedError
from advisor.notation import Seal, read_turn, step_text
from advisor.record import Turn, read
from advisor.words import parse_move


def test_golden_rounds_take_less_than_six_keys_a_turn() -> None:
    """Every line is read as the turn it stands for; through a pseudo-terminal: `benchmarks/live.py keys`."""
    keys = turns = 0
    for line in golden.rounds("seen"):
        played = read(line["record"]).rounds[0]
        game = Game()
        game.enter(read_entry(typed_deal(played, line["viewer"]), game.now, line["viewer"]))
        assert game.entries[0] == played._replace(turns=())
        for turn in played.turns:
            entry = read_entry(typed(turn), game.now, line["viewer"])
            assert entry == turn or (isinstance(entry, Turn) and not any(turn.refill or ()) and entry.move == turn.move)
            game.enter(entry)
            keys += len(typed(turn)) + 1
            turns += 1
    assert keys / turns <= 6


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("+G P", "+G P"),
        ("+gp", "+G P"),
        ("g p", "+G P"),
        ("gp", "+G P"),
        ("take gold spice", "+G P"),
        ("tomar ouro especiaria", "+G P"),
        ("ia aur mirodenie", "+G P"),
        ("+M gps", "+M GSP"),
        ("mg2p", "+M GPP"),
        ("take the camels gold 2 spice", "+M GPP"),
        ("GP/SM", "GP/SM"),
        ("gp/s", "GP/SM"),
        ("gp/", "GP/MM"),
        ("gp.s", "GP/SM"),
        ("exchange gold spice for silver camel", "GP/SM"),
        ("trocar ouro especiaria por prata camelo", "GP/SM"),
    ],
)
def test_forms_of_a_first_turn(text: str, turn: str) -> None:
    assert read_entry(text, dealt(seen()).now, 0) == read_turn(turn)


@pytest.mark.parametrize("text", ["-3P 3", "-3p3", "-ppp3", "- ppp 3", "sell 3 spice 3", "vender 3 especiarias 3"])
def test_forms_of_a_sale(text: str) -> None:
    game = played_to(seen(), 14)
    assert read_entry(text, game.now, 0) == read_turn("-3P 3")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("+D P", "no diamond in the market: it has gold, spice, 3 camels"),
        ("gg/lm", "only 1 gold in the market: it has gold, spice, 3 camels"),
        ("-2D", "no diamond in the hand: it has gold, silver, leather"),
        ("-2L", "only 1 leather in the hand: it has gold, silver, leather"),
        ("-1G", "gold is sold by two cards at least"),
        ("gp/gm", "gold is both taken and given"),
        ("g/m", "an exchange is of two cards at least; to take a single card give nothing"),
        ("gp/slm", "takes 2 cards and gives 3: an exchange is card for card"),
        ("gp/ssm", "takes 2 cards and gives 3: an exchange is card for card"),
        ("+G", "1 card came into the market: add its letter"),
        ("+M G", "3 cards come into the market, read gold"),
        ("+M", "3 cards came into the market: add their letters"),
        ("-1L 3", "a number is the value of a bonus token, but this move wins none"),
        ("-1L 7", "read '7', expected the value of a bonus token"),
        ("+M 3M", ""),
        ("hello", "'hello' is no move; write +G P (took gold, a spice came), +M GPS, -3L, GG/LM; ? for help"),
        ("x" * 201, "a line of 201 characters is too long"),
    ],
)
def test_a_wrong_turn_is_explained(text: str, reason: str) -> None:
    game = dealt(seen())
    if not reason:
        assert read_entry(text, game.now, 0) == read_turn("+M MMM")
        return
    with pytest.raises(RefusedError) as refused:
        read_entry(text, game.now, 0)
    assert str(refused.value) == reason


def test_my_bonus_token_must_be_told_and_the_opponents_need_not() -> None:
    game = played_to(seen(), 14)
    with pytest.raises(RefusedError, match="you won a bonus token: add its value, one of 1, 2, 3"):
        read_entry("-3P", game.now, 0)
    assert read_entry("-3P", game.now, 1) == read_turn("-3P")
    with pytest.raises(RefusedError, match="worth 1, 2, 3, read 8"):
        read_entry("-3P 8", game.now, 0)


@pytest.mark.parametrize("text", ["gp lsgmm 1 me", "GP LSG2M 1 yo", "mmmgp lsgmm 1 eu", "gold, spice; LSG 2M; 1; i"])
def test_forms_of_a_deal(text: str) -> None:
    deal = read_entry(text, Standing(), 0)
    assert step_text(deal) == "round: 1 starts, market GPMMM, hands GSLMM / M"
    other = step_text(read_entry(text, Standing(), 1))
    assert other == "round: 2 starts, market GPMMM, hands M / GSLMM"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the deal: "),
        ("gp lsgmm", "the deal: "),
        ("gp lsgmm 1", "say who starts"),
        ("gp lsgmm 9 me", "read '9', expected the number of camels"),
        ("gp lsgmm 1 you", "read 'you', expected me, opponent or draw"),
        ("gp lsgmm 1 draw", "say who starts"),
        ("gpd lsgmm 1 me", "read 3 cards in the market"),
        ("gpdmm lsgmm 1 me", "three camels at least"),
        ("gp lsgm 1 me", "read 4 cards in your hand"),
        ("gp lsgxx 1 me", "is no list of cards"),
        ("mm 5m 5 me", "not so many cards of one kind"),
    ],
)
def test_a_wrong_deal_is_explained(text: str, reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_entry(text, Standing(), 0)
    assert str(refused.value).startswith(reason) or reason in str(refused.value)


@pytest.mark.parametrize(("text", "winner"), [("me", 0), ("opponent", 1), ("Oponente", 1), ("draw", None), ("eu", 0)])
def test_a_seal(text: str, winner: int | None) -> None:
    assert read_entry(text, undecided().now, 0) == Seal(winner)


def test_short_moves() -> None:
    moves = ["take gold", "take camels", "sell 3 leather", "exchange gold gold for leather camel"]
    assert [short_move(parse_move(move)) for move in moves] == ["+G", "+M", "-3L", "GG/LM"]


WORDS = ["take", "sell", "exchange", "gold", "camels", "for", "3", "2", "leather", "por", "de", ";", "-", "+"]
LINES = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="+-/ 0123456789dgscplmDGSCPLM.;", max_size=12),
    st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join),
)


@settings(max_examples=300)
@given(LINES, st.integers(0, 12), st.randoms())
def test_any_line_is_played_or_explained_and_never_half(line: str, turns: int, chance: random.Random) -> None:
    """With a grammar of mistakes, 2,000 of them: `benchmarks/live.py lines`."""
    game = GAMES[turns] if turns < len(GAMES) else Game()
    before = (list(game.standings), list(game.entries), list(game.waiting))
    tables = [one.tobytes() for one in game.now.tables]
    try:
        game.enter(read_entry(line, game.now, chance.randrange(2)))
    except RefusedError:
        assert (game.standings, game.entries, game.waiting) == before
        assert tables == [one.tobytes() for one in before[0][-1].tables]
    else:
        game.undo()
        game.waiting.clear()


GAMES = [played_to(seen(6), turns) for turns in range(0, 24, 2)]

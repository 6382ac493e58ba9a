"""Cards and moves in people's words."""

import contextlib
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.words import CARD_NAMES, LETTERS, WordError, card, cards, count_by_name, move_text, names, parse_move
from engine.codes import decode, encode
from engine.rules import CARDS

NAMES_BY_KIND = [
    "diamond diamonds diamante diamantes diamant",
    "gold ouro oro aur",
    "silver prata plata argint",
    "cloth cloths tecido tecidos tela telas pânză pânze",
    "spice spices especiaria especiarias especia especias mirodenie mirodenii",
    "leather couro couros cuero cueros piele piei",
    "camel camels camelo camelos camello camellos cămilă cămile",
]
GOLD_AND_TWO_CAMELS = (0, 1, 0, 0, 0, 0, 2)


def without_accents(text: str) -> str:
    return text.translate(str.maketrans("âăîșțíáç", "aaistiac"))


@pytest.mark.parametrize("kind", range(7))
def test_every_name_in_any_case_with_and_without_accents(kind: int) -> None:
    for name in [LETTERS[kind], *NAMES_BY_KIND[kind].split()]:
        for spelt in (name, name.upper(), name.lower(), name.title(), without_accents(name)):
            assert card(spelt) == kind


@pytest.mark.parametrize(
    "source",
    [
        ["gold", "camel", "camel"],
        ["Camello", "ouro", "M"],
        {"gold": 1, "camel": 2},
        {"aur": 1, "cămile": 2, "cloth": 0},
        "gold camel camel",
        "gold 2 camel",
        "gold camel*2",
        "gold, camel * 2",
        "2 camels, 1 gold",
        "2 camels and 1 gold",
        "2 x camel gold",
        "camel x2 gold",
        "GMM",
        "gmm",
        "G 2M",
        "G2M",
        "  g  m;m ",
        "1 ouro e 2 camelos",
        "camellos CAMELLO oro",
    ],
)
def test_lists_of_cards(source: object) -> None:
    assert cards(source) == GOLD_AND_TWO_CAMELS


def test_no_cards() -> None:
    assert cards("") == cards(" ") == cards([]) == cards({}) == cards("0 gold") == (0,) * 7


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("gold glod", "'glod' is no card; nearest: gold"),
        ("lether", "nearest: leather"),
        ("gld", "'gld' can be read in two ways: GLD (gold, leather, diamond) or gold"),
        ("2MG", "a number with 'MG' can be read in two ways"),
        ("gold 2, camel", "'2, camel' is no list of cards"),
        ("camel 2", "'2' is no list of cards"),
        ("2 camel*2", "'2 camel*2' has two numbers"),
        ("10000 gold", "'10000 gold' is too many cards"),
        ("gold?", "'?' is no list of cards"),
        (["gold", 7], "read 7, expected the name of a card"),
        (["gold silver"], "'gold silver' is no card"),
        ({"gold": True}, "read True for 'gold'"),
        ({"gold": -1}, "read -1 for 'gold'"),
        ({"gold": 1.0}, "read 1.0 for 'gold'"),
        ({"gold": 10**5000}, "read a number of thousands of digits for 'gold'"),
        ({"gold": 1, "ouro": 1}, "gold is named twice, the second time as 'ouro'"),
        (5, "read 5, expected a list of cards"),
        (None, "read None, expected a list of cards"),
    ],
)
def test_lists_that_cannot_be_read(source: object, says: str) -> None:
    with pytest.raises(WordError) as error:
        cards(source)
    assert says in str(error.value)


def test_a_long_word_is_echoed_shortly() -> None:
    with pytest.raises(WordError) as error:
        cards("q" * 100_000)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("take gold", "take gold"),
        ("+G", "take gold"),
        ("+ gold", "take gold"),
        ("take the gold", "take gold"),
        ("take 1 gold", "take gold"),
        ("TOMAR OURO", "take gold"),
        ("pegar ouro", "take gold"),
        ("coger oro", "take gold"),
        ("ia aur", "take gold"),
        ("take camel", "take camels"),
        ("take camels", "take camels"),
        ("take 3 camels", "take camels"),
        ("take the camels", "take camels"),
        ("+M", "take camels"),
        ("+MMM", "take camels"),
        ("tomar os camelos", "take camels"),
        ("tomar los camellos", "take camels"),
        ("ia cămilele", "take camels"),
        ("sell 3 leather", "sell 3 leather"),
        ("sell leather leather leather", "sell 3 leather"),
        ("-3L", "sell 3 leather"),
        ("-LLL", "sell 3 leather"),
        ("−3 L", "sell 3 leather"),
        ("vender 3 couros", "sell 3 leather"),
        ("vender 3 cueros", "sell 3 leather"),
        ("vinde 3 piei", "sell 3 leather"),
        ("Vând piele*3", "sell 3 leather"),
        ("exchange gold gold for leather camel", "exchange gold gold for leather camel"),
        ("exchange 2 gold for camel leather", "exchange gold gold for leather camel"),
        ("GG/LM", "exchange gold gold for leather camel"),
        ("2G / M L", "exchange gold gold for leather camel"),
        ("trocar ouro ouro por couro camelo", "exchange gold gold for leather camel"),
        ("cambiar 2 oros por cuero y camello", "exchange gold gold for leather camel"),
        ("schimbă aur aur pe piele cămilă", "exchange gold gold for leather camel"),
        ("schimba 2 aur pentru piele si camila", "exchange gold gold for leather camel"),
        ("exchange spice gold for camel camel", "exchange gold spice for camel camel"),
    ],
)
def test_moves(text: str, canonical: str) -> None:
    assert move_text(parse_move(text)) == canonical


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "'' is no move, expected 'take …', 'sell …' or 'exchange … for …'"),
        ("gold", "'gold' is no move"),
        ("sel 3 leather", "nearest: sell"),
        ("sell 3 lether", "'lether' is no card; nearest: leather"),
        ("take gold gold", "one good is taken, or the camels"),
        ("take", "one good is taken, or the camels"),
        ("take gold for silver", "is no move"),
        ("sell gold silver", "cards of one good are sold"),
        ("sell 2 camels", "camels never"),
        ("sell", "cards of one good are sold"),
        ("sell all leather", "'all' is no card"),
        ("sell 11 leather", "read 11 leather, there are 10"),
        ("exchange gold gold", "is no move"),
        ("exchange camel camel for gold gold", "the cards taken come first"),
        ("GG/", "an exchange takes cards for cards"),
        ("GG/L/M", "is no move"),
        (7, "read 7, expected a move"),
        (["take gold"], "read ['take gold'], expected a move"),
    ],
)
def test_moves_that_cannot_be_read(text: str, says: str) -> None:
    with pytest.raises(WordError) as error:
        parse_move(text)
    assert says in str(error.value)


GOODS = st.lists(st.sampled_from(range(6)), min_size=1, max_size=5).map(lambda kinds: tuple(map(kinds.count, range(7))))
ANY_CARDS = st.lists(st.sampled_from(range(7)), min_size=1, max_size=6).map(
    lambda kinds: tuple(map(kinds.count, range(7)))
)
TAKES = st.integers(0, 6).map(lambda kind: encode([kind == i for i in range(7)], ()))
SALES = st.integers(0, 5).flatmap(
    lambda kind: st.integers(1, CARDS[kind]).map(lambda k: encode((), [k * (kind == i) for i in range(7)]))
)
EXCHANGES = st.tuples(GOODS, ANY_CARDS).map(lambda sides: encode(*sides))
MOVES = st.one_of(TAKES, SALES, EXCHANGES)


@given(MOVES)
def test_what_is_printed_reads_back(code: int) -> None:
    assert parse_move(move_text(code)) == code


@given(MOVES)
def test_short_forms_read_back(code: int) -> None:
    letters = [[letter * count for letter, count in zip(LETTERS, side, strict=True)] for side in decode(code)]
    taken, paid = map("".join, letters)
    assert parse_move(f"{taken}/{paid}" if taken and paid else f"+{taken}" if taken else f"-{paid}") == code


@given(ANY_CARDS)
def test_cards_read_back(counts: tuple[int, ...]) -> None:
    by_name = count_by_name(counts)
    assert cards(names(counts)) == cards(by_name) == cards(names(counts).split()) == counts
    assert cards(", ".join(f"{count} {name}s" for name, count in by_name.items())) == counts
    assert list(by_name) == [name for name in CARD_NAMES if name in by_name]


@pytest.mark.parametrize("text", ["2" + " " * 60_000, " " * 60_000 + "?", "gold" + " " * 60_000 + "?", "9" * 60_000])
def test_a_long_text_takes_no_time(text: str) -> None:
    started = monotonic()
    for read in (cards, parse_move):
        with pytest.raises(WordError):
            read(text)
    assert monotonic() - started < 1


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (cards, parse_move):
        with contextlib.suppress(WordError):
            read(text)

"""Positions: reading, filling in, faults, the one-line form, and the tables made of them."""

import contextlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.faults import PositionError
from advisor.line import DIGITS, LENGTH, encode_line
from advisor.position import Position, read_position
from advisor.words import CARD_NAMES
from engine.beliefs import herd_weight
from engine.rules import BONUS, CARDS, TIER_SIZE, TOKENS
from engine.state import read

EXAMPLES = Path(__file__).parent.parent / "examples"
MIDGAME = (EXAMPLES / "midgame.toml").read_text(encoding="utf-8")
LINE = "JP10TT1D0WP109W54QZ6FFTW62RXJBW"

OPENING: dict[str, Any] = {
    "market": "3 camels gold spice",
    "me": {"hand": "diamond cloth cloth leather", "herd": 1},
    "opponent": {"hand": 5},
}


def changed(source: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy with some fields set, by path with `__` for the dot; `...` leaves a field out."""
    copy: dict[str, Any] = json.loads(json.dumps(source))
    for path, value in changes.items():
        *tables, name = path.split("__")
        table = copy
        for step in tables:
            table = table[step]
        table[name] = value
        if value is ...:
            del table[name]
    return copy


MID = read_position(MIDGAME).to_dict()


def faults_of(source: Any) -> list[str]:
    with pytest.raises(PositionError) as error:
        read_position(source)
    assert len(str(error.value).splitlines()) == len(error.value.faults)
    assert all(len(str(fault)) < 400 for fault in error.value.faults)
    return [fault.field for fault in error.value.faults]


# Reading and filling in


def test_the_middle_game_in_full() -> None:
    assert MID == {
        "market": {"gold": 1, "spice": 1, "leather": 1, "camel": 2},
        "me": {
            "hand": {"silver": 2, "spice": 1, "leather": 2},
            "herd": 3,
            "rupees": 24,
            "goods_tokens": 7,
            "bonus": [2],
            "seals": 1,
        },
        "opponent": {
            "hand": 5,
            "seen": {"gold": 1, "leather": 1},
            "herd": 2,
            "rupees": 18,
            "goods_tokens": 5,
            "bonus": [3],
            "seals": 0,
        },
        "deck": 23,
        "tokens": {"diamond": 5, "gold": 5, "silver": 3, "cloth": 4, "spice": 4, "leather": 5},
        "sold": {"diamond": 0, "gold": 0, "silver": 2, "cloth": 3, "spice": 3, "leather": 4},
        "bonus": {"3": 5, "4": 6, "5": 5},
        "first": "opponent",
        "deck_end": "refill",
    }


def test_an_opening_needs_three_fields() -> None:
    position = read_position(OPENING)
    assert (position.deck, position.opponent.herd) == (None, None)  # 0 and 40, 1 and 39, …
    position = read_position(changed(OPENING, deck=40))
    assert (position.opponent.herd, position.me.rupees, position.opponent.rupees) == (0, 0, 0)
    assert (position.me.goods_tokens, position.opponent.goods_tokens) == (0, 0)
    assert (position.bonus, position.sold) == ((7, 6, 5), (0,) * 6)
    assert (position.first, position.deck_end, position.over) == (None, "refill", None)


def test_all_forms_say_the_same() -> None:
    position = read_position(MIDGAME)
    for source in (MIDGAME.encode(), b"\xef\xbb\xbf" + MIDGAME.encode(), MID, json.dumps(MID), LINE, f"\n {LINE} \n"):
        assert read_position(source) == position


def test_null_is_left_out() -> None:
    source = changed(MID, deck=None, sold=None, me__goods_tokens=None, opponent__rupees=None, first=None)
    assert read_position(source).deck == 23


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    position = read_position(path.read_bytes())
    assert position.over is None
    tables, weights = position.alternatives()
    assert len(tables) == len(weights) >= 1


def test_what_the_examples_leave_open() -> None:
    position = read_position((EXAMPLES / "unknown-herd.toml").read_bytes())
    assert (position.deck, position.opponent.herd) == (None, None)
    assert position.to_dict()["deck"] is None
    assert position.open_fields() == ["me.goods_tokens", "opponent.herd", "opponent.goods_tokens", "deck", "first"]
    assert read_position((EXAMPLES / "espanol.toml").read_bytes()).me.goods_tokens is None
    assert read_position(MIDGAME).open_fields() == []


def test_rupees_of_the_other_are_worked_out() -> None:
    assert read_position(changed(MID, me__rupees=...)).me.rupees == 24
    assert read_position(changed(MID, opponent__rupees=...)).opponent.rupees == 18


def test_goods_tokens_are_worked_out_where_one_split_fits() -> None:
    """Gone are 5 5: five rupees are one token of them."""
    source = changed(OPENING, tokens={"silver": 3}, me__rupees=5, deck=38)
    position = read_position(source)
    assert (position.me.goods_tokens, position.opponent.goods_tokens) == (1, 1)


def test_bonus_tokens_are_worked_out() -> None:
    source = changed(MID, bonus={"3": 4}, me__bonus=[2], opponent__bonus=...)
    assert read_position(source).opponent.bonus == (3, 3)
    assert read_position(changed(MID, bonus=...)).bonus == (5, 6, 5)
    assert faults_of(changed(OPENING, bonus={"3": 6})) == ["bonus.3"]  # but who holds the other one?
    assert read_position(changed(OPENING, bonus={"3": 7, "5": 5})).me.bonus == ()


def test_own_bonus_tokens_are_worked_out_where_their_values_are() -> None:
    mine = changed(OPENING, bonus={"3": 0, "4": 5, "5": 0}, opponent__bonus=[4])
    assert read_position(mine).me.bonus == (1, 1, 2, 2, 2, 3, 3, 8, 8, 9, 10, 10)
    assert faults_of(changed(mine, opponent__bonus=[3, 4, 5])) == ["me.bonus", "me.bonus"]  # one of each is not mine
    assert faults_of(changed(mine, opponent__bonus=[4, 4])) == ["bonus.4"]


def test_tokens_by_value_or_number() -> None:
    assert read_position(changed(MID, tokens__cloth=[2, 2, 1, 1])) == read_position(MID)


def test_the_last_card_of_an_empty_pile() -> None:
    """Five gold tokens are gone: five cards or six are sold, as the deck says."""
    source = changed(OPENING, market="3 camels 2 spice", tokens={"gold": 0}, me__rupees=27, opponent__herd=0)
    assert read_position(source).sold[1] is None
    assert read_position(source).open_fields() == ["deck", "sold.gold", "first"]
    assert read_position(changed(source, deck=35)).sold[1] == 5
    assert read_position(changed(source, sold={"gold": 6})).deck == 34
    assert read_position(changed(source, me__hand="diamond gold cloth leather")).sold[1] == 5


@pytest.mark.parametrize(
    ("changes", "over"),
    [
        ({"me__seals": 2}, "match"),
        ({"opponent__seals": 2}, "match"),
        ({"deck_end": "empty"}, "deck"),
        ({"deck_end": "refill"}, None),
        ({"tokens__spice": 0, "me__hand": "silver silver leather", "me__rupees": 61, "me__goods_tokens": 17}, "piles"),
    ],
)
def test_finished_tables_are_positions(changes: dict[str, Any], over: str | None) -> None:
    end = tomllib.loads((EXAMPLES / "end.toml").read_text(encoding="utf-8"))
    position = read_position(changed(end, **changes))
    assert position.over == over
    assert read_position(position.line()) == position


def test_made_up_tables_are_positions() -> None:
    """A hand of nothing, a herd that outgrows what was dealt: unlikely, but nothing breaks a count."""
    position = read_position({"market": "5 gold", "me": {"hand": []}, "opponent": {"hand": 0, "herd": 0}})
    assert position.deck == 50
    tables, weights = position.alternatives()
    assert len(tables) == 1
    assert weights.tolist() == [1.0]


# Faults

FAULTY: list[tuple[str, Any, list[str]]] = [
    ("missing market", changed(MID, market=...), ["market"]),
    ("missing hand", changed(MID, me__hand=...), ["me.hand"]),
    ("missing opponent", changed(MID, opponent=...), ["opponent.hand"]),
    ("market is a number", changed(MID, market=5), ["market"]),
    ("me is a list", changed(MID, me=[]), ["me"]),
    ("herd is true", changed(MID, me__herd=True), ["me.herd"]),
    ("hand is text", changed(MID, opponent__hand="five"), ["opponent.hand"]),
    ("market of four", changed(MID, market="camel camel gold leather"), ["market"]),
    ("unknown card", changed(MID, market="camel camel glod leather spice"), ["market"]),
    ("hand of eight", changed(MID, me__hand="8 cloth"), ["me.hand", "me.hand"]),
    ("camel in hand", changed(MID, me__hand="silver camel"), ["me.hand"]),
    ("a 7th diamond", changed(MID, me__hand="7 diamonds"), ["me.hand"]),
    ("a 12th camel", changed(MID, me__herd=8, opponent__herd=2), ["me.herd"]),
    ("more seen than held", changed(MID, opponent__hand=1), ["opponent.seen"]),
    ("deck does not add up", changed(MID, deck=20), ["deck"]),
    ("sold does not fit", changed(MID, sold={"silver": 3}), ["sold.silver"]),
    ("sold camels", changed(MID, sold="3 camels"), ["sold"]),
    ("tokens in disorder", changed(MID, tokens__gold=[5, 5, 5, 6]), ["tokens.gold"]),
    ("ten leather tokens", changed(MID, tokens__leather=10), ["tokens.leather"]),
    ("bonus value 7", changed(MID, me__bonus=[7]), ["me.bonus"]),
    ("a third bonus of 1", changed(MID, me__bonus=[1, 1, 1], bonus=None), ["me.bonus"]),
    ("bonus tier 6", changed(MID, opponent__bonus=[6]), ["opponent.bonus"]),
    ("bonus does not add up", changed(MID, bonus={"3": 7}), ["bonus.3"]),
    ("rupees do not add up", changed(MID, me__rupees=25), ["me.rupees"]),
    ("rupees of no split", changed(OPENING, tokens={"silver": 3}, me__rupees=4), ["me.rupees"]),
    ("no rupees", changed(MID, me__rupees=..., opponent__rupees=...), ["me.rupees"]),
    ("goods tokens of no split", changed(MID, me__goods_tokens=1, opponent__goods_tokens=...), ["me.goods_tokens"]),
    ("two seals each", changed(MID, me__seals=2, opponent__seals=2), ["opponent.seals"]),
    ("three seals", changed(MID, me__seals=3), ["me.seals"]),
    ("first is south", changed(MID, first="south"), ["first"]),
    ("NaN", changed(MID, me__rupees=float("nan")), ["me.rupees"]),
    ("NaN in JSON", json.dumps(changed(MID, me__rupees=float("nan"))), ["me.rupees"]),
    ("infinity in TOML", MIDGAME.replace("herd = 3", "herd = inf"), ["me.herd"]),
    ("huge number", changed(MID, deck=10**100), ["deck"]),
    ("hugest number", changed(MID, deck=10**5000), ["deck"]),
    ("hugest number in JSON", json.dumps(MID).replace("23", "9" * 5000), ["deck"]),
    ("unknown field", changed(MID, dekc=23), ["dekc"]),
    ("unknown field of me", changed(MID, me__hnad=[]), ["me.hnad"]),
    ("path as a name", changed(MID, **{"me.herd": 3}), ["me.herd"]),
    ("10 MB", "#" * 10_000_000, ["position"]),
    ("10 MB of bytes", b"#" * 10_000_000, ["position"]),
    ("no UTF-8", b"\x80\x81\xff", ["position"]),
    ("binary", "JP1\0", ["position"]),
    ("empty", "", ["position"]),
    ("blank", b" \n", ["position"]),
    ("TOML syntax", "market = \n", ["position"]),
    ("TOML name twice", "deck = 1\ndeck = 2\n", ["position"]),
    ("JSON syntax", '{"market": ', ["position"]),
    ("JSON name twice", '{"deck": 1, "deck": 2}', ["position"]),
    ("deep JSON", '{"market": ' + "[" * 50_000, ["position"]),
    ("dotted TOML", "a." * 30_000 + "a = 1", ["position"]),
    ("deep TOML", "market = " + "[\n" * 30_000, ["position"]),
    ("a word", "hello", ["position"]),
    ("a number", 5, ["position"]),
    ("another version", "JP2" + LINE[3:], ["position"]),
]


@pytest.mark.parametrize(("source", "fields"), [case[1:] for case in FAULTY], ids=[case[0] for case in FAULTY])
def test_faulty_positions(source: Any, fields: list[str]) -> None:
    assert faults_of(source) == fields


def test_every_fault_at_once() -> None:
    source = changed(MID, market="gold", me__hand="7 diamonds", me__herd=-1, opponent__seen="6 gold", bonus=[], dekc=1)
    faults = faults_of(changed(source, me__rupees="3"))
    assert faults[:5] == ["market", "me.herd", "me.rupees", "bonus", "dekc"]
    assert faults[5:] == ["opponent.seen", "me.hand", "opponent.seen"]  # six of five cards; diamonds; gold


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (changed(MID, deck=20), "deck: read 20, expected 23: market 5, my hand 5, my herd 3, opponent's hand 5"),
        (changed(MID, market="glod"), "market: 'glod' is no card; nearest: gold"),
        (changed(MID, dekc=20), "dekc: no such field; nearest: deck"),
        (changed(MID, me__hand="7 diamonds"), "me.hand: read 7 diamond (7 in me.hand), expected at most 6"),
        (changed(MID, me__seals=3), "me.seals: read 3, expected a whole number from 0 to 2"),
        (changed(MID, me__rupees=25), "me.rupees: read 25 and 18, but the missing goods tokens are worth 42 together"),
        (changed(MID, sold={"silver": 3}), "sold.silver: read 3, expected 2, as 2 of its tokens are gone"),
    ],
)
def test_messages_say_what_was_read_and_expected(source: Any, says: str) -> None:
    with pytest.raises(PositionError) as error:
        read_position(source)
    assert says in str(error.value)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(CARD_NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*CARD_NAMES, "3", "x"]), inner),
    max_leaves=4,
)


@given(st.data())
def test_any_value_in_any_field_is_read_or_refused(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from([(), ("me",), ("opponent",)]))
    source = changed(MID)
    target = source
    for name in table:
        target = target[name]
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(JSON_VALUES)
    with contextlib.suppress(PositionError):
        read_position(source).alternatives()


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(source: str | bytes) -> None:
    with pytest.raises(PositionError):
        read_position(source)


# Tables dealt at random, some of their counts left open


def dealt(random: Random) -> dict[str, Any]:
    """A position in which everything is told."""
    goods = [kind for kind in range(6) for _ in range(CARDS[kind])]
    random.shuffle(goods)

    def cut(most: int) -> list[int]:
        return [goods.pop() for _ in range(random.randint(0, min(most, len(goods))))]

    camels = random.randint(0, 5)
    market = [goods.pop() for _ in range(5 - camels)]
    mine, seen = cut(7), cut(7)
    hidden = random.randint(0, 7 - len(seen))
    sold = cut(len(goods) - hidden)
    herds = [random.randint(0, 11 - camels), 0]
    herds[1] = random.randint(0, 11 - camels - herds[0])
    gone = [min(sold.count(kind), len(pile)) for kind, pile in enumerate(TOKENS)]
    tokens = [value for pile, count in zip(TOKENS, gone, strict=True) for value in pile[:count]]
    my_tokens = [value for value in tokens if random.random() < 0.5]
    bonus = [random.sample(values, random.randint(0, len(values))) for values in BONUS]
    my_bonus = [[value for value in values if random.random() < 0.5] for values in bonus]

    def names(kinds: list[int]) -> list[str]:
        return [CARD_NAMES[kind] for kind in kinds]

    return {
        "market": names(market) + ["camel"] * camels,
        "me": {
            "hand": names(mine),
            "herd": herds[0],
            "rupees": sum(my_tokens),
            "goods_tokens": len(my_tokens),
            "bonus": [value for values in my_bonus for value in values],
            "seals": random.randint(0, 1),
        },
        "opponent": {
            "hand": len(seen) + hidden,
            "seen": names(seen),
            "herd": herds[1],
            "rupees": sum(tokens) - sum(my_tokens),
            "goods_tokens": len(tokens) - len(my_tokens),
            "bonus": [
                size
                for size, values, held in zip(TIER_SIZE, bonus, my_bonus, strict=True)
                for _ in range(len(values) - len(held))
            ],
            "seals": random.randint(0, 1),
        },
        "deck": 55 - 5 - len(mine) - len(seen) - hidden - sum(herds) - len(sold),
        "tokens": {CARD_NAMES[kind]: len(pile) - gone[kind] for kind, pile in enumerate(TOKENS)},
        "sold": {CARD_NAMES[kind]: sold.count(kind) for kind in range(6)},
        "bonus": {str(size): len(BONUS[i]) - len(bonus[i]) for i, size in enumerate(TIER_SIZE)},
        "first": random.choice(["me", "opponent", None]),
        "deck_end": random.choice(["refill", "empty"]),
    }


OPEN = ("deck", "sold", "bonus", "opponent__herd", "me__goods_tokens", "opponent__goods_tokens", "opponent__rupees")


def full_and_open(random: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    source = dealt(random)
    return source, changed(source, **{path: None for path in OPEN if random.random() < 0.5})


TABLES = st.randoms(use_true_random=False).map(full_and_open)


@given(TABLES)
def test_what_is_printed_reads_back(tables: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for source in tables:
        position = read_position(source)
        assert read_position(position.to_dict()) == position
        assert read_position(json.dumps(position.to_dict())) == position
        line = position.line()
        assert read_position(line) == read_position(line.lower()) == position
        assert read_position(line).line() == line
        assert len(line) == LENGTH
        assert line.isascii()
        assert line.isalnum()


@given(TABLES)
def test_what_is_told_stays(tables: tuple[dict[str, Any], dict[str, Any]]) -> None:
    full, some = (read_position(source) for source in tables)
    assert full.alternatives()[0].shape[0] == 1
    for name in ("market", "tokens", "bonus", "first", "deck_end"):
        assert getattr(full, name) == getattr(some, name)
    assert some.deck in (None, full.deck)
    assert some.opponent.herd in (None, full.opponent.herd)


@given(TABLES)
def test_alternatives_are_whole_tables(tables: tuple[dict[str, Any], dict[str, Any]]) -> None:
    full, some = (read_position(source) for source in tables)
    truth = full.alternatives()[0][0]
    found, weights = some.alternatives()
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert len({table.tobytes() for table in found}) == len(found)
    for table in found:
        state = read(table)
        sold = sum(CARDS) - 5 - sum(map(sum, state.holds)) - (sum(state.unseen) - state.holds[1][7])
        gone = sum(map(len, TOKENS)) - sum(state.tokens)
        assert gone <= sold <= gone + state.tokens.count(0)
        assert sum(one[6] for one in state.scores) == sum(map(sum, TOKENS)) - sum(
            sum(pile[len(pile) - left :]) for pile, left in zip(TOKENS, state.tokens, strict=True)
        )
    herd = full.opponent.herd
    assert herd is not None
    camels = 11 - full.market[6] - full.me.herd - herd
    assert full.deck is not None
    if camels <= 8 and full.deck <= 40:
        assert any((table == truth).all() for table in found)


@given(TABLES)
def test_a_field_is_open_where_the_alternatives_differ(tables: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for source in tables:
        assert_open_as_the_alternatives(read_position(source))


def assert_open_as_the_alternatives(position: Position) -> None:
    found = [read(table) for table in position.alternatives()[0]]
    counts = {
        "me.goods_tokens": {state.scores[0][7] for state in found},
        "opponent.herd": {state.holds[1][6] for state in found},
        "deck": {sum(state.unseen) - state.holds[1][7] for state in found},
    }
    assert {path for path, several in counts.items() if len(several) > 1} == counts.keys() & position.open_fields()


def test_a_deck_that_would_have_ended_the_round_is_no_answer() -> None:
    """One camel is in the deck or in the opponent's herd; where it is in the herd, nothing is left to ask."""
    tokens = {"diamond": 0, "gold": 1, "silver": 0, "cloth": 2, "spice": 1, "leather": 3}
    sold = {"diamond": 5, "silver": 5}
    me, opponent = {"hand": "C", "herd": 10, "rupees": 73}, {"hand": 7, "seen": "GP"}
    source = {"market": "DCLLL", "me": me, "opponent": opponent, "tokens": tokens, "sold": sold}
    position = read_position(source | {"deck_end": "empty"})
    assert (position.deck, position.opponent.herd) == (1, 0)
    assert_open_as_the_alternatives(position)
    assert read_position(source).deck is None
    assert read_position(source | {"deck_end": "empty", "deck": 0}).over == "deck"


def test_a_table_holds_what_the_mover_knows() -> None:
    tables, _ = read_position(MIDGAME).alternatives()
    state = read(tables[0])
    assert state.market == (0, 1, 0, 0, 1, 1, 2)
    assert state.holds == ((0, 0, 2, 0, 1, 2, 3, 0), (0, 1, 0, 0, 0, 1, 2, 3))
    assert state.knowns == ((0,) * 6, (0, 1, 0, 0, 0, 1))
    assert state.unseen == (6, 4, 2, 5, 3, 2, 4)
    assert sum(state.unseen) == 23 + 3
    assert state.bonus == (2, 2, 2, 2, 2, 2, 2, 1, 2)
    assert state.scores == ((1, 0, 0, 2, 0, 0, 24, 7), (1, 0, 0, 0, 0, 0, 18, 5))
    assert (state.turn, state.deck_end, state.over) == (0, 0, 0)


def test_the_weight_of_a_herd() -> None:
    """Deck open: each herd goes with a deck of its own, weighed as `herd_weight` says."""
    tables, weights = read_position(OPENING).alternatives()
    herds = [read(table).holds[1][6] for table in tables]
    assert herds == list(range(8))
    expected = np.array([herd_weight(40 - herd, 7 - herd) for herd in herds])
    assert weights == pytest.approx(expected / expected.sum())


def test_the_weight_of_a_split() -> None:
    """Each split of single tokens weighs the same."""
    source = changed(OPENING, tokens={"silver": 3, "leather": 7}, me__rupees=7, opponent__herd=0)
    tables, weights = read_position(source).alternatives()
    assert [read(table).scores[0][7] for table in tables] == [2]  # 4 and 3: the only split
    source = changed(OPENING, tokens={"cloth": 4, "spice": 4}, me__rupees=11, opponent__herd=0)
    tables, weights = read_position(source).alternatives()
    assert [read(table).scores[0][7] for table in tables] == [3]  # 5 3 3, from either pile
    assert weights.tolist() == [1.0]
    source = changed(OPENING, tokens={"cloth": 3, "spice": 4}, me__rupees=5, opponent__herd=0)
    tables, weights = read_position(source).alternatives()
    assert [read(table).scores[0][7] for table in tables] == [1, 2]  # 5 in two ways; 3 and 2 in four
    assert weights == pytest.approx([2 / 6, 4 / 6])


# The one line


def refused(line: str) -> bool:
    try:
        read_position(line)
    except PositionError:
        return True
    return False


LINES = [read_position(path.read_bytes()).line() for path in sorted(EXAMPLES.glob("*.toml"))]


def test_the_line_of_the_middle_game() -> None:
    assert read_position(MIDGAME).line() == LINE


@pytest.mark.parametrize("line", LINES[:3])
def test_any_changed_character_shows(line: str) -> None:
    for place, old in enumerate(line):
        for new in DIGITS + DIGITS.lower() + "ILOU-. ":
            assert new == old or refused(line[:place] + new + line[place + 1 :])


@pytest.mark.parametrize("line", LINES)
def test_any_lost_or_swapped_character_shows(line: str) -> None:
    for i in range(LENGTH):
        assert refused(line[:i] + line[i + 1 :])
        assert refused(line[:i] + line[i] + line[i:])
        for j in range(i):
            swapped = list(line)
            swapped[i], swapped[j] = line[j], line[i]
            assert line[i] == line[j] or refused("".join(swapped))


def test_a_line_with_good_check_characters_is_checked_all_the_same() -> None:
    """A line made by hand can hold a market of six, which is a fault like any other."""
    assert faults_of(encode_line(changed(MID, market__gold=2))) == ["market"]


def test_positions_are_values() -> None:
    position = read_position(MID)
    assert isinstance(position, Position)
    assert hash(position) == hash(read_position(MIDGAME))

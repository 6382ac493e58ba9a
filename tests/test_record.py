"""Records: read, checked, and played again."""

import hashlib
import json
import re
from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import permutations, product
from typing import Any

import golden
import packed
import plain
import pytest

from advisor.record import RecordError, Turn, read
from advisor.replay import objections, outcomes, play_turn, replay, tables
from engine import state
from engine.codes import decode

Json = dict[str, Any]


# ---- records to work with ----


def match(*rounds: Json) -> Json:
    return {"format": "jaipur-record/1", "players": ["north", "south"], "rounds": list(rounds)}


@cache
def _random_round(seed: int, deck_end: str) -> tuple[Json, list[Json]]:
    states: list[Json] = []
    turns: list[str] = []
    for table, legal, move in plain.random_round(seed, deck_end):
        if not turns:
            hands = [player.hand + [plain.CAMEL] * player.herd for player in table.players]
            dealt = deepcopy({"first": table.turn, "market": table.market, "hands": hands, "deck_end": deck_end})
            dealt |= {
                "deck": table.deck.copy(),
                "bonus": {str(tier): pile.copy() for tier, pile in table.bonus.items()},
            }
        states.append(deepcopy(golden.state(table)) | {"legal": legal, "move": move})
        turns.append(move)
    return dealt | {"turns": turns}, [*states, golden.state(table) | {"legal": []}]


def random_round(seed: int, deck_end: str = "refill") -> tuple[Json, list[Json]]:
    """A round of random moves as a record tells it, and its states; player seed % 2 starts."""
    return deepcopy(_random_round(seed, deck_end))


def winner(seed: int) -> int | None:
    return _random_round(seed, "refill")[1][-1]["seal"]


def seed_of(first: int, seal: int) -> int:
    """A round that this player starts and this one wins."""
    return next(seed for seed in range(first, 100, 2) if winner(seed) == seal)


DRAW = 5189
"""The seed of a drawn round, started by player 1."""


def full() -> Json:
    """A record with nothing hidden."""
    return golden.rounds("full")[0]["record"]


def seen() -> Json:
    """A record as player 0 could write it down: the other's four goods are unknown."""
    return golden.rounds("seen")[0]["record"]


# ---- rounds replayed ----


@pytest.mark.parametrize("name", ["full", "brief", "seen"])
def test_golden_rounds(name: str) -> None:
    for line in golden.rounds(name):
        (states,) = replay(read(line["record"]))
        if name == "brief":
            for shown in states:
                legal = shown.pop("legal")
                shown |= {
                    "legal_count": len(legal),
                    "legal_sha256": hashlib.sha256("\n".join(legal).encode()).hexdigest(),
                }
        if name == "seen":
            del states[-1]["seal"], states[-1]["result"]
        assert states == line["states"]


@pytest.mark.parametrize("seed", [*range(20), 103, DRAW])
def test_random_rounds_that_end_with_the_deck(seed: int) -> None:
    played, states = random_round(seed, "empty")
    assert replay(read(match(played))) == [states]


@pytest.mark.parametrize(
    ("seed", "result"), [(30, "won"), (103, "won"), (DRAW, "draw")], ids=["bonus", "goods", "draw"]
)
def test_equal_rupees(seed: int, result: str) -> None:
    played, states = random_round(seed)
    (last,) = replay(read(match(played)))[0][-1:]
    assert last["rupees"][0] == last["rupees"][1]
    assert (last["seal"], last["result"]) == (states[-1]["seal"], result)


def test_a_record_may_stop_anywhere() -> None:
    record = full()
    whole = replay(read(record))[0]
    for length in (0, 1, 30):
        cut = deepcopy(record)
        cut["rounds"][0]["turns"] = cut["rounds"][0]["turns"][:length]
        *before, last = replay(read(cut))[0]
        assert before == whole[:length]
        assert last == {name: value for name, value in whole[length].items() if name != "move"}


def test_json_text_and_bytes_are_read() -> None:
    text = json.dumps(full())
    assert read(text) == read(text.encode()) == read(full())


def test_any_words_are_read_and_canonical_ones_are_shown() -> None:
    record = full()
    played = record["rounds"][0]
    plainly = replay(read(record))
    played["market"] = "3 camelos, ouro, especiaria"
    played["hands"][0] = {"couro": 1, "CAMEL": 2, "prata": 1, "oro": 1}
    played["deck"][0] = "D"
    played["turns"][0:3] = [{"move": "GP/SM"}, "-P", "vender 1 couro"]
    assert replay(read(record)) == plainly


def test_states_before_a_fault_are_sound() -> None:
    record = full()
    record["rounds"][0]["turns"][16] = "sell 7 leather"
    steps = tables(read(record).rounds[0])
    assert [turn and turn.move for _, turn in (next(steps) for _ in range(17))] == [
        packed.code(move) for move in record["rounds"][0]["turns"][:17]
    ]
    with pytest.raises(RecordError):
        next(steps)


def test_objections_are_raised_to_illegal_moves_alone() -> None:
    moves = {move for seed in range(2) for shown in random_round(seed)[1] for move in shown["legal"]}
    for seed in range(2, 6):
        played, states = random_round(seed)
        steps = tables(read(match(played)).rounds[0])
        for (table, _), shown in list(zip(steps, states, strict=True))[::10]:
            seen = state.read(table)
            legal = {move for move in moves if not any(objections(seen, *decode(packed.code(move)), deck=()))}
            assert legal == moves & set(shown["legal"])


# ---- who took the seal, as far as it is known ----


def test_a_partly_known_round_is_decided_rightly_or_not_at_all() -> None:
    truth = {
        tuple(line["record"]["rounds"][0]["turns"]): line["states"][-1]
        for name in ("full", "brief")
        for line in golden.rounds(name)
    }
    results = []
    for line in golden.rounds("seen"):
        last = replay(read(line["record"]))[0][-1]
        true = truth[tuple(turn["move"] for turn in line["record"]["rounds"][0]["turns"])]
        results.append(last["result"])
        if last["result"] == "unknown":
            assert last["seal"] is None
            assert any(last["bonus_unknown"])
        else:
            assert (last["seal"], last["result"]) == (true["seal"], true["result"])
    assert {"won", "unknown"} <= set(results)


def test_possible_winners_are_those_of_all_ways_to_turn_the_tokens_up() -> None:
    for seed in range(60):
        played, _ = random_round(seed)
        *_, (table, _, _) = plain.random_round(seed)
        del played["bonus"]
        *_, (last, _) = tables(read(match(played)).rounds[0])
        assert outcomes(last) == possible_winners(table), seed


def possible_winners(table: plain.Table) -> set[int | None]:
    """The winners of a finished round, were all of its bonus tokens face down: by enumeration."""
    north, south = (
        Counter(tier for tier, values in plain.BONUS.items() for value in player.bonus if value in values)
        for player in table.players
    )
    ways = [
        {(tokens[: north[tier]], tokens[north[tier] : north[tier] + south[tier]]) for tokens in permutations(values)}
        for tier, values in plain.BONUS.items()
    ]
    winners = set()
    for way in product(*ways):
        for player, drawn in zip(table.players, zip(*way, strict=True), strict=True):
            player.bonus = [value for tier in drawn for value in tier]
        winners.add(plain.winner(table))
    return winners


# ---- matches ----


def test_the_loser_starts_and_two_seals_end_the_match() -> None:
    seeds = [seed_of(first=0, seal=0), seed_of(first=1, seal=1), seed_of(first=0, seal=1)]
    played = [random_round(seed) for seed in seeds]
    assert replay(read(match(*(told for told, _ in played)))) == [states for _, states in played]
    with pytest.raises(RecordError) as error:
        replay(read(match(*(told for told, _ in played), random_round(0)[0])))
    assert error.value.faults == (("rounds[3]", "round 4: the match was over, south had won it"),)


def test_after_a_draw_the_other_player_starts() -> None:
    drawn, _ = random_round(DRAW)
    assert len(replay(read(match(drawn, random_round(0)[0])))) == 2
    refused("rounds[1].first", "expected 0", match(drawn, random_round(1)[0]))


def test_the_winner_of_a_round_does_not_start_the_next() -> None:
    refused(
        "rounds[1].first",
        "round 2: read 0, expected 1",
        match(random_round(seed_of(first=0, seal=0))[0], random_round(0)[0]),
    )


def test_either_player_may_start_after_a_round_whose_winner_is_unknown() -> None:
    unknown = next(
        line["record"]["rounds"][0]
        for line in golden.rounds("seen")
        if replay(read(line["record"]))[0][-1]["result"] == "unknown"
    )
    for seed in (0, 1):
        assert len(replay(read(match(unknown, random_round(seed)[0])))) == 2


def test_only_the_last_round_may_stop_early() -> None:
    stopped, _ = random_round(0)
    stopped["turns"].pop()
    refused("rounds[0].turns", "round 1 stops before its end", match(stopped, random_round(0)[0]))


def test_the_last_refill_may_be_missing_where_a_record_stops() -> None:
    record = seen()
    turns = record["rounds"][0]["turns"]
    del turns[5:], turns[4]["refill"]  # four camels taken
    *_, before, last = replay(read(record))[0]
    assert (sum(last["market"].values()), last["deck"]) == (1, before["deck"])
    assert (last["turn"], last["legal"]) == (1 - before["turn"], None)
    assert "over" not in last


def test_the_refill_that_ends_a_round_is_told() -> None:
    for line in golden.rounds("seen"):
        turns = line["record"]["rounds"][0]["turns"]
        if line["states"][-1]["over"] == "deck" and turns[-1].pop("refill", None):
            refused(f"rounds[0].turns[{len(turns) - 1}].refill", "read no card, expected", line["record"])
            return
    pytest.fail("no round ends with a refill")


# ---- faults ----


def refused(field: str, message: str, record: Any) -> None:
    """The record is refused for this one fault, whose message has these words in it."""
    with pytest.raises(RecordError) as error:
        replay(read(record))
    (fault,) = error.value.faults
    assert fault.field == field
    assert message in fault.message


def put(record: Json, path: str, value: Any) -> Json:
    """The record with another value at a path, such as `rounds[0].first`."""
    *way, last = [int(index) if index else name for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)]
    place: Any = record
    for step in way:
        place = place[step]
    place[last] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "jaipur-record/2", "expected 'jaipur-record/1'"),
        ("format", None, "left out"),
        ("players", ["north"], "read a list of 1, expected a list of 2"),
        ("players[1]", 7, "read 7, expected a text"),
        ("rounds", {}, "read {}, expected a list"),
        ("rounds[0]", [], "expected an object"),
        ("rounds[0].turn", [], "no such field; nearest: turns"),
        ("rounds[0].first", 2, "read 2, expected a whole number from 0 to 1"),
        ("rounds[0].first", True, "read True"),
        ("rounds[0].deck_end", "never", "expected 'refill' or 'empty'"),
        ("rounds[0].market", "MMMG", "read 4 cards, expected 5"),
        ("rounds[0].market", "MMGPP", "read 2 camels, expected at least 3"),
        ("rounds[0].market", "gold golf", "'golf' is no card; nearest: gold"),
        ("rounds[0].hands", [[], [], []], "read a list of 3"),
        ("rounds[0].hands[1]", "PPPPPP", "read 6 cards, expected at most 5"),
        ("rounds[0].deck[3]", "spicy", "nearest: spice"),
        ("rounds[0].deck", ["gold"] * 41, "read a list of 41, expected a list of 40"),
        ("rounds[0].bonus.4", [4, 4, 5, 5, 6, 7], "expected 4 4 5 5 6 6 in any order"),
        ("rounds[0].bonus.5", None, "left out"),
        ("rounds[0].turns[16]", 3, "expected an object"),
    ],
)
def test_faults_of_a_fully_known_record(path: str, value: Any, message: str) -> None:
    refused(path, message, put(full(), path, value))


def test_nothing_is_told_twice() -> None:
    record = put(full(), "rounds[0].turns[4]", {"move": "take camels", "refill": "DLPP"})
    refused("rounds[0].turns[4].refill", "expected no refill where the round tells its deck", record)
    record = put(full(), "rounds[0].turns[14]", {"move": "sell 3 spice", "bonus": 3})
    refused("rounds[0].turns[14].bonus", "expected no bonus where the round tells its piles", record)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("deck[0]", "camel", "read 12 camel in market, hands and deck, expected at most 11"),
        ("hands[0]", "LSG", "expected all 11: the unknown cards of a hand are goods"),
    ],
)
def test_cards_that_do_not_add_up(path: str, value: Any, message: str) -> None:
    refused("rounds[0]", message, put(full(), f"rounds[0].{path}", value))


@pytest.mark.parametrize(
    ("turn", "move", "reason"),
    [
        (17, "take gold", "takes gold, but the market has diamond silver leather leather leather"),
        (17, "take camels", "takes camel, but the market has diamond silver leather leather leather"),
        (17, "sell 2 leather", "gives leather leather, but the hand has diamond leather"),
        (17, "sell 1 diamond", "diamond is sold by 2 cards at least"),
        (17, "exchange silver for diamond", "exchanges 1 card, expected 2 at least"),
        (17, "exchange silver leather for diamond", "takes 2 cards for 1, expected as many"),
        (17, "exchange silver leather for diamond camel", "gives 1 camel, but the herd has 0"),
        (17, "exchange silver leather for diamond leather", "leather is both taken and given"),
        (26, "take silver", "the hand would hold 8 goods, expected at most 7"),
    ],
)
def test_illegal_moves(turn: int, move: str, reason: str) -> None:
    path = f"rounds[0].turns[{turn - 1}]"
    refused(f"{path}.move", f"round 1, turn {turn}, {move}: {reason}", put(full(), path, move))


@pytest.mark.parametrize(
    ("turn", "field", "value", "message"),
    [
        (1, "move", "sell 5 leather", "the hand has 4 unknown"),
        (2, "move", "sell 2 leather", "the hand has gold gold spice leather"),
        (9, "move", "sell 3 gold", "the hand has gold silver and 1 unknown"),
        (1, "bonus", 2, "expected none, as the turn wins no bonus token"),
        (14, "bonus", 4, "read 4, expected one of [1, 2, 3] for 3 cards sold"),
        (14, "bonus", 7, "read 7, expected the value of a bonus token: 1, 2, 3, 4, 5, 6, 8, 9 or 10"),
        (4, "refill", None, "read no card, expected 4 cards"),
        (4, "refill", "DLP", "read diamond spice leather, expected 4 cards"),
        (4, "refill", "DLPPP", "expected 4 cards"),
        (4, "refill", "MMMMMM", "read 6 cards, expected at most 5"),
        (14, "refill", "G", "read gold, expected 0 cards"),
        (15, "refill", "PPPP", "read 4 spice, but"),
    ],
)
def test_faults_of_turns_in_a_partly_known_record(turn: int, field: str, value: Any, message: str) -> None:
    path = f"rounds[0].turns[{turn}].{field}"
    refused(path, message, put(seen(), path, value))


def test_unknown_cards_are_none_of_those_the_deck_tells() -> None:
    record = full()
    record["rounds"][0]["hands"][1] = ["camel", "gold"]  # and spice, silver and cloth, which follows from the rest
    assert replay(read(record))[0][1]["unknown"] == [0, 3]
    put(record, "rounds[0].turns[1]", "sell 1 leather")
    refused("rounds[0].turns[1].move", "but at most 0 of the unknown cards can be leather", record)


def test_unknown_cards_are_goods() -> None:
    """Three goods and a camel are unseen, three of the four are in the hands: a good that comes up is one too many."""
    (played,) = read(seen()).rounds
    table = state.table(
        market=(1, 0, 0, 0, 0, 0, 4),
        holds=[(0, 0, 0, 0, 0, 0, 3, 1), (0, 0, 0, 0, 0, 0, 3, 2)],
        knowns=[(0,) * 6] * 2,
        unseen=(0, 0, 0, 0, 0, 3, 1),
        tokens=(5, 5, 5, 7, 7, 9),
        owned=[(0,) * 9] * 2,
        scores=[(0,) * 5] * 2,
    )
    turn = Turn(packed.code("take diamond"), refill=packed.counts(["leather"]), bonus=None)
    with pytest.raises(ValueError, match="too few goods for 3 unknown cards in hand"):
        play_turn(table, turn, played)


def test_a_bonus_value_is_won_no_more_often_than_there_are_tokens() -> None:
    for line in golden.rounds("seen"):
        wins = [turn for turn in line["record"]["rounds"][0]["turns"] if turn.get("bonus", 9) <= 3]
        if len(wins) > 2:
            for turn in wins:
                turn["bonus"] = 3
            with pytest.raises(RecordError, match="read 3, but every bonus token of this value was won before"):
                replay(read(line["record"]))
            return
    pytest.fail("no round has three known bonus tokens of a tier")


def test_no_turn_after_the_end() -> None:
    record = full()
    turns = record["rounds"][0]["turns"]
    turns.append("take camels")
    refused(f"rounds[0].turns[{len(turns) - 1}].move", "the round is over: the deck is exhausted", record)


def test_every_fault_of_the_form_is_named_at_once() -> None:
    record = put(put(put(full(), "rounds[0].first", 5), "players", None), "rounds[0].turns[3]", "sell")
    with pytest.raises(RecordError) as error:
        read(record)
    assert {fault.field for fault in error.value.faults} == {"players", "rounds[0].first", "rounds[0].turns[3].move"}


@pytest.mark.parametrize("text", ["", "{", json.dumps({"format": "jaipur-record/1"})[:-1], b"\xff", "[" * 100_000])
def test_texts_that_are_no_json(text: str | bytes) -> None:
    refused("record", "no JSON", text)

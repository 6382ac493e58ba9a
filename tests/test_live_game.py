"""The accounts of a match against golden rounds, and corrections that change all or nothing."""

import json
from functools import cache
from pathlib import Path

import golden
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_record import DRAW, random_round, seed_of
from test_record import match as whole_match

from advisor.live.game import Game, Standing, load, position_of, sight
from advisor.live.reasons import RefusedError, turn_fault
from advisor.live.terminal import begun
from advisor.notation import Heading, Position, Redo, Seal, Step, Undo, read_turn
from advisor.position import read_position
from advisor.record import Round, Turn, read
from advisor.replay import TurnError, play_turn, replay, tables

MIDGAME = read_position((Path(__file__).parents[1] / "examples" / "midgame.toml").read_bytes())


def dealt(played: Round) -> Game:
    game = Game()
    game.enter(played._replace(turns=()))
    return game


def played_to(played: Round, turns: int) -> Game:
    game = dealt(played)
    for turn in played.turns[:turns]:
        game.enter(turn)
    return game


def seen(which: int = 0) -> Round:
    return read(golden.rounds("seen")[which]["record"]).rounds[0]


@pytest.mark.parametrize(("name", "every"), [("seen", 3), ("full", 4), ("brief", 40)])
def test_states_are_the_golden_ones(name: str, every: int) -> None:
    """All of them: `python benchmarks/live.py states`."""
    for line in golden.rounds(name)[::every]:
        played = read(line["record"]).rounds[0]
        game = dealt(played)
        for turn, expected in zip([*played.turns, None], line["states"], strict=True):
            state = game.now.state()
            assert {key: value for key, value in state.items() if key in expected} == {
                key: value for key, value in expected.items() if key in state
            }
            if turn:
                game.enter(turn)


def test_what_a_player_sees_is_what_an_observer_of_the_whole_round_shows_him() -> None:
    """The same search comes from a fully known record as from the player's own sheet."""
    lines = {tuple(line["record"]["rounds"][0]["turns"]): line for line in golden.rounds("full")}
    compared = 0
    for line in golden.rounds("seen"):
        played = read(line["record"]).rounds[0]
        whole = lines.get(tuple(turn["move"] for turn in line["record"]["rounds"][0]["turns"]))
        if whole is None:
            continue
        mine, all_seeing = dealt(played), dealt(read(whole["record"]).rounds[0])
        for turn, told in zip(played.turns, read(whole["record"]).rounds[0].turns, strict=True):
            assert (sight(mine.now, line["viewer"])[0] == sight(all_seeing.now, line["viewer"])[0]).all()
            mine.enter(turn)
            all_seeing.enter(told)
            compared += 1
    assert compared


def test_every_refusal_of_a_replay_is_explained() -> None:
    """Where the rules object, so do the explanations; where they do not, neither do these."""
    moves = {turn.move for played in (seen(0), seen(1)) for turn in played.turns}
    for which in (2, 3):
        played = seen(which)
        for table, turn in list(tables(played))[:60:7]:
            for move in sorted(moves)[::3]:
                tried = Turn(move, None, None)
                reason = turn_fault(table.copy(), tried, played)
                assert bool(reason) != playable(played, table, tried), reason
            assert turn is None or turn_fault(table.copy(), turn, played) is None


def playable(played: Round, table: np.ndarray, turn: Turn) -> bool:
    try:
        play_turn(table.copy(), turn, played)
    except TurnError:
        return False
    return True


# ---- rounds and seals ----


def entered(*seeds: int) -> Game:
    game = Game()
    for seed in seeds:
        (played,) = read(whole_match(random_round(seed)[0])).rounds
        game.enter(played._replace(turns=()))
        for turn in played.turns:
            game.enter(turn)
    return game


def test_seals_are_counted_and_the_loser_starts() -> None:
    first, second, third = seed_of(0, 0), seed_of(1, 1), seed_of(0, 1)
    game = entered(first)
    assert (game.now.awaits, game.now.seals, game.now.starters) == ("deal", (1, 0), frozenset({1}))
    game = entered(first, second)
    assert (game.now.seals, game.now.starters) == ((1, 1), frozenset({0}))
    game = entered(first, second, third)
    assert (game.now.awaits, game.now.champion, game.now.round) == ("nothing", 1, 3)
    with pytest.raises(RefusedError, match="the match is over"):
        game.enter(game.entries[0])


def test_the_wrong_starter_is_refused() -> None:
    game = entered(seed_of(0, 0))
    wrong = game.entries[0]
    with pytest.raises(RefusedError, match="the other player starts"):
        game.enter(wrong)


def test_after_a_draw_the_other_one_starts() -> None:
    game = entered(DRAW)
    assert (game.now.seals, game.now.starters, game.now.winners) == ((0, 0), frozenset({0}), frozenset({None}))


@cache
def _undecided() -> Round:
    for line in golden.rounds("seen"):
        record = read(line["record"])
        if replay(record)[0][-1]["result"] == "unknown":
            return record.rounds[0]
    raise AssertionError


def undecided() -> Game:
    """A round whose seal depends on unknown bonus tokens."""
    return played_to(_undecided(), len(_undecided().turns))


def test_a_seal_that_unknown_tokens_decide_is_told() -> None:
    game = undecided()
    assert game.now.awaits == "seal"
    with pytest.raises(RefusedError, match="first say who took the seal"):
        game.enter(game.entries[0])
    winner = next(iter(game.now.winners - {None}))
    impossible = {0, 1, None} - game.now.winners
    for wrong in impossible:
        with pytest.raises(RefusedError, match="cannot have taken the seal"):
            game.enter(Seal(wrong))
    game.enter(Seal(winner))
    assert game.now.awaits == "deal"
    assert game.now.seals[winner or 0] == 1
    with pytest.raises(RefusedError, match="no seal is open"):
        game.enter(Seal(winner))


# ---- from the middle ----


def test_a_position_is_followed() -> None:
    game = Game()
    game.enter(Position(MIDGAME.line()))
    readings, weights = sight(game.now, 0)
    expected, probabilities = MIDGAME.alternatives()
    assert (readings == expected).all()
    assert weights == pytest.approx(probabilities)
    assert read_position(position_of(game.now, 0)) == MIDGAME
    assert game.now.seals == (1, 0)
    game.enter(read_turn("GP/LM"))
    assert game.now.mover == 1
    with pytest.raises(RefusedError, match="only at its beginning"):
        game.enter(Position(MIDGAME.line()))


def test_open_herds_are_narrowed_by_what_happens() -> None:
    open_herd = MIDGAME.to_dict()
    open_herd["opponent"]["herd"] = open_herd["deck"] = None
    game = Game()
    game.enter(Position(read_position(open_herd).line()))
    before = len(game.now.tables)
    assert before > 1
    assert position_of(game.now, 0)["deck"] is None
    game.enter(read_turn("+G S"))
    game.enter(read_turn("SL/MM"))
    assert 0 < len(game.now.tables) < before
    assert sum(game.now.probabilities) == pytest.approx(1)


def test_a_match_goes_on_from_a_record(tmp_path: Path) -> None:
    for name, which in (("full", 0), ("seen", 0), ("seen", 1)):
        line = golden.rounds(name)[which]
        file = tmp_path / "match.json"
        file.write_text(json.dumps(line["record"]))
        heading, game = begun(str(file), Heading(("me", "opponent"), 0))
        assert heading.me == line.get("viewer", 0)
        own = game.now.state()["rupees"][heading.me or 0]
        camels = line["states"][-1]["rupees"]
        assert own <= camels[heading.me or 0] <= own + 5
        assert len(game.entries) == 1 + len(line["record"]["rounds"][0]["turns"])


# ---- corrections ----


def test_undo_and_redo_go_back_and_forth() -> None:
    game = played_to(seen(), 10)
    before, entries = game.standings.copy(), game.entries.copy()
    game.undo(4)
    assert game.now is before[-5]
    game.redo(4)
    assert game.entries == entries
    assert [one.tobytes() for one in game.now.tables] == [one.tobytes() for one in before[-1].tables]
    for wrong in (0, 12, -1):
        with pytest.raises(RefusedError):
            game.undo(wrong)
    with pytest.raises(RefusedError):
        game.redo()


def test_a_new_entry_takes_the_place_of_the_first_that_waits() -> None:
    game = played_to(seen(), 10)
    third = game.entries[-3]
    game.undo(3)
    game.enter(third)
    assert len(game.waiting) == 2
    game.redo(2)
    assert game.waiting == []


def test_fix_replays_what_follows() -> None:
    game = played_to(seen(), 8)
    right = game.entries[5]
    assert right == read_turn("+M DPPL")
    steps, misfit = game.fix(5, read_turn("+M LPPS"))
    assert steps == [Undo(4), read_turn("+M LPPS")]
    assert misfit is not None
    assert misfit.reason.startswith("no diamond in the market: it has ")
    assert game.waiting[0] == misfit.entry
    steps, misfit = game.fix(5, right)
    assert misfit is None
    game.redo(len(game.waiting))
    assert game.now.state() == played_to(seen(), 8).now.state()


def test_a_fix_that_does_not_fit_changes_nothing() -> None:
    game = played_to(seen(), 8)
    before = (game.standings.copy(), game.entries.copy(), game.waiting.copy())
    with pytest.raises(RefusedError):
        game.fix(5, read_turn("-2D"))
    assert (game.standings, game.entries, game.waiting) == before


def test_places_of_turns() -> None:
    game = entered(seed_of(0, 0), seed_of(1, 1))
    second = 1 + len(read(whole_match(random_round(seed_of(0, 0))[0])).rounds[0].turns)
    assert game.place_of(0) == second
    assert game.place_of(3) == second + 3
    assert game.place_of(3, 1) == 3
    assert game.place_of(3, 3) is None


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(["undo", "redo", "enter", "fix"]), st.integers(0, 30)), max_size=20))
def test_steps_told_again_lead_to_the_same_game(choices: list[tuple[str, int]]) -> None:
    """What a match file keeps brings back entries, waiting ones too, and the table."""
    played = seen(4)
    game = Game()
    steps: list[Step] = []
    game.enter(played._replace(turns=()))
    steps.append(played._replace(turns=()))
    for what, number in choices:
        turn = played.turns[number]
        try:
            match what:
                case "undo":
                    game.undo(number % 5)
                    steps.append(Undo(number % 5))
                case "redo":
                    game.redo()
                    steps.append(Redo(1))
                case "enter":
                    turn = played.turns[game.now.turn] if game.now.tables else turn
                    game.enter(turn)
                    steps.append(turn)
                case "fix" if game.entries:
                    taken, _ = game.fix(number % len(game.entries), turn)
                    steps.extend(taken)
        except RefusedError:
            continue
    again = load(enumerate(steps))
    assert (again.entries, again.waiting) == (game.entries, game.waiting)
    assert [one.tobytes() for one in again.now.tables] == [one.tobytes() for one in game.now.tables]


def test_an_empty_match_awaits_a_deal() -> None:
    assert Standing().awaits == "deal"
    with pytest.raises(RefusedError, match="no round has been dealt yet"):
        Game().enter(read_turn("+G P"))

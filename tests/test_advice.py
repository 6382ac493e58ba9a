"""Advice: its form, its budget, and what is asked for in vain."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.advice import BELIEFS, Advice, advise, legal_moves
from advisor.faults import FaultyError
from advisor.position import Position, read_position
from advisor.words import WordError

MIDGAME = read_position((Path(__file__).parents[1] / "examples" / "midgame.toml").read_bytes())
FINISHED: dict[str, dict[str, Any]] = {
    "piles": {"tokens": {"diamond": 0, "gold": 0, "silver": 0}, "me": {"hand": "CL", "rupees": 40}},
    "deck": {
        "deck_end": "empty",
        "deck": 0,
        "tokens": {"leather": 0, "cloth": 0, "spice": 1, "gold": 1, "silver": 2},
        "me": {"hand": "DDDSS", "herd": 8, "rupees": 40},
    },
    "match": {"me": {"hand": "CL", "seals": 2}},
}
BUDGET = 200


def asked(position: Position = MIDGAME, **options: Any) -> Advice:
    return advise(position, **{"iterations": BUDGET} | options)


@pytest.fixture(scope="module")
def advice() -> Advice:
    return asked()


def test_rows_have_the_form_of_the_protocol(advice: Advice) -> None:
    reply = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert list(reply) == ["moves", "position", "line", "search", "solved"]
    assert reply["position"] == MIDGAME.to_dict()
    assert reply["line"] == MIDGAME.line()
    assert reply["search"] | {"seconds": 0} == {
        "iterations": BUDGET,
        "seconds": 0,
        "nodes": advice.search.nodes,
        "threads": 1,
        "seed": 1,
    }
    form = {
        "rupees": {"me", "opponent", "margin", "stderr"},
        "seal": {"win", "draw", "loss", "stderr"},
        "match": {"win"},
    }
    for row in reply["moves"]:
        assert set(row) >= {"move", "visits", "share", *form}
        for name, fields in form.items():
            assert set(row[name]) == fields


def test_every_legal_move_has_a_row(advice: Advice) -> None:
    assert sorted(row.move for row in advice.rows) == legal_moves(MIDGAME)
    assert advice.legal == len(advice.rows)
    assert [row.rank for row in advice.rows] == list(range(1, advice.legal + 1))


def test_figures_add_up(advice: Advice) -> None:
    for row in advice.rows:
        assert row.seal.win + row.seal.draw + row.seal.loss == pytest.approx(1)
        assert row.rupees.margin == pytest.approx(row.rupees.me - row.rupees.opponent)
        assert 0 <= row.match.win <= 1
        assert row.samples > 0
    assert sum(row.share for row in advice.rows) == pytest.approx(1)
    assert advice.rows[0].gap.seal == advice.rows[0].gap.stderr == 0


def test_the_same_question_gets_the_same_answer(advice: Advice) -> None:
    first, second = advice.to_dict(), asked().to_dict()
    for reply in first, second:
        del reply["search"]["seconds"]
    assert json.dumps(first) == json.dumps(second)


def test_top_keeps_the_best_and_those_asked_for(advice: Advice) -> None:
    last = advice.rows[-1].move
    shown = asked(top=2, moves=[last, advice.rows[0].move]).rows
    assert [row.rank for row in shown] == [1, 2, advice.legal]
    assert shown[-1].move == last
    assert shown[-1].samples == shown[0].samples


def test_a_seal_is_worth_more_when_it_wins_the_match(advice: Advice) -> None:
    behind = read_position(MIDGAME.to_dict() | {"me": MIDGAME.to_dict()["me"] | {"seals": 0}})
    assert asked(behind, top=1).rows[0].match.win < advice.rows[0].match.win


@pytest.mark.parametrize("end", FINISHED)
def test_a_finished_table_has_no_rows(end: str) -> None:
    position = read_position({"market": "DGCPL", "opponent": {"hand": 5}} | FINISHED[end])
    assert position.over == end
    assert legal_moves(position) == []
    advice = advise(position)
    assert (advice.rows, advice.legal, advice.search.iterations) == ((), 0, 0)


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"seconds": 1, "iterations": 1}, ["seconds"]),
        ({"seconds": float("nan")}, ["seconds"]),
        ({"seconds": float("inf")}, ["seconds"]),
        ({"seconds": 0}, ["seconds"]),
        ({"iterations": 0, "seed": -1, "top": 0, "threads": 0}, ["iterations", "seed", "threads", "top"]),
        ({"seed": 2**64}, ["seed"]),
        ({"belief": "none"}, ["belief"]),
    ],
)
def test_options_beyond_the_limits(options: dict[str, Any], fields: list[str]) -> None:
    with pytest.raises(FaultyError) as error:
        advise(MIDGAME, **options)
    assert [fault.field for fault in error.value.faults] == fields


def test_beliefs() -> None:
    """The learned belief unless told otherwise."""
    learned, uniform = (asked(belief=belief).rows for belief in BELIEFS)
    assert asked().rows == learned != uniform


def test_moves_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="sell 3 gold is not legal: gives gold gold gold, but the hand has silver"):
        asked(moves=["-3G"])
    with pytest.raises(WordError, match="no move"):
        asked(moves=["castle"])

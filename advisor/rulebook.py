"""The rules with their rulings, short, in the language in use; the numbers come from `engine.rules`."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from advisor.report import STYLES
from advisor.speech import _, card_name, plain
from advisor.words import CARD_NAMES, LETTERS
from engine import rules


def show(out: Console) -> None:
    """Print the rules."""
    for title, lines in chapters():
        out.print(Text(title, style="bold"))
        if title == _("Cards and tokens"):
            out.print(_components())
        for line in lines:
            grid = Table.grid(padding=(0, 1, 0, 0))
            grid.add_row("-", line)
            out.print(grid)
        out.print()


def _components() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for kind, name in enumerate(CARD_NAMES):
        values = " ".join(map(str, rules.TOKENS[kind])) if kind < rules.GOODS else ""
        grid.add_row(LETTERS[kind], Text(card_name(kind), STYLES[name]), str(rules.CARDS[kind]), values)
    return grid


def chapters() -> Iterator[tuple[str, list[str]]]:
    """The titles, each with its paragraphs."""
    yield _("Cards and tokens"), _things()
    yield (
        _("Deal"),
        [
            _(
                "Three camels lie in the market; each player gets five cards, and two more go to the market. Camels of "
                "a hand are laid open before the player: the herd. 40 cards are left in the deck."
            )
        ],
    )
    yield _("A turn is one of these"), _turns()
    yield _("The end"), _ends()
    yield _("Rulings"), _rulings()


def _things() -> list[str]:
    tiers = zip(rules.TIER_SIZE, rules.BONUS, strict=True)
    values = "; ".join(f"{size}: {' '.join(map(str, pile))}" for size, pile in tiers)
    return [
        plain(_("Bonus tokens, face down, by the number of cards sold: {values}.").format(values=values)),
        _("The larger herd at the end of a round gets 5 rupees; at a tie nobody does."),
    ]


def _turns() -> list[str]:
    return [
        _("Take one good from the market; a card from the deck fills its place. The hand holds at most 7 goods."),
        _("Take all the camels of the market to the herd; cards from the deck fill their places."),
        _(
            "Exchange two to five goods of the market for as many cards of hand and herd. No kind is both taken and "
            "given, and no camel is taken. The hand afterwards holds at most 7 goods. Nothing is drawn."
        ),
        _(
            "Sell cards of one good: two at least of diamond, gold and silver. Take as many of its tokens, from the "
            "top, and for three, four, or five and more cards a bonus token."
        ),
    ]


def _ends() -> list[str]:
    return [
        _("A round ends at once when the third pile of goods tokens is empty, or the deck cannot fill the market."),
        _("The richer player takes the seal; at equal rupees more bonus tokens, then more goods tokens, decide."),
        _("Equal in all: a draw, the round is played again, and the one who did not start it starts."),
        _("The loser of a round starts the next. Two seals win the match."),
    ]


def _rulings() -> list[str]:
    return [
        _("No card is drawn after an exchange, and a single card cannot be exchanged."),
        _("Fewer tokens than cards sold: take those that are left. The bonus token goes by the cards sold."),
        _("A good whose pile is empty may be sold; three cards of it still bring a bonus token."),
        _("No bonus token of a size is left: the sale brings none."),
        _("The deck's last card does not end the round; the next move that needs a card does."),
        _("All camels of the market are taken, even if there is only one. Camels do not count as cards in hand."),
        _("Cards that leave a hand in the open are, to the other player, those that have been seen first."),
    ]

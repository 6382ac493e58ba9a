"""Cards and moves in people's words: English, Portuguese, Spanish and Romanian, letter codes, short forms.

Words are read in any case, with or without accents, singular or plural. What cannot be read, or could be
read in two ways, raises `WordError`, which echoes the text and offers the nearest words. Whether a move is
legal is for the engine to say; here it only has to be a move.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache

from advisor.faults import quoted
from engine.codes import decode, encode
from engine.rules import CAMEL, CARDS, GOODS, TYPES

CARD_NAMES = ("diamond", "gold", "silver", "cloth", "spice", "leather", "camel")
"""Canonical names by type."""

LETTERS = "DGSCPLM"
"""One-letter codes by type."""

DECK_ENDS = ("refill", "empty")
"""Words for `rules.DECK_END_REFILL` and `rules.DECK_END_EMPTY`."""

Counts = tuple[int, ...]
"""Cards as counts by type: seven, or six where they are goods."""


class WordError(ValueError):
    """A text that names no card or move, or more than one. The message is one sentence for a person."""


# Languages in order: English, Portuguese, Spanish, Romanian (singular and plural, where that is not an added s).
_CARD_WORDS = (
    "diamond diamante diamant",
    "gold ouro oro aur",
    "silver prata plata argint",
    "cloth tecido tela panza panze",
    "spice especiaria especia mirodenie mirodenii",
    "leather couro cuero piele piei",
    "camel camelo camello camila camile camilele",
)
_BASIC_WORDS = {word: kind for kind, words in enumerate(_CARD_WORDS) for word in words.split()}
_KIND_OF_WORD = _BASIC_WORDS | {f"{word}s": kind for word, kind in _BASIC_WORDS.items()}
_KIND_OF_LETTER = {letter: kind for kind, letter in enumerate(LETTERS)}

_ACTION_WORDS = {
    "take": "+ take tomar tomo toma tome pegar pego pega pegue tirar coger cojo coge ia iau lua luati",
    "sell": "- \u2212 \u2013 sell vender vendo vende venda vinde vand vindeti",
    "exchange": "exchange swap trocar troco troca troque cambiar cambio cambia cambie intercambiar schimb schimba",
}
_ACTION_OF_WORD = {word: action for action, words in _ACTION_WORDS.items() for word in words.split()}

_FIRST_WORD = re.compile(r"\s*([+\-\u2212\u2013]|[^\W\d_]+)\s*(.*)", re.DOTALL)
_ARTICLES = re.compile(r"(?:\b(?:the|all|os|o|los|el|todos|toate)\s+)*", re.IGNORECASE)
_FOR = re.compile(r"/|\b(?:for|por|pe|pentru|cu)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\s,;+&]|\b(?:and|e|y|si)\b)*", re.IGNORECASE)
# Possessive, or a long run of blanks would be tried in every way of cutting it.
_ITEM = re.compile(
    r"(?:(?P<before>\d++)\s*+(?:[*\u00d7]|x\b|\b(?:of|de)\b)?\s*+)?"
    r"(?P<word>[^\W\d_]++)"
    r"(?:\s*+(?:[*\u00d7]|\bx)\s*+(?P<after>\d++))?",
    re.IGNORECASE,
)

MANY_CARDS = 999
"""Largest number of cards read at all; more are a slip or mischief."""
_WORD_LENGTH = 30
"""Longest word compared with the known ones."""
_MISSPELT = 0.75
"""Likeness to a card's name from which small letters may be that name misspelt (`gld`), not three cards."""


def cards(source: object) -> Counts:
    """Seven counts by type from a list of cards: a list of names, a count by name, or a text.

    Texts: `gold camel camel`, `gold 2 camel`, `camel*2`, `2 camels, 1 gold`, `GMM`, `G 2M`.
    Raises `WordError`. Counts are not bounded by the cards there are.
    """
    if isinstance(source, str):
        return _cards_of_text(source)
    if isinstance(source, Mapping):
        return _cards_of_counts(source)
    if isinstance(source, list | tuple):
        return _cards_of_names(source)
    raise WordError(f"read {quoted(source)}, expected a list of cards")


def card(word: str) -> int:
    """The type 0 to 6 of one card by its name in any of the languages, or by its letter; raises `WordError`."""
    plain = _plain(word).strip()
    kind = _KIND_OF_WORD.get(plain.lower(), _KIND_OF_LETTER.get(plain.upper()))
    if kind is None:
        raise WordError(f"{quoted(word)} is no card{hint(plain, _BASIC_WORDS)}")
    return kind


def count_by_name(counts: Counts) -> dict[str, int]:
    """Counts by canonical name, zeros left out; six counts (goods) or seven."""
    return {name: count for name, count in zip(CARD_NAMES, counts, strict=False) if count}


def names(counts: Counts) -> str:
    """The canonical text of some cards: `gold camel camel`; six counts (goods) or seven."""
    return " ".join(name for name, count in zip(CARD_NAMES, counts, strict=False) for _ in range(count))


def hint(word: str, choices: Iterable[str]) -> str:
    """`; nearest: …` with up to three of the known words most like this one, or nothing."""
    near = get_close_matches(word[:_WORD_LENGTH].lower(), choices)
    return f"; nearest: {', '.join(near)}" if near else ""


@lru_cache(maxsize=4096)
def move_text(code: int) -> str:
    """The canonical text of a move code: `take gold`, `take camels`, `sell 3 leather`, `exchange … for …`."""
    taken, given = decode(code)
    if not any(given):
        return "take camels" if taken[CAMEL] else f"take {names(taken)}"
    if not any(taken):
        (name, count), *_ = count_by_name(given).items()
        return f"sell {count} {name}"
    return f"exchange {names(taken)} for {names(given)}"


def parse_move(text: str) -> int:
    """The code of a move in canonical, short (`+G`, `-3L`, `GG/LM`) or people's words; raises `WordError`.

    In an exchange the cards taken come first, in every language.
    """
    if not isinstance(text, str):
        raise WordError(f"read {quoted(text)}, expected a move such as 'sell 3 leather'")
    return _parse_move(text)


@lru_cache(maxsize=4096)
def _parse_move(text: str) -> int:
    plain = _plain(text)
    first = _FIRST_WORD.fullmatch(plain)
    word, rest = first.groups() if first else ("", plain)
    action = _ACTION_OF_WORD.get(word.lower())
    sides = _FOR.split(rest if action else plain)
    if len(sides) == 2 and action in ("exchange", None):
        return _exchange(text, *sides)
    if len(sides) == 1 and action == "take":
        return _take(text, rest)
    if len(sides) == 1 and action == "sell":
        return _sell(text, rest)
    wanted = "expected 'take …', 'sell …' or 'exchange … for …'"
    raise WordError(f"{quoted(text)} is no move, {wanted}{'' if action else hint(word, _ACTION_OF_WORD)}")


def _take(text: str, rest: str) -> int:
    taken = _move_cards(text, _ARTICLES.sub("", rest, count=1))
    if taken[CAMEL] and not any(taken[:CAMEL]):
        taken = (0,) * GOODS + (1,)
    if sum(taken) != 1:
        raise WordError(f"{quoted(text)} is no move: one good is taken, or the camels")
    return encode(taken, ())


def _sell(text: str, rest: str) -> int:
    given = _move_cards(text, rest)
    if len(count_by_name(given)) != 1 or given[CAMEL]:
        raise WordError(f"{quoted(text)} is no move: cards of one good are sold, camels never")
    return encode((), given)


def _exchange(text: str, take: str, give: str) -> int:
    taken, given = _move_cards(text, take), _move_cards(text, give)
    if taken[CAMEL]:
        raise WordError(
            f"{quoted(text)} is no move: camels are not taken in an exchange; the cards taken come first, "
            "as in 'exchange gold gold for leather camel'"
        )
    if not any(taken) or not any(given):
        raise WordError(f"{quoted(text)} is no move: an exchange takes cards for cards")
    return encode(taken, given)


def _move_cards(text: str, part: str) -> Counts:
    """The cards of one part of a move: no more than there are."""
    try:
        counts = _cards_of_text(part)
    except WordError as error:
        raise WordError(f"{quoted(text)} is no move: {error}") from None
    for name, count, most in zip(CARD_NAMES, counts, CARDS, strict=True):
        if count > most:
            raise WordError(f"{quoted(text)} is no move: read {count} {name}, there are {most}")
    return counts


def _cards_of_names(source: list[object] | tuple[object, ...]) -> Counts:
    counts = [0] * TYPES
    for word in source:
        if not isinstance(word, str):
            raise WordError(f"read {quoted(word)}, expected the name of a card")
        counts[card(word)] += 1
    return tuple(counts)


def _cards_of_counts(source: Mapping[object, object]) -> Counts:
    counts = [0] * TYPES
    named = set()
    for word, count in source.items():
        if not isinstance(word, str):
            raise WordError(f"read {quoted(word)}, expected the name of a card")
        if type(count) is not int or not 0 <= count <= MANY_CARDS:
            raise WordError(f"read {quoted(count)} for {quoted(word)}, expected a number of cards")
        kind = card(word)
        if kind in named:
            raise WordError(f"{CARD_NAMES[kind]} is named twice, the second time as {quoted(word)}")
        named.add(kind)
        counts[kind] = count
    return tuple(counts)


def _cards_of_text(text: str) -> Counts:
    counts = [0] * TYPES
    plain = _plain(text)
    place = _skip(plain, 0)
    while place < len(plain):
        item = _ITEM.match(plain, place)
        if item is None:
            raise WordError(f"{quoted(plain[place:])} is no list of cards; write 'gold 2 camel', 'camel*2' or 'GMM'")
        times = _times(item)
        for kind in _kinds(item["word"], single=bool(item["before"] or item["after"])):
            counts[kind] += times
        place = _skip(plain, item.end())
    return tuple(counts)


def _skip(text: str, place: int) -> int:
    """The place of the next item: past blanks, commas and the word `and`."""
    between = _BETWEEN.match(text, place)
    return between.end() if between else place


def _times(item: re.Match[str]) -> int:
    """The number before or after the word of an item; one where there is none."""
    if item["before"] and item["after"]:
        raise WordError(f"{quoted(item[0])} has two numbers, expected one")
    digits = item["before"] or item["after"] or "1"
    if len(digits) > len(str(MANY_CARDS)):
        raise WordError(f"{quoted(item[0])} is too many cards")
    return int(digits)


def _kinds(word: str, single: bool) -> list[int]:
    """The cards of a word: one by name or letter, or several in a run of letters. With a number: a single one."""
    run = [_KIND_OF_LETTER.get(letter) for letter in word.upper()]
    kinds = [kind for kind in run if kind is not None]
    if word.lower() in _KIND_OF_WORD or len(run) == 1 or len(kinds) < len(run):
        return [card(word)]
    if single:
        raise WordError(f"a number with {quoted(word)} can be read in two ways; write '2M G', '2M' or 'MMG'")
    if not word.isupper() and (near := get_close_matches(word[:_WORD_LENGTH].lower(), _BASIC_WORDS, cutoff=_MISSPELT)):
        letters = ", ".join(CARD_NAMES[kind] for kind in kinds)
        raise WordError(f"{quoted(word)} can be read in two ways: {word.upper()} ({letters}) or {' or '.join(near)}")
    return kinds


def _plain(text: str) -> str:
    """The text without its accents."""
    if text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))

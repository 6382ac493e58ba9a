"""Four languages: complete, with the same things filled in, in letters that a plain terminal can show."""

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from advisor import speech
from advisor.words import CARD_NAMES, card

SOURCES = Path(speech.__file__).parent
KEYWORDS = {"_": None, "plural": (1, 2), "ngettext": (1, 2)}


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    speech.use("en")


def texts() -> set[str | tuple[str, ...]]:
    found = extract_from_dir(str(SOURCES), keywords=KEYWORDS)
    return {message for _, _, message, _, _ in found}


def catalogue(code: str) -> Catalog:
    with (speech.CATALOGUES / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


TRANSLATED = [code for code in speech.LANGUAGES if code != "en"]


@pytest.mark.parametrize("code", TRANSLATED)
def test_catalogues_are_complete(code: str) -> None:
    told = {message.id: message for message in catalogue(code) if message.id}
    assert set(told) == texts()
    for message in told.values():
        assert not message.fuzzy
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        assert len(forms) == (catalogue(code).num_plurals if message.pluralizable else 1)
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        for form in forms:
            assert form
            assert fields(str(form)) == fields(str(ids[-1])), form


@pytest.mark.parametrize("code", speech.LANGUAGES)
def test_card_names_are_read_back(code: str) -> None:
    speech.use(code)
    for kind in range(len(CARD_NAMES)):
        for count in (1, 2, 5):
            assert card(speech.card_name(kind, count)) == kind


@pytest.mark.parametrize("code", speech.LANGUAGES)
def test_plain_terminals_get_plain_letters(code: str) -> None:
    speech.use(code, ascii_only=True)
    for message in texts():
        said = speech._(message) if isinstance(message, str) else speech.plural(message[0], message[1], 2)
        assert said.isascii()
        assert said


def test_lists_of_cards() -> None:
    assert speech.card_list((0, 0, 0, 0, 2, 1, 2)) == "2 spice, leather, 2 camels"
    assert speech.card_list((0,) * 7) == "–"
    speech.use("ro", ascii_only=True)
    assert speech.card_list((1, 0, 0, 0, 0, 0, 2)) == "diamant, 2 camile"


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANG": "pt_BR.UTF-8"}, "pt"),
        ({"LC_ALL": "es_ES", "LANG": "ro_RO"}, "es"),
        ({"LC_MESSAGES": "ro_RO"}, "ro"),
        ({"LANG": "de_DE"}, "en"),
        ({"LANG": "C"}, "en"),
        ({}, "en"),
    ],
)
def test_the_locale_decides(variables: dict[str, str], code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert speech.preferred() == code


def test_nothing_is_marked_that_is_no_plain_text() -> None:
    """A text put together before it is looked up can never be found in a catalogue."""
    for source in SOURCES.rglob("*.py"):
        assert not re.search(r"\b_\(f[\"']", source.read_text()), source

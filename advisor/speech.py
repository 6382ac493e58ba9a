"""The language of screens: English, or a catalogue under `languages/` for Portuguese, Spanish and Romanian.

Texts in the code are English and marked by `_` or `plural`; `use` chooses what they become. Babel reads the
catalogues as translators write them.
"""

import gettext
import io
import os
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "pt", "es", "ro")

CATALOGUES = Path(__file__).parent / "languages"


class _Voice:
    """The language in use; `ascii` leaves accents and signs out."""

    catalogue: gettext.NullTranslations = gettext.NullTranslations()
    language = "en"
    ascii = False


_SIGNS = str.maketrans({"±": "+-", "–": "-", "—": "-", "·": "-", "…": "...", "→": "->", "’": "'", "×": "x"})


def use(language: str, ascii_only: bool = False) -> None:
    """Speak a language of `LANGUAGES` from now on."""
    _Voice.catalogue, _Voice.language, _Voice.ascii = _catalogue(language), language, ascii_only


def language() -> str:
    """The language in use."""
    return _Voice.language


def preferred() -> str:
    """The language of the locale if there is a catalogue, else English."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    code = (named or "").lower()[:2]
    return code if code in LANGUAGES else "en"


def _(text: str) -> str:
    """A text in the language in use."""
    return plain(_Voice.catalogue.gettext(text))


def plural(one: str, many: str, count: int) -> str:
    """The form of a text that goes with a number, `{n}` filled in."""
    return plain(_Voice.catalogue.ngettext(one, many, count).format(n=count))


def plain(text: str) -> str:
    """The text, without accents and signs where the screen cannot show them."""
    if not _Voice.ascii or text.isascii():
        return text
    spread = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    return spread.encode("ascii", "ignore").decode()


def card_name(kind: int, count: int = 1) -> str:
    """The name of a card type, in the form that goes with a number."""
    return plain(_card_forms(kind, count))


def card_list(counts: Sequence[int], empty: str = "–") -> str:
    """Some cards in words: `2 camels, leather, 2 spice`; six counts (goods) or seven."""
    parts = [f"{n} {card_name(kind, n)}" if n > 1 else card_name(kind) for kind, n in enumerate(counts) if n]
    return ", ".join(parts) or plain(empty)


def _card_forms(kind: int, n: int) -> str:
    """Each pair stands where the tool that gathers texts finds it."""
    ngettext = _Voice.catalogue.ngettext
    return (
        ngettext("diamond", "diamonds", n),
        ngettext("gold", "gold", n),
        ngettext("silver", "silver", n),
        ngettext("cloth", "cloths", n),
        ngettext("spice", "spice", n),
        ngettext("leather", "leather", n),
        ngettext("camel", "camels", n),
    )[kind]


@cache
def _catalogue(code: str) -> gettext.NullTranslations:
    if code == "en":
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)

"""The page about `advisor live` and its picture are what its command makes."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from advisor import cli

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def screens() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screens", DOCS / "screens.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_figures(text: str) -> str:
    """The last digits of a search are those of one machine; all else is compared."""
    return re.sub(r"\d+(\.\d+)?", "#", re.sub(r"(clear|close call|claro|quase igual)", "verdict", text))


def test_the_page_is_current(screens: ModuleType) -> None:
    """Else: `python docs/screens.py`."""
    text = screens.PAGE.read_text()
    assert without_figures(screens.page(text)) == without_figures(text)
    names = re.findall(r"<!-- screen: (\w+) -->", text)
    assert names == [name for name, _ in screens.screens()]


def test_the_picture_is_current(screens: ModuleType) -> None:
    assert without_figures(screens.picture()) == without_figures(screens.PICTURE.read_text())
    assert "docs/live.svg" in (DOCS.parent / "README.md").read_text()


def test_every_screen_fits(screens: ModuleType) -> None:
    for name, text in screens.screens():
        assert max(map(len, text.splitlines())) <= screens.WIDTH, name


def test_the_commands_of_the_page_exist() -> None:
    text = (DOCS / "at-the-table.md").read_text()
    commands = {command.name or command.callback.__name__ for command in cli.records.registered_commands}  # type: ignore[union-attr]
    assert set(re.findall(r"advisor record (\w+)", text)) == commands
    for option in re.findall(r"advisor live (--\w+)", text):
        assert option in {"--resume", "--practice", "--lang"}

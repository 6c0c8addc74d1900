"""Plug-ins by `module:Class`, and whose fault an error is."""

from importlib.metadata import EntryPoint
from pathlib import Path, PurePath
from types import MappingProxyType

import pytest

from hyperbaton.foundation.catalogue import Catalogue, plug_in_error
from hyperbaton.foundation.errors import SettingError
from tests.refusals import refusals

PLUG_IN = """
class Thing(Base):
    def __init__(self, size=1, share=0.5, tags=None, *, loud=False):
        self.size, self.share, self.tags, self.loud = size, share, tags, loud

    def fail(self):
        return len(self.size)


class Needy(Base):
    def __init__(self, size):
        self.size = size
"""


class Base:
    pass


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plug_in")
    text = f"from {__name__} import Base\n" + PLUG_IN
    (folder / "some_plug_in.py").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield Catalogue("thing", Base, MappingProxyType({"path": "pathlib:Path"}), "no.group", ":")


def test_a_file_in_the_working_folder_offers_classes(things):
    found = things.parse("some_plug_in:Thing:size=3:share=1:loud=yes:tags=x")
    assert found == ("some_plug_in:Thing", {"size": 3, "share": 1.0, "loud": True, "tags": "x"})
    made = things.make(found[0], **found[1])
    assert vars(made) == {"size": 3, "share": 1.0, "loud": True, "tags": "x"}


ELSEWHERE = "or name that folder: PYTHONPATH=FOLDER hyperbaton"


@refusals(
    ("some_plug_in:Thing:sise=3", "'sise' … did you mean size?"),
    ("some_plug_in:Thing:size=x", "some_plug_in:Thing.size cannot be 'x' … a whole"),
    ("some_plug_in:Thing:size", "Thing:size: 'size' has no value … name:key=value:…"),
    ("some_plug_in:Needy", "'some_plug_in:Needy' needs the setting 'size'"),
    ("some_plug_in:Gone", "'some_plug_in:Gone' cannot be loaded: module"),
    ("gone:Thing", f"No module named 'gone' … the folder of gone.py, {ELSEWHERE}"),
    ("gone.inner:Thing", f"start in the folder of gone, {ELSEWHERE}"),
    ("path", "'path' is not a thing"),
    ("pth", "'pth' … did you mean path?"),
    error=SettingError,
)
def test_what_cannot_be_made(things, text):
    name, settings = things.parse(text)
    things.make(name, **settings)


def test_an_error_in_the_code_of_a_plug_in_names_it(things):
    with pytest.raises(TypeError) as caught:
        things.make("some_plug_in:Thing").fail()
    found = plug_in_error(caught.value)
    assert found is not None
    assert str(found).splitlines() == [
        f"{found.where}: the plug-in some_plug_in failed: TypeError: object of type 'int' has no "
        "len()",
        "  in fail",
        "  --debug shows the whole traceback",
    ]
    assert found.where.endswith("some_plug_in.py:8")


def test_an_error_of_ours_is_not_blamed_on_a_plug_in():
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    assert plug_in_error(caught.value) is None


def test_advice_about_a_plug_in_that_is_not_found_is_not_given_for_what_it_imports(
    things, tmp_path, monkeypatch
):
    (tmp_path / "needs_more.py").write_text("import no_such_module\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match=r"No module named 'no_such_module'$") as error:
        things.make("needs_more:Thing")
    assert error.value.advice == ""


def test_packages_offer_more_but_cannot_take_a_name_of_ours(things, monkeypatch):
    offered = {"path": "builtins:dict", "pure": "pathlib:PurePath"}
    points = [EntryPoint(*point, "no.group") for point in offered.items()]
    monkeypatch.setattr("hyperbaton.foundation.catalogue.entry_points", lambda group: points)  # noqa: ARG005
    assert (things.find("path"), things.find("pure")) == (Path, PurePath)


def test_packages_are_not_searched_for_a_name_of_ours(things, monkeypatch):
    monkeypatch.setattr("hyperbaton.foundation.catalogue.entry_points", None)
    assert things.find("path") is Path

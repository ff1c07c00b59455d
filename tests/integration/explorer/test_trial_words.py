"""What people say on the page Trial goes into the log and stands beside the verdict."""

from pathlib import Path

import pytest

from tests.explored import Tried, explored, folder_with, said
from ui.explorer.options import VARIABLE, Options


def test_who_may_write_overrides_and_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "data", [Tried(task="sort", ended="killed")])
    app = explored(folder, monkeypatch, "trial", trial=f"{1:012x}")
    monkeypatch.setenv(VARIABLE, Options(folder=str(folder.root), may_write=True).to_text())
    app.run()
    app.text_input("words-author").input("ada")
    app.selectbox("override-cause").select("disk_full")
    app.text_area("override-text").input("The disk was **full**.").run()
    app.button("override-send").click().run()
    assert not app.exception
    text = said(app).replace("\\", "")
    assert "ada says C disk_full" in text.replace("**", "")
    assert [str(one.value) for one in app.text] == ["The disk was **full**."]
    assert "M oom_container" in text, "the policy's verdict stands beside it"
    app.text_input("note-author").input("bob")
    app.text_area("note-text").input("Look at this one.").run()
    app.button("note-send").click().run()
    assert "bob:" in said(app).replace("**", "")
    app.text_area("note-text").input(" ").run()
    app.button("note-send").click().run()
    assert "is empty" in app.error[0].value

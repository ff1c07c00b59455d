"""Overview: what did the ceilings do to this sweep?"""

from ui.explorer import frame
from ui.explorer.address import View
from ui.explorer.data import data


def render() -> None:
    """Draw the page."""
    known = data()
    view = View.current(known.reader.sweeps())
    frame.answer("What did the ceilings do?", notes=[f"sweep {view.sweep}"])
    frame.problems(view)

"""The styles and the script of pages and pictures, as files of their own."""

from importlib.resources import files


def asset(name: str) -> str:
    """The text of `page.css`, `net.css` or `page.js`."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")

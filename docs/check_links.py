"""Check that every link from one built page to another leads somewhere: ``check_links.py SITE``."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places on it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Note what a tag leads to, and what leads to it."""
        given = dict(attrs)
        for name in ("href", "src"):
            if value := given.get(name):
                self.links.add(value)
        for name in ("id", "name"):
            if value := given.get(name):
                self.places.add(value)


def broken_links(site: Path) -> list[str]:
    """Return the links of a site that lead nowhere, each with its page."""
    # Files of the theme in _static are templates, not pages.
    paths = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): Page(path) for path in paths}
    broken = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            there = target.exists()
            if there and target in pages:
                there = unquote(parts.fragment) in pages[target].places
            if not there:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return broken


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found) or "every link leads somewhere")
    sys.exit(bool(found))

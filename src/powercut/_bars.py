"""Progress bars of a fit: on standard error, by tqdm or by rich."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from typing import Any

from powercut.progress import Callback, Progress, clock

# Columns beside the text of a bar of tqdm or rich: 20 for the bar, then fraction and time.
BESIDE = 37
# The width if the stream is not a terminal, or one that does not tell.
DEFAULT_WIDTH = 80


@contextmanager
def plain_bar(*, erase: bool = False) -> Iterator[Callback]:
    """Show a progress bar on standard error, in whole parts; at the end, leave or erase it."""
    stream = sys.stderr
    terminal = stream.isatty()

    def show(progress: Progress) -> None:
        columns = os.get_terminal_size(stream.fileno()).columns if terminal else 0
        width = (columns or DEFAULT_WIDTH) - 1
        done = round(20 * progress.fraction)
        bar = f"{'#' * done}{'.' * (20 - done)}"
        line = f"{progress.fraction:4.0%} [{bar}] {clock(progress.seconds)} "
        line += progress.describe(max(width - len(line), 0))
        # Only a terminal can erase the rest of a longer line.
        stream.write(f"\r{line[:width]}\x1b[K" if terminal else f"\r{line:<{width}}")
        stream.flush()

    try:
        yield show
    finally:
        stream.write("\r\x1b[K" if erase else "\n")
        stream.flush()


@contextmanager
def tqdm_bar() -> Iterator[Callback]:
    """Show a tqdm progress bar, in a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise _missing("tqdm", 'pip install "powercut[progress]"') from error

    with tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {desc}") as bar:

        def show(progress: Progress) -> None:
            bar.n = progress.fraction
            width = getattr(bar, "ncols", None)  # a notebook has none
            # This also redraws the bar.
            bar.set_description_str(progress.describe(width and max(width - BESIDE, 0)))

        yield show


@contextmanager
def rich_bar() -> Iterator[Callback]:
    """Show a rich progress bar."""
    try:
        from rich import progress as rich
    except ImportError as error:
        raise _missing("rich", "pip install rich") from error

    columns = rich.BarColumn(20), rich.TaskProgressColumn(), rich.TimeElapsedColumn()
    text = rich.TextColumn("{task.description}")
    # Redraw on reports only, not in a background thread.
    with rich.Progress(*columns, text, auto_refresh=False) as bar:
        task = bar.add_task("", total=1.0)

        def show(progress: Progress) -> None:
            line = progress.describe(max(bar.console.width - BESIDE, 0))
            bar.update(task, completed=progress.fraction, description=line, refresh=True)

        yield show


BARS: dict[str, Callable[[], AbstractContextManager[Callback]]] = {
    "tqdm": tqdm_bar,
    "rich": rich_bar,
}


@contextmanager
def callback_of(progress: Any) -> Iterator[Callback | None]:
    """Yield the callback for a `progress` argument, or None; show the progress bar it names."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        with (tqdm_bar if find_spec("tqdm") else plain_bar)() as callback:
            yield callback
    elif isinstance(progress, str) and progress in BARS:
        with BARS[progress]() as callback:
            yield callback
    else:
        raise ValueError(
            f"progress must be None, True, one of {list(BARS)} or a callable, got {progress!r}."
        )


def _missing(package: str, remedy: str) -> ImportError:
    return ImportError(
        f"progress={package!r} needs {package}, which is not installed: {remedy}. progress=True "
        "needs neither tqdm nor rich."
    )

"""Progress bars, of packages that people may have."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from powercut.progress import Progress

Listener = Callable[[Progress], object]


@contextmanager
def tqdm_bar() -> Iterator[Listener]:
    """Show a bar in a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise _missing("tqdm", 'pip install "powercut[progress]"') from error

    with tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {desc}") as bar:

        def show(progress: Progress) -> None:
            bar.n = progress.fraction
            bar.set_description_str(str(progress))  # which shows it

        yield show


@contextmanager
def rich_bar() -> Iterator[Listener]:
    """Show a bar among what else rich shows."""
    try:
        from rich import progress as rich
    except ImportError as error:
        raise _missing("rich", "pip install rich") from error

    columns = rich.BarColumn(20), rich.TaskProgressColumn(), rich.TimeElapsedColumn()
    text = rich.TextColumn("{task.description}")
    # Shown when there is news, and not by a thread of its own.
    with rich.Progress(*columns, text, auto_refresh=False) as bar:
        task = bar.add_task("", total=1.0)

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.fraction, description=str(progress), refresh=True)

        yield show


BARS: dict[str, Callable[[], AbstractContextManager[Listener]]] = {
    "tqdm": tqdm_bar,
    "rich": rich_bar,
}


@contextmanager
def listening(progress: Any) -> Iterator[Listener | None]:
    """Yield what is to be told of progress: a callable, a bar that is shown meanwhile, or None."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True or (isinstance(progress, str) and progress in BARS):
        with BARS["tqdm" if progress is True else progress]() as listener:
            yield listener
    else:
        raise ValueError(
            f"progress must be None, True, one of {list(BARS)} or a callable, got {progress!r}."
        )


def _missing(package: str, remedy: str) -> ImportError:
    return ImportError(f"progress={package!r} needs {package}, which is not installed: {remedy}")

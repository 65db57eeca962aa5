"""Outputs are whole or not there: failed and killed writes, permissions, links, devices."""

import ast
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import powercut
from powercut._atomic import atomic_open, atomic_path, new_folder

needs_posix = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and signals")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text("old")
    return path


def fail_half_way(path, error):
    with atomic_open(path) as file:
        file.write(b"half")
        raise error


def fail_in_a_folder(path):
    with new_folder(path) as folder:
        (folder / "indices").write_text("half")
        assert not path.exists()
        raise ValueError("half")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_written_file_replaces_the_old_one(path):
    with atomic_open(path, "w", encoding="utf-8") as file:
        file.write("n\xebw")
        assert path.read_text() == "old"
    assert path.read_text(encoding="utf-8") == "n\xebw"
    assert os.listdir(path.parent) == ["labels.tsv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_write_leaves_the_old_file_and_no_other(path, error):
    with pytest.raises(error):
        fail_half_way(path, error)
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["labels.tsv"]


def test_a_library_that_writes_to_a_path_sees_the_suffix(tmp_path):
    with atomic_path(tmp_path / "graph.tsv.gz") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffixes[-2:] == [".tsv", ".gz"]
        temporary.write_bytes(b"new")
    assert (tmp_path / "graph.tsv.gz").read_bytes() == b"new"


@pytest.mark.parametrize("letter", ["a", "\N{PILE OF POO}"])
def test_the_longest_names_can_be_written(tmp_path, letter):
    path = tmp_path / (letter * (255 // len(letter.encode())))
    with atomic_open(path, "w") as file:
        file.write("new")
    assert path.read_text() == "new"


KILLED = """
import sys, time
from powercut._atomic import atomic_open
with atomic_open(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half written", flush=True)
    time.sleep(60)
"""


@needs_posix
def test_a_killed_write_leaves_the_old_file(path):
    arguments = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"half written\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (left,) = set(os.listdir(path.parent)) - {path.name}
    assert left.startswith(".partial-")
    with atomic_open(path, "w") as file:  # what is left does not matter to the next write
        file.write("new")
    assert path.read_text() == "new"


@needs_posix
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_and_folder_have_the_permissions_of_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        with atomic_open(tmp_path / "file"):
            pass
        with new_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "file") == 0o666 & ~umask
    assert mode_of(tmp_path / "folder") == 0o777 & ~umask


@needs_posix
def test_the_umask_is_never_changed(path, monkeypatch):
    def refuse(_):
        raise AssertionError("the umask belongs to all threads")

    monkeypatch.setattr(os, "umask", refuse)
    with atomic_open(path), new_folder(path.with_name("folder")):
        pass


@needs_posix
@pytest.mark.parametrize("mode", [0o600, 0o666, 0o755])
def test_an_existing_file_keeps_its_permissions(path, mode):
    path.chmod(mode)
    with atomic_path(path) as temporary:
        assert mode_of(temporary) == mode
    assert mode_of(path) == mode


@needs_posix
def test_a_read_only_file_is_not_replaced(path, monkeypatch):
    # os.access says yes to root, who may run the tests.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"labels\.tsv"), atomic_open(path):
        pass
    assert path.read_text() == "old"


@needs_posix
def test_a_link_stays_a_link_and_its_target_is_replaced(path, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for target in (path, path.with_name("missing")):
        link = folder / f"to-{target.name}"
        link.symlink_to(target)
        with atomic_open(link, "w") as file:
            file.write("new")
        assert link.is_symlink()
        assert target.read_text() == "new"
    loop = folder / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop"), atomic_open(loop):
        pass


@needs_posix
def test_pipes_are_written_to_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    with atomic_open(pipe) as file:
        file.write(b"through")
    reader.join(timeout=10)
    assert found == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
def test_standard_output_is_written_to_directly_even_if_it_is_a_file(path):
    code = (
        "from powercut._atomic import atomic_open\n"
        "with atomic_open('/dev/stdout', 'w') as file:\n    file.write('labels')\n"
    )
    with path.open("w") as file:
        before = os.fstat(file.fileno()).st_ino
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert path.read_text() == "labels"
    assert path.stat().st_ino == before


def test_a_missing_folder_is_named_by_the_path_that_was_given(tmp_path):
    path = tmp_path / "missing" / "labels.tsv"
    with pytest.raises(FileNotFoundError) as caught, atomic_open(path):
        pass
    assert caught.value.filename == str(path)


def test_a_folder_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "parent" / "graph"
    with pytest.raises(ValueError, match="half"):
        fail_in_a_folder(path)
    assert os.listdir(path.parent) == []
    with new_folder(path) as folder:
        (folder / "indices").write_text("new")
    assert (path / "indices").read_text() == "new"
    with pytest.raises(FileExistsError, match="remove it"), new_folder(path):
        pass
    assert os.listdir(path.parent) == ["graph"]


# Modules that write files in folders which are temporary, or private to a running search; and the
# lock of a folder.
WRITE_DIRECTLY = {
    "_atomic.py",
    "cli/_watch_state.py",
    "disk/array_file.py",
    "disk/spool.py",
    "remote/graphs.py",
    "remote/result_log.py",
    "remote/shared_state.py",
    "spark/_rows.py",
}


def writes_directly(call):
    """Return whether a call opens a file to write to it, or gives a path to one that does."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    modes = [value.value for value in arguments if isinstance(value, ast.Constant)]
    if name == "open":
        return any(
            isinstance(mode, str) and re.fullmatch("[wax]b?|.*[+].*", mode) for mode in modes
        )
    if name in ("save", "savez", "savez_compressed", "savefig", "imsave"):
        return ast.unparse(call.args[0]) not in ("file", "path")  # what the helpers yield
    is_method = isinstance(call.func, ast.Attribute)
    return is_method and name in ("write_text", "write_bytes", "tofile", "to_csv", "savetxt")


def test_every_module_writes_through_the_helper():
    package = Path(powercut.__file__).parent
    found = set()
    for module in package.rglob("*.py"):
        nodes = ast.walk(ast.parse(module.read_text("utf-8")))
        if any(isinstance(node, ast.Call) and writes_directly(node) for node in nodes):
            found.add(module.relative_to(package).as_posix())
    assert found <= WRITE_DIRECTLY

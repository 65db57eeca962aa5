"""A real Spark cluster for tests: a master and workers, each in its own process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any, Self

import psutil

DEPLOY = "org.apache.spark.deploy"
# Tests are short: compiling Java well takes longer than it saves.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class SparkCluster:
    """A master and workers on this machine, from the package `pyspark`.

    Parameters
    ----------
    folder : Path
        For logs and the files of the workers.
    n_workers : int, default=2
        Number of workers. Each has two cores, enough for two sessions.
    """

    def __init__(self, folder: Path, *, n_workers: int = 2) -> None:
        import pyspark

        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{self.port}"
        self.home = Path(pyspark.__file__).parent
        self.master = self._start(f"{DEPLOY}.master.Master", "--port", str(self.port))
        self.workers = [self.start_worker() for _ in range(n_workers)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start another worker."""
        return self._start(f"{DEPLOY}.worker.Worker", "-c", "2", "-m", "4g", self.url)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        number = len(list(self.folder.glob("*.log")))
        own = {
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": JAVA_OPTIONS,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(self.folder / f"worker-{number}"),
            "SPARK_LOCAL_DIRS": str(self.folder / f"local-{number}"),
            "SPARK_MASTER_HOST": "127.0.0.1",
        }
        with (self.folder / f"{number}.log").open("wb") as log:
            return subprocess.Popen(
                [self.home / "bin" / "spark-class", name, "--webui-port", "0", *arguments],
                cwd=self.folder,
                env=os.environ | own,
                stdout=log,
                stderr=log,
            )

    def session(self, **settings: Any) -> Any:
        """Return a session of this cluster; in names of settings, ``_`` stands for a dot."""
        return connect(self.url, **settings)

    def kill_worker(self) -> None:
        """Kill a worker, its executors and their Python processes."""
        worker = self.workers.pop()
        family = [*psutil.Process(worker.pid).children(recursive=True), worker]
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        worker.wait()

    @contextmanager
    def replacing_workers(self, *moments: Callable[[], bool]) -> Iterator[None]:
        """Kill a worker, and start another, at each of these moments in turn."""
        is_over = Event()

        def replace_workers() -> None:
            for has_come in moments:
                wait_for(lambda has_come=has_come: is_over.is_set() or has_come())
                if is_over.is_set():
                    return
                self.kill_worker()
                self.workers.append(self.start_worker())

        with ThreadPoolExecutor(max_workers=1) as thread:
            replaced = thread.submit(replace_workers)
            try:
                yield
            except BaseException:
                is_over.set()  # what it waits for may never come
                raise
            replaced.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.master):
            process.terminate()
        for process in (*self.workers, self.master):
            process.wait()


def wait_for(happens: Callable[[], bool], seconds: float = 300) -> None:
    """Return once something happens."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s")
        time.sleep(0.005)


def connect(url: str, *, n_executors: int = 2, **settings: Any) -> Any:
    """Return a session with executors of one core, once all have registered."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # also for the workers
    defaults = {
        "spark_driver_host": "127.0.0.1",
        "spark_driver_extraJavaOptions": JAVA_OPTIONS,
        "spark_executor_extraJavaOptions": JAVA_OPTIONS,
        "spark_executor_memory": "600m",
        "spark_executorEnv_PYTHONPATH": str(Path(__file__).parent),
        "spark_python_daemon_module": "spark_daemon",
        "spark_executor_cores": 1,
        "spark_cores_max": n_executors,
        "spark_sql_shuffle_partitions": 4,
        "spark_ui_enabled": False,
        "spark_ui_showConsoleProgress": False,
        "spark_log_level": "ERROR",
    }
    builder = SparkSession.builder.master(url)
    for name, value in (defaults | settings).items():
        builder = builder.config(name.replace("_", "."), value)
    session = builder.getOrCreate()
    tracker = session.sparkContext._jsc.sc().statusTracker()
    # The driver is one of them. Logs of the workers tell why they do not register.
    wait_for(lambda: len(tracker.getExecutorInfos()) > n_executors, 60)
    return session

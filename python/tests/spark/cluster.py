"""A standalone cluster of Spark on loopback: a master, workers, and jobs."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from types import TracebackType
from typing import Any, Self

# How long a process may take to start, in seconds; a busy machine needs most of it.
START = 120

# The compression of Parquet: snappy-java takes the wrong library on systems with the package musl.
ZSTD = "zstd"

# A Python worker that is silent writes its stack into the log of its executor, and is ended after
# some time: its task is tried again. Once, with a load of 19, two did nothing for 160 seconds.
HANGS = {
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.python.worker.tracebackDumpIntervalSeconds": "30",
    "spark.python.worker.idleTimeoutSeconds": "100",
    "spark.python.worker.killOnIdleTimeout": "true",
}

# Runs a command that ends when this process does.
PARENT_DEATH = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def loopback(folder: pathlib.Path) -> dict[str, str]:
    """Settings of a session that listens on loopback only and writes below a folder."""
    return {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.parquet.compression.codec": ZSTD,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        # The Python of the workers is this one.
        "spark.pyspark.python": sys.executable,
    }


class Cluster:
    """A master and two workers with one core each."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.url = ""

    def __enter__(self) -> Self:
        try:
            log = self.start("master", "master.Master", "--host", "127.0.0.1", "--port", "0")
            self.url = self.wait(log, r"Starting Spark master at (spark://\S+)")
            for number in (1, 2):
                self.start_worker(f"worker{number}")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start_worker(self, name: str) -> None:
        """Starts a worker and waits until the master knows it."""
        options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g"]
        work = ["--work-dir", str(self.folder / name)]
        log = self.start(name, "worker.Worker", *options, *work, self.url)
        self.wait(log, r"(Successfully registered with master)")

    def start(self, name: str, kind: str, *arguments: str) -> pathlib.Path:
        """Starts a process, which ends with this one, and gives its log."""
        import pyspark

        spark_class = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class"
        log = self.folder / f"{name}-{time.monotonic_ns()}.log"
        command = [str(spark_class), f"org.apache.spark.deploy.{kind}", "--webui-port", "0"]
        # The shell of spark-class becomes Java, which gets the signal of its parent's death.
        wrapper = [sys.executable, "-c", PARENT_DEATH]
        environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_MEMORY": "256m",
        }
        with log.open("wb") as output:
            self.processes[name] = subprocess.Popen(
                [*wrapper, *command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                # Its executors are in its group.
                start_new_session=True,
            )
        return log

    def wait(self, log: pathlib.Path, pattern: str) -> str:
        """Waits for a line of a log."""
        end = time.monotonic() + START
        while time.monotonic() < end:
            if found := re.search(pattern, log.read_text("utf-8", "replace")):
                return found[1]
            time.sleep(0.2)
        raise TimeoutError(
            f"{log}: no line with {pattern} within {START} seconds\n{log.read_text()}"
        )

    def kill(self, name: str) -> None:
        """Kills a worker, its executors and their Python at once."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """Ends all processes."""
        for name in list(self.processes):
            self.kill(name)

    def job(self, script: pathlib.Path, *arguments: Any, **settings: str) -> "Job":
        """Starts a script as the driver of a job."""
        return Job(self, script, list(map(str, arguments)), settings)


class Job:
    """A script that runs as a driver."""

    def __init__(
        self,
        cluster: Cluster,
        script: pathlib.Path,
        arguments: list[str],
        settings: dict[str, str],
    ) -> None:
        import pyspark

        submit = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-submit"
        folder = cluster.folder / f"driver-{time.monotonic_ns()}"
        folder.mkdir()
        settings = {
            **loopback(folder),
            "spark.executor.memory": "700m",
            "spark.driver.memory": "700m",
            **HANGS,
            **{f"spark.{name.replace('__', '.')}": value for name, value in settings.items()},
        }
        self.executors = cluster.folder
        options = [text for pair in settings.items() for text in ("--conf", "=".join(pair))]
        environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        self.log = folder / "log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-c", PARENT_DEATH),
                    *(str(submit), "--master", cluster.url),
                    *options,
                    str(script),
                    *arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )

    def end(self, timeout: float = 300) -> str:
        """Waits for the end, and gives the output; a failure raises."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(self.state()) from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        output = self.log.read_text("utf-8", "replace")
        assert code == 0, self.state()
        return output

    def state(self) -> str:
        """The ends of the logs of the driver and of the executors."""
        executors = sorted(self.executors.glob("*/app-*/*/stderr"), key=os.path.getmtime)
        logs = [self.log, *executors[-2:]]
        return "\n".join(f"{log}:\n{log.read_text('utf-8', 'replace')[-6000:]}" for log in logs)

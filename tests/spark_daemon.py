"""The process that Spark forks Python workers from, with all imported that they need.

A worker ends with the task that fails, and to import it all again would take seconds.
"""

from pyspark import daemon

import powercut.remote.graphs
import powercut.remote.point_passes
import powercut.spark  # noqa: F401

if __name__ == "__main__":
    daemon.manager()

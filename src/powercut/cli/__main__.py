"""``python -m powercut.cli``, for where the command itself is not on the path."""

import sys

from powercut.cli import main

sys.exit(main())

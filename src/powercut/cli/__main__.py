"""``python -m powercut.cli``, if the command ``powercut`` is not on the path."""

import sys

from powercut.cli import main

sys.exit(main())

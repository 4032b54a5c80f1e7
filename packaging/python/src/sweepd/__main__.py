"""`python -m sweepd run FILE` is `sweepctl run FILE`; so is every other command."""

import os
import sys

from .connection import program
from .errors import UnavailableError

try:
    os.execv(program("sweepctl"), ["sweepctl", *sys.argv[1:]])
except (UnavailableError, OSError) as error:
    sys.exit(f"sweepd: {error}")

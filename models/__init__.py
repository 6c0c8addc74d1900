"""What is learned from data, and the data itself: text, trees, alignments, corpora."""

import os

# Numba colours the error messages that it makes and drops while it compiles. That takes time, and
# replaces sys.stdout and sys.stderr for a moment, in whichever thread. Numba reads this only once.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

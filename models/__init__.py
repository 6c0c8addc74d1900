"""Models learned from data: phrases, language models, distortion, and the system that holds
them."""

import os

# While compiling, Numba colours internal error messages that it then discards. That takes time and
# temporarily replaces sys.stdout and sys.stderr, in any thread. Numba reads this variable once.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

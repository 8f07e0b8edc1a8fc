"""A small server of Ollama's protocol over local models that came with the program.

    python -m apps.llm.bundled --port 0 --models DIR

prints the address it listens on (loopback only) and serves until SIGTERM. Nothing in here needs
Django or the rest of the house: an app talks to it with the official `ollama` client.
`README.md` says what was measured and where it differs from Ollama.
"""

import os

# The engine's wheel is built with OpenMP: idle workers spin between layers unless told to sleep,
# and on a busy two-core machine that is the difference between 0.4 and 12 tokens a second. The
# variable is read when the library loads.
os.environ["OMP_WAIT_POLICY"] = "passive"

VERSION = "0.6.3"  # what /api/version says; the tests speak through the client of that version

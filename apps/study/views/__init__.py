"""The doormen of the study room, one module a mode."""

"""The doormen of the vault room."""

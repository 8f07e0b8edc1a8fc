"""The model runtime: one client, one protocol, whichever server answers."""

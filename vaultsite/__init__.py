"""The roof: settings, addresses, and the processes the vault runs in."""

VERSION = "0.1.0"

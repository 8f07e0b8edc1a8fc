"""The roof: settings, addresses, and the processes the vault runs in."""

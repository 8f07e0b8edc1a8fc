"""The vault itself: accounts, health, keeping and proving."""
